// Every order runs every pass once, in an order that can run, and holds no more than it may.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "catch.hpp"
#include "schedule/shapes.hpp"

using namespace reckon;
using namespace reckon::schedule;
using namespace reckon::test;

namespace {

using Done = std::set<
    std::tuple<int, int, int>>;  // what (0 forward, 1 backward, 2 weights), chunk, micro-batch

// Each pass once, after what it needs on its own rank.
void check_rank(const PipelineLayout& x, const std::vector<Op>& ops) {
  Done done;
  const auto first_time = [&](int what, int chunk, int m) {
    REQUIRE(chunk < x.held());
    REQUIRE(m < x.micro_batches_of_copy());
    REQUIRE(done.emplace(what, chunk, m).second);
    if (what > 0) REQUIRE(done.count({what - 1, chunk, m}) == 1);
  };
  for (const Op& op : ops) {
    if (op.pass == Pass::kForward || op.pass == Pass::kPair)
      first_time(0, op.chunk, op.micro_batch);
    if (op.pass == Pass::kBackward || op.pass == Pass::kBackwardBoth)
      first_time(1, op.chunk, op.micro_batch);
    if (op.pass == Pass::kWeight || op.pass == Pass::kBackwardBoth)
      first_time(2, op.chunk, op.micro_batch);
    if (op.pass == Pass::kPair) {
      first_time(1, op.backward_chunk, op.backward_micro_batch);
      first_time(2, op.backward_chunk, op.backward_micro_batch);
    }
  }
  REQUIRE(static_cast<int>(done.size()) == 3 * x.held() * x.micro_batches_of_copy());
}

// What a schedule says of itself: pieces in flight on a rank.
int allowed(const PipelineLayout& x, int i) {
  const int p = x.ranks, v = x.chunks, n = x.micro_batches;
  switch (x.kind) {
    case ScheduleKind::k1f1b:
      return std::min(n, p - i);
    case ScheduleKind::kGpipe:
    case ScheduleKind::kBreadthFirst:
      return n * v;
    case ScheduleKind::kInterleaved:
      return std::min(n * v, (v - 1) * p + 2 * (p - i - 1) + 1);
    case ScheduleKind::kZbH1:
      return std::min(n, p);
    case ScheduleKind::kZbH2:
      return std::min(n, 2 * p - 1);
    case ScheduleKind::kZbV:
      return std::min(2 * n, 2 * p);
    case ScheduleKind::kDualPipe:
      return p + 1;
    case ScheduleKind::kDualPipeV:
      return 2 * p + 1;
  }
  return 0;
}

}  // namespace

TEST_CASE("schedules: each pass of each micro-batch once, none before what it needs") {
  for (const ScheduleKind kind : all_schedules()) {
    for (const PipelineLayout& x : layouts(kind)) {
      INFO(title_of(kind) << " p " << x.ranks << " v " << x.chunks << " m " << x.micro_batches);
      for (const auto& ops : order_of(x)) check_rank(x, ops);
    }
  }
}

TEST_CASE("schedules: as many micro-batches in flight as they say, never more") {
  for (const ScheduleKind kind : all_schedules()) {
    for (const PipelineLayout& x : layouts(kind)) {
      INFO(title_of(kind) << " p " << x.ranks << " v " << x.chunks << " m " << x.micro_batches);
      const auto held = in_flight(x, order_of(x));
      for (int i = 0; i < x.ranks; ++i) {
        INFO("rank " << i);
        const int most = held[static_cast<std::size_t>(i)].total();
        // ZB-V with few micro-batches leaves passes out and may hold less.
        if (kind == ScheduleKind::kZbV && x.micro_batches < 2 * x.ranks)
          CHECK(most <= allowed(x, i));
        else
          CHECK(most == allowed(x, i));
      }
    }
  }
}

TEST_CASE("schedules: published activations, relative to 1F1B's first stage") {
  const auto first = [](ScheduleKind k, int p, int n) {
    const PipelineLayout x = layout(k, p, n);
    return static_cast<double>(in_flight(x, order_of(x)).front().total()) / x.chunks;
  };
  CHECK(first(ScheduleKind::k1f1b, 8, 32) == 8);
  CHECK(first(ScheduleKind::kZbH1, 8, 32) == 8);         // 1×
  CHECK(first(ScheduleKind::kZbH2, 8, 32) == 15);        // (2p − 1)/p ×
  CHECK(first(ScheduleKind::kZbV, 8, 32) == 8);          // 1×
  CHECK(first(ScheduleKind::kDualPipe, 8, 32) == 9);     // p + 1
  CHECK(first(ScheduleKind::kDualPipeV, 8, 32) == 8.5);  // of 16 half stages: 16 + 1
}

TEST_CASE("schedules: what can't be laid out") {
  using enum ScheduleKind;
  CHECK(fault_of({kInterleaved, 4, 2, 6}) == LayoutFault::kNotWholeRounds);
  CHECK(fault_of({kInterleaved, 4, 1, 8}) == LayoutFault::kChunks);
  CHECK(fault_of({k1f1b, 4, 2, 8}) == LayoutFault::kChunks);
  CHECK(fault_of({kDualPipe, 5, 1, 20}) == LayoutFault::kOddRanks);
  CHECK(fault_of({kDualPipe, 4, 1, 6}) == LayoutFault::kFewMicroBatches);
  CHECK(fault_of({kDualPipe, 4, 1, 9}) == LayoutFault::kOddMicroBatches);
  CHECK(fault_of({kDualPipeV, 5, 2, 11}) == LayoutFault::kNone);
  CHECK_THROWS(order_of({kDualPipe, 5, 1, 20}));
}
