// What must hold for a serving plan, whatever the model, the engine and the machine.
#include <string>

#include "asked.hpp"

using namespace reckon;
using reckon::test::ask;
using reckon::test::Asked;
using reckon::test::with;

namespace {

Asked served(const std::string& more, const std::string& model = "llama-3.1-8b",
             const std::string& engine = "trtllm-1") {
  return ask(with("kind: serving\nmodel: " + model + "\nengine: " + engine +
                      "\nprompt: 2048\noutput: 512\nassume: physical\n",
                  more));
}

constexpr const char* kX = "serve.saturation.tokens_per_second";

}  // namespace

TEST_CASE("a serving plan gains from every resource, and from none it does not use") {
  const Asked plain = served("cluster: 1xh100-sxm\n");
  CHECK(served("cluster: 1xh200-sxm\n").value(kX) > plain.value(kX));  // bandwidth and memory
  const Asked fp8 = served("cluster: 1xh100-sxm\nweights: fp8-e4m3\ncache: fp8-e4m3\n");
  CHECK(fp8.value("decode.batch_by_memory") > 2 * plain.value("decode.batch_by_memory"));
  CHECK(fp8.value("memory.weights") * 2 == Approx(plain.value("memory.weights")));
  CHECK(served("cluster: 1xh100-sxm\nhit: 50%\n").value("prefill.time") <
        plain.value("prefill.time"));
  CHECK(served("cluster: 8xh100-sxm\n").value(kX) == plain.value(kX));  // of one replica
  CHECK(served("cluster: 8xh100-sxm\n").value("serve.saturation.request_rate") ==
        Approx(8 * plain.value("serve.saturation.request_rate")));
}

TEST_CASE("chunks cost: a prompt in chunks takes no less than whole") {
  const Asked whole = served("cluster: 1xh100-sxm\nsettings: {chunk: 4096}\n");
  const Asked chunks = served("cluster: 1xh100-sxm\nsettings: {chunk: 256}\n");
  CHECK(whole.value("prefill.chunks") == 1);
  CHECK(chunks.value("prefill.chunks") == 8);
  CHECK(chunks.value("prefill.time") > whole.value("prefill.time"));
}

TEST_CASE("a prompt runs in whole chunks and a rest, as an engine runs it") {
  const auto time = [](const std::string& more) {
    return served("cluster: 1xh100-sxm\n" + more).value("prefill.time");
  };
  // 2048 = 1536 + 512: the first chunk alone, and 512 tokens after 1536 that are cached.
  const std::string chunk = "settings: {chunk: 1536}\n";
  const double first = ask("kind: serving\nmodel: llama-3.1-8b\nengine: trtllm-1\nprompt: 1536\n"
                           "output: 512\nassume: physical\ncluster: 1xh100-sxm\n" +
                           chunk)
                           .value("prefill.time");
  CHECK(time(chunk) == Approx(first + time("hit: 75%\n" + chunk)).epsilon(1e-3));
  // The last chunk samples; the others' share of that product is below the tolerance.
  double sum = 0;
  const Asked x = served("cluster: 1xh100-sxm\n" + chunk);
  for (const Metric& m : x.result.metrics)
    if (m.id.starts_with("prefill.") && m.id.ends_with(".time") && m.id != "prefill.time")
      sum += m.value;
  CHECK(sum + 2 * 0.001 == Approx(x.value("prefill.time")));  // and the engine's own, each step
  // 10,240 · 30 % are 3072 tokens, three chunks, though 1 − 70 % is not 0.3 to the last bit.
  CHECK(ask("kind: serving\nmodel: llama-3.1-8b\nengine: trtllm-1\nprompt: 10240\noutput: 512\n"
            "assume: physical\ncluster: 1xh100-sxm\nhit: 70%\nsettings: {chunk: 1024}\n")
            .value("prefill.chunks") == 3);
}

TEST_CASE("the largest batch keeps its target, and one more would not") {
  const Asked x = served("cluster: 1xh100-sxm\ntpot: 20 ms\n");
  CHECK(x.value("serve.saturation.tpot") <= 0.020);
  const int B = static_cast<int>(x.value("decode.batch_most"));
  REQUIRE(B > 1);
  const Asked more =
      served("cluster: 1xh100-sxm\nsettings: {batch: " + std::to_string(B + 1) + "}\n");
  CHECK(more.value("serve.saturation.tpot") > 0.020);
  CHECK_FALSE(served("cluster: 1xh100-sxm\ntpot: 1 us\n").result.fits());
}

