// A software stack: how well a framework of one generation runs a chip. hardware/stacks/NAME.yaml
//
//   kind: stack
//   name: NeMo 2024 on H100
//   base: generic-h100                    # what is not stated here
//   gemm: {ceiling: 66.4%, ceiling_fp8: 59.2%}
//   attention: {ceiling: 47.1%}
//
// Every value is a measurement or a fit, none is a fact of the chip, of one model or of one run.
// Shares are of 1. Curves inside one node come from the chip's kernels (hardware/kernels), hops
// between nodes from NCCL's own tuning model (hardware/nccl): the program fills them in.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "reckon/doc/field.hpp"
#include "reckon/spec/kernels.hpp"
#include "reckon/spec/nccl.hpp"
#include "reckon/spec/stack_scan.hpp"
#include "reckon/units/quantity.hpp"

namespace reckon {

// One output tile of a GEMM kernel and its quality on a full machine.
template <class R>
struct Tile {
  Count<R> rows, columns;
  Ratio<R> quality;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("rows", "m_t", "of the output").required().degree(), s.rows...);
    v(Field("columns", "n_t", "of the output").required().degree(), s.columns...);
    v(Field("quality", "q_t", "share of the ceiling it reaches on a full machine")
          .required()
          .efficiency(),
      s.quality...);
  }
};

// t_gemm = max(FLOPs / (P · ceiling · waves · K/(K + depth)), bytes / (W_m · memory.efficiency))
template <class R>
struct GemmStack {
  Ratio<R> ceiling{1}, rowwise{1}, blockwise{1}, batched{1}, grouped{1}, depth_fp8{1};
  std::optional<Ratio<R>> ceiling_fp8, ceiling_fp4;
  Count<R> depth{0}, width_fp8{0}, smooth_waves{8};
  std::vector<Tile<R>> tiles;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("ceiling", "gm", "share of the peak that a large GEMM sustains, 16 bit")
          .required()
          .efficiency(),
      s.ceiling...);
    v(Field("ceiling_fp8", "gm8", "the same in fp8").efficiency(), s.ceiling_fp8...);
    v(Field("ceiling_fp4", "gm4", "the same in fp4").efficiency(), s.ceiling_fp4...);
    v(Field("rowwise", "rw", "factor on the fp8 ceiling with one scale a row").efficiency(),
      s.rowwise...);
    v(Field("blockwise", "bw", "the same with one scale a block (mxfp8)").efficiency(),
      s.blockwise...);
    v(Field("batched", "bg", "factor on the ceiling of the batched GEMMs of unfused attention")
          .efficiency(),
      s.batched...);
    v(Field("grouped", "egg", "factor on the speed of an MoE's grouped GEMMs").efficiency(),
      s.grouped...);
    v(Field("depth", "k0", "depth K at which half the ceiling is reached").required().degree(),
      s.depth...);
    v(Field("depth_fp8", "k8", "factor on that in fp8").hint(Hint::kRatio).limit(Limit::kPositive),
      s.depth_fp8...);
    v(Field("width_fp8", "n8",
            "in fp8: rows and columns, the fewer of them, at which half the ceiling is reached")
          .count(),
      s.width_fp8...);
    v(Field("smooth_waves", "w_s", "waves from which kernels smooth the tail").degree(),
      s.smooth_waves...);
    v(Field("tiles", "", "output tiles to choose from").required(), s.tiles...);
  }
};

