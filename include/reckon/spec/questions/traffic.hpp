// How requests come and how their lengths spread, and what a simulation of them is asked: what a load question and a
// serving plan share.
//
//   arrivals: gamma                  # or poisson, bursts (burst: 2 s, pause: 5 s), or trace: requests.csv
//   burstiness: 2
//   prompt_spread: 0.8               # standard deviation over mean; lognormal if no shape is stated
//   simulate: yes
#pragma once

#include <optional>
#include <string>

#include "reckon/doc/field.hpp"
#include "reckon/load/kinds.hpp"
#include "reckon/units/quantity.hpp"

namespace reckon {

template <class R>
struct TrafficShape {
  std::string trace;
  ArrivalKind arrivals = ArrivalKind::kPoisson;
  std::optional<Ratio<R>> burstiness;
  std::optional<Seconds<R>> burst, pause, think;
  std::optional<Ratio<R>> prompt_spread, output_spread;
  std::optional<LengthShape> prompt_shape, output_shape;
  std::optional<Count<R>> longest;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("trace", "",
            "in place of rate and lengths: a CSV file of requests: arrival, prompt, "
            "output"),
      s.trace...);
    v(Field("arrivals", "",
            "poisson | gamma (burstiness) | bursts (burst, pause): times between requests"),
      s.arrivals...);
    v(Field("burstiness", "ca", "gamma arrivals: deviation of the times between over their mean")
          .hint(Hint::kRatio)
          .limit(Limit::kPositive),
      s.burstiness...);
    v(Field("burst", "t_on", "mean length of a burst, Poisson inside").limit(Limit::kPositive),
      s.burst...);
    v(Field("pause", "t_off", "mean time from burst to burst without requests")
          .limit(Limit::kPositive),
      s.pause...);
    v(Field("think", "Z",
            "of users, mean: from an answer to the next request; exponential when simulated")
          .limit(Limit::kPositive),
      s.think...);
    v(Field("prompt_spread", "cv", "standard deviation of the prompts' length over its mean")
          .hint(Hint::kRatio),
      s.prompt_spread...);
    v(Field("prompt_shape", "", "constant | uniform | normal | lognormal"), s.prompt_shape...);
    v(Field("output_spread", "cv_o", "standard deviation of the answers' length over its mean")
          .hint(Hint::kRatio),
      s.output_spread...);
    v(Field("output_shape", "", "constant | uniform | normal | lognormal"), s.output_shape...);
    v(Field("longest", "s_max",
            "most tokens of prompt and answer; the model's context if not stated")
          .hint(Hint::kLength)
          .limit(Limit::kAtLeastOne),
      s.longest...);
  }
};

// What the simulation is asked.
template <class R>
struct LoadSimulation {
  bool simulate = false;
  Count<R> requests{50'000}, replications{10}, seed{1};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("simulate", "", "requests played out, step by step, beside the closed form"),
      s.simulate...);
    v(Field("requests", "", "how many are played out, of all replications").degree(),
      s.requests...);
    v(Field("replications", "", "independent runs that share them").degree(), s.replications...);
    v(Field("seed", "", "of the random numbers").count(), s.seed...);
  }
};

}  // namespace reckon
