// A pipeline's closed forms against a pipeline played out pass by pass; targets against their definition.
#include "catch.hpp"
#include "pipeline_simulation.hpp"
#include "reckon/cost/questions/pipeline.hpp"

using namespace reckon;
using namespace reckon::test;

namespace {

PipelineQuestion<double> asked(int p, int n, ScheduleKind kind) {
  PipelineQuestion<double> q;
  q.stages = Count<double>(p);
  q.micro_batches = Count<double>(n);
  q.schedule = kind;
  return q;
}

void agree(const PipelineAnswer<double>& a, const Played& played, int n, double slot) {
  CHECK(played.time == Approx(a.slots->raw * slot));
  CHECK(1 - played.busy[0] / played.time == Approx(a.bubble.share.raw).margin(1e-12));
  CHECK(played.time / (n * slot) - 1 == Approx(a.bubble.overhead.raw).margin(1e-12));
  for (const PipelineStage<double>& s : a.stages)
    CHECK(played.most_alive[static_cast<std::size_t>(s.i)] == s.in_flight.raw);
}

double share(int p, double n) { return (p - 1) / (n + p - 1); }

}  // namespace

TEST_CASE("pipeline: a pipeline played out takes the time and holds what the closed forms say") {
  for (const int p : {2, 3, 4, 8, 16}) {
    for (const int n : {1, 2, 3, 4, 8, 21, 32}) {
      for (const double backward : {1.0, 2.0, 3.0}) {
        INFO(p << " stages, " << n << " micro-batches, backward " << backward);
        agree(answer(asked(p, n, ScheduleKind::k1f1b)),
              play_pipeline(p, n, 1, backward, one_forward_one_backward_order), n, 1 + backward);
        agree(answer(asked(p, n, ScheduleKind::kGpipe)),
              play_pipeline(p, n, 1, backward, gpipe_order), n, 1 + backward);
      }
    }
  }
}

TEST_CASE("pipeline: p stages lose p − 1 slots; with p in its place the figures are others") {
  const auto played = play_pipeline(4, 8, 1, 2, one_forward_one_backward_order);
  CHECK(played.time == 3 * 11);
  CHECK(played.time != 3 * (8 + 4));
  CHECK(answer(asked(4, 8, ScheduleKind::k1f1b)).lost->raw == 3);
}

TEST_CASE("pipeline: one stage has no bubble") {
  const auto a = answer(asked(1, 8, ScheduleKind::kGpipe));
  CHECK(a.bubble.share.raw == 0);
  CHECK(a.bubble.overhead.raw == 0);
  CHECK(a.slots->raw == 8);
  CHECK(a.stages.at(0).in_flight.raw == 1);
}

TEST_CASE("pipeline: a target takes the fewest micro-batches that meet it") {
  constexpr double kRounding = 1e-11;
  for (int p = 2; p <= 64; ++p) {
    for (int percent = 1; percent < 100; ++percent) {
      PipelineQuestion<double> q;
      q.stages = Count<double>(p);
      q.target_share = Ratio<double>(percent / 100.0);
      const double n = answer(q).needed->raw;
      INFO(p << " stages, " << percent << " %: " << n);
      REQUIRE(share(p, n) <= percent / 100.0 + kRounding);
      if (n > 1) REQUIRE(share(p, n - 1) > percent / 100.0 + kRounding);
      q.target_overhead = q.target_share;
      q.target_share.reset();
      const double m = answer(q).needed->raw;
      REQUIRE((p - 1) / m <= percent / 100.0 + kRounding);
      if (m > 1) REQUIRE((p - 1) / (m - 1) > percent / 100.0 + kRounding);
    }
  }
}

TEST_CASE(
    "pipeline: uneven stages, transfers and repeated work, against a pipeline played by hand") {
  PipelineQuestion<double> q = asked(2, 2, ScheduleKind::k1f1b);
  q.forward = Seconds<double>(1);
  q.backward = Seconds<double>(2);
  q.load = {Ratio<double>(1), Ratio<double>(3)};
  // F0 0–1, F1 1–2 on the first; on the second F0 1–4, B0 4–10, F1 10–13, B1 13–19; back on the first
  // B0 10–12 and B1 19–21.
  auto a = answer(q);
  CHECK(a.time->raw == Approx(21));
  // Work 6 and 18, 12 on average.
  CHECK(a.bubble.share.raw == Approx(9.0 / 21));
  CHECK(a.bubble.overhead.raw == Approx(9.0 / 12));
  CHECK(a.stages[0].waits->raw == Approx(15.0 / 21));
  CHECK(a.stages[1].waits->raw == Approx(3.0 / 21));
  CHECK(!a.slots);
  // A transfer there and one back lie on the way.
  q.send = Seconds<double>(0.5);
  CHECK(answer(q).time->raw == Approx(22));
  // The second stage repeats its forward pass: 3 more for each micro-batch.
  q.send.reset();
  q.repeated = {Ratio<double>(0), Ratio<double>(1)};
  CHECK(answer(q).time->raw == Approx(27));
}

TEST_CASE("pipeline: without times a schedule that splits its passes takes them as equal") {
  CHECK(answer(asked(4, 8, ScheduleKind::kZbH1)).bubble.share.raw == Approx(1.0 / 9));
  CHECK(answer(asked(4, 8, ScheduleKind::kZbH2)).bubble.share.raw == 0);
  const auto a = answer(asked(4, 8, ScheduleKind::kZbH2));
  CHECK(a.published);
  CHECK(!a.time);
  auto q = asked(4, 8, ScheduleKind::kZbH2);
  q.synchronous = true;
  CHECK(answer(q).bubble.share.raw == Approx(3.0 / 27));
}

TEST_CASE("pipeline: a schedule too long to play keeps its closed form") {
  const auto a = answer(asked(64, 1'000'000, ScheduleKind::k1f1b));
  CHECK(!a.played);
  CHECK(a.bubble.overhead.raw == Approx(63e-6));
}
