// The closed form of a load: limits that are known, derivatives, one value on all number types, and nothing odd for
// odd input.
#include <cmath>
#include <random>

#include "catch.hpp"
#include "reckon/cost/load/lengths.hpp"
#include "reckon/cost/load/load.hpp"
#include "reckon/load/simulate.hpp"

using namespace reckon;

namespace {

// Parameters of a load on steps of 6 ms + 15 µs a decode + 25 µs a prompt token, and what is asked of it.
struct Numbers {
  double rate = 8, prompt = 900, spread = 0.6, output = 150, slots = 256, chunk = 512, base = 6e-3,
         decode = 15e-6, prefill = 25e-6, burst = 1, overhead = 0;
  LengthShape shape = LengthShape::kLognormal;
  PromptSteps prompts = PromptSteps::kShared;
};

template <class R>
struct Lifted {
  R rate, prompt, spread, output, slots, chunk, base, decode, prefill, burst, overhead;
};

template <class R>
LoadInput<R> input_of(const Numbers& s, const Lifted<R>& v) {
  LoadInput<R> x;
  x.rate = Frequency<R>(v.rate);
  x.burst = Ratio<R>(v.burst);
  x.prompt = Count<R>(v.prompt);
  x.output = Count<R>(v.output);
  x.lengths = length_shares(s.shape, x.prompt, Ratio<R>(v.spread));
  x.slots = Count<R>(v.slots);
  x.chunk = Count<R>(v.chunk);
  x.prompts = s.prompts;
  x.overhead = Seconds<R>(v.overhead);
  x.step = [v](Count<R> n, Count<R> c) {
    return Seconds<R>(v.base) + n * Seconds<R>(v.decode) + c * Seconds<R>(v.prefill);
  };
  return x;
}

template <class R>
Lifted<R> lifted(const Numbers& s) {
  return {R(s.rate), R(s.prompt), R(s.spread),  R(s.output), R(s.slots),   R(s.chunk),
          R(s.base), R(s.decode), R(s.prefill), R(s.burst),  R(s.overhead)};
}

LoadFigures<double> figures(const Numbers& s) {
  const auto x = input_of(s, lifted<double>(s));
  return load_figures(x, x);
}

}  // namespace

TEST_CASE("without decodes and with one prompt a step it is M/G/1") {
  Numbers s;
  s.output = 1;
  s.base = 0;
  s.prompts = PromptSteps::kAlone;
  s.chunk = 1e9;
  s.shape = LengthShape::kConstant;
  const double S = s.prefill * s.prompt;
  for (const double rho : {0.1, 0.5, 0.9}) {
    s.rate = rho / S;
    const auto f = figures(s);
    CHECK(plain(f.utilisation) == Approx(rho));
    CHECK(plain(*f.ttft) == Approx(S + rho * S / (2 * (1 - rho))));
    CHECK(!f.tpot);
    // With arrivals of twice the variance Kingman's wait doubles.
    Numbers bursts = s;
    bursts.burst = 2;
    CHECK(plain(figures(bursts).waiting->queue) == Approx(2 * plain(f.waiting->queue)));
  }
}

TEST_CASE("an idle engine: the step's rest, and the prompt's own steps") {
  Numbers s;
  s.rate = 1e-9;
  s.shape = LengthShape::kConstant;
  const auto f = figures(s);
  CHECK(plain(*f.ttft) == Approx(2 * s.base + s.prefill * s.prompt));
  CHECK(plain(*f.ttft_p90) == Approx(2 * s.base + s.prefill * s.prompt).epsilon(1e-4));
  // Whoever decodes is in his own step, however idle the engine is.
  CHECK(plain(*f.tpot) == Approx(s.base + s.decode).epsilon(1e-6));
}

