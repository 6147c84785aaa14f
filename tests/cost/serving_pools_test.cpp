// Pools of a serving plan: what a budget buys, what they cost, workers that the plan states.
#include <cmath>
#include <random>
#include <string>

#include "asked.hpp"
#include "reckon/cost/serving/pools_budget.hpp"

using namespace reckon;
using reckon::test::ask;
using reckon::test::Asked;
using reckon::test::with;

namespace {

Asked pools(const std::string& more) {
  return ask(
      with("kind: serving\nmodel: llama-3.1-70b\nengine: trtllm-1\nprompt: 2048\noutput: 512\n"
           "assume: physical\ncluster: 16xh100-sxm\nweights: fp8-e4m3\ntensor: 4\n",
           more));
}

}  // namespace

TEST_CASE("a budget buys as many replicas as it pays, however the prices round") {
  const auto bought = [](const std::string& money) {
    return pools(money).value("serve.replicas_for_budget");
  };
  CHECK(bought("price: 2.5 USD/h\nbudget: 50 USD/h\n") == 5);
  CHECK(bought("price: 2.1 USD/h\nbudget: 58.8 USD/h\n") == 7);
  CHECK(bought("price: 2.5 USD/h\nbudget: 49.9 USD/h\n") == 4);
}

TEST_CASE("of all pools that a budget pays, the best pair is found: by trying them all") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> price(1, 20), takes(0.2, 9);
  for (int i = 0; i < 400; ++i) {
    const PoolPrices cost{8 * price(random), price(random), price(random)};
    const double by_x = takes(random), by_y = takes(random), bend = i % 2 == 0 ? 1 : 0.8;
    const auto prefill = [&](int x) { return by_x * std::pow(x, bend); };
    const auto decode = [&](int y) { return by_y * std::pow(y, 1.2); };
    double best = 0;
    for (int x = 1; x <= 200; ++x)
      for (int y = 1; y <= 200; ++y)
        if (x * cost.prefill + y * cost.decode <= cost.budget)
          best = std::max(best, std::min(prefill(x), decode(y)));
    const PoolWorkers is = best_paid(cost, prefill, decode);
    INFO(cost.budget << " " << cost.prefill << " " << cost.decode << " " << by_x << " " << by_y);
    CHECK(is.rate == Approx(best));
    if (best == 0) continue;
    CHECK(is.x * cost.prefill + is.y * cost.decode <= cost.budget);
    CHECK(std::min(prefill(is.x), decode(is.y)) >= is.rate * (1 - 1e-9));
    // None of them is idle: one fewer of either takes less.
    CHECK((is.x == 1 || prefill(is.x - 1) < is.rate));
    CHECK((is.y == 1 || decode(is.y - 1) < is.rate));
  }
  const PoolWorkers exact = best_paid(
      {30, 10, 10}, [](int x) { return 1.0 * x; }, [](int y) { return 2.0 * y; });
  CHECK(exact.x == 2);
  CHECK(exact.y == 1);
}

TEST_CASE("a budget's pools take what they say, within the targets that are stated") {
  const std::string all = "assume: {preset: physical, pools.prefill: 100%, pools.decode: 100%}\n";
  const auto pools = [&](const std::string& more) { return ::pools(more + all); };
  const std::string money = "price: 2.5 USD/h\nbudget: 30 USD/h\nprefill: {tensor: 4}\n";
  const Asked full = pools(money + "rate: 5 requests/s\ntpot: 30 ms\nttft: 300 ms\n");
  CHECK(full.value("pools.budget.prefill") == 2);
  CHECK(full.value("pools.budget.decode") == 1);
  CHECK(full.value("pools.budget.gpus") == 12);
  const double most = full.value("serve.rate_for_budget");
  CHECK(most < full.value("pools.decode_given"));
  const auto on = [&](double rate) {
    return pools("prefill: {workers: 2, decode_workers: 1}\ntpot: 30 ms\nttft: 300 ms\nrate: " +
                 std::to_string(rate) + " requests/s\n")
        .result.fits();
  };
  CHECK(on(0.99 * most));
  CHECK_FALSE(on(1.01 * most));
  // Filled to 80 % they keep the targets: no more is bought.
  const Asked slack =
      ::pools(money +
              "rate: 5 requests/s\ntpot: 30 ms\nttft: 1 s\n"
              "assume: {preset: physical, pools.prefill: 80%, pools.decode: 80%}\n");
  CHECK(
      slack.value("serve.rate_for_budget") ==
      Approx(std::min(2 * slack.value("pools.prefill_given"), slack.value("pools.decode_given"))));
  // Without targets: the slower pool, filled to its share.
  const Asked free = pools(money);
  CHECK(free.value("serve.rate_for_budget") ==
        Approx(std::min(2 * free.value("pools.prefill_given"), free.value("pools.decode_given"))));
  CHECK_FALSE(pools("price: 2.5 USD/h\nbudget: 15 USD/h\nprefill: {tensor: 4}\n").result.fits());
}

TEST_CASE("never idle, pools cost what pools cost: a load of them is dearer") {
  const Asked x = pools("price: 2.5 USD/h\nprefill: {price: 1 USD/h}\nrate: 6 requests/s\n");
  for (const char* of : {"cost_per_million_input", "cost_per_million_output"}) {
    const double idle = x.value(std::string("serve.saturation.") + of);
    CHECK(idle == Approx(x.value(std::string("pools.") + of)));
    CHECK(x.value(std::string("serve.") + of) > idle);
  }
  CHECK(x.value("serve.saturation.tokens_per_second_per_gpu") ==
        Approx(x.value("ways.disaggregated.per_gpu")));
  CHECK(x.value("serve.saturation.tpot") == Approx(x.value("pools.tpot")));
  CHECK(x.value("serve.energy_per_token") > x.value("serve.saturation.energy_per_token"));
}

TEST_CASE("workers that a plan states are these; the other pool is sized, or keeps up") {
  const Asked one = pools("prefill: {workers: 1}\nrate: 12 requests/s\n");
  CHECK(one.value("pools.prefill") == 1);
  CHECK_FALSE(one.result.fits());  // it takes 8.7 requests/s
  const Asked decode = pools("prefill: {decode_workers: 3}\nrate: 12 requests/s\n");
  CHECK(decode.value("pools.decode") == 3);
  CHECK(decode.value("pools.prefill") == 2);
  CHECK(decode.value("serve.utilisation") < 1);
  const Asked even = pools("prefill: {decode_workers: 2}\n");
  CHECK(even.value("pools.decode") == 2);
  CHECK(even.value("pools.prefill") == std::ceil(2 / even.value("pools.ratio")));
  CHECK(even.value("pools.rate") ==
        Approx(std::min(2 * even.value("pools.decode_given"),
                        even.value("pools.prefill") * even.value("pools.prefill_given"))));
}

TEST_CASE("a prefill worker has the plan's ranks where it states none") {
  CHECK(pools("prefill: {workers: 1}\n").value("pools.gpus") ==
        pools("prefill: {workers: 1, tensor: 4}\n").value("pools.gpus"));
  CHECK(pools("prefill: {tensor: 2}\n").value("pools.prefill_time") >
        pools("prefill: {layerwise: no}\n").value("pools.prefill_time"));
}
