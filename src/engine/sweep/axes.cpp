#include "reckon/engine/axes.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include "reckon/base/text.hpp"
#include "reckon/engine/field_at.hpp"

namespace reckon {
namespace {

// "100 GB/s": the number, and all that stands behind it.
struct Measured {
  double number = 0;
  std::string unit;
};

std::optional<Measured> measured(const std::string& text) {
  Measured out;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, out.number);
  if (read.ec != std::errc() || !std::isfinite(out.number)) return {};
  out.unit = std::string(read.ptr, end);
  return out;
}

std::string written(double number, const std::string& unit) {
  return fmt::format("{:.12g}{}", number, unit);
}

bool whole(double x) { return x == std::floor(x); }

// a..b:step
struct Range {
  std::string from, to, step;
};

std::optional<Range> range_of(const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return {};
  const std::size_t colon = text.find(':', dots);
  const std::string to =
      text.substr(dots + 2, colon == std::string::npos ? colon : colon - dots - 2);
  return Range{trimmed(text.substr(0, dots)), trimmed(to),
               colon == std::string::npos ? "" : trimmed(text.substr(colon + 1))};
}

class RangeReader {
 public:
  RangeReader(const Range& range, Span at, Diagnostics& diagnostics)
      : range_(range), at_(at), diagnostics_(diagnostics) {}

  std::vector<std::string> values() {
    const auto from = measured(range_.from), to = measured(range_.to);
    if (!from || !to) {
      fault(fmt::format("'{}..{}' is no range of numbers", range_.from, range_.to))
          .help(range_.to.empty() ? "a range ends somewhere: 1..64:x2"
                                  : "write 1..64:x2, or list the values: 1,2,4");
      return {};
    }
    from_ = from->number;
    to_ = to->number;
    unit_ = to->unit;
    if (!from->unit.empty() && from->unit != to->unit) {
      fault(fmt::format("the ends of '{}..{}' have two units", range_.from, range_.to))
          .help(fmt::format("write both in one: {}..{}", range_.from,
                            written(to->number, from->unit)));
      return {};
    }
    return steps();
  }

 private:
  Diagnostic& fault(std::string message) { return diagnostics_.error(at_, std::move(message)); }

  std::vector<std::string> steps() {
    if (range_.step.empty()) {
      if (unit_.empty() && whole(from_) && whole(to_)) return by(from_ <= to_ ? 1 : -1, false);
      fault(fmt::format("'{}..{}' doesn't say how it goes on", range_.from, range_.to))
          .help(fmt::format("write {}..{}:x2, or {}..{}:+{}", range_.from, range_.to, range_.from,
                            range_.to, written((to_ - from_) / 8, "")));
      return {};
    }
    const bool factor = range_.step[0] == 'x', sum = range_.step[0] == '+' || range_.step[0] == '-';
    const auto step = measured(trimmed(range_.step.substr(range_.step[0] == '-' ? 0 : 1)));
    if ((!factor && !sum) || !step || (!step->unit.empty() && (factor || step->unit != unit_))) {
      fault(fmt::format("'{}' is no step of a range", range_.step))
          .help("write :x2 to double, :+8 to add 8 each time");
      return {};
    }
    return by(step->number, factor);
  }

  bool ends(double step, bool factor) const {
    if (from_ == to_) return true;
    if (!factor) return step != 0 && (step > 0) == (to_ > from_);
    return from_ > 0 && to_ > 0 && step > 0 && step != 1 && (step > 1) == (to_ > from_);
  }

  std::vector<std::string> by(double step, bool factor) {
    if (!ends(step, factor)) {
      fault(fmt::format("'{}..{}:{}' never ends", range_.from, range_.to, range_.step))
          .help(factor ? "a factor above 1 climbs, one below 1 falls; both ends are above 0"
                       : "a step goes from the first value towards the last");
      return {};
    }
    const double span = from_ == to_ ? 0
                        : factor     ? std::log(to_ / from_) / std::log(step)
                                     : (to_ - from_) / step;
    if (!(span < static_cast<double>(kMostPoints))) {
      fault(fmt::format("'{}..{}:{}' has more than {} values", range_.from, range_.to,
                        range_.step.empty() ? "+1" : range_.step, kMostPoints))
          .help("take larger steps");
      return {};
    }
    std::vector<std::string> out;
    // The last value counts where only rounding keeps it out.
    const auto last = static_cast<std::size_t>(std::floor(span * (1 + 1e-12) + 1e-9));
    for (std::size_t i = 0; i <= last; ++i) {
      const double k = static_cast<double>(i);
      out.push_back(written(factor ? from_ * std::pow(step, k) : from_ + step * k, unit_));
    }
    return out;
  }

