#include "reckon/report/csv.hpp"

#include "cell.hpp"
#include "reckon/base/table.hpp"

namespace reckon {

namespace {

// How good a metric has been, as lines beside it: accuracy.step.time.median, .p90.
void add_accuracy(const Result& r, const Accuracy& a, Table& table) {
  const bool known = a.rows > 0;
  const auto add = [&](const char* what, double x, const char* title) {
    table.row({r.file, r.case_name, "accuracy." + a.metric + "." + what,
               known ? shortest_number(x) : "", known ? "1" : "", title, known ? a.like : a.text});
  };
  add("rows", static_cast<double>(a.rows), "measured runs like this");
  add("median", a.median, "median error of those");
  add("p90", a.p90, "90th percentile of their error");
}

}  // namespace

std::string eval_csv(const std::vector<Result>& results) {
  Table table({{"file"}, {"case"}, {"metric"}, {"value"}, {"unit"}, {"title"}, {"reason"}});
  for (const Result& r : results) {
    for (const Metric& m : r.metrics)
      table.row({r.file, r.case_name, m.id, plain(m), unit_of(m), m.title, reason_of(m)});
    for (const Accuracy& a : r.accuracy) add_accuracy(r, a, table);
  }
  return table.csv();
}

}  // namespace reckon
