// The top of a report.
#include <fmt/format.h>

#include "cell.hpp"
#include "eval_sections.hpp"
#include "reckon/base/text.hpp"

namespace reckon {
namespace {

// Where a GPU holds less than the model, or a token uses less, there is more than one count.
std::string parameters_line(Reader& r) {
  const auto total = r.number("parameters.total"), active = r.number("parameters.active"),
             gpu = r.number("parameters.per_gpu");
  std::vector<std::string> parts;
  if (active && active != total) parts.push_back(r.text("parameters.active") + " active");
  if (gpu && gpu != total) parts.push_back(r.text("parameters.per_gpu") + " per GPU");
  if (parts.empty()) return "";
  return join({r.text("parameters.total"), join(parts, ", ")}, ", ");
}

std::string verdict_line(Reader& r) {
  const std::string verdict = r.text("memory.verdict"), capacity = r.text("memory.capacity");
  if (verdict == "does not fit")
    return fmt::format("does not fit: needs {} of {}, {} short", r.text("memory.total"), capacity,
                       r.text("memory.shortfall"));
  if (verdict == "may not fit")
    return fmt::format("may not fit: needs {} of {}, {} over", r.text("memory.total"), capacity,
                       r.text("memory.shortfall"));
  if (verdict == "does not fit the host")
    return fmt::format("does not fit the host: needs {} of its memory a GPU, there are {}",
                       r.text("memory.host"), r.text("memory.host_capacity"));
  if (verdict == "fits" || verdict == "tight")
    return fmt::format("{}: {} of {} to spare", verdict == "tight" ? "fits, but tight" : verdict,
                       r.text("memory.headroom"), capacity);
  const Metric* fits = r.result().find("fits");
  if (!fits || reason_of(*fits).empty()) return verdict;
  return fmt::format("fit unknown: {}", reason_of(*fits));
}

std::string speed_line(Reader& r) {
  std::vector<std::string> parts;
  const auto add = [&](std::string_view id, std::string_view after) {
    if (r.number(id)) parts.push_back(r.text(id) + std::string(after));
  };
  const std::string bound = r.text("step.bound");
  add("step.time", bound.empty() ? " a step" : fmt::format(" a step, bound by {}", bound));
  add("throughput.tokens_per_second", "");
  // Days without failures are no answer where the failures let no work be done.
  const Metric* goodput = r.result().find("run.goodput");
  const bool stands_still = goodput && !goodput->has_value();
  add("run.days", stands_still || r.number("run.elapsed_days") ? " ideal" : "");
  add("run.elapsed_days", " with failures");
  if (stands_still) parts.push_back("never ends: " + reason_of(*goodput));
  const bool costs_more = r.number("run.elapsed_cost").has_value();
  if (!stands_still) add("run.cost", costs_more ? " ideal" : "");
  add("run.elapsed_cost", " with failures");
  return join(parts, " · ");
}

}  // namespace

std::string title_of(const Result& result) {
  if (result.name.empty() && result.case_name.empty()) return result.file;
  if (result.name.empty()) return fmt::format("{}, case {}", result.file, result.case_name);
  std::vector<std::string> in;
  if (!result.file.empty()) in.push_back(result.file);
  if (!result.case_name.empty()) in.push_back("case " + result.case_name);
  return in.empty() ? result.name : fmt::format("{} ({})", result.name, join(in, ", "));
}

Section headline_section(Reader& r, const Canvas& canvas) {
  KeyValues rows(canvas);
  for (const auto& [key, value] : r.result().headline) rows.add(key, value);
  if (const std::string line = parameters_line(r); !line.empty()) rows.add("parameters", line);
  return {.title = "", .table = rows.table()};
}

std::vector<std::string> answer(Reader& r) {
  std::vector<std::string> out;
  for (std::string line : {verdict_line(r), speed_line(r)}) {
    if (!line.empty()) out.push_back(std::move(line));
  }
  return out;
}

}  // namespace reckon
