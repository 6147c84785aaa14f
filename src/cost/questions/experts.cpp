#include "reckon/cost/questions/experts.hpp"

namespace reckon {
namespace {

template <class R>
Count<R> one_expert(const Model<R>& model, const Mlp<R>& m) {
  Sum<kOne, R> n;
  for_each_mlp_matrix(*model.hidden, *m.width, m.matrices, Count<R>{1}, Part::kExpert,
                      [&](const Matrix<R>& x) { n.add(x.name, elements(x)); });
  return kOneExpert(n.total());
}

template <class R>
void count_layer(const Model<R>& model, const LayerGroup<R>& g, const LayerParameters<R>& l,
                 ExpertsAnswer<R>& out) {
  out.one = one_expert(model, g.mlp);
  out.attention = kMoeAttention(l.attention);
  Sum<kOne, R> all, active, mine;
  auto E = *g.mlp.experts;
  auto k = *g.mlp.top_k;
  NAME(E, k);
  const auto dense = [&](Sum<kOne, R>& n) {
    n.add("attention", out.attention).add("shared experts", l.shared).add("router", l.router);
    if (!(l.vectors <= 0)) n.add("norms and biases", l.vectors);
  };
  dense(all);
  dense(active);
  out.layer = kMoeLayer(all.add("routed experts", l.experts).total());
  out.layer_active = kMoeLayerActive(active.add("routed experts", l.experts * k / E).total());
  const LayerShard<R> held = layer_shard<R>(model, {}, g, {Count<R>{1}, out.group.q});
  mine.add("matrices of every GPU", held.matrices.full).add("routed experts", held.experts.full);
  if (!(held.vectors <= 0)) mine.add("norms and biases", held.vectors);
  out.layer_gpu = kMoeLayerGpu(mine.total());
}

template <class R>
void count(const ExpertsQuestion<R>& question, ExpertsAnswer<R>& out) {
  out.n = parameters(question.model);
  auto N = out.n.total;
  auto N_act = out.n.active;
  auto N_routed = out.n.experts;
  auto q = out.group.q;
  NAME(N, N_act, N_routed, q);
  out.total_over_active = kTotalOverActive(N / N_act);
  Sum<kOne, R> held;
  held.add("dense", N - N_routed).add("routed experts", N_routed / q);
  auto P_gpu = kRankTotal(held.total());
  auto b_w = question.weights.size;
  NAME(b_w);
  out.per_gpu = P_gpu;
  out.weights = kWeightsGpu(b_w * P_gpu);
}

// The router's node limit stands for a model that has none of its own, too.
template <class R>
Mlp<R> routed_as_asked(const ExpertsQuestion<R>& question, const Mlp<R>& m) {
  Mlp<R> out = m;
  if (question.node_limit) out.node_limit = *question.node_limit;
  return out;
}

template <class R>
void count_copies(const Mlp<R>& m, ExpertsAnswer<R>& out) {
  const auto each = dispatch_copies(m, out.group, Dispatch::kPerGpu);
  auto q = out.group.q;
  auto r = out.group.r;
  NAME(q, r);
  out.k = *m.top_k;
  out.to_gpus = each.to_gpus;
  if (out.group.crosses()) out.to_nodes = each.to_nodes;
  out.leaves_gpu = kLeavesGpu((q - 1) / q);
  out.leaves_node = kLeavesNode((q - r) / q);
}

// Bytes of a GPU's tokens, one copy each, there and back.
template <class R>
struct Payload {
  Bytes<R> there, back;
};

template <class R>
ExpertExchange<R> exchange(const Payload<R>& x, const Mlp<R>& m, const Group<R>& group,
                           const Links<R>& l, const Assume<R>& assume,
                           const std::optional<Seconds<R>>& compute) {
  const Copies<R> copies = dispatch_copies(m, group, assume.dispatch);
  const Transfer<R> there = all_to_all(x.there, copies, group, l, assume);
  const Transfer<R> back = all_to_all(x.back, copies, group, l, assume);
  Sum<kByte, R> bytes;
  Sum<kSecond, R> time;
  bytes.add("dispatch", there.bytes).add("combine", back.bytes);
  time.add("dispatch", there.time).add("combine", back.time);
  auto t_ep = kDispatchAndCombine(time.total());
  ExpertExchange<R> out{kDispatchAndCombineBytes(bytes.total()), t_ep, {}};
  if (!compute) return out;
  auto t_compute = *compute;
  NAME(t_compute);
  out.over_compute = kExchangeOverCompute(t_ep / t_compute);
  return out;
}

template <class R>
void count_tokens(const ExpertsQuestion<R>& question, const LayerGroup<R>& g,
                  const LayerParameters<R>& l, ExpertsAnswer<R>& out) {
  auto T = *question.tokens;
  auto q = out.group.q;
  auto E = *g.mlp.experts;
  auto k = *g.mlp.top_k;
  NAME(T, q, E, k);
  auto T_expert = kTokensPerExpert(k * T * q / E);
  out.tokens_each = T_expert;
  auto N_path = l.one_token;
  if (question.capacity_factor) {
    auto CF = *question.capacity_factor;
    auto N_routed = l.experts;
    auto N_token = N_path;
    NAME(CF, N_routed, N_token);
    out.capacity = kExpertCapacity(CF * T_expert);
    N_path = kPaddedPath(N_token + (CF - 1) * N_routed * k / E);
  }
  if (!question.assume.train.mfu) return;
  auto P = reached_peak(question.cluster, question.chip, question.assume.train.mfu);
  NAME(N_path, P);
  out.compute = kMoeCompute(2_flop * N_path * T / P);
}

template <class R>
void send(const ExpertsQuestion<R>& question, const Mlp<R>& m, ExpertsAnswer<R>& out) {
  const auto one_copy = [&](Bytes<R> e) {
    auto T = *question.tokens;
    auto h = expert_hidden(question.model, m);
    NAME(e, T, h);
    auto once = e * T * h;
    return question.capacity_factor ? *question.capacity_factor * once : once;
  };
  const Payload<R> x{one_copy(question.sent.size),
                     one_copy(question.returned ? question.returned->size : question.sent.size)};
  const Group<R>& group = out.group;
  out.dispatch = dispatch_bytes(x.there, dispatch_copies(m, group, question.assume.dispatch));
  if (group.q <= 1) return;
  const Links<R> l = links_of(question.cluster, question.on, question.assume);
  Assume<R> assume = question.assume;
  assume.latency = latency_of(question.on, question.assume);
  Assume<R> in_node = assume;  // its all-to-all waits once for all peers
  if (question.on.latency) {
    auto a_0 = assume.latency.base + *question.on.latency;
    NAME(a_0);
    in_node.latency.base = a_0;
  }
  const auto by = [&](Group<R> g) {
    return exchange(x, m, g, l, g.crosses() ? assume : in_node, out.compute);
  };
  const bool linked = !(l.node <= ByteRate<R>{}), networked = !(l.nic <= ByteRate<R>{});
  if (!group.crosses() && linked) out.inside = by(group);
  if (networked) out.across = by({group.q, Count<R>{1}});
  out.placed = by(group);
}

}  // namespace

template <class R>
ExpertsAnswer<R> answer(const ExpertsQuestion<R>& question) {
  ExpertsAnswer<R> out;
  const auto q = ranks_of(question.cluster, question.ranks);
  out.group = beside(question.cluster, question.on, q);
  out.no_inside = q <= 1                ? "one GPU holds all experts: nothing is sent"
                  : out.group.crosses() ? "a node has fewer GPUs than that"
                                        : "no rate inside a node is stated";
  const LayerGroup<R>& g = moe_group(question.model);
  const LayerParameters<R> l = layer_parameters(question.model, g);
  const Mlp<R> m = routed_as_asked(question, g.mlp);
  count_layer(question.model, g, l, out);
  count(question, out);
  count_copies(m, out);
  if (!question.tokens) return out;
  count_tokens(question, g, l, out);
  send(question, m, out);
  return out;
}

template ExpertsAnswer<double> answer(const ExpertsQuestion<double>&);
template ExpertsAnswer<Traced> answer(const ExpertsQuestion<Traced>&);

}  // namespace reckon