template <class R>
struct AttentionStack {
  Ratio<R> ceiling{1}, backward{1};
  Ratio<R> backward_flops{1};
  Count<R> fill{0};
  Bytes<R> softmax{}, dropout{}, softmax_backward{}, dropout_backward{};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("ceiling", "af", "share of the 16-bit peak that a flash kernel reaches on long input")
          .required()
          .efficiency(),
      s.ceiling...);
    v(Field("fill", "s0", "tokens at which it reaches half of that").required().degree(),
      s.fill...);
    v(Field("backward", "abr", "factor on the ceiling in the backward pass").efficiency(),
      s.backward...);
    v(Field("backward_flops", "f_bwd", "FLOPs of the backward kernel over the forward one")
          .hint(Hint::kRatio)
          .limit(Limit::kPositive)
          .required(),
      s.backward_flops...);
    v(Field("softmax", "b_sm", "unfused: traffic of a score's softmax, forward"), s.softmax...);
    v(Field("dropout", "b_do", "unfused: traffic of a score's dropout, forward"), s.dropout...);
    v(Field("softmax_backward", "b_smb", "unfused: of its softmax, backward"),
      s.softmax_backward...);
    v(Field("dropout_backward", "b_dob", "unfused: of its dropout, backward"),
      s.dropout_backward...);
  }
};

// What is bound by memory: norms, residual sums, activations, positions, casts, logits, optimizer.
template <class R>
struct TrafficStack {
  Ratio<R> efficiency{1}, passes{1}, eager_passes{1}, cast{1};
  Count<R> kernels{0}, backward_kernels{0}, optimizer_kernels{0};
  Bytes<R> logits{};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("efficiency", "em", "share of the memory bandwidth").required().efficiency(),
      s.efficiency...);
    v(Field("passes", "ew", "factor on the least bytes of the elementwise operators")
          .hint(Hint::kRatio)
          .limit(Limit::kPositive)
          .required(),
      s.passes...);
    v(Field("eager_passes", "eag", "further factor where kernels are not fused")
          .hint(Hint::kRatio)
          .limit(Limit::kPositive),
      s.eager_passes...);
    v(Field("cast", "cast", "factor on the bytes of fp8 casts")
          .hint(Hint::kRatio)
          .limit(Limit::kPositive),
      s.cast...);
    v(Field("kernels", "nel", "elementwise kernels of a layer, forward").required().count(),
      s.kernels...);
    v(Field("backward_kernels", "nelb", "the same, backward")
          .required()
          .hint(Hint::kRatio)
          .limit(Limit::kPositive),
      s.backward_kernels...);
    v(Field("optimizer_kernels", "n_opt", "of an update").required().count(),
      s.optimizer_kernels...);
    v(Field("logits", "lossb", "traffic of a logit: loss, its gradient").required(), s.logits...);
  }
};

// Fixed costs: of a kernel, of a layer on the host, of a step; and what grows with the GPUs.
template <class R>
struct FixedStack {
  Seconds<R> kernel{}, launch{}, layer{}, experts{}, routing{}, scales{}, step{}, sync{};
  Ratio<R> growth{};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("kernel", "tl", "of a kernel").required(), s.kernel...);
    v(Field("launch", "t_launch", "of the host, to start one kernel in a stream"), s.launch...);
    v(Field("layer", "hl", "of the host, to issue a layer's forward pass beside its kernels"),
      s.layer...);
    v(Field("experts", "hl_moe",
            "the same, of an MoE layer besides: it routes, permutes and dispatches"),
      s.experts...);
    v(Field("routing", "t_route",
            "of an MoE layer's pass: the host waits for the counts of a dropless routing"),
      s.routing...);
    v(Field("scales", "t_amax",
            "fp8: of a chunk's pass, at every doubling beyond a node of the ranks that agree on "
            "scales"),
      s.scales...);
    v(Field("step", "t_fixed", "of a step"), s.step...);
    v(Field("sync", "t_sync",
            "of a step, at every doubling beyond one node: all wait for the slowest rank"),
      s.sync...);
    v(Field("growth", "jit", "longer by this share at every doubling beyond one node")
          .hint(Hint::kFraction),
      s.growth...);
  }
};

// What the software keeps in memory whatever the plan: laid over the preset, under what the plan assumes.
template <class R>
struct MemoryStack {
  std::optional<Bytes<R>> logits, reserve_fixed;
  std::optional<Count<R>> loss_chunks;
  std::optional<Ratio<R>> reserve_share;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("logits", "b_logit", "bytes kept per logit of a micro-batch: assume.logits"),
      s.logits...);
    v(Field("loss_chunks", "n_loss", "pieces of a micro-batch's loss: assume.loss_chunks").degree(),
      s.loss_chunks...);
    v(Field("reserve_fixed", "M_ctx", "context, libraries: assume.reserve.fixed"),
      s.reserve_fixed...);
    v(Field("reserve_share", "r_frag", "lost to the allocator: assume.reserve.share").share(),
      s.reserve_share...);
  }
};

