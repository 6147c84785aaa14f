// Published bubbles against the schedules played out, over p ≤ 32 and m ≤ 128, and where each holds.
#include "reckon/cost/bubble.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.hpp"

using namespace reckon;

namespace {

using Passes = StagePasses<kSecond, double>;
using Time = Seconds<double>;

PipelineShape<double> shape(ScheduleKind kind, int p, int n, int v = 1) {
  return {kind, Count<double>(p), Count<double>(std::max(v, fixed_chunks(kind))), Count<double>(n)};
}

const std::vector<Passes> kPasses{{Time(1), Time(1), Time(1)},   {Time(1), Time(2), Time(1)},
                                  {Time(1), Time(1), Time(0.5)}, {Time(1), Time(1.25), Time(0.75)},
                                  {Time(2), Time(1), Time(1)},   {Time(1), Time(1), Time(1.5)},
                                  {Time(1), Time(1), Time(0)},   {Time(1), Time(0.5), Time(1)}};

schedule::Played played(const PipelineShape<double>& x, const Passes& t, double pair = 1) {
  const schedule::PipelineLayout layout = layout_of(x);
  schedule::PipelineTimes times =
      schedule::even_times(layout, {plain(t.F), plain(t.B), plain(t.W)});
  times.pair = pair;
  return schedule::play(layout, schedule::order_of(layout), times);
}

// What the formula says, against what the ranks wait when it is played.
void check(const PipelineShape<double>& x, const Passes& t) {
  INFO(title_of(x.kind) << " p " << x.p.raw << " v " << x.v.raw << " n " << x.n.raw << " F "
                        << t.F.raw << " B " << t.B.raw << " W " << t.W.raw);
  REQUIRE(has_closed_form(x, t));
  const double work = x.n.raw * plain(t.F + t.B + t.W);
  const double period = played(x, t).period(staggers_steps(x.kind));
  CHECK(plain(closed_bubble(x, t)) == Approx(period - work).margin(1e-9 * work));
}

}  // namespace

TEST_CASE("bubble: slots of 1F1B, GPipe and interleaved schedules, whatever the passes take") {
  for (const Passes& t : kPasses) {
    for (const int p : {2, 3, 4, 7, 8, 16, 32}) {
      for (const int n : {1, 2, 3, 8, 17, 32, 128}) {
        check(shape(ScheduleKind::k1f1b, p, n), t);
        check(shape(ScheduleKind::kGpipe, p, n), t);
        for (const int v : {2, 3, 8}) {
          if (n % p == 0) check(shape(ScheduleKind::kInterleaved, p, n, v), t);
        }
      }
    }
  }
}

TEST_CASE("bubble: ZB-H1 and ZB-H2 from as many micro-batches on as fill them") {
  for (const Passes& t : kPasses) {
    for (const int p : {2, 3, 4, 7, 8, 16, 32}) {
      for (const int n : {p, p + 1, 2 * p, 3 * p + 1, 128})
        check(shape(ScheduleKind::kZbH1, p, n), t);
      for (const int n : {2 * p - 1, 2 * p, 3 * p + 1, 128})
        check(shape(ScheduleKind::kZbH2, p, n), t);
    }
  }
  // Not before: more is waited than the formula says.
  const Passes t = kPasses[0];
  CHECK(!has_closed_form(shape(ScheduleKind::kZbH1, 4, 3), t));
  CHECK(plain(bubble(shape(ScheduleKind::kZbH1, 4, 3), t)) > 3);
  CHECK(!has_closed_form(shape(ScheduleKind::kZbH2, 4, 6), t));
  CHECK(plain(bubble(shape(ScheduleKind::kZbH2, 4, 6), t)) > 0);
}

TEST_CASE("bubble: DualPipe's published formula, where forward and backward take equal time") {
  for (const Passes& t : kPasses) {
    for (const int p : {2, 4, 6, 8, 16, 32}) {
      for (const int n : {2 * p, 2 * p + 2, 4 * p, 128}) {
        const auto x = shape(ScheduleKind::kDualPipe, p, n);
        if (has_closed_form(x, t)) check(x, t);
      }
    }
  }
  CHECK(!has_closed_form(shape(ScheduleKind::kDualPipe, 8, 20), Passes{Time(1), Time(2), Time(1)}));
}

TEST_CASE("bubble: DualPipe's middle ranks wait what is published, the more is hidden the less") {
  const Passes t{Time(1), Time(1), Time(1)};
  for (const int p : {4, 8, 16}) {
    for (const double pair : {1.0, 0.9, 0.75, 2.0 / 3}) {  // FB from F + B' down to B'
      INFO("p " << p << " pair " << pair);
      const auto x = shape(ScheduleKind::kDualPipe, p, 4 * p);
      const schedule::Played r = played(x, t, pair);
      const double waits = r.time - r.busy[static_cast<std::size_t>(p / 2)];
      CHECK(plain(dualpipe_bubble(x.p, t, Time(3 * pair))) == Approx(waits).margin(1e-9));
    }
  }
}

TEST_CASE("bubble: at equal passes a third of 1F1B's, and none; activations beside") {
  const Passes t{Time(1), Time(1), Time(1)};
  const double slots = plain(bubble(shape(ScheduleKind::k1f1b, 8, 32), t));
  CHECK(slots == 21);
  CHECK(plain(bubble(shape(ScheduleKind::kZbH1, 8, 32), t)) == Approx(slots / 3));
  CHECK(plain(bubble(shape(ScheduleKind::kZbH2, 8, 32), t)) == 0);
  CHECK(plain(bubble(shape(ScheduleKind::kZbV, 8, 32), t)) == Approx(0).margin(1e-9));
  CHECK(plain(bubble(shape(ScheduleKind::kBreadthFirst, 8, 32, 4), t)) == Approx(slots / 4));
}

TEST_CASE("bubble: what a stage holds, against the orders") {
  for (const ScheduleKind kind : all_schedules()) {
    for (const int p : {2, 4, 8}) {
      const auto x = shape(kind, p, 4 * p, takes_chunks(kind) ? 3 : 1);
      const schedule::PipelineLayout layout = layout_of(x);
      const auto held = schedule::in_flight(layout, schedule::order_of(layout));
      for (int i = 0; i < p; ++i) {
        INFO(title_of(kind) << " p " << p << " stage " << i);
        CHECK(
            in_flight(x, i).raw ==
            Approx(static_cast<double>(held[static_cast<std::size_t>(i)].total()) / layout.chunks));
      }
    }
  }
}

TEST_CASE("bubble: a played time is explained by its passes, and differentiated") {
  // One more second of forward pass makes the path so much longer as it has forward passes.
  const auto x = shape(ScheduleKind::kZbV, 4, 8);
  const StagePasses<kSecond, Dual> t{Seconds<Dual>(Dual(1.4, 1)), Seconds<Dual>(Dual(1.2, 0)),
                                     Seconds<Dual>(Dual(0.8, 0))};
  const PipelineShape<Dual> lifted{x.kind, Count<Dual>(Dual(4, 0)), Count<Dual>(Dual(2, 0)),
                                   Count<Dual>(Dual(8, 0))};
  const auto slope = bubble(lifted, t).raw.d;
  const double d = 1e-6;
  const double more = plain(bubble(x, Passes{Time(1.4 + d), Time(1.2), Time(0.8)}));
  const double less = plain(bubble(x, Passes{Time(1.4 - d), Time(1.2), Time(0.8)}));
  CHECK(slope > 0);
  CHECK(slope == Approx((more - less) / (2 * d)).epsilon(1e-4));
}
