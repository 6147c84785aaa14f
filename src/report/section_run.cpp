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
  void say(std::string key, std::string value) { rows_.add(std::move(key), std::move(value)); }
  void absent(std::string what, const std::string& reason) {
    absences_.add(std::move(what), reason);
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

// order_of_magnitude -> "order of magnitude"
std::string printable_words(std::string word) {
  for (char& c : word)
    if (c == '_') c = ' ';
  return word;
}

// A step beside the critical batch; the confidence of the law that says it stands beside the number.
// Where no law says it, that is a detail.
void critical_batch(Reader& r, Lines& lines, bool verbose) {
  r.claim_all("batch.doubled.");
  r.claim({"batch.target_loss", "batch.critical", "batch.over_critical", "batch.steps",
           "batch.compute", "batch.largest_data", "batch.confidence", "batch.law",
           "batch.loss_law"});
  const Metric* critical = r.get("batch.critical");
  if (!critical) return;
  if (const std::string reason = reason_of(*critical); !reason.empty()) {
    if (verbose) lines.absent("critical batch", reason);
    return;
  }
  lines.say("batch",
            fmt::format("{} a step, {} × the critical {} ({}: {}; at a loss of {}, {})",
                        r.text("batch.tokens"), r.text("batch.over_critical"), shown(*critical),
                        r.text("batch.law"), printable_words(r.text("batch.confidence")),
                        r.text("batch.target_loss"), r.text("batch.loss_law")));
  lines.say(
      "",
      fmt::format("twice as large: {} × the steps, {} × the compute; below the critical one up to "
                  "{} data ranks",
                  r.text("batch.doubled.steps"), r.text("batch.doubled.compute"),
                  r.text("batch.largest_data")));
}

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
  lines.add("checkpoint", {{"run.checkpoint.bytes", "checkpoint", ""},
                           {"run.checkpoint.write", "writing", " to write"},
                           {"run.checkpoint.stall", "stall", " of waiting"},
                           {"run.checkpoint.interval", "interval", " apart"},
                           {"run.checkpoint.share", "share", " of the time"}});
  lines.add("failures", {{"run.mtbf", "time between failures", " apart"},
                         {"run.failures", "failures", " in the run"},
                         {"run.lost_per_failure", "lost work", " lost at each"},
                         {"run.failure_share", "share", " of the time"}});
  lines.add("goodput", {{"run.goodput", "goodput", " of the time trains"}});
  lines.add("with failures", {{"run.elapsed_days", "days", ""},
                              {"run.elapsed_gpu_hours", "GPU-hours", ""},
                              {"run.elapsed_cost", "cost", ""}});
  critical_batch(r, lines, canvas.verbose);
  return lines.section("Run");
}

}  // namespace reckon