TEST_CASE("what an answer's operators take adds up to its step") {
  for (const char* more : {"cluster: 8xh100-sxm\ntensor: 8\n", "cluster: 1xh100-sxm\n"}) {
    const Asked x = served(more);
    double sum = 0;
    for (const Metric& m : x.result.metrics)
      if (m.id.starts_with("decode.") && m.id.ends_with(".time") && m.id != "decode.time")
        sum += m.value;
    CHECK(sum == Approx(x.value("decode.gpu_time")));
  }
}

TEST_CASE("a draft that is never accepted only costs, one that always is pays") {
  const Asked none = served("cluster: 1xh100-sxm\nbatch: 1\n");
  const Asked bad =
      served("cluster: 1xh100-sxm\nbatch: 1\nspeculative: {tokens: 3, accepted: 1}\n");
  const Asked good =
      served("cluster: 1xh100-sxm\nbatch: 1\nspeculative: {tokens: 3, accepted: 4}\n");
  CHECK(bad.value("decode.tpot") >= none.value("decode.tpot"));
  CHECK(good.value("decode.tpot") < none.value("decode.tpot") / 3);
}

TEST_CASE("money is spent once: input and output tokens together cost the GPUs' hours") {
  const Asked x = served("cluster: 1xh100-sxm\nprice: 3.60 USD/h\n");
  const double per_second = x.value(kX);
  const double dollars = x.value("serve.cost_per_million_output") * per_second / 1e6 +
                         x.value("serve.cost_per_million_input") * per_second / 1e6 * 2048 / 512;
  CHECK(dollars * 3600 == Approx(3.60));
}

TEST_CASE("tokens cost what the GPUs cost under the load, and more where they idle") {
  const std::string k70 =
      "cluster: 8xh100-sxm\ntensor: 4\nweights: fp8-e4m3\ncache: fp8-e4m3\nprice: 2.50 USD/h\n";
  const auto at = [&](const std::string& load) { return served(k70 + load, "llama-3.1-70b"); };
  const Asked little = at("rate: 1 requests/s\n"), much = at("rate: 8 requests/s\n");
  const auto hourly = [](const Asked& x) {
    const double out = x.value("serve.tokens_per_second");
    return 3600 / 1e6 *
           (x.value("serve.cost_per_million_output") * out +
            x.value("serve.cost_per_million_input") * out * 2048 / 512);
  };
  CHECK(hourly(little) == Approx(8 * 2.50));
  CHECK(hourly(much) == Approx(8 * 2.50));
  const char* kFull = "serve.saturation.cost_per_million_output";
  CHECK(little.value(kFull) == Approx(much.value(kFull)));
  CHECK(much.value("serve.cost_per_million_output") > much.value(kFull));
  CHECK(little.value("serve.cost_per_million_output") >
        6 * much.value("serve.cost_per_million_output"));
  // Steps of few sequences draw power for few tokens; GPUs without any draw none that is counted.
  CHECK(little.value("serve.energy_per_token") > much.value("serve.energy_per_token"));
  CHECK(much.value("serve.energy_per_token") > much.value("serve.saturation.energy_per_token"));
  // The same users on more nodes: dearer, never cheaper.
  double before = 0;
  for (const char* nodes : {"8xh100-sxm", "16xh100-sxm", "32xh100-sxm"}) {
    const Asked x =
        served(with(k70, std::string("concurrency: 200\ncluster: ") + nodes), "llama-3.1-70b");
    CHECK(x.value("serve.cost_per_million_output") > before);
    before = x.value("serve.cost_per_million_output");
  }
  CHECK(at("rate: 60 requests/s\n").absent("serve.cost_per_million_output"));
}

