// A load on an engine, simulated: what users wait, and how sure the figures are.
//
//   Scenario s;
//   s.engine = engine;  s.traffic = traffic;  s.requests = 50'000;  s.seed = 1;
//   Outcome o = simulate(s, threads);
//   o.ttft.value.p90, o.ttft.half.p90          // s, ± at 95 % confidence
//
// Independent replications share the requests; each drops its first tenth, while the engine fills. They run on as
// many threads as are given and are merged in order: the same seed gives the same result on any number.
// Open: requests come at a rate, from a distribution or a trace. Closed: so many users, each of whom asks again when
// answered, or has thought. Disaggregated: prefill workers, a transfer, decode workers in turn.
#pragma once

#include <optional>

#include "reckon/load/engine.hpp"
#include "reckon/load/statistics.hpp"

namespace reckon::load {

struct Targets {
  double ttft = 0, tpot = 0;  // s; 0: none
};

// Prefill and decode apart: workers that only prefill, then the cache moves, then engines that only decode.
struct Pools {
  int prefill = 1, decode = 1;              // workers
  double transfer = 0, transfer_token = 0;  // s a prompt, and s for each of its tokens
  int together = 1;                         // prompts that a worker computes in one step, at most
  std::function<double(double)> step;       // of so many prompt tokens, s; the engine's if empty
  // A cache that moves holds the ports of both ends: s for each of its tokens, 0 if they are free at once. So many
  // prefill places, and decode engines, share the ports of one worker. Layer by layer the move begins with the prefill.
  double send_token = 0, receive_token = 0;
  int senders = 1, receivers = 1;
  bool layerwise = false;
};

struct Scenario {
  Engine engine;
  Traffic traffic;
  std::vector<Request>
      trace;              // in place of the traffic's rate and lengths; its order is of arrival
  std::size_t users = 0;  // of a closed loop, in place of the rate
  double one_more =
      0;  // share of the engines that have one user more: figures are of all engines, each as it counts
  int engines = 1;  // a trace is dealt to so many at random; each has its own figures
  std::optional<Pools> pools;
  double overhead = 0;  // s of a request before it reaches the engine
  double yield = 1;     // tokens that a step gives a sequence: outputs are counted in steps
  Targets targets;
  std::size_t requests = 50'000;
  int replications = 10;
  std::uint64_t seed = 1;
};

struct Outcome {
  // ttft = overhead + waiting + service + sharing: waiting until the first step that works on the prompt begins,
  // service as if alone in one step, sharing what chunks and the other users' tokens add (and a transfer).
  Figures ttft, waiting, service, sharing;
  Figure residual;  // of the waiting: until the step is over that ran on arrival
  // Time per token without the first one, and of the whole answer; gaps between tokens.
  Figures tpot, tpot_inclusive, itl, end_to_end;
  Figure rate, tokens_rate, present, little;  // present: requests inside; little: rate · end to end
  Figure busy, prefilling, decoding, batch_share, cache_share;  // of an engine; of a decode worker
  Figure prefill_busy;                                          // of a prefill worker
  Figure port_wait;                                             // s, of a cache that is to move
  Figure met, goodput;  // share of requests within both targets; that share of the rate
  std::size_t requests = 0, refused = 0, measured = 0;
  long steps = 0, decode_steps = 0, tokens = 0, preemptions = 0, recomputed = 0, most_blocks = 0;
  double simulated = 0;  // s
  bool growing = false;  // waits grow with every request: the load is beyond what the engine takes
};

Outcome simulate(const Scenario& scenario, unsigned threads = 1);

// Whom every simulation tells how many of its runs are done, on the thread that asked for it: the program's progress
// line. Nobody at first.
std::function<void(std::size_t done, std::size_t all)>& on_progress();

}  // namespace reckon::load
