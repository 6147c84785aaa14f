// How the GPUs of a plan are dealt out: degrees, micro-batches, tokens, groups and where they lie.
//
// Rank order is tensor fastest, then context and data, then pipeline, unless the plan states another:
// a tensor group lies in one node when it fits, neighbours in a data group are `tensor` apart. r of
// a group's q ranks share a node; mesh.hpp says which.
// Source: rank order of Megatron-LM.
#pragma once

#include <algorithm>

#include "reckon/cost/mesh.hpp"

namespace reckon {

inline const Formula kGpus{"cluster.gpus", "G", "GPUs of the plan", "nodes · GPUs per node",
                           Hint::kCount};
inline const Formula kDataDegree{"mesh.data", "D", "data-parallel replicas",
                                 "what the other degrees leave", Hint::kCount};
inline const Formula kMicroBatches{"batch.micro_batches", "n", "micro-batches of a step",
                                   "global batch over data ranks and micro-batch", Hint::kCount};
inline const Formula kTokensPerStep{"batch.tokens", "T_step", "tokens of a step",
                                    "sequences · length", Hint::kTokens};
inline const Formula kTokensPerStepGpu{"batch.tokens_from_gpu", "T_step", "tokens of a step",
                                       "tokens per GPU · GPUs", Hint::kTokens};
inline const Formula kMicroTokens{"batch.micro_tokens", "T", "tokens of a micro-batch on one rank",
                                  "micro-batch · sequence / context ranks", Hint::kTokens};
inline const Formula kMicroTokensGpu{"batch.micro_tokens_from_gpu", "T",
                                     "tokens of a micro-batch on one rank",
                                     "tokens of the step over data and context ranks and "
                                     "micro-batches",
                                     Hint::kTokens};

template <class R>
struct Layout {
  Count<R> G, D, n, tokens,
      T;                  // GPUs, data degree, micro-batches, tokens a step, tokens a micro-batch
  Count<R> ranks;         // data · context: ranks that hold the same dense weights
  Count<R> expert_ranks;  // ranks that hold the same experts
  Group<R> tensor, context, data, expert, experts_data, pipeline;
  Group<R> sharing, experts_sharing;  // ranks that share states, of dense weights and of experts
  Group<R> copies, experts_copies;    // those that hold the same share (HSDP)
  Count<R> shard, expert_shard;       // how many share states
  Count<R> replicas;                  // groups of `shard` ranks (HSDP); 1 otherwise
};

template <class R>
Count<R> data_degree(const TrainingPlan<R>& plan, Count<R> G) {
  const Mesh<R>& m = plan.mesh;
  auto t = m.tensor;
  auto c = m.context;
  auto p = m.pipeline;
  NAME(t, c, p);
  return m.data ? *m.data : kDataDegree(G / (t * c * p));
}

// Tensor ranks that share an expert's matrices.
template <class R>
Count<R> expert_tensor(const TrainingPlan<R>& plan) {
  return plan.mesh.expert_tensor ? *plan.mesh.expert_tensor : plan.mesh.tensor;
}

// Of a micro-batch's T tokens those that a rank brings to its experts: where sequences are split over the t tensor
// ranks, the parts of the t_e that share an expert's matrices.
template <class R>
Count<R> tokens_for_experts(Count<R> T, Count<R> t, Count<R> t_e, bool split) {
  return split ? T * t_e / t : T;
}

template <class R>
void lay_out_batch(const TrainingPlan<R>& plan, Layout<R>& x) {
  const Batch<R>& b = plan.batch;
  if (b.tokens_per_gpu) {
    auto n = b.micro_batches ? *b.micro_batches : Count<R>{1};
    NAME(n);
    x.n = n;
    x.tokens = kTokensPerStepGpu(*b.tokens_per_gpu * x.G);
    x.T = kMicroTokensGpu(x.tokens / (x.ranks * n));
    return;
  }
  x.n = kMicroBatches(*b.global / (x.D * *b.micro));
  x.tokens = kTokensPerStep(*b.global * *b.sequence);
  x.T = kMicroTokens(*b.micro * *b.sequence / plan.mesh.context);
}

// Groups in the usual order, where context and data ranks are neighbours: one axis of both.
template <class R>
void lay_out_usual(const TrainingPlan<R>& plan, Layout<R>& x) {
  const Cluster<R>& cluster = plan.cluster;
  const auto& t = plan.mesh.tensor;
  const auto& e = plan.mesh.expert;
  const auto t_e = expert_tensor(plan);
  x.tensor = group_along(t, Count<R>{1}, cluster);
  x.context = group_along(plan.mesh.context, t, cluster);
  x.data = group_along(x.ranks, t, cluster);
  x.expert = group_along(e, t_e, cluster);
  x.experts_data = group_along(x.expert_ranks, t_e * e, cluster);
  x.pipeline = group_along(plan.mesh.pipeline, t * x.ranks, cluster);
}
template <class R>
void share_usual(const TrainingPlan<R>& plan, Count<R> expert_replicas, Layout<R>& x) {
  const Cluster<R>& cluster = plan.cluster;
  const auto& t = plan.mesh.tensor;
  const auto t_e = expert_tensor(plan) * plan.mesh.expert;
  x.sharing = group_along(x.shard, t, cluster);
  x.experts_sharing = group_along(x.expert_shard, t_e, cluster);
  x.copies = group_along(x.replicas, t * x.shard, cluster);
  x.experts_copies = group_along(expert_replicas, t_e * x.expert_shard, cluster);
}

// In a stated order. Experts take the innermost of the ranks they are split over.
template <class R>
class StatedOrder {
 public:
  StatedOrder(const TrainingPlan<R>& plan, Layout<R>& x) : plan_(plan), x_(x) {
    std::vector<AxisSpan<R>> context;
    for (const PlacedAxis<R>& a : placed_axes(plan.mesh, x.D)) {
      const bool shares = a.axis == MeshAxis::kContext || a.axis == MeshAxis::kData;
      if (shares) ranks_.push_back(a.span);
      if (a.axis == MeshAxis::kTensor) x.tensor = along({a.span});
      if (a.axis == MeshAxis::kContext) x.context = along({a.span});
      if (a.axis == MeshAxis::kPipeline) x.pipeline = along({a.span});
      const bool holds =
          shares || (a.axis == MeshAxis::kTensor && expert_tensor(plan) < plan.mesh.tensor);
      if (holds) holders_.push_back(a.span);
    }
    x.data = along(ranks_);
    x.expert = along(take_ranks(holders_, plan.mesh.expert, expert_ranks_));
    x.experts_data = along(expert_ranks_);
  }
  void share() {
    std::vector<AxisSpan<R>> others, expert_others;
    x_.sharing = along(take_ranks(ranks_, x_.shard, others));
    x_.copies = along(others);
    x_.experts_sharing = along(take_ranks(expert_ranks_, x_.expert_shard, expert_others));
    x_.experts_copies = along(expert_others);
  }