// What keeps a target keeps a looser one, also where an engine that is never idle may just decode one sequence.
TEST_CASE("a looser target takes no more GPUs, and no smaller rate is bought") {
  const std::string plan = "cluster: 8xh100-sxm\ntensor: 4\nttft: 2 s\nprice: 2 USD/h\n";
  const auto at = [&](const std::string& more) { return served(plan + more, "llama-3.1-70b"); };
  double gpus = 1e9, bought = 0;
  int answered = 0;
  for (double ms = 20; ms < 40; ms += 0.25) {
    const std::string tpot = "tpot: " + std::to_string(ms) + " ms\n";
    const Asked rate = at("rate: 2 requests/s\n" + tpot), money = at("budget: 32 USD/h\n" + tpot);
    if (rate.absent("serve.gpus_for_rate")) continue;
    CAPTURE(ms);
    CHECK(rate.value("serve.gpus_for_rate") <= gpus);
    CHECK(money.value("serve.rate_for_budget") >= bought * (1 - 1e-6));
    gpus = rate.value("serve.gpus_for_rate");
    bought = money.value("serve.rate_for_budget");
    ++answered;
  }
  CHECK(answered > 20);
}

// However many times what the rate needs.
TEST_CASE("GPUs for a rate are as many for each request/s, however tight the target") {
  const std::string plan = "cluster: 8xh100-sxm\ntensor: 4\nttft: 245 ms\n";
  const auto gpus = [&](const char* rate) {
    return served(plan + "rate: " + rate + " requests/s\n", "llama-3.1-70b")
        .value("serve.gpus_for_rate");
  };
  const double eight = gpus("8");
  CHECK(eight > 8);
  for (const auto& [rate, times] :
       {std::pair{"2", 0.25}, std::pair{"5", 0.625}, std::pair{"20", 2.5}, std::pair{"50", 6.25}})
    CHECK(std::abs(gpus(rate) - eight * times) <= 8);
}

TEST_CASE("an answer of one token is all the prompt's") {
  const Asked one = served("cluster: 1xh100-sxm\nprice: 2 USD/h\noutput: 1\nrate: 2 requests/s\n");
  CHECK(one.value("serve.cost_per_million_output") == 0);
  CHECK(one.value("serve.cost_per_million_input") > 0);
}

TEST_CASE("GPUs for a rate: the queue does not grow on them, the targets are kept, on fewer not") {
  const std::string one = "cluster: 1xh100-sxm\nprice: 2 USD/h\n";
  const Asked rate = served(one + "rate: 8.2 requests/s\n");
  CHECK(rate.value("serve.gpus_for_rate") == 2);
  CHECK_FALSE(rate.result.fits());  // on the one there is
  CHECK(served(with(one, "cluster: 2xh100-sxm\nrate: 8.2 requests/s\n")).result.fits());
  const Asked target = served(one + "rate: 8 requests/s\nttft: 150 ms\n");
  const int n = static_cast<int>(target.value("serve.gpus_for_rate"));
  REQUIRE(n > 1);
  const auto on = [&](int gpus) {
    return served("cluster: " + std::to_string(gpus) +
                  "xh100-sxm\nrate: 8 requests/s\nttft: 150 ms\n")
        .result.fits();
  };
  if (n == 2 || n == 4 || n == 8) CHECK(on(n));
  CHECK_FALSE(served(with(one, "rate: 8 requests/s\nttft: 150 ms\n")).result.fits());
  // The prompt alone takes longer.
  CHECK(served(one + "rate: 8 requests/s\nttft: 20 ms\n").absent("serve.gpus_for_rate"));
}

TEST_CASE("a budget buys whole replicas, at the rate they take") {
  const std::string one = "cluster: 1xh100-sxm\nprice: 2 USD/h\n";
  const Asked none = served(one + "budget: 1 USD/h\n");
  CHECK_FALSE(none.result.fits());
  CHECK(none.value("serve.rate_for_budget") == 0);
  const Asked two = served(one + "budget: 5 USD/h\nrate: 1 requests/s\n");
  CHECK(two.value("serve.replicas_for_budget") == 2);
  CHECK(two.value("serve.rate_for_budget") == Approx(2 * two.value("serve.saturates")));
  CHECK(served(one + "budget: 5 USD/h\n").value("serve.rate_for_budget") ==
        Approx(two.value("serve.rate_for_budget")));
  const Asked kept = served(one + "budget: 5 USD/h\nttft: 150 ms\n");
  const double most = kept.value("serve.rate_for_budget");
  CHECK(most < two.value("serve.rate_for_budget"));
  const auto at = [&](double rate) {
    return served("cluster: 2xh100-sxm\nttft: 150 ms\nrate: " + std::to_string(rate) +
                  " requests/s\n")
        .result.fits();
  };
  CHECK(at(0.99 * most));
  CHECK_FALSE(at(1.01 * most));
}

