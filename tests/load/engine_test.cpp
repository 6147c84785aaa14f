// The engine played by hand, and what holds for any load.
#include "reckon/load/engine.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"

using namespace reckon;
using namespace reckon::load;

namespace {

// 5 ms, 1 ms a decode, 10 µs a prompt token.
double steps(const Step& s) { return 5e-3 + 1e-3 * s.decodes + 1e-5 * s.prefill; }

Engine engine_of(int chunk, int batch = 8) {
  Engine e;
  e.step = steps;
  e.chunk = chunk;
  e.batch = batch;
  return e;
}

}  // namespace

TEST_CASE("a request alone: two chunks, then a step a token") {
  std::vector<Request> r{{0, 1000, 3}};
  const Run run = play(engine_of(512), r, {});
  CHECK(run.served[0].start == 0);
  CHECK(run.served[0].first == Approx(10.12e-3 + 9.88e-3));
  CHECK(run.served[0].last == Approx(20e-3 + 2 * 6e-3));
}

TEST_CASE("prompts share a chunk, unless it is of one prompt") {
  std::vector<Request> r{{0, 300, 1}, {0, 300, 1}};
  Engine e = engine_of(512);
  Run run = play(e, r, {});
  CHECK(run.served[0].first == Approx(10.12e-3));
  CHECK(run.served[1].first == Approx(10.12e-3 + 5.88e-3));
  CHECK(run.served[1].start == 0);
  e.one_prompt = true;
  run = play(e, r, {});
  CHECK(run.served[0].first == Approx(8e-3));
  CHECK(run.served[1].start == Approx(8e-3));
}

TEST_CASE("a chunk slows the decodes; prefill first holds them up") {
  std::vector<Request> r{{0, 100, 3}, {1e-3, 100, 1}};
  Engine e = engine_of(512);
  Run run = play(e, r, {});
  CHECK(run.served[0].first == Approx(6e-3));
  CHECK(run.served[1].boundary == Approx(6e-3));
  CHECK(run.served[1].first == Approx(13e-3));
  CHECK(run.served[0].last == Approx(19e-3));
  e.order = StepOrder::kPrefillFirst;
  run = play(e, r, {});
  CHECK(run.served[1].first == Approx(12e-3));
  CHECK(run.served[0].last == Approx(24e-3));
}

TEST_CASE("whole prompts first: one a step, however many the chunk would hold") {
  std::vector<Request> r{{0, 100, 2}, {0, 100, 1}, {0, 100, 1}};
  Engine e = engine_of(8192);
  e.order = StepOrder::kPrefillFirst;
  const Run run = play(e, r, {});
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
    CAPTURE(i);
    CHECK(run.served[i].start == Approx(6e-3 * static_cast<double>(i)));
    CHECK(run.served[i].first == Approx(6e-3 * static_cast<double>(i + 1)));
  }
  CHECK(run.served[0].last == Approx(24e-3));
}

TEST_CASE("without room the batch keeps a request waiting") {
  std::vector<Request> r{{0, 100, 3}, {0, 100, 1}};
  const Run run = play(engine_of(512, 1), r, {});
  CHECK(run.served[1].start == run.served[0].last);
}

TEST_CASE("longest reservation waits for blocks; on demand starts and gives up the last admitted") {
  // Two sequences of 16 + 17 tokens: three blocks each. Four blocks.
  std::vector<Request> r{{0, 16, 17}, {0, 16, 17}};
  Engine e = engine_of(512);
  e.blocks = 4;
  e.kept_free = 0;
  Run run = play(e, r, {0, 0, true});
  CHECK(run.served[1].start == run.served[0].last);
  CHECK(run.totals.preemptions == 0);
  CHECK(run.totals.most_blocks == 3);
  e.reserve = CacheReserve::kOnDemand;
  run = play(e, r, {0, 0, true});
  CHECK(run.served[1].start == 0);
  CHECK(run.totals.most_blocks <= 4);
  CHECK(run.totals.tokens == 34);
  // 16 further tokens fill a second block each: both end before a fifth is asked for.
  CHECK(run.totals.preemptions == 0);
  e.blocks = 3;
  run = play(e, r, {0, 0, true});
  CHECK(run.totals.preemptions == 1);
  CHECK(run.totals.recomputed == 16);
  CHECK(run.totals.prompt_tokens == 16 + 16 + 17);
  CHECK(run.totals.tokens == 34);
  e.evict = Preempted::kSwap;
  e.swap = 1e-3;
  const Run swapped = play(e, r, {0, 0, true});
  CHECK(swapped.totals.preemptions == 1);
  CHECK(swapped.totals.recomputed == 0);
  CHECK(swapped.totals.prompt_tokens == 32);
  CHECK(swapped.totals.tokens == 34);
}