TEST_CASE("engines that share stages: a prompt never takes less than alone, no part is negative") {
  std::mt19937_64 random(11);
  const auto pick = [&](double low, double high) {
    return low * std::pow(high / low, std::uniform_real_distribution<>()(random));
  };
  for (int i = 0; i < 1000; ++i) {
    Numbers s;
    s.prompt = std::floor(pick(16, 16384));
    s.output = std::floor(pick(2, 2000));
    s.chunk = std::floor(pick(64, 16384));
    s.slots = std::floor(pick(2, 512));
    s.shape = i % 2 == 0 ? LengthShape::kConstant : LengthShape::kLognormal;
    s.prompts = static_cast<PromptSteps>(i % 3);
    auto x = input_of(s, lifted<double>(s));
    x.stages = Count<double>(1 << (i % 4));
    x.rate = Frequency<double>(pick(1e-4, 0.39) * plain(saturation(x, x).rate));
    const auto f = load_figures(x, x);
    CAPTURE(i, s.prompt, s.output, s.chunk, plain(x.stages), plain(f.utilisation));
    REQUIRE(f.waiting);
    const double none = -1e-12;
    CHECK(plain(f.waiting->waiting) >= none);
    CHECK(plain(f.waiting->sharing) >= none);
    const bool short_answers = plain(x.stages) > 1 && s.output < kStagesShortest;
    CHECK(f.ttft.has_value() != short_answers);  // of them in stages nothing is claimed
    if (short_answers) continue;
    CHECK(plain(*f.ttft) >= plain(f.waiting->alone) + none);
    CHECK(plain(*f.tpot) >= s.base + s.decode + none);
  }
}

TEST_CASE("requests that come during a prefill are in front of a short answer") {
  Numbers s;
  s.prompt = 8192;
  s.chunk = 8192;
  s.output = 64;
  s.shape = LengthShape::kConstant;
  s.rate = 2;
  const auto f = figures(s);
  const double left = 1 - s.rate * plain(f.decoding->work.cost);
  CHECK(plain(*f.tpot) > 1.3 * plain(f.decoding->step) / left);
  s.output = 4000;
  const auto g = figures(s);
  CHECK(plain(*g.tpot) <
        1.02 * plain(g.decoding->step) / (1 - s.rate * plain(g.decoding->work.cost)));
}

TEST_CASE("users in step: each finds the prompts of all of his chunk") {
  Numbers s;
  s.prompt = 1000;
  s.chunk = 8192;
  s.output = 200;
  s.slots = 128;
  s.shape = LengthShape::kConstant;
  auto x = input_of(s, lifted<double>(s));
  x.users = Count<double>(40);
  const auto f = load_figures(x, x);
  CHECK(plain(*f.ttft) > s.base + 8 * s.prompt * s.prefill);
  x.output_spread = Ratio<double>(0.5);
  const auto apart = load_figures(x, x);
  CHECK(plain(*apart.ttft) < 0.5 * plain(*f.ttft));
}

TEST_CASE("lengths as a step finds them: long answers more often, the longest cut") {
  const Count<double> o(2000);
  const LengthSpread<double> none{LengthShape::kLognormal, Ratio<double>(0), Count<double>(8192)};
  CHECK(plain(length_seen(none, o)) == 2000);
  const LengthSpread<double> one{LengthShape::kLognormal, Ratio<double>(1), {}};
  CHECK(plain(length_seen(one, o)) == Approx(4000));
  // By hand: E[min(o, 8192)] = 1818, E[min(o, 8192)²] = 7.02e6 of a lognormal with cv 1.5.
  const LengthSpread<double> cut{LengthShape::kLognormal, Ratio<double>(1.5), Count<double>(8192)};
  CHECK(plain(length_cut(cut, o)) == Approx(1818).epsilon(0.02));
  CHECK(plain(length_seen(cut, o)) == Approx(7.02e6 / 1818).epsilon(0.05));
}

TEST_CASE("saturation: where the batch is full, or every chunk") {
  Numbers s;
  s.shape = LengthShape::kConstant;
  s.slots = 16;
  auto x = input_of(s, lifted<double>(s));
  LoadLimits<double> full = saturation(x, x);
  CHECK(!full.by_prefill_first);
  const double n_b = 16 - plain(full.rate) * plain(prompt_work(x, Count<double>(15.0)).slot);
  CHECK(n_b > 14);
  s.slots = 4096;
  s.output = 4;
  x = input_of(s, lifted<double>(s));
  full = saturation(x, x);
  CHECK(full.by_prefill_first);
  CHECK(full.rate < Frequency<double>(1 / (s.prompt / s.chunk * (s.base + s.chunk * s.prefill))));
}

TEST_CASE("beyond saturation there is no number") {
  Numbers s;
  s.rate = 1e3;
  const auto f = figures(s);
  CHECK(f.unbounded);
  CHECK(!f.ttft);
  CHECK(!f.tpot);
  CHECK(plain(f.utilisation) > 1);
}

