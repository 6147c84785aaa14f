// Layers that keep a state, in training: what their kernels compute and move, what they keep, how tensor ranks share
// them. Figures are worked out by hand; times of chunked linear attention are held to published measurements.
#include "reckon/cost/recurrent.hpp"

#include <fmt/format.h>

#include "asked.hpp"

using namespace reckon;
using namespace reckon::test;

namespace {

// One layer of so many value heads, nothing else, on one H100.
Asked layer(const std::string& mixer, double hidden, const std::string& more) {
  return ask(with(fmt::format("kind: layer\nmodel: {{hidden: {}, vocab: 0, tied: no, "
                              "norms_per_layer: 1, layers: [{{count: 1, mixer: "
                              "{{{}}}, mlp: {{kind: none}}}}]}}\nchip: h100-sxm\n",
                              hidden, mixer),
                  more));
}

Asked plan(const std::string& model, const std::string& more) {
  return ask(
      with(fmt::format(
               "kind: training\nmodel: {}\ncluster: 64xh100-sxm\nbatch: {{global: 128, micro: 1, "
               "sequence: 8192}}\nsharding: zero-1\nstack: generic-h100\nassume: physical\n",
               model),
           more));
}

}  // namespace

// Mamba-2 8B of Nemotron-H: 128 heads of 64, state 128, 8 groups, chunk 256; v = 8192, S = v · 128 = 1,048,576.
// Per token: half a chunk, 128 tokens, each 8·128 (C·B of a group) + 8192 (x) wide; two products with the state.
//   2 · (128 · (1024 + 8192) + 2 · 1048576) = 6,553,600 FLOP
// Bytes: x twice and y once, B and C twice: 2·(3·8192 + 4·1024) = 57,344; the state in fp32 and in 16 bits, written and
// read, a token's share of a chunk: 12·1048576/256 = 49,152; scores in fp32, written and read, of every group:
// 8·256·8 = 16,384; time steps of a head: 26·128 = 3,328. In all 126,208.
TEST_CASE("recurrent: a chunked scan of Mamba-2, a token") {
  const Asked a =
      layer("kind: mamba2, heads: 128, head_width: 64, state: 128, groups: 8, conv: 4, chunk: 256",
            4096, "sequence: 8192\n");
  INFO(a.faults);
  CHECK(a.value("forward.scan.flops") == Approx(8192 * 6553600.0).epsilon(1e-12));
  CHECK(a.value("forward.scan.bytes") == Approx(8192 * 126208.0).epsilon(1e-12));
  // Convolution: 8192 + 2·1024 channels read and written; the gate, the scan's output read and their norm written.
  CHECK(a.value("forward.convolution.bytes") == Approx(1.2 * 8192 * 4 * 10240.0).epsilon(1e-12));
  CHECK(a.value("forward.gate.bytes") == Approx(1.2 * 8192 * 2 * 3 * 8192.0).epsilon(1e-12));
  // Into the mixer: gate, x, B, C, time steps: 2·8192 + 2·1024 + 128 wide.
  CHECK(a.value("forward.mixer_in.flops") == Approx(2.0 * 8192 * 4096 * 18560).epsilon(1e-12));
  CHECK(a.value("forward.mixer_out.flops") == Approx(2.0 * 8192 * 4096 * 8192).epsilon(1e-12));
}

// Qwen3-Next: 32 value heads of 128, 16 key heads of 128, chunk 64; v = 4096, S = 524,288.
//   2 · (32 · (32 · (3·128 + 64/3) + 2·4096) + 3 · 524288)
// Bytes: seven key-wide and six value-wide tensors: 2·(7·4096 + 6·4096); triangles 12·32·64; states 4·524288/64.
TEST_CASE("recurrent: a gated delta rule, a token") {
  const Asked a = layer(
      "kind: delta_net, heads: 32, key_heads: 16, head_width: 128, v_width: 128, conv: 4, chunk: "
      "64",
      2048, "sequence: 4096\n");
  INFO(a.faults);
  CHECK(a.value("forward.scan.flops") ==
        Approx(4096 * 2 * (32 * (32 * (384 + 64 / 3.0) + 8192) + 3 * 524288.0)).epsilon(1e-12));
  CHECK(a.value("forward.scan.bytes") ==
        Approx(4096 * (2.0 * 13 * 4096 + 12 * 32 * 64 + 4 * 524288 / 64.0)).epsilon(1e-12));
}

