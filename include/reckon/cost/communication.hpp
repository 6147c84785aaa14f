// What a training step sends: every collective's bytes and time, and what of it stays exposed.
//
//   data      DDP all-reduces gradients; ZeRO-1 and 2 reduce-scatter them and all-gather new weights
//             (ZeRO-2 every micro-batch, since it keeps only a shard); ZeRO-3 gathers weights for
//             forward and backward and reduces gradients, every micro-batch without a pipeline,
//             once a step with one; HSDP adds an all-reduce of the shard between nodes
//   tensor    two all-reduces a layer and pass (sequence parallelism: the same bytes)
//   context   ring: c − 1 hops of keys and values forward, twice the bytes backward; all_gather: of
//             keys and values, again and a reduce-scatter of their gradients backward; ulysses: an
//             all-to-all of queries, keys and values, and one of what attention puts out
//   expert    dispatch and combine, both passes (experts.hpp)
//   pipeline  one activation to the next stage and one gradient back, per chunk
//
//   exposed = time − min(overlap · time, window)     window: the compute left to hide behind
//
// Source: Rajbhandari 2020 (ZeRO), Narayanan 2021 (tensor, pipeline), Liu 2023 (ring attention),
// Jacobs 2023 (DeepSpeed-Ulysses), Li 2020 (buckets).
#pragma once

#include <array>

#include "reckon/cost/activations.hpp"
#include "reckon/cost/collectives.hpp"
#include "reckon/cost/experts.hpp"
#include "reckon/cost/recompute.hpp"
#include "reckon/cost/schedule.hpp"
#include "reckon/cost/shards.hpp"

namespace reckon {

inline const Formula kCommBytes{"comm.bytes", "bytes", "bytes a GPU sends in a step",
                                "count · bytes of one"};
inline const Formula kCommTime{"comm.time", "T_op", "time of one kind of communication in a step",
                               "count · time of one"};
inline const Formula kHidden{"comm.hidden", "hidden", "communication that hides behind compute",
                             "overlap · time, at most the window that is left"};
inline const Formula kExposed{"comm.exposed", "T_exp", "communication left exposed",
                              "time − what hides"};
inline const Formula kCollectiveSum{"comm.dense_and_experts", "t_coll",
                                    "one collective of all parameters",
                                    "dense parameters and routed experts in their own groups"};
inline const Formula kBuckets{"comm.buckets", "n_bucket", "pieces that gradients are reduced in",
                              "bytes over bytes of a bucket: Li 2020, section 3.2.3", Hint::kCount};
inline const Formula kLastBucket{"comm.last_bucket", "T_last", "reduction of the last bucket",
                                 "nothing is left to hide it behind"};
inline const Formula kHop{"pipeline.hop", "t_p2p", "one activation to the next stage",
                          "latency + bytes over the link"};
inline const Formula kRingHop{"context.hop", "t_hop", "keys and values to the next context rank",
                              "latency + bytes over the link"};

// One operation of a step: among whom, what one call sends and takes, how many calls, what remains
// exposed.
template <class R>
struct Operation {
  Transfer<R> one;
  Count<R> count{0};
  Bytes<R> bytes{};
  Seconds<R> time{}, exposed{};
  Group<R> group{Count<R>{1}, Count<R>{1}};