TEST_CASE("the 99th percentile is left to the simulation above half of saturation") {
  Numbers s;
  const double full = plain(figures(s).full.rate);
  s.rate = 0.49 * full;
  CHECK(figures(s).ttft_p99);
  s.rate = 0.51 * full;
  CHECK(!figures(s).ttft_p99);
  CHECK(figures(s).ttft_p90);
}

TEST_CASE("waits grow with the rate, and percentiles are in order") {
  for (const auto prompts : {PromptSteps::kShared, PromptSteps::kAlone, PromptSteps::kFirst}) {
    Numbers s;
    s.prompts = prompts;
    const double full = plain(figures(s).full.rate);
    double last = 0, last90 = 0;
    for (double u = 0.02; u < 1; u += 0.02) {
      s.rate = u * full;
      const auto f = figures(s);
      CAPTURE(u, static_cast<int>(prompts));
      CHECK(plain(*f.ttft) > last);
      CHECK(plain(*f.ttft_p90) > last90);
      CHECK(*f.ttft_p50 < *f.ttft_p90);
      if (f.ttft_p99) CHECK(*f.ttft_p90 < *f.ttft_p99);
      CHECK(plain(*f.tpot_p90) >= plain(f.decoding->step));
      last = plain(*f.ttft);
      last90 = plain(*f.ttft_p90);
    }
  }
}

TEST_CASE("derivatives are those of the fixed point and of the percentile") {
  using Input = double Numbers::*;
  for (const auto prompts : {PromptSteps::kShared, PromptSteps::kAlone, PromptSteps::kFirst}) {
    Numbers s;
    s.prompts = prompts;
    s.prompt = 911.3;  // away from whole chunks
    s.shape = LengthShape::kConstant;
    s.rate = 0.45 * plain(figures(s).full.rate);
    const std::pair<Input, Dual Lifted<Dual>::*> inputs[] = {
        {&Numbers::rate, &Lifted<Dual>::rate},     {&Numbers::base, &Lifted<Dual>::base},
        {&Numbers::decode, &Lifted<Dual>::decode}, {&Numbers::prefill, &Lifted<Dual>::prefill},
        {&Numbers::output, &Lifted<Dual>::output}, {&Numbers::prompt, &Lifted<Dual>::prompt}};
    for (const auto& [plain_input, dual_input] : inputs) {
      Lifted<Dual> v = lifted<Dual>(s);
      v.*dual_input = Dual(s.*plain_input, 1);
      const auto f = load_figures(input_of(s, v), input_of(s, lifted<double>(s)));
      Numbers more = s, less = s;
      const double h = 1e-5 * s.*plain_input;
      more.*plain_input += h;
      less.*plain_input -= h;
      const auto high = figures(more), low = figures(less);
      const auto slope = [h](Seconds<double> a, Seconds<double> b) {
        return (plain(a) - plain(b)) / (2 * h);
      };
      CAPTURE(static_cast<int>(prompts), s.*plain_input);
      CHECK(f.tpot->raw.d == Approx(slope(*high.tpot, *low.tpot)).epsilon(1e-3));
      CHECK(f.ttft->raw.d == Approx(slope(*high.ttft, *low.ttft)).epsilon(2e-3));
      CHECK(f.ttft_p90->raw.d == Approx(slope(*high.ttft_p90, *low.ttft_p90)).epsilon(5e-3));
      const double by = (plain(high.full.rate) - plain(low.full.rate)) / (2 * h);
      CHECK(f.full.rate.raw.d == Approx(by).epsilon(1e-3).margin(1e-9));
    }
  }
}

TEST_CASE("uneven arrivals: no percentiles, and of bursts no wait at all") {
  Numbers s;
  s.burst = 2;
  LoadFigures<double> f = figures(s);
  CHECK(f.ttft);
  CHECK_FALSE(f.ttft_p90);
  CHECK_FALSE(f.tpot_p90);
  s.burst = 9;
  f = figures(s);
  CHECK_FALSE(f.ttft);
  CHECK_FALSE(f.end_to_end);
  CHECK_FALSE(f.tpot);
  CHECK(f.no_waits != nullptr);
}

TEST_CASE("recorded, the figures are the same bits") {
  Numbers s;
  const auto f = figures(s);
  Tape tape;
  const auto t = load_figures(input_of(s, lifted<Traced>(s)), input_of(s, lifted<double>(s)));
  CHECK(plain(*t.ttft) == plain(*f.ttft));
  CHECK(plain(*t.ttft_p90) == plain(*f.ttft_p90));
  CHECK(plain(*t.tpot_p90) == plain(*f.tpot_p90));
  CHECK(plain(t.full.rate) == plain(f.full.rate));
}

