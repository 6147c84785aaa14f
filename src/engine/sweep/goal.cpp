#include <fmt/format.h>

#include "reckon/base/text.hpp"
#include "reckon/engine/solve.hpp"
#include "reckon/units/parse.hpp"

namespace reckon {
std::string_view sign_of(Compare compare) {
  switch (compare) {
    case Compare::kAtMost:
      return "<=";
    case Compare::kAtLeast:
      return ">=";
    case Compare::kEqual:
      break;
  }
  return "=";
}

bool holds(Compare compare, double value, double target) {
  switch (compare) {
    case Compare::kAtMost:
      return value <= target;
    case Compare::kAtLeast:
      return value >= target;
    case Compare::kEqual:
      break;
  }
  return value == target;
}

bool read_goal(const std::string& word, const std::string& said_by, Sources& sources,
               Diagnostics& diagnostics, Goal& out) {
  out.span = {sources.add(said_by, word), 1, 1, static_cast<int>(word.size())};
  const std::size_t equals = word.find('=');
  const char before = equals == std::string::npos || equals == 0 ? ' ' : word[equals - 1];
  out.compare = before == '<'   ? Compare::kAtMost
                : before == '>' ? Compare::kAtLeast
                                : Compare::kEqual;
  const std::size_t end = out.compare == Compare::kEqual ? equals : equals - 1;
  if (equals != std::string::npos) {
    out.metric = trimmed(std::string_view(word).substr(0, end));
    out.text = trimmed(std::string_view(word).substr(equals + 1));
  }
  if (!out.metric.empty() && !out.text.empty()) return true;
  diagnostics
      .error(out.span,
             fmt::format("{} {}: expected METRIC=TARGET, METRIC<=TARGET or METRIC>=TARGET", said_by,
                         word))
      .help(fmt::format("for example {} 'run.days<=30 days', with quotes around < and >", said_by));
  return false;
}

bool goal_value(const Goal& target, const Metric& metric, Diagnostics& diagnostics, double& out) {
  if (metric.is_text()) {
    diagnostics.error(target.span, fmt::format("{} is a word, not a number", metric.id))
        .help("a target is a number: memory.headroom>=0 B, step.time<=10 s, fits=yes");
    return false;
  }
  const bool negative = target.text.starts_with('-');  // a headroom may be negative
  const std::string_view magnitude = std::string_view(target.text).substr(negative ? 1 : 0);
  const auto parsed = parse_quantity(magnitude, metric.dim,
                                     metric.hint == Hint::kCount ? Hint::kRatio : metric.hint);
  if (const auto* error = std::get_if<ParseError>(&parsed)) {
    diagnostics.error(target.span, fmt::format("{}: {}", metric.id, error->message))
        .help(error->help);
    return false;
  }
  out = std::get<double>(parsed) * (negative ? -1 : 1);
  return true;
}

}  // namespace reckon
