#include "ceilings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "measure.hpp"
#include "reckon/base/table.hpp"

namespace reckon::bench {
namespace {

bool same_shape(const Problem& a, const Problem& b) {
  return std::is_permutation(a.shape.begin(), a.shape.end(), b.shape.begin(), b.shape.end());
}
bool same_work(const Problem& a, const Problem& b) {
  return a.op == b.op && a.dtype == b.dtype && a.cache == b.cache && a.launch == b.launch &&
         same_shape(a, b);
}

double byte_rate(const Point& p) { return p.amounts.bytes / p.seconds.median; }

// What the point is held against: one that is not throttled, if there is one.
const Point* yardstick(const Document& d, const Aim& aim, const Problem& own) {
  const Point* best = nullptr;
  const auto better = [&](const Point& p) {
    if (!best || best->throttled != p.throttled) return !best || best->throttled;
    return aim.by_best && byte_rate(p) > byte_rate(*best);
  };
  for (const Point& p : d.points) {
    const bool candidate = aim.by_best ? p.problem.op == aim.of && p.problem.cache == own.cache
                                       : p.problem.library == aim.of && same_work(p.problem, own);
    if (candidate && better(p)) best = &p;
  }
  return best;
}

bool is_here(const Document& d, const Aim& aim) {
  if (d.machine.runtime.find(aim.on) != std::string::npos) return true;
  return std::any_of(d.machine.devices.begin(), d.machine.devices.end(),
                     [&](const std::string& x) { return x.find(aim.on) != std::string::npos; });
}

Comparison compared(const Point& own, const Point& other, const Aim& aim) {
  Comparison c;
  c.own = name_of(own.problem);
  c.other = aim.of;
  c.rate = rate_of(own);
  c.of_rate = rate_of(other);
  c.at_least = aim.at_least;
  c.ratio = other.seconds.median / own.seconds.median;
  if (aim.by_best) {
    c.other = "best " + aim.of;
    c.ratio = byte_rate(own) / byte_rate(other);
  }
  if (own.throttled || other.throttled) {
    c.verdict = Verdict::kThrottled;
    c.why = own.throttled ? "its clock fell" : "the clock of what it is held against fell";
  } else if (c.at_least > 0) {
    c.verdict = c.ratio >= c.at_least ? Verdict::kReached : Verdict::kMissed;
  }
  return c;
}

// Why a point isn't there, as far as the file says: "gemm bf16 m=8192 … wgmma: its result is wrong".
std::string left_out_of(const Document& d, const Aim& aim) {
  for (const std::string& text : d.left_out) {
    const std::size_t end = text.find(": ");
    if (end == std::string::npos) continue;
    // With blanks around, so that "m=8" is not found in "m=8192".
    std::string name = " " + text.substr(0, end) + " ";
    std::replace(name.begin(), name.end(), ',', ' ');
    const auto has = [&name](const std::string& word) {
      return word.empty() || name.find(" " + word + " ") != std::string::npos;
    };
    const Problem& k = aim.kernel;
    if (has(k.op) && has(k.dtype) && has(k.library) &&
        std::all_of(k.shape.begin(), k.shape.end(),
                    [&](const auto& s) { return has(fmt::format("{}={}", s.first, s.second)); }))
      return text.substr(end + 2);
  }
  return "";
}

// An aim that no point could be held to.
Comparison absent(const Document& d, const Aim& aim, const Point* own) {
  Comparison c;
  c.own = own ? name_of(own->problem) : name_of(aim);
  c.other = aim.by_best ? "best " + aim.of : aim.of;
  c.rate = own ? rate_of(*own) : "";
  c.at_least = aim.at_least;
  c.verdict = Verdict::kNotMeasured;
  c.why = own ? fmt::format("{} was not measured", aim.by_best ? "cold " + aim.of : aim.of)
              : left_out_of(d, aim);
  return c;
}

std::string verdict_of(const Comparison& c) {
  const auto with_why = [&c](const char* word) {
    return c.why.empty() ? word : fmt::format("{}: {}", word, c.why);
  };
  switch (c.verdict) {
    case Verdict::kReached:
      return "reached";
    case Verdict::kMissed:
      return "MISSED";
    case Verdict::kThrottled:
      return with_why("throttled");
    case Verdict::kNotMeasured:
      return with_why("not measured");
    case Verdict::kShown:
      break;
  }
  return "";
}

// Rounded down, so that a ratio that reads like its aim has reached it.
std::string percent(double share) {
  constexpr double kSteps = 1000;
  return share > 0 ? fmt::format("{:.1f} %", std::floor(share * kSteps + 1e-9) / (kSteps / 100))
                   : "";
}

}  // namespace

// What an aim leaves open holds for any point.
bool concerns(const Aim& aim, const Problem& p) {
  const Problem& said = aim.kernel;
  const auto same = [](const std::string& a, const std::string& b) { return a.empty() || a == b; };
  return said.op == p.op && p.library != aim.of && same(said.dtype, p.dtype) &&
         same(said.library, p.library) &&
         std::all_of(said.shape.begin(), said.shape.end(),
                     [&p](const auto& s) { return p.size(s.first) == s.second; });
}

std::vector<Comparison> held_against(const Document& d, const std::vector<Aim>& aims) {
  std::vector<Comparison> out;
  std::vector<std::pair<const Point*, std::string>> done;  // a point, and what it was held against
  for (const Aim& aim : aims) {
    if (!is_here(d, aim)) continue;
    bool held = false;
    const Point* alone = nullptr;
    for (const Point& p : d.points) {
      if (!concerns(aim, p.problem)) continue;
      const std::pair<const Point*, std::string> key{&p, aim.of};
      if (std::find(done.begin(), done.end(), key) != done.end()) continue;
      const Point* other = yardstick(d, aim, p.problem);
      if (!other) {
        alone = alone ? alone : &p;
        continue;
      }
      held = true;
      done.push_back(key);
      out.push_back(compared(p, *other, aim));
    }
    if (!held && aim.at_least > 0) out.push_back(absent(d, aim, alone));
  }
  return out;
}

bool all_reached(const std::vector<Comparison>& all) {
  return std::all_of(all.begin(), all.end(), [](const Comparison& c) {
    return !(c.at_least > 0) || c.verdict == Verdict::kReached;
  });
}

std::string table_of(const std::vector<Comparison>& all) {
  if (all.empty()) return "";
  Table t({{"own kernel", Align::kLeft, true},
           {"", Align::kRight},
           {"against", Align::kLeft},
           {"", Align::kRight},
           {"ratio", Align::kRight, true},
           {"aim", Align::kRight, true},
           {"", Align::kLeft, true}});
  for (const Comparison& c : all)
    t.row(
        {c.own, c.rate, c.other, c.of_rate, percent(c.ratio), percent(c.at_least), verdict_of(c)});
  return "Own kernels against the library\n" + t.text("  ");
}

}  // namespace reckon::bench