namespace {

// Prompts and answers that differ by chance, or are alike.
LoadInput<double> of_users(Numbers s, bool differ) {
  s.shape = differ ? LengthShape::kLognormal : LengthShape::kConstant;
  auto x = input_of(s, lifted<double>(s));
  x.output_spread = Ratio<double>(differ ? 0.5 : 0);
  return x;
}

}  // namespace

TEST_CASE("users: Little's law, the place for each, and the full batch") {
  for (const auto prompts : {PromptSteps::kShared, PromptSteps::kAlone, PromptSteps::kFirst})
    for (const bool differ : {false, true})
      for (const double output : {8.0, 300.0})
        for (const double stages : {1.0, 4.0}) {
          Numbers s;
          s.slots = 32;
          s.output = output;
          s.prompts = prompts;
          auto x = of_users(s, differ);
          x.stages = Count<double>(stages);
          double last = 0;
          for (const double users : {1.0, 2.5, 4.0, 16.0, 30.0, 32.0, 64.0, 500.0}) {
            x.users = Count<double>(users);
            const auto f = load_figures(x, x);
            CAPTURE(users, static_cast<int>(prompts), differ, output, stages);
            REQUIRE(f.end_to_end);
            const double inside = plain(f.rate) * plain(*f.end_to_end);
            CHECK(inside == Approx(users).epsilon(1e-6));
            CHECK(plain(f.rate) >= last * (1 - 1e-9));
            CHECK(plain(*f.ttft) > 0);
            CHECK(plain(f.utilisation) <= 1 + 1e-9);
            last = plain(f.rate);
          }
        }
}

TEST_CASE(
    "few users of short answers, whose prompts fill every chunk: no more than the engine does") {
  Numbers s;
  s.prompt = 3000;
  s.chunk = 2048;
  s.output = 4;
  s.slots = 128;
  for (const bool differ : {false, true}) {
    auto x = of_users(s, differ);
    x.users = Count<double>(4);
    const auto f = load_figures(x, x);
    const double chunk = s.base + s.decode + s.chunk * s.prefill;
    CHECK(plain(f.rate) <= s.chunk / s.prompt / chunk);
    CHECK(plain(f.rate) > 0.85 * s.chunk / s.prompt / chunk);
  }
}

TEST_CASE("users whose answers are alike take turns: what a simulation comes to, to the digit") {
  struct Turn {
    double prompt, output, chunk, users, stages;
    PromptSteps prompts;
  };
  const auto shared = PromptSteps::kShared, alone = PromptSteps::kAlone;
  for (const Turn& c : {Turn{1000, 32, 8192, 12, 1, shared}, Turn{3000, 32, 2048, 4, 1, shared},
                        Turn{3000, 32, 2048, 16, 1, shared}, Turn{300, 32, 512, 60, 1, shared},
                        Turn{3000, 16, 2048, 6, 1, alone}, Turn{1000, 16, 2048, 20, 1, alone},
                        Turn{500, 50, 8192, 40, 4, shared}, Turn{20000, 50, 8192, 4, 4, shared}}) {
    Numbers s;
    s.prompt = c.prompt;
    s.output = c.output;
    s.chunk = c.chunk;
    s.slots = 128;
    s.prompts = c.prompts;
    auto x = of_users(s, false);
    x.stages = Count<double>(c.stages);
    x.users = Count<double>(c.users / c.stages);
    load::Scenario played;
    played.engine.step = [s](const load::Step& y) {
      return s.base + s.decode * y.decodes + s.prefill * y.prefill;
    };
    played.engine.batch = static_cast<int>(s.slots);
    played.engine.chunk = static_cast<int>(s.chunk);
    played.engine.one_prompt = c.prompts == alone;
    played.engine.stages = static_cast<int>(c.stages);
    played.traffic.prompt = {LengthShape::kConstant, s.prompt, 0, 1e9};
    played.traffic.output = {LengthShape::kConstant, s.output, 0, 1e9};
    played.users = static_cast<std::size_t>(c.users);
    played.requests = 40'000;
    played.replications = 1;
    const load::Outcome o = load::simulate(played, 1);
    const auto f = load_figures(x, x);
    CAPTURE(c.prompt, c.output, c.chunk, c.users, c.stages, static_cast<int>(c.prompts));
    CHECK(c.stages * plain(f.rate) == Approx(o.rate.value).epsilon(3e-3));
    CHECK(plain(*f.ttft) == Approx(o.ttft.value.mean).epsilon(5e-3));
    CHECK(plain(*f.tpot) == Approx(o.tpot.value.mean).epsilon(5e-3));
  }
}

