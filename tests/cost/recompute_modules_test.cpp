// Recompute by named modules: what each saves, costs and sends again, held to products worked out by hand; what is
// refused.
#include <fmt/format.h>

#include "asked.hpp"

using namespace reckon;
using namespace reckon::test;

namespace {

Asked kept(const std::string& model, const std::string& modules) {
  return ask(
      fmt::format("kind: activations\nmodel: {}\nsequence: 4096\nassume: {{activations: autograd, "
                  "swiglu: fused}}\n{}\n",
                  model,
                  modules.empty() ? "recompute: none"
                                  : "recompute: modules\nrecompute_modules: [" + modules + "]"));
}

Asked plan(const std::string& model, const std::string& more) {
  return ask(with(
      fmt::format(
          "kind: training\nmodel: {}\nbatch: {{global: 32, micro: 1, sequence: 4096}}\n"
          "assume: {{preset: textbook, train.mfu: 40%, activations: autograd, swiglu: fused}}\n",
          model),
      more));
}

}  // namespace

// Bytes of a token in bf16, in the layers that have the module; the layer in whose backward pass they are made again
// holds them once more.
TEST_CASE("recompute modules: what each saves") {
  struct Row {
    const char *model, *module;
    double per_token, layers;
  };
  for (
      const Row& r :
      {// h = 4096, F = 14336, 32 heads: two norms' outputs; SiLU(gate)·up; gate, up and that; 4 B a head
       Row{"llama-3-8b", "layernorm", 2 * 2 * 4096.0, 32},
       Row{"llama-3-8b", "mlp_act", 2 * 14336.0, 32}, Row{"llama-3-8b", "mlp", 3 * 2 * 14336.0, 32},
       Row{"llama-3-8b", "core_attn", 4 * 32.0, 32},
       // two experts a token: their products; tokens at the experts, gates, ups, products
       Row{"mixtral-8x7b", "moe_act", 2 * 2 * 14336.0, 32},
       Row{"mixtral-8x7b", "moe", 2 * 2 * (4096 + 3 * 14336.0), 32},
       // 128 heads of 192 for q and k, of 128 for v, in all 61 layers; 58 with experts, one shared of 2048
       Row{"deepseek-v3", "mla_up_proj", 2 * 128 * (192 + 192 + 128.0), 61},
       Row{"deepseek-v3", "layernorm", 2 * 2 * 7168.0, 61},
       Row{"deepseek-v3", "shared_experts", 2 * 3 * 2048.0, 58},
       Row{"deepseek-v3", "mlp", 2 * 3 * 18432.0, 3},
       Row{"deepseek-v3", "moe_act", 2 * (8 + 1) * 2048.0, 58}}) {
    const Asked with = kept(r.model, r.module);
    INFO(r.model << " " << r.module << with.faults);
    const double saved =
        kept(r.model, "").value("memory.activations") - with.value("memory.activations");
    CHECK(saved == Approx(4096 * r.per_token * (r.layers - 1)).epsilon(1e-12));
  }
}

TEST_CASE("recompute modules: selective and norms are sets of them") {
  const auto policy = [](const std::string& model, const std::string& word) {
    return ask(fmt::format("kind: activations\nmodel: {}\nsequence: 4096\nassume: {{activations: "
                           "autograd}}\n"
                           "recompute: {}\n",
                           model, word))
        .value("activations.per_token_layer");
  };
  const auto modules = [](const std::string& model, const std::string& words) {
    return ask(fmt::format("kind: activations\nmodel: {}\nsequence: 4096\nassume: {{activations: "
                           "autograd}}\n"
                           "recompute: modules\nrecompute_modules: [{}]\n",
                           model, words))
        .value("activations.per_token_layer");
  };
  CHECK(policy("llama-3-8b", "selective") == modules("llama-3-8b", "core_attn"));
  CHECK(policy("llama-3-8b", "norms") == modules("llama-3-8b", "layernorm, mlp_act"));
  CHECK(policy("deepseek-v3", "norms") == modules("deepseek-v3", "layernorm, mlp_act, moe_act"));
}

