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

// What is said of a metric that no formula gave.
std::string underived(const Metric& m) {
  if (!m.has_value()) return "no value: " + m.reason;
  if (m.is_text()) return m.text;
  if (m.hint == Hint::kYesNo) return m.value != 0 ? "yes" : "no";
  return format_quantity(m.value, m.dim, m.hint) +
         (m.value == 0 ? ": nothing in this plan adds to it" : "");
}

}  // namespace

void check_explain(const Shared& shared, bool explain, const std::optional<int>& depth,
                   const char* how, Diagnostics& d) {
  if (depth && !explain)
    d.error({}, "--depth is of a derivation, and --explain is not given").help(how);
  if (explain && (shared.format == Format::kJson || shared.format == Format::kCsv))
    d.error({}, "--explain prints a derivation: as text or md")
        .help("leave --format out, or --format md");
}

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
      } else {
        const std::string text = fmt::format("{} [{}]\n  {}\n", m.title, m.id, underived(m));
        out += style.markdown ? markdown_text(text) : text;
      }
    }
    if (!found) metric_named(recorded.metrics(), id, {}, diagnostics, "--explain: ");
  }
  return out;
}

}  // namespace reckon::cli
