// Delayed scaling: a step's scale follows from the largest maximum of the steps before it, so that it is known before
// the values are. Values here are the maxima by step. The first step uses its own.
//
// Too small a scale clips (an overflow: the maximum rose by more than the margin). Too large a one wastes codes:
// after a spike the history holds it for its whole length.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "quantize.hpp"

namespace reckon {
namespace {

struct Steps {
  std::uint64_t overflows = 0, first = 0, longest = 0, stale = 0;
  double worst = 1, lost = 0;  // factor beyond the range; bits wasted
};

Steps follow(const std::vector<double>& maxima, std::size_t history, double margin,
             std::vector<std::string>& lines) {
  constexpr std::size_t kDrawn = 24;
  Steps out;
  std::uint64_t in_a_row = 0;
  const double room = std::exp2(margin);
  for (std::size_t t = 0; t < maxima.size(); ++t) {
    const double now = std::abs(maxima[t]);
    double known = t == 0 ? now : 0;
    for (std::size_t i = t > history ? t - history : 0; i < t; ++i)
      known = std::max(known, std::abs(maxima[i]));
    const double range = known * room;
    const bool over = now > range;
    in_a_row = over ? in_a_row + 1 : 0;
    out.longest = std::max(out.longest, in_a_row);
    if (over && out.overflows++ == 0) out.first = t + 1;
    if (over && range > 0) out.worst = std::max(out.worst, now / range);
    const double wasted = now > 0 && range > now ? std::log2(range / now) : 0;
    out.lost = std::max(out.lost, wasted);
    out.stale += wasted >= 1;
    if (t < kDrawn) {
      const std::string remark =
          over ? fmt::format("clips: × {} beyond", range > 0 ? short_text(now / range, 3) : "∞")
          : wasted >= 1 ? fmt::format("{:.1f} bits unused", wasted)
                        : "";
      lines.push_back(fmt::format("step {:>3}: maximum {:<9} scale covers {}{}{}", t + 1,
                                  short_text(now), short_text(range), remark.empty() ? "" : "; ",
                                  remark));
    }
  }
  if (maxima.size() > kDrawn) lines.push_back(fmt::format("… {} more", maxima.size() - kDrawn));
  return out;
}

}  // namespace

void delayed_study(const QuantizeAsked& q, const HeldMatrix& maxima, const QuantizeSetup& setup,
                   const NumbersAsked& asked, Result& r) {
  if (!q.history) {
    asked.fault("margin", "history: how many steps the scale remembers is not stated")
        .help("history: 1024");
    return;
  }
  const auto& x = maxima.values();
  if (std::any_of(x.begin(), x.end(), [](double v) { return !std::isfinite(v); })) {
    asked.fault("values", "a maximum is not finite: no scale covers it");
    return;
  }
  const double margin = q.margin.value_or(Count<double>(0)).raw;
  Picture picture{"Delayed scaling", {}};
  const Steps s = follow(x, static_cast<std::size_t>(q.history->raw), margin, picture.lines);
  const Figures out(r.metrics);
  out.number("delayed.overflows", "steps that clip", static_cast<double>(s.overflows),
             Hint::kCount);
  if (s.overflows > 0)
    out.number("delayed.first_overflow", "the first of them", static_cast<double>(s.first),
               Hint::kCount);
  else
    out.none("delayed.first_overflow", "the first of them", "no step clips");
  out.number("delayed.longest_overflow", "most of them in a row", static_cast<double>(s.longest),
             Hint::kCount);
  out.number("delayed.worst_factor", "largest maximum over the range of its step", s.worst);
  out.number("delayed.stale", "steps whose scale is twice too large or more",
             static_cast<double>(s.stale), Hint::kCount);
  out.number("delayed.bits_unused", "most bits of range unused", s.lost);
  out.number("online.overflows", "steps that clip with the scale of the step itself", 0,
             Hint::kCount);
  r.name = fmt::format("{} steps in {}, scales from the {:.0f} before", x.size(), setup.format.id,
                       q.history->raw);
  r.answer.lines.push_back(fmt::format(
      "{} of {} steps clip, by up to a factor {}; {} have a scale twice too large or more",
      s.overflows, x.size(), short_text(s.worst, 3), s.stale));
  r.answer.notes.push_back(
      "An online scale, from the values themselves, never clips and never goes stale; it costs a "
      "pass over the values before they are written.");
  r.answer.pictures.push_back(std::move(picture));
}

}  // namespace reckon