// Between nodes: ring or tree.
template <class R>
struct NetworkStack {
  Ratio<R> efficiency{1}, hops{1}, tree_rate{1}, all_to_all{1}, ring_attention{1}, peer{1};
  std::optional<Ratio<R>> links;
  Seconds<R> base{}, node_hop{}, network_hop{}, tree_hop{};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("efficiency", "en", "share of the network's line rate").required().efficiency(),
      s.efficiency...);
    v(Field("base", "a_base", "of every collective between nodes; NCCL's if not stated").required(),
      s.base...);
    v(Field("node_hop", "a_node", "of a ring, inside a node; NCCL's if not stated").required(),
      s.node_hop...);
    v(Field("network_hop", "a_net", "of a ring, between nodes; NCCL's if not stated").required(),
      s.network_hop...);
    v(Field("tree_hop", "a_tree", "of a tree, inside a node; NCCL's if not stated").required(),
      s.tree_hop...);
    v(Field("hops", "lat", "factor on those").hint(Hint::kRatio).limit(Limit::kPositive),
      s.hops...);
    v(Field("tree_rate", "e_tree", "a tree's rate over a ring's; NCCL's if not stated")
          .required()
          .efficiency(),
      s.tree_rate...);
    v(Field("links", "e_link", "factor on the curves' rates, where they are another chip's")
          .limit(Limit::kPositive)
          .hint(Hint::kRatio),
      s.links...);
    v(Field("all_to_all", "ea2a", "share of the links that an all-to-all reaches").efficiency(),
      s.all_to_all...);
    v(Field("ring_attention", "e_hop", "share of the all-gather's rate that one hop reaches")
          .efficiency(),
      s.ring_attention...);
    v(Field("peer", "e_peer", "share of the link's rate that one peer reaches").efficiency(),
      s.peer...);
  }
};

// What runs behind compute, and what that costs.
template <class R>
struct OverlapStack {
  Ratio<R> tensor{}, async_tensor{}, pipeline{}, expert{}, contention{}, exposure{}, regather{};
  Ratio<R> gradients{1}, gradients_least{};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("tensor", "tpo", "share of tensor-parallel collectives that hides").share(),
      s.tensor...);
    v(Field("async_tensor", "tpoa", "the same with asynchronous tensor parallelism").share(),
      s.async_tensor...);
    v(Field("pipeline", "p2po", "share of the sends between stages that hides").share(),
      s.pipeline...);
    v(Field("expert", "a2ao", "share of dispatch and combine that hides, where a plan overlaps it")
          .share(),
      s.expert...);
    v(Field("contention", "cont",
            "slow-down of compute by communication behind it: units (SMs) and bandwidth that it "
            "takes")
          .share(),
      s.contention...);
    v(Field("exposure", "expo", "slow-down of FSDP's communication by compute; 1 = no overlap")
          .share(),
      s.exposure...);
    v(Field("regather", "o_re", "share left of sequence parallelism's second gather").share(),
      s.regather...);
    v(Field("gradients", "o_win", "share of the window that gradients can hide behind").share(),
      s.gradients...);
    v(Field("gradients_least", "o_min", "share of the gradients' time that never hides").share(),
      s.gradients_least...);
  }
};

// Curves inside one node, of one library: from a chip's kernels.
template <class R>
struct StackCollectives {
  std::string id, library;
  std::vector<CollectiveCurve<R>> curves;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("id", "", "the file's name, filled in by the program"), s.id...);
    v(Field("library", "", "whose curves: as an entry there begins; NCCL if not stated"),
      s.library...);
    v(Field("curves", "", "one an operation, filled in from that file"), s.curves...);
  }
};