// FLOPs of a token: two for each parameter of the module's matrices on its path.
TEST_CASE("recompute modules: FLOPs and time that each adds") {
  struct Row {
    const char *model, *cluster, *module;
    double flops;
  };
  for (const Row& r :
       {Row{"llama-3-8b", "8xh100-sxm", "mlp", 2.0 * 3 * 4096 * 14336 * 32},
        Row{"llama-3-8b", "8xh100-sxm", "layernorm", 0},
        // scores and values of half the pairs: 2 · 2048 · (4096 + 4096) a layer
        Row{"llama-3-8b", "8xh100-sxm", "core_attn", 2.0 * 2048 * 8192 * 32},
        Row{"mixtral-8x7b", "8xh100-sxm", "moe", 2.0 * 32 * (2 * 3 * 4096 * 14336.0 + 4096 * 8)},
        Row{"deepseek-v3", "2048xh800-sxm", "mla_up_proj",
            2.0 * 61 * (1536 * 24576.0 + 512 * 128 * 256.0)},
        Row{"deepseek-v3", "2048xh800-sxm", "shared_experts", 2.0 * 58 * 3 * 7168 * 2048}}) {
    const bool large = std::string(r.model) == "deepseek-v3";
    const Asked a = plan(
        r.model, fmt::format("cluster: {}\nrecompute: {{modules: [{}]}}\n{}", r.cluster, r.module,
                             large ? "batch: {global: 2048, micro: 1, sequence: 4096}" : ""));
    INFO(r.model << " " << r.module << a.faults);
    CHECK(a.value(fmt::format("recompute.{}.flops", r.module)) == Approx(r.flops).epsilon(1e-12));
    CHECK(a.value("step.recompute") == Approx(a.value(fmt::format("recompute.{}.time", r.module))));
  }
  // 131,072 tokens on 8 GPUs at 40 % of 989.4 TFLOP/s; gate and up are read and their product written, 3 · 2 B ·
  // 14336 a token and layer at 3.35 TB/s.
  const Asked mlp = plan("llama-3-8b", "cluster: 8xh100-sxm\nrecompute: {modules: [mlp]}");
  CHECK(mlp.value("step.recompute") ==
        Approx(2.0 * 3 * 4096 * 14336 * 32 * 131072 / (8 * 989.4e12 * 0.4) +
               131072.0 / 8 * 32 * 3 * 2 * 14336 / 3.35e12));
  // Two norms that read and write 2 B · 4096.
  const Asked norms = plan("llama-3-8b", "cluster: 8xh100-sxm\nrecompute: {modules: [layernorm]}");
  CHECK(norms.value("step.recompute") == Approx(131072.0 / 8 * 32 * 2 * 2 * 2 * 4096 / 3.35e12));
}

TEST_CASE("recompute modules: an MLP's region and its experts communicate again") {
  const auto tensor = [](const std::string& recompute) {
    return plan("llama-3-8b", "cluster: 8xh100-sxm\nmesh: {tensor: 8}\n" + recompute)
        .value("comm.tensor.count");
  };
  // 32 micro-batches of 32 layers: 4 all-reduces each, and 2 of the tables; the MLP's once more
  CHECK(tensor("recompute: none") == 32 * (4 * 32 + 2));
  CHECK(tensor("recompute: {modules: [mlp]}") == 32 * (5 * 32 + 2));
  CHECK(tensor("recompute: {modules: [core_attn, layernorm, mlp_act]}") == 32 * (4 * 32 + 2));
  const auto expert = [](const std::string& recompute) {
    return plan("mixtral-8x7b", "cluster: 8xh100-sxm\nmesh: {expert: 8}\n" + recompute)
        .value("comm.expert.count");
  };
  CHECK(expert("recompute: none") == 4 * 4 * 32);
  CHECK(expert("recompute: {modules: [moe]}") == 4 * 6 * 32);
  CHECK(expert("recompute: {modules: [moe_act]}") == 4 * 4 * 32);
}

TEST_CASE("recompute modules: of several, each one's part adds up") {
  const Asked a =
      plan("deepseek-v3",
           "cluster: 2048xh800-sxm\nmesh: {pipeline: 16, expert: 64}\nsharding: zero-1\n"
           "batch: {global: 15360, micro: 1, sequence: 4096}\n"
           "recompute: {modules: [layernorm, mla_up_proj, moe_act]}");
  INFO(a.faults);
  double saved = 0, time = 0;
  for (const char* m : {"layernorm", "mla_up_proj", "moe_act"}) {
    saved += a.value(fmt::format("recompute.{}.saved", m));
    time += a.value(fmt::format("recompute.{}.time", m));
  }
  CHECK(time == Approx(a.value("step.recompute")));
  // 16 micro-batches in flight on the first stage: three dense layers and one with experts.
  CHECK(saved > 0);
  CHECK(a.value("recompute.mla_up_proj.saved") ==
        Approx(a.value("pipeline.in_flight") * 4 * 4096 * 2 * 128 * 512));
}

TEST_CASE("recompute modules: formats of what is kept") {
  // fp8 with a 4-byte scale for 128: 1.03125 B for the two norms' outputs and the product; 1.5 B for the attention's.
  const Asked a =
      ask("kind: activations\nmodel: llama-3-8b\nsequence: 4096\nassume: {activations: autograd, "
          "swiglu: fused}\n"
          "precision: deepseek-v3\n");
  INFO(a.faults);
  CHECK(a.value("tensor.norm1.per_token_layer") == Approx(1.03125 * 4096));
  CHECK(a.value("tensor.norm1_input.per_token_layer") == Approx(2 * 4096));
  CHECK(a.value("tensor.attention.per_token_layer") == Approx(1.5 * 4096));
  CHECK(a.value("tensor.up.per_token_layer") == Approx(1.03125 * 14336));
  CHECK(a.value("tensor.product.per_token_layer") == Approx(1.03125 * 14336));
  CHECK(a.value("tensor.q.per_token_layer") == Approx(2 * 4096));
}

