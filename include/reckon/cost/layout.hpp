// How the GPUs of a plan are dealt out: degrees, micro-batches, tokens, groups and where they lie.
//
// Rank order is tensor fastest, then context and data, then pipeline: a tensor group lies in one
// node when it fits, neighbours in a data group are `tensor` apart. r of a group's q ranks share a
// node.
// Source: rank order of Megatron-LM.
#pragma once

#include <algorithm>

#include "reckon/spec/training.hpp"
#include "reckon/units/formula/formula.hpp"

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

// q ranks that talk, r of them in one node.
template <class R>
struct Group {
  Count<R> q, r;
  bool crosses() const { return static_cast<bool>(r < q); }
};

template <class R>
struct Layout {
  Count<R> G, D, n, tokens,
      T;                  // GPUs, data degree, micro-batches, tokens a step, tokens a micro-batch
  Count<R> ranks;         // data · context: ranks that hold the same dense weights
  Count<R> expert_ranks;  // ranks that hold the same experts
  Group<R> tensor, context, data, expert, experts_data;
  Count<R> shard, expert_shard;  // ranks that share states, of dense weights and of experts
  Count<R> replicas;             // groups of `shard` ranks (HSDP); 1 otherwise
};

template <class R>
Group<R> group(Count<R> q, Count<R> stride, Count<R> N_node) {
  return {q, max(1, min(q, floor(N_node / stride)))};
}

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
  x.tensor = group(t, Count<R>{1}, N_node);
  x.context = group(plan.mesh.context, t, N_node);
  x.data = group(ranks, t, N_node);
  x.expert = group(e, t_e, N_node);
  x.experts_data = group(expert_ranks, t_e * e, N_node);
  const bool hybrid = plan.sharding.within == Within::kNode;
  auto shard = hybrid ? x.data.r : ranks;
  auto expert_shard = hybrid ? x.experts_data.r : expert_ranks;
  NAME(shard, expert_shard);
  auto replicas = ranks / shard;
  NAME(replicas);
  x.shard = shard;
  x.expert_shard = expert_shard;
  x.replicas = replicas;
  lay_out_batch(plan, x);
  return x;
}

}  // namespace reckon
