// Throughput, and the whole run.
#include <fmt/format.h>

#include "cell.hpp"
#include "eval_sections.hpp"
#include "reckon/base/text.hpp"

namespace reckon {
namespace {

struct Named {
  std::string_view id, name, after;
};

// The values of several metrics on one line; those that lack go to `absences`.
std::string listed_values(Reader& r, const std::vector<Named>& metrics, Absences& absences) {
  std::vector<std::string> out;
  for (const Named& n : metrics) {
    const Metric* m = r.get(n.id);
    if (!m) continue;
    if (const std::string reason = reason_of(*m); !reason.empty()) {
      absences.add(std::string(n.name), reason);
    } else {
      out.push_back(shown(*m) +
                    std::string(m->value == 1 && n.after == " steps" ? " step" : n.after));
    }
  }
  return join(out, ", ");
}

class Lines {
 public:
  Lines(Reader& r, const Canvas& canvas) : reader_(r), rows_(canvas) {}
  void add(std::string key, const std::vector<Named>& metrics) {
    const std::string values = listed_values(reader_, metrics, absences_);
    if (!values.empty()) rows_.add(std::move(key), values);
  }
  Section section(std::string title) const {
    Section out{.title = std::move(title), .table = rows_.table()};
    absences_.append_to(out.notes);
    return out;
  }

 private:
  Reader& reader_;
  KeyValues rows_;
  Absences absences_;
};

}  // namespace

Section throughput_section(Reader& r, const Canvas& canvas) {
  Lines lines(r, canvas);
  lines.add("speed", {{"throughput.tokens_per_second", "tokens/s", ""},
                      {"throughput.per_gpu", "tokens/s per GPU", " per GPU"}});
  lines.add("MFU over the step", {{"mfu.6n", "MFU 6n", " 6n"},
                                  {"mfu.full", "MFU full", " full"},
                                  {"mfu.causal", "MFU causal", " causal"},
                                  {"mfu.hfu", "HFU", " hfu"}});
  return lines.section("Throughput");
}

Section run_section(Reader& r, const Canvas& canvas) {
  Lines lines(r, canvas);
  lines.add("length", {{"run.steps", "steps", " steps"},
                       {"run.days", "days", ""},
                       {"run.gpu_hours", "GPU-hours", ""}});
  lines.add("energy", {{"run.energy", "energy", ""}});
  lines.add("cost", {{"run.cost", "cost", ""}});
  lines.add("step", {{"batch.tokens", "tokens of a step", ""},
                     {"batch.over_critical", "critical batch", " × the critical batch"},
                     {"batch.critical", "", ""},
                     {"batch.confidence", "", " of it"}});
  lines.add("a step twice as large", {{"batch.doubled.steps", "", " × the steps"},
                                      {"batch.doubled.compute", "", " × the compute"}});
  lines.add("most data ranks below it", {{"batch.largest_data", "", ""}});
  return lines.section("Run");
}

}  // namespace reckon
