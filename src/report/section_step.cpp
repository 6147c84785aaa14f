// The step: what its time is spent on, and what bounds it.
#include <fmt/format.h>

#include "breakdown.hpp"
#include "cell.hpp"
#include "eval_sections.hpp"

namespace reckon {
namespace {

constexpr std::string_view kParts[] = {"step.compute",   "step.recompute", "step.imbalance",
                                       "step.bubble",    "step.exposed",   "step.host",
                                       "step.optimizer", "step.fixed",     "step.growth"};
// What compute time is made of under a software stack.
constexpr std::string_view kOperators[] = {"operators.gemms", "operators.attention",
                                           "operators.scan",  "operators.elementwise",
                                           "operators.casts", "operators.tables"};

void add_operators_note(Reader& r, std::vector<std::string>& notes) {
  std::string out;
  for (const std::string_view id : kOperators) {
    if (!r.get(id) || r.number(id).value_or(0) == 0) continue;
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", r.text(id), r.get(id)->title);
  }
  if (!out.empty()) notes.push_back(fmt::format("Of compute: {}.", out));
}

void add_compute_note(Reader& r, std::vector<std::string>& notes) {
  const std::string mfu = r.assumed("train.mfu"), counted = r.assumed("flops");
  if (!r.number("flops.per_step") || mfu.empty()) return;
  notes.push_back(fmt::format("Compute: {} on all GPUs at the stated MFU of {}{}.",
                              r.text("flops.per_step"), mfu,
                              counted.empty() ? "" : fmt::format(" ({})", counted)));
}

void add_bubble_note(Reader& r, std::vector<std::string>& notes) {
  if (r.number("pipeline.bubble_share").value_or(0) == 0) return;
  notes.push_back(fmt::format("Pipeline bubble: {} of elapsed time, {} over ideal time.",
                              r.text("pipeline.bubble_share"), r.text("pipeline.bubble_overhead")));
}

}  // namespace

Section step_section(Reader& r, const Canvas& canvas) {
  r.claim({"flops.per_step", "pipeline.bubble_share", "pipeline.bubble_overhead"});
  for (const std::string_view id : kParts) r.get(id);
  const auto time = r.number("step.time");
  if (!time) return {};
  Breakdown out(canvas, *time);
  for (const std::string_view id : kParts) {
    const auto size = r.number(id);
    if (size.value_or(0) != 0) out.part(r.get(id)->title, r.text(id), *size);
  }
  const std::string bound = r.text("step.bound");
  out.line("time of one step", r.text("step.time"), "",
           bound.empty() ? "" : fmt::format("bound by {}", bound));
  Section section{.title = "Step", .table = out.table()};
  add_compute_note(r, section.notes);
  add_operators_note(r, section.notes);
  add_bubble_note(r, section.notes);
  return section;
}

}  // namespace reckon
