// A batching engine, step by step: who is admitted, what each step carries, when each token comes.
//
//   Engine e;
//   e.step = [](const Step& s) { return 5e-3 + 20e-6 * s.decodes + 30e-6 * s.prefill; };   // s
//   e.batch = 128;
//   e.chunk = 512;
//   Run run = play(e, requests, {});
//   run.served[i].first - requests[i].arrival             // time to first token
//
// Every step decodes one token of each sequence in the batch, and carries up to `chunk` prompt tokens of requests in
// the order of their arrival; several prompts share a chunk unless `one_prompt`. With prefill_first a whole prompt has
// a step of its own, which decodes nothing, however large the chunk. Requests are admitted while the batch and the
// cache have room. On-demand blocks may run out: then the request admitted last gives its up, and is computed again, or
// read back.
//
// Not here: time per step that depends on a chunk's own past, prefix caches, speculative tokens, more than one class
// of user.
#pragma once

#include <functional>
#include <vector>

#include "reckon/load/kinds.hpp"
#include "reckon/load/requests.hpp"

namespace reckon::load {

// What a step carries: sequences that decode, the mean of their cached tokens, prompt tokens.
struct Step {
  double decodes = 0, context = 0, prefill = 0;
};

struct Engine {
  std::function<double(const Step&)> step;  // its time, s
  int batch = 256;                          // requests at once
  int chunk = 512;                          // prompt tokens of a step
  bool one_prompt = false;                  // a chunk is of one prompt
  StepOrder order = StepOrder::kChunked;
  long blocks = 0;  // of the cache; 0: as many as it takes
  int block = 16;   // tokens
  CacheReserve reserve = CacheReserve::kLongest;
  Preempted evict = Preempted::kRecompute;
  double swap = 0;          // s a token, either way
  double kept_free = 0.01;  // share of the blocks that on-demand admission leaves
  bool prefilled = false;   // a decode pool: prompts come with their cache
  // Of a pipeline: as many such engines pass them one behind the other, requests dealt to them in turn. A step's time
  // is that of all stages.
  int stages = 1;

  long blocks_of(long tokens) const { return (tokens + block - 1) / block; }
  // Whether a request can ever run.
  bool holds(const Request& r) const {
    return blocks == 0 || blocks_of(static_cast<long>(r.prompt) + r.output) <= blocks;
  }
};

// Times of one request, s; negative: never.
struct Served {
  double boundary = -1;  // the step that ran when it arrived is over
  double start = -1;     // the first step that works on it begins
  double first = -1, last = -1;
};

// Sums over the measured time, weighted with it.
struct Totals {
  double begin = 0, end = 0;
  double busy = 0, prefilling = 0;    // s
  double prefill_workers = 0;         // s that they work, all of them
  double ports = 0;                   // s that caches wait for ports, all measured requests
  double decoding = 0, admitted = 0;  // sequences · s
  double blocks = 0, waiting = 0, present = 0;
  long steps = 0, decode_steps = 0;
  long prompt_tokens = 0, recomputed = 0, preemptions = 0;
  long tokens = 0, first_tokens = 0;  // of answers; of these the first one of each
  long most_blocks = 0;
  double time() const { return end - begin; }
};

// Time between a sequence's tokens, so many of it.
struct Gap {
  double time;
  long count;
};

struct Run {
  std::vector<Served> served;  // beside the requests
  Totals totals;
  std::vector<Gap> gaps;             // of the measured time
  std::vector<std::size_t> refused;  // requests that the cache can't hold
};

class Stages;

struct PlayOptions {
  std::size_t measured_from =
      0;                     // sums start when this request arrives, and end with the last arrival
  std::size_t users = 0;     // of a closed loop: the next request comes when one is answered
  bool to_the_end = false;   // sums run on until the last answer
  bool fed = false;          // requests come one by one, from what stands before the engine
  Stages* stages = nullptr;  // shared with other engines
};
// `measured_from` of an engine that is fed: the first request that is said to be measured.
constexpr std::size_t kFed = static_cast<std::size_t>(-1);

// `requests` in the order of arrival; of a closed loop their arrivals are set here: what a user thinks before his
// request is given in the place of its arrival.
// On `engine.stages` engines; totals are sums over them.
Run play(const Engine& engine, std::vector<Request>& requests, const PlayOptions& options);

}  // namespace reckon::load