  bool any() const { return !(count <= 0); }
};

inline const Formula kPathTime{"comm.pipeline.path", "T_hops",
                               "transfers on the path through all stages",
                               "those of a rank, and the fill of the pipeline each way"};

template <class R>
Operation<R> repeated(const Transfer<R>& one, Count<R> count, const Group<R>& group) {
  auto t_one = one.time;
  auto bytes_one = one.bytes;
  NAME(count, t_one, bytes_one);
  return {one, count, kCommBytes(count * bytes_one), kCommTime(count * t_one), {}, group};
}

// Hides what it can of `time` behind the window, and takes that much off it: two kinds of
// communication can't hide
// behind the same compute.
template <class R>
Seconds<R> exposed(Seconds<R> time, Ratio<R> overlap, Seconds<R>& window) {
  if (time <= Seconds<R>{}) return {};
  NAME(time, overlap, window);
  auto hidden = kHidden(min(overlap * time, window));
  window = window - hidden;
  return kExposed(time - hidden);
}

template <class R>
struct Communication {
  Operation<R> all_gather, reduce_scatter, all_reduce, replicas;  // data parallel
  Operation<R> tensor, context, expert, pipeline;
  Seconds<R> last_bucket{};  // DDP in buckets: the last one has nothing left to hide behind
};

// Bytes of a GPU's parameters, dense and routed.
template <class R>
struct ParameterBytes {
  Bytes<R> dense{}, routed{};
};

// A collective over all parameters of a GPU: dense ones in the data group, experts in their own.
template <class R>
Transfer<R> parameter_collective(Count<R> passes, const ParameterBytes<R>& S, const Group<R>& dense,
                                 const Group<R>& experts, const Links<R>& l, const Assume<R>& a,
                                 Count<R> messages) {
  auto S_dense = S.dense;
  NAME(S_dense);
  Transfer<R> t = collective(passes, S_dense, dense, l, a, messages);
  if (S.routed <= Bytes<R>{} || experts.q <= 1) return t;
  auto S_routed = S.routed;
  NAME(S_routed);
  const Transfer<R> e = collective(passes, S_routed, experts, l, a, messages);
  return {t.bytes + e.bytes, kCollectiveSum(t.time + e.time)};
}

template <class R>
struct CommunicationInputs {
  const TrainingPlan<R>& plan;
  const Layout<R>& layout;
  const StageShard<R>& shard;  // of the stage that counts
  Links<R> links;
};

// The group that shares states, and the group of those that hold the same share.
template <class R>
struct ShardGroups {
  Group<R> shard, expert_shard, replicas, expert_replicas;
};

template <class R>
ShardGroups<R> shard_groups(const TrainingPlan<R>&, const Layout<R>& x) {
  return {x.sharing, x.experts_sharing, x.copies, x.experts_copies};
}

// What a GPU's gradients take on the wire.
template <class R>
ParameterBytes<R> gradient_bytes(const CommunicationInputs<R>& in) {
  const auto& b_red = in.plan.precision.reduce.size;
  if (in.plan.trainable.adapters) return {b_red * in.shard.adapters, {}};
  return {b_red * in.shard.dense, b_red * in.shard.experts.full};
}

// What gathering its weights takes: new ones after the update, or under ZeRO-3 all of them. Frozen matrices travel in
// their own format.
template <class R>
ParameterBytes<R> weight_bytes(const CommunicationInputs<R>& in) {
  const TrainingPlan<R>& plan = in.plan;
  const auto& b_gat = plan.precision.gather.size;
  const auto& adapters = plan.trainable.adapters;
  const bool all = !(plan.sharding.zero < 3);
  if (!adapters) return {b_gat * in.shard.dense, b_gat * in.shard.experts.full};
  if (!all) return {b_gat * in.shard.adapters, {}};
  const auto& w_0 = adapters->base ? adapters->base->size : b_gat;
  return {w_0 * in.shard.matrices.full + b_gat * (in.shard.tables.full + in.shard.vectors),
          w_0 * in.shard.experts.full};
}

// Pieces in which DDP reduces its gradients.
template <class R>
Count<R> buckets(Bytes<R> S_grad, Bytes<R> S_bucket) {
  NAME(S_grad, S_bucket);
  return kBuckets(max(1, ceil(S_grad / S_bucket)));
}

template <class R>
void data_parallel(const CommunicationInputs<R>& in, Communication<R>& out) {
  const TrainingPlan<R>& plan = in.plan;
  const Layout<R>& x = in.layout;
  const auto groups = shard_groups(plan, x);
  const auto& z = plan.sharding.zero;
  const Count<R> one{1}, two{2};
  const ParameterBytes<R> gradients = gradient_bytes(in);
  const bool layerwise = !(z < 3) && !(in.shard.layers <= 0);
  auto messages = layerwise ? in.shard.layers : one;
  NAME(messages);
  const auto over_shard = [&](const ParameterBytes<R>& S) {
    return parameter_collective(one, S, groups.shard, groups.expert_shard, in.links, plan.assume,
                                messages);
  };
  if (z < 1) {
    if (plan.sharding.bucket) messages = buckets(gradients.dense, *plan.sharding.bucket);
    out.all_reduce = repeated(parameter_collective(two, gradients, x.data, x.experts_data, in.links,
                                                   plan.assume, messages),
                              one, x.data);
    if (!plan.sharding.bucket) return;
    auto T_reduce = out.all_reduce.time;
    NAME(T_reduce);
    out.last_bucket = kLastBucket(T_reduce / messages);
    return;
  }
  // With a pipeline, gathered weights stay for the step and whole gradients are reduced at its end (ZeRO-3); ZeRO-2
  // keeps a shard of the gradients, so it reduces every micro-batch.
  const bool pipelined = !(plan.mesh.pipeline <= 1);
  const bool gathers_each = !(z < 3) && !pipelined;
  const bool reduces_each = !(z < 2) && (z < 3 || !pipelined);
  const auto gathers = !gathers_each ? one : plan.sharding.reshard ? 2 * x.n : x.n;
  out.all_gather = repeated(over_shard(weight_bytes(in)), gathers, groups.shard);
  out.reduce_scatter = repeated(over_shard(gradients), reduces_each ? x.n : one, groups.shard);
  if (groups.replicas.q <= 1) return;
  auto S_shard = gradients.dense / x.shard;
  NAME(S_shard);
  ParameterBytes<R> mine{S_shard, {}};
  if (!(gradients.routed <= Bytes<R>{})) mine.routed = gradients.routed / x.expert_shard;
  out.replicas = repeated(parameter_collective(two, mine, groups.replicas, groups.expert_replicas,
                                               in.links, plan.assume, one),
                          one, groups.replicas);
}

// One micro-batch's activations on a rank.
template <class R>
Bytes<R> hidden_bytes(const CommunicationInputs<R>& in) {
  auto b = in.plan.precision.activations.size;
  auto T = in.layout.T;
  NAME(b, T);
  auto H = b * T * *in.plan.model.hidden;
  NAME(H);
  return H;
}

template <class R>
Count<R> stage_layers(const CommunicationInputs<R>& in) {
  Count<R> L{0};
  for (const LayerGroup<R>& g : in.plan.model.layers) L += g.count;
  auto L_stage = L / in.plan.mesh.pipeline;
  NAME(L_stage);
  return L_stage;
}

template <class R>
void tensor_parallel(const CommunicationInputs<R>& in, Bytes<R> H, Communication<R>& out) {
  if (in.plan.mesh.tensor <= 1) return;
  const auto one = collective(Count<R>{2}, H, in.layout.tensor, in.links, in.plan.assume);
  auto per_layer = in.plan.recompute == Recompute::kFull ? Count<R>{6} : Count<R>{4};
  auto tables = in.plan.mesh.pipeline <= 1 ? Count<R>{2} : Count<R>{1};
  NAME(per_layer, tables);
  auto each = per_layer * stage_layers(in);
  if (in.plan.recompute == Recompute::kModules) {  // an MLP's region once more
    auto L_again = layers_with(in.plan.model, again_of(in.plan),
                               {RecomputeModule::kMlp, RecomputeModule::kMoe}) /
                   in.plan.mesh.pipeline;
    NAME(L_again);
    each += L_again;
  }
  if (!(in.plan.model.vocab <= 0)) each += tables;
  out.tensor = repeated(one, in.layout.n * each, in.layout.tensor);
}

// Rate from one rank to the next: a peer in the node, or a port.
template <class R>
ByteRate<R> neighbour_rate(bool crosses, const Links<R>& l) {
  return crosses ? l.nic : l.peer;
}

// Layers whose attention is split over context ranks, and their tensors' widths on a rank, a mean
// over the layers.
template <class R>
struct ContextWidths {
  Count<R> layers{0}, kv, all;
};

template <class R>
ContextWidths<R> context_widths(const TrainingPlan<R>& plan) {
  Count<R> kv{0}, all{0}, layers{0};
  for (const LayerGroup<R>& g : plan.model.layers) {
    if (g.mixer.kind == MixerKind::kNone || recurrent(g.mixer.kind)) continue;
    kv += g.count * kv_widths_on_rank(plan.model, g.mixer, plan.mesh.tensor);
    if (plan.mesh.context_by == ContextBy::kUlysses) {
      const AttentionWidths<R> w = own_widths(plan.model, g.mixer, plan.mesh.tensor);
      all += g.count * (w.q + w.k + w.v + w.out);
    }
    layers += g.count;
  }
  return {layers, kv / layers, all / layers};
}

// One hop of keys and values to the next rank.
template <class R>
Transfer<R> ring_hop_of(const CommunicationInputs<R>& in, Bytes<R> bytes) {
  const bool crosses = in.layout.context.crosses();
  const auto& a = in.plan.assume.latency;
  auto a_hop = crosses ? a.network_hop : a.node_hop;
  auto W_hop = neighbour_rate(crosses, links_of(in.layout.context, in.links));
  NAME(a_hop, W_hop);
  return {bytes, kRingHop(a_hop + bytes / W_hop)};
}

// Forward moves K and V, backward K, V and their gradients; recomputing attention moves K and V
// again.
template <class R>
Operation<R> ring_attention(const CommunicationInputs<R>& in, const ContextWidths<R>& w,
                            Count<R> L_mix, bool again) {
  auto kv_width = w.kv;  // keys and values of a layer, mean over the layers
  auto T = in.layout.T;
  NAME(kv_width, T);
  auto bytes = in.plan.precision.activations.size * T * kv_width;
  NAME(bytes);
  auto per_layer = again ? Count<R>{4} : Count<R>{3};
  NAME(per_layer);
  auto c = in.plan.mesh.context;
  NAME(c, L_mix);
  return repeated(ring_hop_of(in, bytes), per_layer * (c - 1) * L_mix * in.layout.n,
                  in.layout.context);
}

// Keys and values of all ranks gathered before the attention; backward gathers them again and
// scatters their gradients. Or all-to-alls: q, k and v before the attention, its output after it.
template <class R>
Operation<R> exchanged_context(const CommunicationInputs<R>& in, const ContextWidths<R>& w,
                               Count<R> L_mix, bool again) {
  const bool gathers = in.plan.mesh.context_by == ContextBy::kAllGather;
  auto c = in.plan.mesh.context;
  auto width = gathers ? c * w.kv : w.all;
  auto T = in.layout.T;
  NAME(c, width, T);
  auto S = in.plan.precision.activations.size * T * width;
  const auto one = collective(Count<R>{1}, S, in.layout.context, in.links, in.plan.assume,
                              gathers ? Count<R>{1} : Count<R>{2}, !gathers);
  const Count<R> three{3};
  auto per_layer = gathers ? (again ? Count<R>{4} : three) : (again ? three : Count<R>{2});
  NAME(per_layer, L_mix);
  return repeated(one, per_layer * L_mix * in.layout.n, in.layout.context);
}

template <class R>
void context_parallel(const CommunicationInputs<R>& in, Communication<R>& out) {
  const TrainingPlan<R>& plan = in.plan;
  if (plan.mesh.context <= 1) return;
  const ContextWidths<R> w = context_widths(plan);
  const bool again = plan.recompute == Recompute::kFull ||
                     plan.recompute == Recompute::kOperators ||
                     again_of(plan).makes(RecomputeModule::kCoreAttention);
  auto L_mix = w.layers / plan.mesh.pipeline;
  NAME(L_mix);
  out.context = plan.mesh.context_by == ContextBy::kRing ? ring_attention(in, w, L_mix, again)
                                                         : exchanged_context(in, w, L_mix, again);
}

// What a rank sends to experts, one copy of each token: at the width they work in, with the room that is padded. H: of
// its whole micro-batch.
template <class R>
Bytes<R> sent_to_experts(const TrainingPlan<R>& plan, const Mlp<R>& mlp, Bytes<R> H) {
  auto shared_by = plan.mesh.sequence ? plan.mesh.tensor : Count<R>{1};
  NAME(shared_by);
  auto sent = mlp.latent ? H * *mlp.latent / *plan.model.hidden : H;
  if (!(plan.assume.expert_capacity <= 1)) sent = plan.assume.expert_capacity * sent;
  return sent / shared_by;
}

template <class R>
void expert_parallel(const CommunicationInputs<R>& in, Bytes<R> H, Communication<R>& out) {
  const TrainingPlan<R>& plan = in.plan;
  if (plan.mesh.expert <= 1) return;
  for (const LayerGroup<R>& g : plan.model.layers) {
    if (g.mlp.kind != MlpKind::kMoe) continue;
    const auto copies = dispatch_copies(g.mlp, in.layout.expert, plan.assume.dispatch);
    const auto one = all_to_all(sent_to_experts(plan, g.mlp, H), copies, in.layout.expert, in.links,
                                plan.assume);
    // Dispatch and combine, forward and backward; full recompute repeats the forward ones, that of `moe` too.
    const bool again =
        plan.recompute == Recompute::kFull || again_of(plan).makes(RecomputeModule::kMoe);
    auto per_layer = again ? Count<R>{6} : Count<R>{4};
    NAME(per_layer);
    const auto op =
        repeated(one, per_layer * g.count / plan.mesh.pipeline * in.layout.n, in.layout.expert);
    if (!out.expert.any()) {
      out.expert = op;
    } else {
      out.expert.count += op.count;
      out.expert.bytes += op.bytes;
      out.expert.time += op.time;
    }
  }
}

template <class R>
void pipeline_parallel(const CommunicationInputs<R>& in, Bytes<R> H, Communication<R>& out) {
  const TrainingPlan<R>& plan = in.plan;
  if (plan.mesh.pipeline <= 1) return;
  const bool crosses = in.layout.pipeline.crosses();
  auto shared_by = plan.mesh.sequence ? plan.mesh.tensor : Count<R>{1};
  NAME(shared_by);
  auto bytes = H / shared_by;
  NAME(bytes);
  const auto& a = plan.assume.latency;
  auto a_hop = crosses ? a.network_hop : a.node_hop;
  auto W_hop = neighbour_rate(crosses, links_of(in.layout.pipeline, in.links));
  NAME(a_hop, W_hop);
  auto t_p2p = kHop(a.base + a_hop + bytes / W_hop);
  // A rank sends there and back for every chunk; on the path through all stages the fill adds p − 1 hops each way.
  auto v = chunks_of(plan.schedule);
  auto p = plan.mesh.pipeline;
  auto n = in.layout.n;
  NAME(n, v, p, t_p2p);
  out.pipeline = repeated({bytes, t_p2p}, 2 * v * n, in.layout.pipeline);
  out.pipeline.time = kPathTime(2 * (v * n + p - 1) * t_p2p);
}

template <class R>
Communication<R> communication(const CommunicationInputs<R>& in) {
  Communication<R> out;
  data_parallel(in, out);
  if (!in.plan.model.hidden || in.plan.model.layers.empty()) return out;
  auto H = hidden_bytes(in);
  tensor_parallel(in, H, out);
  context_parallel(in, out);
  expert_parallel(in, H, out);
  pipeline_parallel(in, H, out);
  return out;
}

}  // namespace reckon