TEST_CASE("stages: every part of the batch that passes them is an engine that takes its share") {
  const std::string two = "cluster: 8xh100-sxm\ntensor: 4\npipeline: 2\nprice: 2 USD/h\n";
  const auto at = [&](const std::string& more) { return served(two + more, "llama-3.1-70b"); };
  const Asked x = at("rate: 2 requests/s\nbudget: 16 USD/h\n");
  CHECK(x.value("serve.rate_for_budget") == Approx(x.value("serve.saturates")));
  const double most = x.value("serve.saturates");
  CHECK(at("rate: " + std::to_string(0.9 * most) + " requests/s\n").value("serve.gpus_for_rate") ==
        8);
  CHECK(at("rate: " + std::to_string(1.1 * most) + " requests/s\n").value("serve.gpus_for_rate") ==
        16);
  CHECK(x.value("serve.cost_per_million_output") * x.value("serve.tokens_per_second") / 1e6 * 3600 +
            x.value("serve.cost_per_million_input") * x.value("serve.tokens_per_second") / 1e6 *
                3600 * 2048 / 512 ==
        Approx(16));
  // Beyond 0.4 of saturation the closed form has no waits: so many GPUs that it has, and can say that a target is kept.
  const Asked kept = at("rate: " + std::to_string(0.9 * most) + " requests/s\nttft: 1 s\n");
  CHECK(kept.value("serve.gpus_for_rate") == 3 * 8);
  CHECK(kept.result.find("serve.gpus_for_rate_bound")->text == "simulate");
  CHECK(at("budget: 16 USD/h\nttft: 1 s\n").value("serve.rate_for_budget") ==
        Approx(0.4 * most).epsilon(1e-3));
}

TEST_CASE("uneven arrivals: no number of GPUs for a target is better than a wrong one") {
  const std::string eight =
      "cluster: 8xh100-sxm\nrate: 20 requests/s\nttft: 100 ms\nprice: 2 USD/h\nbudget: 16 USD/h\n";
  const double poisson = served(eight).value("serve.gpus_for_rate");
  const Asked bursts = served(eight + "arrivals: bursts\nburst: 20 s\npause: 80 s\n");
  for (const char* id : {"serve.gpus_for_rate", "serve.rate_for_budget", "serve.tpot", "serve.ttft",
                         "serve.energy_per_token"}) {
    INFO(id);
    CHECK(bursts.absent(id));
  }
  // Without a target the queue alone decides, whatever the arrivals.
  CHECK(served(with(eight, "ttft: null\narrivals: bursts\nburst: 20 s\npause: 80 s\n"))
            .value("serve.gpus_for_rate") <= poisson);
  const Asked uneven = served(eight + "arrivals: gamma\nburstiness: 1.3\n");
  if (!uneven.absent("serve.gpus_for_rate")) CHECK(uneven.value("serve.gpus_for_rate") >= poisson);
}

TEST_CASE("what was played decides: waits that grow, and targets that are missed, are a no") {
  const std::string one = "cluster: 1xh100-sxm\nsimulate: yes\nrequests: 4000\n";
  CHECK(served(one + "rate: 2 requests/s\nttft: 500 ms\n").result.fits());
  CHECK_FALSE(served(one + "rate: 2 requests/s\nttft: 55 ms\n").result.fits());
  CHECK_FALSE(served(one + "rate: 2 requests/s\nttft: 500 ms\narrivals: bursts\nburst: 5 s\n"
                           "pause: 60 s\n")
                  .result.fits());
}

TEST_CASE("answers of one token: prompts alone, whatever is said of the tokens after the first") {
  const std::string one = "cluster: 1xh100-sxm\noutput: 1\nrate: 5 requests/s\n";
  const Asked x = served(with(one, "ttft: 500 ms\ntpot: 1 us\n"));
  CHECK(x.result.fits());
  CHECK(x.value("serve.gpus_for_rate") == 1);
  CHECK(x.absent("serve.tpot"));
  // One prompt a step, by chance: M/D/1 of its time, S/(2·(1 − ρ))·ρ to wait.
  const double S = x.value("prefill.time"), rho = 5 * S;
  CHECK(x.value("serve.ttft") == Approx(S + rho * S / (2 * (1 - rho))).epsilon(0.1));
  CHECK(served(with(one, "rate: 0.001 requests/s\n")).value("serve.ttft") ==
        Approx(S).epsilon(1e-4));
}

