// What the closed form of a load is asked about: requests on one side, an engine on the other.
//
//   LoadInput<R> x;
//   x.rate = …;  x.prompt = …;  x.output = …;  x.lengths = length_shares(shape, x.prompt, spread);
//   x.slots = …;  x.chunk = …;
//   x.step = [&](Count<R> n, Count<R> c) { return …; };        // time of a step: n decodes, c prompt tokens
//
// Searches run on doubles: whoever asks on another number type gives the same input on doubles beside it.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "reckon/load/kinds.hpp"
#include "reckon/units/formula/root.hpp"
#include "reckon/units/formula/solve.hpp"

namespace reckon {

// A share of the requests, and the tokens of its prompts.
template <class R>
struct LengthShare {
  Ratio<R> share;
  Count<R> tokens;
};

template <class R>
struct LoadInput {
  Frequency<R> rate;
  std::optional<Count<R>> users;    // of a closed loop, in place of the rate
  std::optional<Seconds<R>> think;  // of users, between an answer and the next request
  Ratio<R> burst{1};  // variance of the times between requests over that of exponential ones
  Count<R> prompt, output;
  Ratio<R> output_spread{};
  std::vector<LengthShare<R>> lengths;  // of prompts; their mean is `prompt`
  Count<R> slots, chunk;
  Count<R> stages{1};  // of a pipeline that as many engines pass one behind the other
  std::optional<Count<R>> all_stages;  // where users are fewer: as many as more of them would take
  PromptSteps prompts = PromptSteps::kShared;
  Seconds<R> overhead{};
  bool only_p90 = false;  // of percentiles, where nobody asks for others
  std::function<Seconds<R>(Count<R>, Count<R>)> step;

  bool decodes() const { return !(output <= 1); }
  bool only_place() const { return !(slots > 1); }  // who has it has the engine
};

}  // namespace reckon
