// What must hold for a serving plan, whatever the model, the engine and the machine.
#include <string>

#include "asked.hpp"

using namespace reckon;
using reckon::test::ask;
using reckon::test::Asked;

namespace {

Asked served(const std::string& more, const std::string& model = "llama-3.1-8b",
             const std::string& engine = "trtllm-1") {
  return ask("kind: serving\nmodel: " + model + "\nengine: " + engine +
             "\nprompt: 2048\noutput: 512\nassume: physical\n" + more);
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

TEST_CASE("the largest batch keeps its target, and one more would not") {
  const Asked x = served("cluster: 1xh100-sxm\ntpot: 20 ms\n");
  CHECK(x.value("serve.saturation.tpot") <= 0.020);
  const int B = static_cast<int>(x.value("decode.batch_most"));
  REQUIRE(B > 1);
  const Asked more =
      served("cluster: 1xh100-sxm\nsettings: {batch: " + std::to_string(B + 1) + "}\n");
  CHECK(more.value("serve.saturation.tpot") > 0.020);
  CHECK_FALSE(served("cluster: 1xh100-sxm\ntpot: 1 us\n").result.fits);
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