  const Range& range_;
  Span at_;
  Diagnostics& diagnostics_;
  double from_ = 0, to_ = 0;
  std::string unit_;
};

// At commas that are in no bracket.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> out(1);
  int depth = 0;
  for (const char c : text) {
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c == ',' && depth == 0)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

}  // namespace

// A unit that stands once, behind the last of several numbers; letters that count things are part of the number.
std::string unit_of_all(const std::vector<std::string>& words) {
  const auto last = measured(words.back());
  if (!last || last->unit.empty()) return "";
  for (const char* counts : {"k", "K", "M", "B", "G", "T", "Ki", "Mi", "Gi"})
    if (last->unit == counts) return "";
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const auto bare = measured(words[i]);
    if (!bare || !bare->unit.empty()) return "";
  }
  return last->unit;
}

std::vector<std::string> read_values(const std::string& text, Span at, Diagnostics& diagnostics) {
  std::vector<std::string> out;
  bool ranges = false;
  for (const std::string& part : split(text)) {
    const std::string word = trimmed(part);
    if (word.empty()) {
      diagnostics.error(at, "an empty value in a list").help("write 1,2,4 or 1..64:x2");
      return {};
    }
    const auto range = word[0] == '{' ? std::nullopt : range_of(word);
    if (!range) {
      out.push_back(word);
      continue;
    }
    const auto values = RangeReader(*range, at, diagnostics).values();
    if (values.empty()) return {};
    ranges = true;
    out.insert(out.end(), values.begin(), values.end());
  }
  if (ranges || out.size() < 2) return out;
  const std::string unit = unit_of_all(out);
  for (std::size_t i = 0; i + 1 < out.size(); ++i) out[i] += unit;
  return out;
}

std::string with_unit_of(const std::string& bare, const std::string& other) {
  const std::string from = trimmed(bare);
  return from + unit_of_all({from, trimmed(other)});
}

bool read_axis(const std::string& word, const std::string& said_by, Sources& sources,
               Diagnostics& diagnostics, Axis& out) {
  const Span at{sources.add(said_by, word), 1, 1, static_cast<int>(word.size())};
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == word.size()) {
    diagnostics.error(at, fmt::format("{} {}: expected path=values", said_by, word))
        .help(fmt::format("for example {} cluster.nodes=1..64:x2, or {} batch.micro=1,2,4", said_by,
                          said_by));
    return false;
  }
  out.path = trimmed(word.substr(0, equals));
  out.span = at;
  out.values = read_values(word.substr(equals + 1), at, diagnostics);
  return !out.values.empty();
}

std::size_t points_of(const std::vector<Axis>& axes) {
  std::size_t n = 1;
  for (const Axis& a : axes) {
    if (n > kMostPoints) break;
    n *= a.values.size();
  }
  return n;
}

std::vector<std::string> point(const std::vector<Axis>& axes, std::size_t at) {
  std::vector<std::string> out(axes.size());
  for (std::size_t i = axes.size(); i-- > 0;) {
    out[i] = axes[i].values[at % axes[i].values.size()];
    at /= axes[i].values.size();
  }
  return out;
}

namespace {

// What is said first of a field would count for nothing: the other is laid over it.
void check_twice(const std::vector<Axis>& axes, std::size_t i, Diagnostics& diagnostics) {
  for (std::size_t k = 0; k < i; ++k) {
    if (!is_within(axes[k].path, axes[i].path)) continue;
    diagnostics
        .error(axes[i].span, axes[k].path == axes[i].path
                                 ? fmt::format("{} is varied twice", axes[i].path)
                                 : fmt::format("{} and {}, which holds it, are both varied",
                                               axes[k].path, axes[i].path))
        .note(axes[k].span, "the first time")
        .help("leave one of them out");
  }
}

void check_set(const Axis& axis, const PlanFile& plan, Diagnostics& diagnostics) {
  for (const auto& [path, value] : plan.sets) {
    if (!is_within(path, axis.path)) continue;
    diagnostics
        .error(axis.span,
               fmt::format("{} is varied, and --set {} would count for nothing", axis.path, path))
        .note(value.span, "it is set here")
        .help("leave one of them out");
  }
}

void check_values(const Axis& axis, Diagnostics& diagnostics) {
  std::set<std::string> seen;
  for (const std::string& value : axis.values) {
    if (seen.insert(value).second) continue;
    diagnostics.error(axis.span, fmt::format("{} takes the value {} twice", axis.path, value))
        .help("name it once");
    return;
  }
}

}  // namespace

void check_axes(const std::vector<Axis>& axes, const PlanFile& plan, Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    check_twice(axes, i, diagnostics);
    check_set(axes[i], plan, diagnostics);
    check_values(axes[i], diagnostics);
  }
  if (points_of(axes) > kMostPoints)
    diagnostics.error(axes.back().span, fmt::format("more than {} points in all", kMostPoints))
        .help("take fewer values");
}

}  // namespace reckon