TEST_CASE("recompute modules: what is refused") {
  const auto faults = [](const std::string& model, const std::string& recompute) {
    return plan(model, "cluster: 8xh100-sxm\nrecompute: " + recompute).faults;
  };
  using Catch::Contains;
  CHECK_THAT(faults("llama-3-8b", "{modules: [mla_up_proj]}"),
             Contains("the model has no module 'mla_up_proj'") &&
                 Contains("modules it has: core_attn, layernorm, mlp, mlp_act"));
  CHECK_THAT(faults("mixtral-8x7b", "{modules: [shared_experts]}"),
             Contains("the model has no module 'shared_experts'") && Contains("moe, moe_act"));
  CHECK_THAT(faults("mixtral-8x7b", "{modules: [moe, moe_act]}"),
             Contains("'moe_act' is part of 'moe', which runs again as a whole"));
  CHECK_THAT(faults("llama-3-8b", "{modules: [mlp, mlp]}"), Contains("'mlp' is named twice"));
  CHECK_THAT(faults("llama-3-8b", "{modules: [layernrom]}"), Contains("did you mean 'layernorm'?"));
  CHECK_THAT(faults("llama-3-8b", "{modules: []}"), Contains("no module is named"));
  CHECK_THAT(faults("llama-3-8b", "{module: [mlp]}"), Contains("unknown key 'module'"));
  CHECK_THAT(faults("generic-7b", "{modules: [mlp]}"), Contains("does not state which modules"));
}

// A policy and the modules that it stands for are one thing said twice: the same time, memory and FLOPs, to the bit.
TEST_CASE("recompute modules: a policy takes the time of its modules, whatever the MFU counts") {
  struct Same {
    const char *model, *policy, *modules;
  };
  for (const Same& x : {Same{"llama-3-8b", "selective", "core_attn"},
                        Same{"llama-3-8b", "norms", "layernorm, mlp_act"},
                        Same{"mixtral-8x7b", "norms", "layernorm, moe_act"},
                        Same{"nemotron-h-8b", "selective", "core_attn"}}) {
    for (const char* how :
         {"assume: {preset: physical, train.mfu: 40%, flops: full}",
          "assume: {preset: physical, train.mfu: 40%, flops: causal}",
          "assume: {preset: physical, train.mfu: 40%, flops: 6n}",
          "assume: {preset: physical, train.mfu: 40%, flops: causal, attention: unfused}",
          "assume: physical\nstack: generic-h100"}) {
      const std::string gpus = fmt::format(
          "cluster: 64xh100-sxm\nsharding: fsdp\nbatch: {{global: 128, micro: 1, sequence: "
          "4096}}\n{}\n",
          how);
      const Asked policy = plan(x.model, gpus + "recompute: " + x.policy),
                  modules =
                      plan(x.model, gpus + fmt::format("recompute: {{modules: [{}]}}", x.modules));
      INFO(x.model << " " << x.policy << " " << how << policy.faults << modules.faults);
      CHECK(policy.value("step.recompute") > 0);
      CHECK(policy.value("step.recompute") == modules.value("step.recompute"));
      CHECK(policy.value("step.time") == modules.value("step.time"));
      CHECK(policy.value("flops.per_token.hfu") == modules.value("flops.per_token.hfu"));
    }
  }
}

// Attention of a token over all pairs of 4096: 4 · 4096 · 4096 FLOP in each of 32 layers; over the causal half, half.
TEST_CASE("recompute modules: attention that runs again counts as the MFU counts it") {
  const auto again = [](const char* flops, const char* recompute) {
    return plan("llama-3-8b", fmt::format("cluster: 8xh100-sxm\nassume: {{preset: textbook, "
                                          "train.mfu: 40%, flops: {}}}\nrecompute: {}",
                                          flops, recompute))
        .value("step.recompute");
  };
  const double full = 32 * 4.0 * 4096 * 4096 * 131072 / (8 * 989.4e12 * 0.4);
  for (const char* spelt : {"selective", "{modules: [core_attn]}"}) {
    CHECK(again("full", spelt) == Approx(full).epsilon(1e-9));
    CHECK(again("causal", spelt) == Approx(full / 2).epsilon(1e-9));
    CHECK(again("6n", spelt) == Approx(full / 2).epsilon(1e-9));  // what flash kernels compute
  }
}