 private:
  Group<R> along(const std::vector<AxisSpan<R>>& spans) const {
    return group_along<R>(std::span<const AxisSpan<R>>(spans), plan_.cluster);
  }
  const TrainingPlan<R>& plan_;
  Layout<R>& x_;
  std::vector<AxisSpan<R>> ranks_, holders_, expert_ranks_;
};

// Ranks that share states: those of a group in a node, as many as the plan states, or all.
template <class R>
Count<R> sharing_ranks(const Sharding<R>& s, const Group<R>& g) {
  if (s.within == Within::kNode) return g.r;
  if (s.ranks) return min(g.q, *s.ranks);
  return g.q;
}

template <class R>
Layout<R> lay_out(const TrainingPlan<R>& plan) {
  Layout<R> x;
  const auto& N_node = plan.cluster.node.gpus;
  const auto& t = plan.mesh.tensor;
  const auto& e = plan.mesh.expert;
  x.G = kGpus(plan.cluster.nodes * N_node);
  x.D = data_degree(plan, x.G);
  auto ranks = x.D * plan.mesh.context;
  const auto t_e = expert_tensor(plan);
  auto expert_ranks = t_e < t ? ranks * t / (e * t_e) : ranks / e;
  NAME(ranks, expert_ranks);
  x.ranks = ranks;
  x.expert_ranks = expert_ranks;
  std::optional<StatedOrder<R>> stated;
  if (plan.mesh.order.empty())
    lay_out_usual(plan, x);
  else
    stated.emplace(plan, x);
  auto shard = sharing_ranks(plan.sharding, x.data);
  auto expert_shard = sharing_ranks(plan.sharding, x.experts_data);
  NAME(shard, expert_shard);
  auto replicas = ranks / shard;
  auto expert_replicas = expert_ranks / expert_shard;
  NAME(replicas, expert_replicas);
  x.shard = shard;
  x.expert_shard = expert_shard;
  x.replicas = replicas;
  if (stated)
    stated->share();
  else
    share_usual(plan, expert_replicas, x);
  lay_out_batch(plan, x);
  return x;
}

}  // namespace reckon
