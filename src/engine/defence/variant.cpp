#include "variant.hpp"

#include <fmt/format.h>

#include <cmath>

#include "reckon/engine/evaluate.hpp"
#include "reckon/engine/legal.hpp"
#include "reckon/units/format.hpp"

namespace reckon::defence {

bool Variant::fits() const {
  const auto yes = number("fits");
  return yes && *yes != 0;
}

std::optional<double> Variant::number(std::string_view id) const {
  const Metric* m = find_metric(metrics, id);
  if (!m || !m->has_value() || m->is_text()) return {};
  return m->value;
}

std::string Variant::text(std::string_view id) const {
  const Metric* m = find_metric(metrics, id);
  if (!m || !m->has_value()) return "–";
  return m->is_text() ? m->text : format_quantity(m->value, m->dim, m->hint);
}

std::optional<double> Variant::ratio(std::string_view a, std::string_view b) const {
  const auto x = number(a), y = number(b);
  if (!x || !y || *y == 0) return {};
  return *x / *y;
}

Variant varied(const LoadedTraining& base, std::string title,
               const std::function<void(Plan&)>& change) {
  auto loaded = std::make_shared<LoadedTraining>(base);
  change(loaded->plan);
  Variant out{std::move(title), loaded, {}, {}};
  Diagnostics faults;
  check_legal(loaded->plan, loaded->origins, loaded->resolved, faults);
  for (const Diagnostic& d : faults.all()) {
    if (d.severity != Severity::kError) continue;
    out.why_not = d.message;
    return out;
  }
  out.metrics = metrics_of(loaded->plan);
  return out;
}

long whole_of(const Count<double>& n) { return std::lround(value_of(n.raw)); }

std::string bytes_text(double bytes) { return format_quantity(bytes, kByte, Hint::kNone); }
std::string time_text(double seconds) { return format_quantity(seconds, kSecond, Hint::kNone); }
std::string percent_text(double share) { return format_quantity(share, kOne, Hint::kFraction); }
std::string times_text(double ratio) { return format_quantity(ratio, kOne, Hint::kRatio) + " ×"; }

}  // namespace reckon::defence
