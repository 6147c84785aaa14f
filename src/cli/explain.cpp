#include "explain.hpp"

#include <fmt/format.h>

#include "reckon/base/text.hpp"
#include "reckon/engine/metric_named.hpp"
#include "reckon/report/derivation.hpp"
#include "reckon/units/format.hpp"

namespace reckon::cli {
namespace {

bool wanted(const Metric& m, const std::string& id) {
  return id == "all" || m.id == id ||
         (id.find('*') != std::string::npos && matches_pattern(m.id, id));
}

}  // namespace

std::string explain(const Loaded& plan, const std::vector<std::string>& ids,
                    const ExplainStyle& style, Diagnostics& diagnostics) {
  const Recorded recorded(plan);
  std::string out;
  std::vector<bool> done(recorded.metrics().size());
  for (const std::string& id : ids) {
    bool found = false;
    for (std::size_t i = 0; i < recorded.metrics().size(); ++i) {
      const Metric& m = recorded.metrics()[i];
      if (!wanted(m, id)) continue;
      found = true;
      if (done[i]) continue;
      done[i] = true;
      if (!out.empty()) out += "\n";
      if (m.node >= 0) {
        const DerivationOptions how{style.depth, style.width};
        out += style.markdown ? derivation_markdown(recorded.tape(), m.node, how)
                              : derivation(recorded.tape(), m.node, how);
      } else if (!m.has_value()) {
        out += fmt::format("{} [{}]\n  no value: {}\n", m.title, m.id, m.reason);
      } else if (m.is_text()) {
        out += fmt::format("{} [{}]\n  {}\n", m.title, m.id, m.text);
      } else {  // a number that was not computed on the tape: 0, or a yes
        out += fmt::format("{} [{}]\n  {}\n", m.title, m.id,
                           m.hint == Hint::kYesNo
                               ? (m.value != 0 ? "yes" : "no")
                               : format_quantity(m.value, m.dim, m.hint) +
                                     (m.value == 0 ? ": nothing in this plan adds to it" : ""));
      }
    }
    if (!found) metric_named(recorded.metrics(), id, {}, diagnostics, "--explain: ");
  }
  return out;
}

}  // namespace reckon::cli