TEST_CASE("users: one more of them is never a loss, and the slopes are those of the figures") {
  using Input = double Numbers::*;
  for (const auto prompts : {PromptSteps::kShared, PromptSteps::kAlone, PromptSteps::kFirst})
    for (const bool differ : {false, true}) {
      Numbers s;
      s.prompts = prompts;
      s.prompt = 911.3;  // away from whole chunks
      s.output = 40.3;
      s.shape = LengthShape::kConstant;
      const auto of = [&](const Numbers& of_s, const auto& v) {
        auto x = input_of(of_s, v);
        using R = std::decay_t<decltype(x.output.raw)>;
        x.output_spread = Ratio<R>(R(differ ? 0.5 : 0.0));
        x.users = Count<R>(R(12.0));
        return x;
      };
      const std::pair<Input, Dual Lifted<Dual>::*> inputs[] = {
          {&Numbers::base, &Lifted<Dual>::base},
          {&Numbers::decode, &Lifted<Dual>::decode},
          {&Numbers::prefill, &Lifted<Dual>::prefill},
          {&Numbers::output, &Lifted<Dual>::output},
          {&Numbers::prompt, &Lifted<Dual>::prompt}};
      for (const auto& [plain_input, dual_input] : inputs) {
        Lifted<Dual> v = lifted<Dual>(s);
        v.*dual_input = Dual(s.*plain_input, 1);
        const auto f = load_figures(of(s, v), of(s, lifted<double>(s)));
        Numbers more = s, less = s;
        const double h = 1e-5 * s.*plain_input;
        more.*plain_input += h;
        less.*plain_input -= h;
        const auto x_more = of(more, lifted<double>(more)), x_less = of(less, lifted<double>(less));
        const auto high = load_figures(x_more, x_more), low = load_figures(x_less, x_less);
        CAPTURE(static_cast<int>(prompts), differ, s.*plain_input);
        CHECK(f.rate.raw.d == Approx((plain(high.rate) - plain(low.rate)) / (2 * h)).epsilon(2e-3));
        CHECK(f.ttft->raw.d ==
              Approx((plain(*high.ttft) - plain(*low.ttft)) / (2 * h)).epsilon(5e-3).margin(1e-9));
        CHECK(f.tpot->raw.d ==
              Approx((plain(*high.tpot) - plain(*low.tpot)) / (2 * h)).epsilon(2e-3).margin(1e-9));
      }
    }
}

TEST_CASE(
    "answers of one length to prompts that differ: what users wait is left to the simulation") {
  Numbers s;
  auto x = of_users(s, true);
  x.output_spread = {};
  x.users = Count<double>(16);
  x.output = Count<double>(100);
  const auto f = load_figures(x, x);
  CHECK_FALSE(f.ttft);
  CHECK_FALSE(f.tpot);
  CHECK(f.tokens_rate);
}

TEST_CASE("a short answer at a low load meets no prompt, as most do") {
  Numbers s;
  s.prompt = 4000;
  s.chunk = 512;
  s.output = 8;
  s.shape = LengthShape::kConstant;
  s.rate = 0.05 * plain(figures(s).full.rate);
  auto f = figures(s);
  CHECK(plain(*f.tpot_p50) == plain(f.decoding->step));
  CHECK(plain(*f.tpot_p90) == plain(f.decoding->step));
  CHECK(*f.tpot > *f.tpot_p90);
  CHECK(*f.tpot_p99 > *f.tpot);
  s.rate = 0.9 * plain(figures(s).full.rate);
  f = figures(s);
  CHECK_FALSE(f.tpot);
  CHECK_FALSE(f.end_to_end);
  CHECK(f.ttft);
}

