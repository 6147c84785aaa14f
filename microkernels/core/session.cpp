#include "session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "reckon/units/format.hpp"
#include "watchdog.hpp"

namespace reckon::bench {
namespace {

constexpr std::string_view kNotBegun = "not begun: the time was up";

std::string left_out(const Problem& p, std::string_view why) {
  return fmt::format("{}: {}", name_of(p), why);
}

}  // namespace

Tally run_session(Backend& backend, const std::vector<Problem>& problems, Document& d,
                  const SessionRules& rules, const SessionHooks& hooks) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  Tally tally;
  std::size_t i = 0;
  Watchdog dog([&] {
    d.left_out.push_back(
        left_out(problems[i], fmt::format("no answer in {:.0f} s", rules.patience)));
    hooks.said(i + 1, problems.size(), d.left_out.back(), true);
    hooks.keep(d);
    hooks.hung();
  });
  const auto one = [&](const Problem& p) {
    const Measured m = measure(backend, p, rules.sampling);
    tally.wrong += m.outcome == Outcome::kWrong ? 1 : 0;
    tally.too_large += m.outcome == Outcome::kMemory ? 1 : 0;
    if (!m.ok()) return d.left_out.push_back(left_out(p, m.why)), d.left_out.back();
    d.points.push_back(m.point);
    return summary(m);
  };
  for (; i < problems.size() && !tally.lost; ++i) {
    const Problem& p = problems[i];
    if (std::chrono::duration<double>(Clock::now() - start).count() > rules.within) {
      d.left_out.push_back(left_out(p, kNotBegun));
      ++tally.not_begun;
      continue;
    }
    hooks.said(i + 1, problems.size(), name_of(p), false);
    std::string text;
    dog.start(rules.patience);
    try {
      text = one(p);
    } catch (const std::exception& e) {
      d.left_out.push_back(left_out(p, fmt::format("it failed: {}", e.what())));
      text = d.left_out.back();
      tally.lost = !backend.answers();
    }
    dog.stop();
    hooks.said(i + 1, problems.size(), text, true);
    hooks.keep(d);
  }
  if (tally.not_begun > 0) hooks.keep(d);
  return tally;
}

std::vector<Problem> left_to_do(const std::vector<Problem>& problems, Document& d) {
  std::erase_if(d.left_out, [](const std::string& text) { return text.ends_with(kNotBegun); });
  std::set<std::string> done;
  for (const Point& p : d.points) done.insert(name_of(p.problem));
  std::vector<Problem> out;
  for (const Problem& p : problems) {
    const std::string name = name_of(p);
    const bool refused =
        std::any_of(d.left_out.begin(), d.left_out.end(),
                    [&](const std::string& text) { return text.starts_with(name + ": "); });
    if (!refused && done.count(name) == 0) out.push_back(p);
  }
  return out;
}

// Set-up of a second or more is said: --seconds doesn't bound it.
std::string summary(const Measured& m) {
  constexpr double kLong = 1;
  const Point& p = m.point;
  const double spread = (p.seconds.p90 - p.seconds.p10) / p.seconds.median;
  const bool one = p.samples == 1;  // it deviates from nothing
  return fmt::format("{}: {}{}  {}  ({} sample{}, {}){}{}", name_of(p.problem),
                     format_quantity(p.seconds.median, kSecond),
                     one ? "" : fmt::format(" ±{:.1f} %", 50 * spread), rate_of(p), p.samples,
                     one ? "" : "s", word_of(p.stop), p.throttled ? " THROTTLED" : "",
                     m.set_up >= kLong ? ", set up in " + format_quantity(m.set_up, kSecond) : "");
}

}  // namespace reckon::bench
