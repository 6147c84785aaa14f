// A schedule played out: published bubbles, bounds that hold for any times, and what decides the time.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "catch.hpp"
#include "reckon/schedule/plays.hpp"
#include "schedule/shapes.hpp"

using namespace reckon;
using namespace reckon::schedule;
using namespace reckon::test;

namespace {

Played played(const PipelineLayout& x, const PassTimes& stage) {
  return play(x, order_of(x), even_times(x, stage));
}
double idle(const PipelineLayout& x, const PassTimes& stage, bool own_span = false) {
  const Played r = played(x, stage);
  return r.period(own_span) - x.micro_batches * (stage.forward + stage.both());
}

}  // namespace

TEST_CASE("play: 3 of 11 slots are bubble at 4 stages and 8 micro-batches") {
  const PipelineLayout x{ScheduleKind::k1f1b, 4, 1, 8};
  const Played r = played(x, {1, 1, 1});
  CHECK(r.time == 33);
  CHECK(1 - r.work() / (4 * r.time) == Approx(3.0 / 11));
  CHECK(idle({ScheduleKind::kInterleaved, 4, 2, 8}, {1, 1, 1}) == Approx(9.0 / 2));
}

TEST_CASE("play: zero-bubble schedules at equal passes, a third and none") {
  CHECK(idle({ScheduleKind::kZbH1, 4, 1, 8}, {1, 1, 1}) == Approx(3));
  CHECK(idle({ScheduleKind::kZbH2, 4, 1, 8}, {1, 1, 1}, true) == Approx(0).margin(1e-12));
  CHECK(idle({ScheduleKind::kZbV, 4, 2, 8}, {1, 1, 1}, true) == Approx(0).margin(1e-12));
  // Ranks that wait for each other at the end of the step see the fill.
  CHECK(idle({ScheduleKind::kZbH2, 4, 1, 8}, {1, 1, 1}) == Approx(3));
}

TEST_CASE("play: DualPipe's published figure, 8 ranks and 20 micro-batches") {
  const PipelineLayout x{ScheduleKind::kDualPipe, 8, 1, 20};
  // (p/2 − 1)·(FB + B' − 3W) with FB = 3, B' = 2, W = 1
  CHECK(idle(x, {1, 1, 1}) == Approx(3 * (3 + 2 - 3)));
  PipelineTimes t = even_times(x, {1, 1, 1});
  t.pair = 0.8;  // FB = 2.4
  const Played r = play(x, order_of(x), t);
  CHECK(r.time - r.busy[3] == Approx(3 * (2.4 + 2 - 3)));
  CHECK(r.time - r.busy[4] == Approx(3 * (2.4 + 2 - 3)));
}

TEST_CASE("play: DualPipeV is DualPipe of twice the ranks, folded") {
  for (const int p : {2, 3, 4, 8}) {
    for (const int n : {2 * p, 2 * p + 3, 5 * p}) {
      const Played folded = played({ScheduleKind::kDualPipeV, p, 2, n}, {2, 2, 2});
      const Played whole = played({ScheduleKind::kDualPipe, 2 * p, 1, 2 * n}, {1, 1, 1});
      CHECK(folded.time == Approx(whole.time));
    }
  }
}

TEST_CASE("play: no time is shorter than the most loaded rank, and the path adds up to it") {
  std::mt19937 random(1);
  for (const ScheduleKind kind : all_schedules()) {
    for (const PipelineLayout& x : layouts(kind)) {
      INFO(title_of(kind) << " p " << x.ranks << " v " << x.chunks << " m " << x.micro_batches);
      const Order order = order_of(x);
      const PipelineTimes t = unequal_times(x, random);
      const Played r = play(x, order, t);
      REQUIRE(!r.stuck);
      CHECK(r.time >= least_time(x, order, t) * (1 - 1e-12));
      CHECK(r.cycle >= *std::max_element(r.busy.begin(), r.busy.end()) * (1 - 1e-12));
      CHECK(r.cycle <= r.time);
      CHECK(sum_of(r.time_path, t) == Approx(r.time).epsilon(1e-9));
      CHECK(sum_of(r.cycle_path, t) == Approx(r.cycle).epsilon(1e-9));
    }
  }
}