TEST_CASE("no users give NaN, a negative wait or more than the engine takes") {
  std::mt19937_64 random(7);
  const auto pick = [&](double low, double high) {
    return low * std::pow(high / low, std::uniform_real_distribution<>()(random));
  };
  for (int i = 0; i < 3000; ++i) {
    Numbers s;
    s.prompt = std::floor(pick(1, 1e5));
    s.output = std::floor(pick(1, 1e4));
    s.spread = pick(0.01, 2);
    s.shape = i % 2 == 0 ? LengthShape::kConstant : LengthShape::kLognormal;
    s.slots = std::floor(pick(1, 1e4));
    s.chunk = std::floor(pick(1, 1e5));
    s.base = i % 5 == 0 ? 0 : pick(1e-6, 1);
    s.decode = i % 7 == 0 ? 0 : pick(1e-9, 1e-2);
    s.prefill = pick(1e-9, 1e-2);
    s.prompts = static_cast<PromptSteps>(i % 3);
    if (s.base == 0 && s.decode == 0) continue;
    auto x = input_of(s, lifted<double>(s));
    x.output_spread = Ratio<double>(i % 4 < 2 ? 0 : pick(0.05, 1));
    x.users = Count<double>(i % 8 == 0 ? pick(1, 100) : std::floor(pick(1, 2e4)));
    if (i % 11 == 0) x.think = Seconds<double>(pick(1e-3, 1e3));
    x.stages = Count<double>(1 << (i % 4));
    const auto f = load_figures(x, x);
    CAPTURE(i, s.prompt, s.output, s.spread, s.slots, s.chunk, s.base, s.decode, s.prefill,
            plain(*x.users), plain(x.stages), plain(x.output_spread), i % 3, x.think.has_value());
    CHECK(plain(f.full.rate) > 0);
    CHECK(plain(f.rate) > 0);
    CHECK(plain(f.utilisation) <= 1 + 1e-6);
    CHECK(std::isfinite(plain(f.rate)));
    for (const auto& y : {f.ttft, f.ttft_p50, f.ttft_p90, f.end_to_end, f.tpot, f.tpot_p90}) {
      if (!y) continue;
      CHECK(plain(*y) > 0);
      CHECK(std::isfinite(plain(*y)));
    }
    if (f.waiting) CHECK(plain(f.waiting->queue) >= 0);
    if (f.tpot) CHECK(plain(*f.tpot) >= plain(f.decoding->step) * (1 - 1e-9));
  }
}

TEST_CASE("no input gives NaN or a negative wait") {
  std::mt19937_64 random(5);
  const auto pick = [&](double low, double high) {
    return low * std::pow(high / low, std::uniform_real_distribution<>()(random));
  };
  for (int i = 0; i < 3000; ++i) {
    Numbers s;
    s.rate = pick(1e-6, 1e4);
    s.prompt = std::floor(pick(1, 1e6));
    s.output = std::floor(pick(1, 1e5));
    s.spread = i % 3 == 0 ? 0 : pick(0.01, 3);
    s.shape = i % 2 == 0 ? LengthShape::kConstant : LengthShape::kLognormal;
    s.slots = std::floor(pick(1, 1e5));
    s.chunk = std::floor(pick(1, 1e5));
    s.base = i % 5 == 0 ? 0 : pick(1e-6, 1);
    s.decode = i % 7 == 0 ? 0 : pick(1e-9, 1e-2);
    s.prefill = pick(1e-9, 1e-2);
    s.burst = pick(0.01, 50);
    s.prompts = static_cast<PromptSteps>(i % 3);
    if (s.base == 0 && s.decode == 0) continue;
    const auto f = figures(s);
    CAPTURE(i, s.rate, s.prompt, s.output, s.spread, s.slots, s.chunk, s.base, s.decode, s.prefill,
            s.burst, i % 3);
    CHECK(plain(f.full.rate) > 0);
    if (f.unbounded) continue;
    for (const auto& y : {f.ttft_p50, f.ttft_p90}) REQUIRE(y.has_value() == !f.no_percentiles);
    REQUIRE(f.ttft.has_value() == !f.no_waits);
    for (const auto& y : {f.end_to_end, f.inclusive})
      REQUIRE(y.has_value() == !(f.no_waits || f.no_tpot));
    for (const auto& y : {f.ttft, f.ttft_p50, f.ttft_p90, f.end_to_end, f.inclusive}) {
      if (!y) continue;
      CHECK(plain(*y) > 0);
      CHECK(std::isfinite(plain(*y)));
    }
    CHECK(plain(f.waiting->waiting) >= 0);
    CHECK(plain(f.waiting->queue) >= 0);
    if (f.tpot) CHECK(plain(*f.tpot) >= plain(f.decoding->step) * (1 - 1e-9));
  }
}
