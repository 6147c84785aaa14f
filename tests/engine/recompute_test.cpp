// Recomputed work takes time, whether or not the plan states a sequence length.
#include "data.hpp"
#include "reckon/engine/evaluate.hpp"

namespace reckon {
namespace {

Result run(const std::string& batch, const std::string& recompute,
           const std::string& counted = "6n") {
  Diagnostics diagnostics;
  doc::Value tree = test::data().read_text("plan.yaml",
                                           "model: generic-7b\n"
                                           "cluster: 8xh100-sxm\n"
                                           "sharding: fsdp\n"
                                           "assume: {preset: textbook, train.mfu: 40%, flops: " +
                                               counted +
                                               "}\n"
                                               "batch: " +
                                               batch +
                                               "\n"
                                               "recompute: " +
                                               recompute + "\n",
                                           diagnostics);
  doc::expand_dotted_keys(tree, diagnostics);
  const LoadedTraining loaded = load_training(test::data(), std::move(tree), diagnostics);
  INFO(diagnostics.render());
  REQUIRE(diagnostics.all().empty());
  return evaluate(test::data(), loaded);
}

double seconds(const Result& r, const char* id) { return r.find(id)->value; }

// Of 65,536 tokens on 8 GPUs at 40 % of 989.4 TFLOP/s.
double time_of(double flops_of_token) { return flops_of_token * 65536 / (8 * 989.4e12 * 0.4); }

// Layers that run once more take once more what the MFU's convention gives them: 6n counts no attention (8n in all),
// full counts all pairs, causal half of them. Attention alone, which 6n does not count, takes what kernels compute.
TEST_CASE("Full recompute takes the layers' share of the time once more, as the MFU counts it") {
  const double matrices = 2 * 7e9;
  const double attention = 32 * (4096 / 2) * 2 * 2 * 4096.0;  // half the pairs, scores and values
  CHECK(seconds(run("{tokens_per_gpu: 8192}", "full"), "step.recompute") ==
        Approx(time_of(matrices)));
  const std::string known = "{tokens_per_gpu: 8192, sequence: 4096}";
  CHECK(seconds(run(known, "full"), "step.recompute") == Approx(time_of(matrices)));
  CHECK(seconds(run(known, "full", "causal"), "step.recompute") ==
        Approx(time_of(matrices + attention)));
  CHECK(seconds(run(known, "full", "full"), "step.recompute") ==
        Approx(time_of(matrices + 2 * attention)));
  CHECK(seconds(run("{tokens_per_gpu: 8192, sequence: 4096}", "selective"), "step.recompute") ==
        Approx(time_of(attention)));
  CHECK(seconds(run("{tokens_per_gpu: 8192}", "none"), "step.recompute") == 0);
}

TEST_CASE("Recomputed attention of unknown length is listed as left out") {
  const auto lists_it = [](const Result& r) {
    for (const std::string& line : r.not_modelled) {
      if (line.find("attention that is recomputed") != line.npos) return true;
    }
    return false;
  };
  CHECK(lists_it(run("{tokens_per_gpu: 8192}", "full")));
  CHECK_FALSE(lists_it(run("{tokens_per_gpu: 8192, sequence: 4096}", "full")));
  CHECK_FALSE(lists_it(run("{tokens_per_gpu: 8192}", "none")));
}

}  // namespace
}  // namespace reckon