// Of the runs behind the constants, from the least to the most: beyond them a prediction is an extrapolation.
template <class R>
struct StackRange {
  std::vector<Count<R>> gpus, tokens, sequence, hidden;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("gpus", "", "least and most"), s.gpus...);
    v(Field("tokens", "", "of a micro-batch on a rank: rows of its matrix products"), s.tokens...);
    v(Field("sequence", "", "length, least and most"), s.sequence...);
    v(Field("hidden", "", "width, least and most"), s.hidden...);
  }
};

template <class R>
struct Stack {
  std::string id, name, source, fitted, software;
  std::vector<std::string> chips;
  std::optional<Count<R>> rows;
  StackRange<R> range;
  GemmStack<R> gemm;
  AttentionStack<R> attention;
  std::optional<ScanStack<R>> scan;
  TrafficStack<R> traffic;
  FixedStack<R> fixed;
  NetworkStack<R> network;
  OverlapStack<R> overlap;
  MemoryStack<R> memory;
  StackCollectives<R> collectives;
  CollectiveModel tier = CollectiveModel::kCalibrated;
  std::optional<Nccl<R>> nccl;
  bool eager = false, async_tensor = false, rowwise = false, blockwise = false,
       fp8_dispatch = false, graphs = false;
  bool overlap_gradients = true, overlap_experts = false, scatter_gather = false;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("id", "", "the file's name, filled in by the program"), s.id...);
    v(Field("name", "", "as people call it"), s.name...);
    v(Field("software", "", "the same on every chip: what a plan may name"), s.software...);
    v(Field("chips", "", "files in hardware/chips that it is for; any if not stated"), s.chips...);
    v(Field("fitted", "", "on which runs, and how well"), s.fitted...);
    v(Field("rows", "n_rows", "runs behind the constants").count(), s.rows...);
    v(Field("range", "", "of those runs"), s.range...);
    v(Field("gemm", "", "matrix products").required(), s.gemm...);
    v(Field("attention", "", "the attention core").required(), s.attention...);
    v(Field("scan", "", "the kernels of mixers that keep a state; not priced if not stated"),
      s.scan...);
    v(Field("traffic", "", "operators bound by memory").required(), s.traffic...);
    v(Field("fixed", "", "costs that no size changes").required(), s.fixed...);
    v(Field("network", "", "between nodes").required(), s.network...);
    v(Field("overlap", "", "what hides behind compute").required(), s.overlap...);
    v(Field("memory", "", "what it keeps, where the plan assumes nothing else"), s.memory...);
    v(Field("collectives", "",
            "a file in hardware/kernels whose curves hold; the chip's if not stated")
          .by_name(),
      s.collectives...);
    v(Field("tier", "",
            "collectives by line_rate: bytes over the link, as `assume` says; nccl: its tuning "
            "model; calibrated: measured curves, and rings between nodes"),
      s.tier...);
    v(Field("nccl", "", "a file in hardware/nccl; nccl-2.30 if not stated").by_name(), s.nccl...);
    v(Field("eager", "", "elementwise kernels are not fused"), s.eager...);
    v(Field("async_tensor", "", "tensor-parallel collectives in pieces, behind GEMMs"),
      s.async_tensor...);
    v(Field("graphs", "", "layers run from captured graphs: the host holds nothing back"),
      s.graphs...);
    v(Field("rowwise", "", "fp8 with one scale a row"), s.rowwise...);
    v(Field("blockwise", "", "fp8 with one scale a block (mxfp8)"), s.blockwise...);
    v(Field("fp8_dispatch", "", "tokens go to experts in fp8"), s.fp8_dispatch...);
    v(Field("overlap_gradients", "", "gradients are reduced during the backward pass"),
      s.overlap_gradients...);
    v(Field("overlap_experts", "", "dispatch and combine run behind another micro-batch"),
      s.overlap_experts...);
    v(Field("scatter_gather", "",
            "tensor ranks send a share each to the next stage and gather there (Narayanan 2021)"),
      s.scatter_gather...);
    v(Field("source", "", "where the figures come from"), s.source...);
  }
};

}  // namespace reckon