TEST_CASE("what the cache can never hold is refused, and the others are served") {
  std::vector<Request> r{{0, 1000, 10}, {0, 100, 10}};
  Engine e = engine_of(512);
  e.blocks = 20;
  const Run run = play(e, r, {});
  CHECK(run.refused == std::vector<std::size_t>{0});
  CHECK(run.served[0].last < 0);
  CHECK(run.served[1].last > 0);
}

namespace {

struct Drawn {
  Engine engine;
  std::vector<Request> requests;
};

Drawn drawn(std::uint64_t seed) {
  Random random(seed);
  const auto pick = [&](int low, int high) {
    return low + static_cast<int>(random.unit() * (high - low + 1));
  };
  Drawn d;
  d.engine = engine_of(pick(1, 600), pick(1, 40));
  d.engine.one_prompt = pick(0, 1) == 1;
  d.engine.order = pick(0, 1) == 1 ? StepOrder::kChunked : StepOrder::kPrefillFirst;
  d.engine.reserve = pick(0, 1) == 1 ? CacheReserve::kLongest : CacheReserve::kOnDemand;
  d.engine.evict = pick(0, 1) == 1 ? Preempted::kRecompute : Preempted::kSwap;
  d.engine.swap = 1e-6;
  d.engine.block = pick(1, 20);
  d.engine.blocks = pick(0, 3) == 0 ? 0 : pick(30, 300);
  d.engine.prefilled = pick(0, 4) == 0;
  Traffic t;
  t.rate = 0.1 * pick(1, 300);
  t.arrivals.kind = static_cast<ArrivalKind>(pick(0, 2));
  t.arrivals.spread = 0.3 * pick(1, 10);
  t.prompt = {static_cast<LengthShape>(pick(0, 3)), 1.0 * pick(1, 400), 0.5, 1e9};
  t.output = {static_cast<LengthShape>(pick(0, 3)), 1.0 * pick(1, 60), 0.5, 1e9};
  d.requests = draw_requests(t, 300, Random(seed + 1));
  return d;
}

void check_served(const Drawn& d, const Run& run) {
  long prompts = 0, tokens = 0;
  std::size_t served = 0;
  double started = 0;
  for (std::size_t i = 0; i < d.requests.size(); ++i) {
    const Served& s = run.served[i];
    if (s.last < 0) continue;
    ++served;
    prompts += d.requests[i].prompt;
    tokens += d.requests[i].output;
    CHECK(s.start >= d.requests[i].arrival);
    CHECK(s.boundary >= d.requests[i].arrival);
    CHECK(s.start >= started);  // first come, first served
    started = s.start;
    if (!d.engine.prefilled) CHECK(s.first > s.start);
    CHECK(s.last >= s.first);
  }
  CHECK(served + run.refused.size() == d.requests.size());
  long gaps = 0;
  for (const Gap& g : run.gaps) {
    CHECK(g.time > 0);
    gaps += g.count;
  }
  CHECK(gaps == tokens - static_cast<long>(served));
  // Of a decode pool the first token of the request that sums start with was there before them.
  const bool before = d.engine.prefilled && run.served[0].last >= 0;
  CHECK(run.totals.tokens == tokens - (before ? 1 : 0));
  CHECK(run.totals.first_tokens == static_cast<long>(served) - (before ? 1 : 0));
  if (d.engine.blocks > 0) CHECK(run.totals.most_blocks <= d.engine.blocks);
  if (run.totals.preemptions == 0 && !d.engine.prefilled)
    CHECK(run.totals.prompt_tokens == prompts);
  CHECK(run.totals.busy <= run.totals.time() * (1 + 1e-9));
  CHECK(run.totals.decoding <= d.engine.batch * run.totals.time());
}

}  // namespace

TEST_CASE(
    "nobody waits less than nothing, tokens are conserved, and blocks are never more than exist") {
  long preemptions = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    CAPTURE(seed);
    Drawn d = drawn(seed);
    const Run run = play(d.engine, d.requests, {0, 0, true});
    check_served(d, run);
    preemptions += run.totals.preemptions;
  }
  CHECK(preemptions > 100);
}

TEST_CASE("users who wait for their answer are never more than there are") {
  Engine e = engine_of(256, 16);
  Traffic t;
  t.rate = 0;
  t.prompt = {LengthShape::kUniform, 200, 0.4, 1e9};
  t.output = {LengthShape::kUniform, 30, 0.4, 1e9};
  std::vector<Request> r = draw_requests(t, 500, Random(3));
  const Run run = play(e, r, {0, 10, true});
  CHECK(run.totals.present / run.totals.time() <= 10 * (1 + 1e-9));
  CHECK(run.totals.present / run.totals.time() > 9);
  for (std::size_t i = 10; i < r.size(); ++i) CHECK(r[i].arrival > 0);
}