TEST_CASE("few requests: what the prompt takes alone, and no more users than there are") {
  for (const char* more : {"", "speculative: {tokens: 4, acceptance: 80%, draft: 5%}\n"}) {
    const Asked x = served("cluster: 1xh100-sxm\nrate: 0.0001 requests/s\n" + std::string(more));
    CHECK(x.value("serve.ttft") == Approx(x.value("prefill.ttft")).epsilon(1e-3));
  }
  const Asked one = served("cluster: 8xh100-sxm\nconcurrency: 1\n");
  CHECK(one.value("serve.concurrency") == Approx(1));
  CHECK(one.value("serve.tokens_per_second") ==
        Approx(512 / (one.value("serve.ttft") + 511 * one.value("serve.tpot"))));
  // An engine that is mostly idle keeps a target that one which never is does not.
  const std::string few = "cluster: 1xh100-sxm\noutput: 8\ntpot: 9 ms\n";
  CHECK_FALSE(served(few).result.fits());
  CHECK(served(few + "rate: 0.1 requests/s\n").result.fits());
}

TEST_CASE("pools for a rate keep both targets, are stable, and lie in the cluster or say so") {
  const std::string base =
      "cluster: 16xh100-sxm\nweights: fp8-e4m3\ntensor: 4\nprefill: {tensor: 4}\n"
      "rate: 10 requests/s\nttft: 150 ms\n";
  const auto pools = [&](const std::string& more) { return served(base + more, "llama-3.1-70b"); };
  const Asked loose = pools("tpot: 60 ms\n"), tight = pools("tpot: 25 ms\n");
  for (const Asked* x : {&loose, &tight}) {
    CHECK(x->value("serve.utilisation") < 1);
    CHECK(x->value("serve.ttft_p90") <= 0.150);
  }
  CHECK(tight.value("serve.tpot_p90") <= 0.025);
  CHECK(tight.value("pools.decode") > loose.value("pools.decode"));
  CHECK(tight.value("serve.gpus_for_rate") == tight.value("pools.gpus"));
  CHECK(tight.result.fits() == (tight.value("pools.gpus") <= 16));
}

TEST_CASE("pools give what the link between them moves") {
  const std::string base =
      "cluster: 16xh100-sxm\nweights: fp8-e4m3\ntensor: 4\nrate: 1 requests/s\n"
      "prefill: {tensor: 4, workers: 2, decode_workers: 2";
  const Asked wide = served(base + "}\n", "llama-3.1-70b");
  const Asked narrow = served(base + ", link: 10 MB/s}\n", "llama-3.1-70b");
  CHECK(narrow.value("pools.rate") < wide.value("pools.rate") / 10);
  CHECK(narrow.value("pools.rate") == Approx(narrow.value("serve.saturates")));
  CHECK(narrow.result.find("pools.bound")->text == "the link that caches move over");
  CHECK(narrow.value("ways.disaggregated.per_gpu") < wide.value("ways.disaggregated.per_gpu") / 10);
}

TEST_CASE("the answer is no: what is missed, overfull or too large") {
  CHECK(served("cluster: 1xh100-sxm\nbatch: 100\n").result.fits());
  const Asked large = served("cluster: 1xh100-sxm\nbatch: 500\n");
  CHECK_FALSE(large.result.fits());
  CHECK(large.value("fits") == 0);
  const std::string rate = "cluster: 1xh100-sxm\nrate: 4 requests/s\n";
  CHECK(served(rate + "ttft: 1 s\n").result.fits());
  CHECK_FALSE(served(rate + "tpot: 10 ms\n").result.fits());
  const std::string load =
      "kind: load\nstep: 6 ms\nper_decode: 15 us\nper_prefill: 25 us\nprompt: 1000\noutput: 300\n"
      "batch: 256\nchunk: 512\n";
  CHECK(ask(load + "rate: 8 requests/s\nttft: 1 s\n").result.fits());
  CHECK_FALSE(ask(load + "rate: 8 requests/s\nttft: 20 ms\n").result.fits());
  CHECK_FALSE(ask(load + "rate: 800 requests/s\n").result.fits());
  const std::string decode = "kind: decode\nmodel: llama-3-8b\ncluster: 1xh100-sxm\nbatch: 32\n";
  CHECK(ask(decode + "context: 4096\n").result.fits());
  CHECK_FALSE(ask(decode + "context: 200000\n").result.fits());
  CHECK_FALSE(ask("kind: chunk\nmodel: llama-3-8b\ncluster: 1xh100-sxm\nbatch: 32\nchunk: 256\n"
                  "context: 200000\nassume: {chunk.attention: none}\n")
                  .result.fits());
}

