#include "reckon/cost/questions/states.hpp"

#include "reckon/cost/whole.hpp"

namespace reckon {
namespace {

// The question as a training plan whose GPUs are all data ranks.
template <class R>
TrainingPlan<R> plan_of(const StatesQuestion<R>& question) {
  TrainingPlan<R> plan;
  plan.model = question.model;
  plan.precision = question.precision;
  if (question.gradients) {
    plan.precision.gradients = *question.gradients;
    plan.precision.gradient_classes.reset();  // stated for all
  }
  if (question.master) plan.precision.master = question.master;
  plan.assume = question.assume;
  plan.assume.latency = latency_of(question.on, question.assume);
  plan.batch.sequence = question.sequence;
  auto t = Count<R>{1};
  auto p = Count<R>{1};
  auto e = Count<R>{1};
  NAME(t, p, e);
  plan.mesh.tensor = t;
  plan.mesh.pipeline = p;
  plan.mesh.expert = e;
  return plan;
}

// D data ranks, N_node of them in a node.
template <class R>
Layout<R> all_data(Count<R> D, Count<R> N_node, bool in_node) {
  Layout<R> x;
  auto n = Count<R>{1};
  NAME(D, n);
  x.G = x.D = x.ranks = x.expert_ranks = D;
  x.data = x.experts_data = Group<R>{D, max(1, min(D, N_node))};
  auto shard = in_node ? x.data.r : D;
  NAME(shard);
  x.shard = x.expert_shard = shard;
  auto replicas = D / shard;
  NAME(replicas);
  x.replicas = replicas;
  x.sharing = x.experts_sharing = Group<R>{shard, in_node ? shard : x.data.r};
  x.copies = x.experts_copies = Group<R>{replicas, Count<R>{1}};
  x.n = n;
  return x;
}

// What one way of sharing needs to be priced.
template <class R>
struct Priced {
  const StatesQuestion<R>& question;
  TrainingPlan<R>& plan;
  const StageShard<R>& shard;
  const StateBytes<R>& optimizer;
  Links<R> links;
  Count<R> D, N_node, P;
};

template <class R>
Transfer<R> traffic(const Priced<R>& in, const Layout<R>& x) {
  Communication<R> c;
  data_parallel<R>({in.plan, x, in.shard, in.links}, c);
  Sum<kByte, R> bytes;
  Sum<kSecond, R> time;
  const std::pair<const char*, const Operation<R>*> all[] = {{"all-gather", &c.all_gather},
                                                             {"reduce-scatter", &c.reduce_scatter},
                                                             {"all-reduce", &c.all_reduce},
                                                             {"replicas", &c.replicas}};
  for (const auto& [name, op] : all) {
    bytes.add(name, op->bytes);
    time.add(name, op->time);
  }
  return {kStatesTraffic(bytes.total()), kDataTime(time.total())};
}

template <class R>
void share_out(const Priced<R>& in, const StateWay& way, bool has_links, StateWayAnswer<R>& out) {
  in.plan.sharding.zero = structural<R>("z", way.zero);
  in.plan.sharding.within = way.in_node ? Within::kNode : Within::kAll;
  const Layout<R> x = all_data(in.D, in.N_node, way.in_node);
  if (whole(in.D) % whole(x.shard) != 0) {
    out.why_not = "the GPUs do not fill their nodes";
    return;
  }
  out.states = states(in.plan, x, in.shard, in.optimizer);
  out.total = state_total(*out.states);
  auto M_states = *out.total;
  auto P_gpu = in.P;
  NAME(M_states, P_gpu);
  out.per_param = kBytesPerParameterGpu(M_states / P_gpu);
  if (in.D <= 1) {
    out.sent = Bytes<R>{};
    return;
  }
  const Transfer<R> all = traffic(in, x);
  out.sent = all.bytes;
  if (!has_links) return;
  out.time = all.time;
  out.time_in_node = traffic(in, all_data(x.data.r, in.N_node, way.in_node)).time;
}

template <class R>
void hide(const StatesQuestion<R>& question, const TrainingPlan<R>& plan, StatesAnswer<R>& out) {
  out.has_mfu = question.assume.train.mfu && (question.peak || question.cluster);
  if (!out.has_mfu) return;
  const TokenFlops<R> flops = token_flops(plan, parameters(plan.model), Count<R>{0});
  const auto per_token = flops.of(plan.assume.flops);
  if (!per_token) return;
  auto P = question.peak ? *question.peak
                         : *question.cluster->node.chip.peak.of(question.precision.compute);
  auto MFU = *question.assume.train.mfu;
  auto F = *per_token;
  NAME(P, MFU, F);
  for (StateWayAnswer<R>& w : out.ways) {
    if (!w.time) continue;
    auto t_data = *w.time;
    NAME(t_data);
    w.tokens_to_hide = kTokensToHide(t_data * P * MFU / F);
  }
}

// Of DDP's whole states, what a way leaves whole on every GPU and what it shares out.
template <class R>
struct Kept {
  Bytes<R> whole{}, shared{};
};
template <class R>
Kept<R> kept_by(const StateWay& way, const States<R>& ddp) {
  Sum<kByte, R> whole, shared;
  (way.zero < 3 ? whole : shared).add("weights", ddp.weights);
  (way.zero < 2 ? whole : shared).add("gradients", ddp.gradients);
  (way.zero < 1 ? whole : shared).add("optimizer", ddp.optimizer);
  return {whole.total(), shared.total()};
}

// Fewest GPUs whose memory holds the states: nothing if no number does.
template <class R>
std::optional<Count<R>> fewest(const Kept<R>& kept, Bytes<R> room) {
  if (room < kept.whole) return {};
  if (kept.shared <= Bytes<R>{}) return Count<R>{1};
  if (room <= kept.whole) return {};
  auto M_whole = kept.whole;
  auto M_shared = kept.shared;
  auto M_room = room;
  NAME(M_whole, M_shared, M_room);
  return kGpusToFit(max(1, least_whole(M_shared / (M_room - M_whole))));
}

template <class R>
void fit(const StatesQuestion<R>& question, StatesAnswer<R>& out) {
  OnChip<R> chip;
  chip.capacity = question.capacity;
  const auto capacity = capacity_of(question.cluster, chip, question.assume.capacity);
  out.has_capacity = capacity.has_value();
  if (!capacity) return;
  auto C = *capacity;
  auto M_spare = question.spare ? *question.spare : Bytes<R>{};
  NAME(C, M_spare);
  auto M_room = C - M_spare;
  NAME(M_room);
  const States<R>& ddp = *out.ways[0].states;
  for (std::size_t i = 0; i < out.ways.size(); ++i) {
    StateWayAnswer<R>& w = out.ways[i];
    const bool in_node = kStateWays[i].in_node;
    w.gpus_to_fit = fewest(kept_by(kStateWays[i], ddp), M_room);
    if (w.gpus_to_fit && in_node && out.N_node < *w.gpus_to_fit) w.gpus_to_fit.reset();
    if (w.gpus_to_fit) {
      auto D_fit = *w.gpus_to_fit;
      NAME(D_fit);
      auto D_2 = kPowerOfTwoToFit(pow(2, ceil(log2(D_fit))));
      if (!in_node || D_2 <= out.N_node) w.power_of_two = D_2;
    }
    if (!w.total) continue;
    w.fits = static_cast<bool>(*w.total <= M_room);
    auto beta_gpu = *w.per_param;
    NAME(beta_gpu);
    w.largest = kLargestModel(max(Bytes<R>{}, M_room) / beta_gpu);
  }
}

}  // namespace

template <class R>
StatesAnswer<R> answer(const StatesQuestion<R>& question) {
  StatesAnswer<R> out;
  TrainingPlan<R> plan = plan_of(question);
  out.D = question.ranks ? *question.ranks
                         : kGpus(question.cluster->nodes * question.cluster->node.gpus);
  out.N_node = node_size(question.cluster, question.on, out.D);
  out.crosses = static_cast<bool>(out.N_node < out.D);
  out.has_links = question.on.link || (question.cluster && question.cluster->node.chip.link);
  const StageShard<R> shard = whole_shard(plan);
  Sum<kOne, R> held;
  held.add("dense", shard.dense).add("routed experts", shard.experts.full);
  out.P = kRankTotal(held.total());
  const StateBytes<R> optimizer = optimizer_bytes(plan.precision, question.optimizer, shard);
  const Priced<R> in{question,
                     plan,
                     shard,
                     optimizer,
                     links_of(question.cluster, question.on, question.assume),
                     out.D,
                     out.N_node,
                     out.P};
  for (std::size_t i = 0; i < out.ways.size(); ++i)
    share_out(in, kStateWays[i], out.has_links, out.ways[i]);
  for (StateWayAnswer<R>& w : out.ways) {
    if (!w.sent || out.D <= 1) continue;
    auto bytes_ddp = *out.ways[0].sent;
    auto bytes = *w.sent;
    NAME(bytes, bytes_ddp);
    w.traffic = kTraffic(bytes / bytes_ddp);
  }
  hide(question, plan, out);
  fit(question, out);
  return out;
}

template StatesAnswer<double> answer(const StatesQuestion<double>&);
template StatesAnswer<Traced> answer(const StatesQuestion<Traced>&);

}  // namespace reckon
