// One layer's operators: their list adds up to the passes that the step model takes, and collectives fall where a
// tensor-parallel layer has them.
#include <fmt/format.h>

#include "asked.hpp"

namespace reckon {
namespace {

using test::Asked;

Asked layer(const std::string& model, const std::string& more = "") {
  return test::ask("kind: layer\nmodel: " + model + "\n" + more);
}

// Ids of a pass's rows, in order.
std::vector<std::string> rows(const Asked& a, const std::string& pass) {
  std::vector<std::string> out;
  for (const Metric& m : a.result.metrics) {
    const bool row =
        m.id.starts_with(pass + ".") && m.id.ends_with(".time") && m.id.size() > pass.size() + 5;
    if (row) out.push_back(m.id.substr(pass.size() + 1, m.id.size() - pass.size() - 6));
  }
  return out;
}

// Operators whole, collectives with what stays exposed.
double sum(const Asked& a, const std::string& pass) {
  double total = 0;
  for (const std::string& row : rows(a, pass)) {
    const std::string id = pass + "." + row;
    total += a.absent(id + ".exposed") ? a.value(id + ".time") : a.value(id + ".exposed");
  }
  return total;
}

TEST_CASE("layer: the operators add up to the passes") {
  for (const char* plan :
       {"llama-3-8b", "llama-3-8b\ntensor: 8", "llama-3-8b\ntensor: 8\nsequence_parallel: yes",
        "llama-3-8b\ntensor: 4\ncontext: 4\nsequence: 32768\nsequence_parallel: yes",
        "gpt-3-175b\ntensor: 8\nchip: a100-sxm\nsequence: 2048\nassume: {attention: unfused, "
        "dropout: yes}",
        "llama-3-70b\ntensor: 8\nprecision: fp8", "mixtral-8x7b\nexpert: 8\nsequence: 4096",
        "mixtral-8x7b\nexpert: 8\ntensor: 8\nsequence_parallel: yes\nexpert_tensor: 1\nsequence: "
        "4096",
        "deepseek-v3\nexpert: 64\nchip: h800-sxm\nstack: deepseek-v3-h800\nsequence: 4096"}) {
    const Asked a = layer(plan);
    CAPTURE(plan, a.faults);
    CHECK(sum(a, "forward") == Approx(a.value("forward.time")).epsilon(1e-9));
    CHECK(sum(a, "backward") == Approx(a.value("backward.time")).epsilon(1e-9));
  }
}

TEST_CASE("layer: one GPU sends nothing") {
  const Asked a = layer("llama-3-8b");
  CHECK(a.value("forward.sent") == 0);
  CHECK(a.value("backward.sent") == 0);
  for (const Metric& m : a.result.metrics) CHECK_FALSE(m.id.ends_with(".ranks"));
}

TEST_CASE("layer: two all-reduces a pass; with sequence parallelism the same bytes in halves") {
  const Asked whole = layer("llama-3-8b", "tensor: 8\n");
  CHECK(rows(whole, "forward") ==
        std::vector<std::string>{"norm_mixer", "qkv", "positions", "attention", "attention_output",
                                 "reduce_mixer", "residual_mixer", "norm_mlp", "mlp_up",
                                 "activation", "mlp_down", "reduce_mlp", "residual_mlp"});
  // 8,192 tokens of 4,096 elements of 2 B: 67.1 MB, 7/8 of it twice, two times.
  const double H = 8192.0 * 4096 * 2;
  CHECK(whole.value("forward.sent") == Approx(2 * 2 * 7.0 / 8 * H));
  CHECK(whole.value("backward.sent") == Approx(2 * 2 * 7.0 / 8 * H));
  const Asked split = layer("llama-3-8b", "tensor: 8\nsequence_parallel: yes\n");
  CHECK(split.value("forward.sent") == Approx(whole.value("forward.sent")));
  // Inputs are gathered again for the weights' gradients: twice 7/8 more.
  CHECK(split.value("backward.sent") == Approx(whole.value("backward.sent") + 2 * 7.0 / 8 * H));
  CHECK(rows(split, "forward") ==
        std::vector<std::string>{"norm_mixer", "gather_mixer", "qkv", "positions", "attention",
                                 "attention_output", "scatter_mixer", "residual_mixer", "norm_mlp",
                                 "gather_mlp", "mlp_up", "activation", "mlp_down", "scatter_mlp",
                                 "residual_mlp"});
}

TEST_CASE("layer: FLOPs are those of the matrices and of half the pairs, backward twice") {
  const Asked a = layer("llama-3-8b");
  const double matrices = 218103808.0;  // 4096·(4096 + 2·1024) + 4096² + 3·4096·14336
  const double pairs = 2 * 2 * 4096.0 * 8192 / 2;
  CHECK(a.value("forward.flops") == Approx(8192 * (2 * matrices + pairs)));
  CHECK(a.value("backward.flops") == Approx(8192 * (4 * matrices + 2.5 * pairs)));
  // Tensor ranks share them.
  CHECK(layer("llama-3-8b", "tensor: 8\n").value("forward.flops") ==
        Approx(a.value("forward.flops") / 8));
}

TEST_CASE("layer: tokens go to experts and come back, forward and backward") {
  const Asked a = layer("mixtral-8x7b", "expert: 8\nsequence: 4096\n");
  int exchanges = 0;
  for (const char* pass : {"forward", "backward"})
    for (const std::string& row : rows(a, pass))
      exchanges += row == "dispatch" || row == "combine" ? 1 : 0;
  CHECK(exchanges == 4);
}

TEST_CASE("layer: what can't be is refused, with what would work") {
  CHECK(layer("llama-3-8b", "sequence_parallel: yes\n").faults.find("tensor is 1") !=
        std::string::npos);
  CHECK(layer("llama-3-8b", "tensor: 6\n").faults.find("nearest") != std::string::npos);
  CHECK(layer("llama-3-8b", "expert: 8\n").faults.find("no routed experts") != std::string::npos);
  CHECK(layer("mixtral-8x7b", "expert: 6\n").faults.find("nearest degrees that work") !=
        std::string::npos);
  CHECK(layer("llama-3-8b", "context: 3\n").faults.find("does not divide") != std::string::npos);
  CHECK(layer("deepseek-v3", "layer: 7\n").faults.find("numbered from 0") != std::string::npos);
  CHECK(layer("llama-3-8b", "chip: mi300x\n").faults.find("no software is assumed") !=
        std::string::npos);
}

}  // namespace
}  // namespace reckon