TEST_CASE("what a draft cannot yield, a prompt cannot give and a model was not made for is said") {
  CHECK(served("cluster: 1xh100-sxm\nspeculative: {tokens: 4, accepted: 9}\n")
            .faults.find("yields 5 at most") != std::string::npos);
  CHECK(ask("kind: chunk\nmodel: llama-3-8b\ncluster: 1xh100-sxm\nbatch: 32\nprompt: 2000\n"
            "output: 500\nchunk: 999999\n")
            .faults.find("chunk: 999999 tokens of a prompt that has 2000") != std::string::npos);
  CHECK(
      ask("kind: prefill\nmodel: llama-3-8b\nprompt: 1e12\n").faults.find("published for 8,192") !=
      std::string::npos);
  CHECK(ask("kind: decode\nmodel: llama-3-8b\ncluster: 1xh100-sxm\nbatch: 1\ncontext: 9000\n")
            .faults.find("published for 8,192") != std::string::npos);
  CHECK(served("cluster: 1xh100-sxm\nusers: 200\n").faults.find("concurrency: 200") !=
        std::string::npos);
}

TEST_CASE("the accuracy of models of experts is that of models of experts") {
  const auto accuracy = [](const char* model, const char* engine) {
    std::string out;
    for (const Accuracy& a :
         served("cluster: 8xh200-sxm\ntensor: 8\nexpert: 8\nweights: fp8-e4m3\n", model, engine)
             .result.accuracy)
      out += a.text + "\n";
    return out;
  };
  CHECK(accuracy("qwen3-235b-a22b", "trtllm-1-moe").find("20 to 50 %") == std::string::npos);
  CHECK(accuracy("mixtral-8x7b", "trtllm-1-moe").find("20 to 50 %") != std::string::npos);
  const std::string dense = accuracy("mixtral-8x7b", "trtllm-1");
  CHECK(dense.find("is of a model of experts") != std::string::npos);
  CHECK(dense.find("median") == std::string::npos);
}

TEST_CASE("the frontier ends at the largest batch that fits") {
  const Asked x = served("cluster: 1xh100-sxm\nfrontier: yes\n");
  const double largest = x.value("decode.batch_by_memory");
  CHECK(std::any_of(x.result.metrics.begin(), x.result.metrics.end(), [&](const Metric& m) {
    return m.id.starts_with("frontier.") && m.id.ends_with(".batch") && m.value == largest;
  }));
}

TEST_CASE("few tokens touch few experts") {
  const std::string one = "cluster: 8xh100-sxm\ntensor: 8\nweights: fp8-e4m3\nbatch: ";
  const double few =
      served(one + "1\n", "mixtral-8x7b", "trtllm-1-moe").value("decode.experts.time");
  const double many =
      served(one + "64\n", "mixtral-8x7b", "trtllm-1-moe").value("decode.experts.time");
  CHECK(few < many);
}

TEST_CASE("what a serving plan can't be is refused where it is said") {
  CHECK(served("cluster: 1xh100-sxm\ndata: 2\n").faults.find("replicas") != std::string::npos);
  CHECK(served("cluster: 16xh100-sxm\ntensor: 16\n").faults.find("beyond a node") !=
        std::string::npos);
  CHECK(served("cluster: 1xh100-sxm\nweights: nf4\n").faults.find("it knows") != std::string::npos);
  CHECK(served("cluster: 1xh100-sxm\nspeculative: {tokens: 3}\n").faults.find("accepted") !=
        std::string::npos);
  CHECK(served("cluster: 1xh100-sxm\nhit: 100%\n").faults.find("hit") != std::string::npos);
}