// pytorch/helion, examples/fla/BENCHMARKS.md: chunked linear attention of flash-linear-attention (chunk 64) on H100,
// forward: 1 · 8192 tokens of 96 heads 0.726 ms, 4 · 4096 of 64 heads 0.950 ms, 8 · 2048 of 32 heads of 256 1.338 ms.
// They move their bytes at 83 to 86 % of the memory's rate; the stack's traffic.efficiency, 85 %, was not fitted on
// them.
TEST_CASE("recurrent: chunked linear attention takes the time that was measured") {
  struct Row {
    const char* mixer;
    double hidden;
    const char* shape;
    double measured;
  };
  for (const Row& r : {Row{"kind: lightning, heads: 96, head_width: 128, chunk: 64", 12288,
                           "sequence: 8192", 0.726e-3},
                       Row{"kind: lightning, heads: 64, head_width: 128, chunk: 64", 8192,
                           "micro: 4\nsequence: 4096", 0.950e-3},
                       Row{"kind: lightning, heads: 32, head_width: 256, chunk: 64", 8192,
                           "micro: 8\nsequence: 2048", 1.338e-3}}) {
    const Asked a = layer(r.mixer, r.hidden, std::string(r.shape) + "\n");
    INFO(r.mixer << a.faults);
    CHECK(a.value("forward.scan.time") == Approx(r.measured).epsilon(0.05));
  }
}

TEST_CASE("recurrent: tensor ranks share heads, groups and channels") {
  for (const char* model :
       {"nemotron-h-8b", "qwen3-next-80b-a3b", "minimax-text-01", "mamba-2.8b"}) {
    const auto layers = [&](const std::string& more) {
      return ask(
          fmt::format("kind: layer\nmodel: {}\nchip: h100-sxm\nsequence: 4096\n{}", model, more));
    };
    const Asked one = layers("tensor: 1\n"), four = layers("tensor: 4\n");
    INFO(model << one.faults << four.faults);
    CHECK(four.value("forward.scan.flops") ==
          Approx(one.value("forward.scan.flops") / 4).epsilon(1e-12));
    CHECK(four.value("forward.mixer_out.flops") ==
          Approx(one.value("forward.mixer_out.flops") / 4).epsilon(1e-12));
  }
  // Mamba-1's time step, B and C come from all channels: 160 + 2·16 wide, in 16 bits, summed over 4 ranks.
  const Asked mamba =
      ask("kind: layer\nmodel: mamba-2.8b\nchip: h100-sxm\nsequence: 4096\ntensor: 4\n");
  CHECK(mamba.value("forward.reduce_small.bytes") == Approx(2 * 0.75 * 2 * 4096 * 192.0));
  CHECK(mamba.value("forward.reduce_small.exposed") == mamba.value("forward.reduce_small.time"));
}

// A Mamba-2 layer keeps for a token, in bf16: the norm's input and output (2·4096), gate, x, B, C and time steps
// (18560), the scan's output and the gated one (2·8192).
TEST_CASE("recurrent: what a layer keeps") {
  const auto kept = [](const std::string& more) {
    return ask(
        "kind: activations\nmodel: {hidden: 4096, vocab: 0, tied: no, norms_per_layer: 1, layers: "
        "[{count: 1, mixer: "
        "{kind: mamba2, heads: 128, head_width: 64, state: 128, groups: 8, conv: 4, chunk: 256}, "
        "mlp: {kind: "
        "none}}]}\nsequence: 1024\n" +
        more);
  };
  const Asked a = kept("assume: {activations: autograd}\n");
  INFO(a.faults);
  CHECK(a.value("memory.activations") ==
        Approx(1024 * 2 * (2 * 4096 + 18560 + 2 * 8192.0)).epsilon(1e-12));
  const Asked split = kept("assume: {activations: autograd}\ntensor: 8\n");
  CHECK(split.value("memory.activations") ==
        Approx(1024 * 2 * (2 * 4096 + (18560 + 2 * 8192.0) / 8)).epsilon(1e-12));
  CHECK(kept("assume: {activations: megatron_34}\n").faults.find("counts a transformer's layer") !=
        std::string::npos);
}

TEST_CASE("recurrent: training plans are priced, and what is not says so") {
  const Asked a = plan("nemotron-h-8b", "mesh: {tensor: 2, sequence: yes}\n");
  INFO(a.faults);
  CHECK(a.value("step.time") > 0);
  CHECK(a.value("operators.scan") > 0);
  CHECK(a.faults.find("not measured under stack 'generic-h100'") != std::string::npos);
  // Whole layers run again: the forward pass once more, scans and all.
  const Asked full = plan("nemotron-h-8b", "mesh: {tensor: 2, sequence: yes}\nrecompute: full\n");
  CHECK(full.value("step.recompute") > a.value("operators.scan") / 4.6);
  CHECK(full.value("memory.activations") < a.value("memory.activations"));
  const auto says = [](const Asked& x, const char* words) {
    INFO(x.faults);
    CHECK(x.faults.find(words) != std::string::npos);
  };
  says(plan("nemotron-h-8b", "mesh: {context: 2}\n"),
       "context ranks would wait for each other's states in mamba2 layers");
  says(plan("nemotron-h-8b", "mesh: {tensor: 16}\n"), "tensor = 16 does not divide groups = 8");
  says(plan("nemotron-h-8b", "assume: {preset: physical, activations: textbook}\n"),
       "textbook counts a transformer's layer, and has no mamba2 layers");
}