TEST_CASE("play: a pass begins when its rank is free and what it needs is there, no later") {
  std::mt19937 random(2);
  const PipelineLayout x{ScheduleKind::kZbH1, 6, 1, 14};
  const Order order = order_of(x);
  const PipelineTimes t = unequal_times(x, random);
  const Played r = play(x, order, t);
  // By hand: the end of each forward pass, from the slots.
  std::vector<std::vector<double>> end(6, std::vector<double>(14));
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t k = 0; k < order[i].size(); ++k)
      if (order[i][k].pass == Pass::kForward)
        end[i][static_cast<std::size_t>(order[i][k].micro_batch)] = r.slots[i][k].end;
  for (std::size_t i = 1; i < 6; ++i) {
    for (std::size_t k = 0; k < order[i].size(); ++k) {
      if (order[i][k].pass != Pass::kForward) continue;
      const double there = end[i - 1][static_cast<std::size_t>(order[i][k].micro_batch)] + t.send;
      CHECK(r.slots[i][k].start >= there - 1e-12);
      if (k > 0) CHECK(r.slots[i][k].start >= r.slots[i][k - 1].end - 1e-12);
    }
  }
}

TEST_CASE("play: slower passes, transfers or less overlap never shorten a step") {
  std::mt19937 random(3);
  for (const ScheduleKind kind : all_schedules()) {
    const PipelineLayout x = layout(kind, 4, 16);
    const Order order = order_of(x);
    for (int round = 0; round < 20; ++round) {
      const PipelineTimes t = unequal_times(x, random);
      const double time = play(x, order, t).time;
      PipelineTimes slower = t;
      slower.piece[random() % slower.piece.size()].backward *= 1.5;
      CHECK(play(x, order, slower).time >= time * (1 - 1e-12));
      slower = t;
      slower.send *= 2;
      CHECK(play(x, order, slower).time >= time * (1 - 1e-12));
      slower = t;
      slower.blocking = true;
      CHECK(play(x, order, slower).time >= time * (1 - 1e-12));
    }
  }
}

TEST_CASE("play: peak memory weighs each piece by what it keeps") {
  const PipelineLayout x{ScheduleKind::k1f1b, 4, 1, 8};
  const Order order = order_of(x);
  const Played r = play(x, order, even_times(x, {1, 1, 1}));
  const auto peak = peak_memory(x, order, r, {10, 20, 30, 40});
  CHECK(peak[0].bytes == 40);
  CHECK(peak[0].at == 3);
  CHECK(peak[1].bytes == 60);
  CHECK(peak[2].bytes == 60);
  CHECK(peak[3].bytes == 40);
}

TEST_CASE("play: a bound is never longer than what is played; equal times are played once") {
  std::mt19937 random(7);
  for (const ScheduleKind kind : all_schedules()) {
    for (const PipelineLayout& x : layouts(kind)) {
      PipelineTimes t = unequal_times(x, random);
      t.pair = 1;
      const bool staggered = staggers_steps(kind);
      const Played exact = play(x, order_of(x), t), least = least_path(x, t, staggered);
      CAPTURE(title_of(kind), x.ranks, x.chunks, x.micro_batches, exact.period(staggered));
      CHECK(least.time > 0);
      CHECK(least.time <= exact.period(staggered) * (1 + 1e-12));
      CHECK(least.time == Approx(sum_of(least.time_path, t)));

      Plays plays;
      const PlaysInUse here(plays);
      CHECK(played_once(x, t, staggered).time == exact.time);
      CHECK(played_once(x, t, staggered).cycle == exact.cycle);
      plays.bound(true);
      CHECK(played_once(x, t, staggered).time == least.time);
      CHECK(plays.asked() == 3);
    }
  }
}

TEST_CASE("play: of equal stages the bound of 1F1B is the schedule itself") {
  const PipelineLayout x{ScheduleKind::k1f1b, 8, 1, 32};
  const PipelineTimes t = even_times(x, {1, 1, 1});
  CHECK(least_path(x, t, false).time == Approx(play(x, order_of(x), t).time));
}
