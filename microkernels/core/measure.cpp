#include "measure.hpp"

#include <fmt/format.h>

#include <chrono>

#include "reckon/units/format.hpp"
#include "throttle.hpp"

namespace reckon::bench {
namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void add_note(Point& p, const std::string& text) {
  if (text.empty()) return;
  if (!p.note.empty()) p.note += "; ";
  p.note += text;
}

}  // namespace

Measured measure(Backend& backend, const Problem& problem, const StopRule& rule) {
  Measured out;
  Refusal refusal = Refusal::kNone;
  const double start = seconds_now();
  const std::unique_ptr<Case> c = backend.prepare(problem, refusal, out.why);
  if (!c) {
    out.outcome = refusal == Refusal::kMemory ? Outcome::kMemory : Outcome::kNotHere;
    return out;
  }
  const Check check = c->check();
  if (check.wrong()) {
    out.outcome = Outcome::kWrong;
    out.why =
        check.compared == 0
            ? "no output was compared"
            : fmt::format("its result is wrong: {:.3g} times what rounding explains", check.worst);
    return out;
  }
  out.set_up = seconds_now() - start;
  ThrottleWatch watch(backend.machine().clock);
  const Sampled s = sample(
      [&] {
        const double t = c->run();
        watch.saw(c->clock());
        return t;
      },
      rule, seconds_now);
  Point& p = out.point;
  p.problem = problem;
  p.amounts = c->amounts(problem);
  p.seconds = spread_of(s.seconds);
  p.samples = s.seconds.size();
  p.stop = s.stop;
  p.clock = watch.median();
  p.throttled = watch.throttled();
  p.check = check.worst;
  add_note(p, c->note());
  if (p.throttled)
    add_note(p, fmt::format("{} samples below {:.0f} % of the stated clock", watch.slow(),
                            100 * kSlowClock));
  if (!(p.seconds.median > 0)) {
    out.outcome = Outcome::kNotHere;
    out.why = "too short for the clock that times it";
  }
  return out;
}

std::string rate_of(const Point& p) {
  if (p.amounts.flops > 0 && p.problem.op != "attention-decode" && p.problem.op != "layer-decode")
    return format_quantity(p.amounts.flops / p.seconds.median, kFlopRate);
  if (p.amounts.bytes > 0) return format_quantity(p.amounts.bytes / p.seconds.median, kByteRate);
  return "";
}

}  // namespace reckon::bench
