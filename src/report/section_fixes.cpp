// Changes of one field that make a plan fit, or fit with more room.
#include <fmt/format.h>

#include <algorithm>

#include "cell.hpp"
#include "eval_sections.hpp"
#include "reckon/units/format.hpp"

namespace reckon {

Section fixes_section(Reader& r, const Canvas& canvas) {
  constexpr std::size_t kShown = 6;
  const std::string verdict = r.text("memory.verdict");
  const std::vector<Fix>& fixes = r.result().fixes;
  const bool over = verdict == "does not fit" || verdict == "may not fit";
  if (fixes.empty() && !over) return {};
  const Metric* activations = r.result().find("memory.activations");
  const bool partly_known = activations && !activations->has_value();
  Section out{.title = !over ? "Changes of one field that give more room"
                       : partly_known
                           ? "Changes of one field after which the part that is known fits"
                           : "Changes of one field that make it fit"};
  if (fixes.empty()) {
    out.notes.emplace_back("None of those that were tried does: combine several with --set.");
    return out;
  }
  const std::size_t count = canvas.verbose ? fixes.size() : std::min(fixes.size(), kShown);
  out.table = Table({{"--set"}, {"change"}, {"headroom", Align::kRight}, {"step", Align::kRight}});
  for (std::size_t i = 0; i < count; ++i) {
    const Fix& f = fixes[i];
    out.table.row({f.change, f.title, format_quantity(f.headroom, kByte),
                   f.step_time > 0 ? format_quantity(f.step_time, kSecond) : std::string(kAbsent)});
  }
  if (count < fixes.size())
    out.notes.push_back(fmt::format("{} more: --verbose lists them.", fixes.size() - count));
  return out;
}

}  // namespace reckon
