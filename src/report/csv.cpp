#include "reckon/report/csv.hpp"

#include "cell.hpp"
#include "reckon/base/table.hpp"

namespace reckon {

std::string eval_csv(const std::vector<Result>& results) {
  Table table({{"file"}, {"case"}, {"metric"}, {"value"}, {"unit"}, {"title"}, {"reason"}});
  for (const Result& r : results) {
    for (const Metric& m : r.metrics)
      table.row({r.file, r.case_name, m.id, plain(m), unit_of(m), m.title, reason_of(m)});
  }
  return table.csv();
}

}  // namespace reckon
