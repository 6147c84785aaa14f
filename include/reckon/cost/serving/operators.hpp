// The operators of a serving step on one GPU: products, attention, experts, collectives.
//
//   attention, decode    t_a + K·(1 + r·(q/kv − 1)) / (W·e_kv), K = n · min(T, window) · 2·kv·d·b_kv
//   attention, prefill   t_a + F/(P·c_a) · (1 + s_0/s), F = 4·x·(past + s/2)·q·d: causal; or reading what is past
//   latent (MLA)         max(bytes, FLOP); its cache is whole on every tensor rank
//   experts              slots = M·k/ep token copies, d = (E/ep)·(1 − (1 − k/E)^M) experts that have any
#pragma once

#include "reckon/cost/experts.hpp"
#include "reckon/cost/kernels/attention.hpp"
#include "reckon/cost/serving/machine.hpp"

namespace reckon {

inline const Formula kStepRows{"serving.step.rows", "m", "rows of a step's products",
                               "decoding tokens + a prompt's tokens", Hint::kCount};
inline const Formula kStepRowsDrafted{
    "serving.step.rows_drafted", "m", "rows of a step's products, drafts verified",
    "sequences · (1 + drafted) + a prompt's tokens", Hint::kCount};
inline const Formula kCacheSwept{"serving.attention.cache", "K", "cache that a layer reads",
                                 "sequences · tokens held · keys and values of a rank's heads"};
inline const Formula kCacheSweep{"serving.attention.decode", "t_dec", "decode attention of a layer",
                                 "fixed + bytes over the bandwidth reached"};
inline const Formula kLatentSweep{"serving.attention.latent", "t_dec",
                                  "decode attention over a latent cache",
                                  "fixed + the slower of FLOP and bytes"};
inline const Formula kPromptPairs{"serving.attention.pairs", "n_pair",
                                  "tokens that one of the prompt's sees, on average",
                                  "what is past + half of the new", Hint::kLength};
inline const Formula kPromptPairsWindow{
    "serving.attention.pairs_window", "n_pair", "tokens that one of the prompt's sees, on average",
    "what is past + half of the new, at most the window", Hint::kLength};
inline const Formula kPromptSweep{"serving.attention.prefill", "t_pre",
                                  "prefill attention of a layer",
                                  "fixed + the slower of FLOP and reading what is past"};
inline const Formula kStateSweep{"serving.attention.state", "t_rec",
                                 "recurrent states of a layer, read and written",
                                 "bytes over the bandwidth reached"};
inline const Formula kElementwise{"serving.elementwise", "t_el",
                                  "norms, residual sums and activations of a layer",
                                  "passes · 2 bytes · hidden over the bandwidth reached"};
inline const Formula kExpertSlots{"serving.experts.slots", "slots",
                                  "token copies of one GPU's experts",
                                  "tokens · top-k over the GPUs, the busiest's", Hint::kCount};
inline const Formula kExpertsTouched{"serving.experts.touched", "E_t",
                                     "experts of one GPU that have tokens, expected",
                                     "tokens drawn independently", Hint::kRatio};
inline const Formula kExpertsTime{"serving.experts.time", "t_moe", "routed experts of a layer",
                                  "two grouped products + router and permutation"};
inline const Formula kReduceByLink{"serving.all_reduce.link", "t_ar",
                                   "all-reduce at the link's rate",
                                   "waiting + 2(t − 1)/t of the bytes over the share of the link"};
inline const Formula kReduceAcross{"serving.all_reduce.across", "t_ar",
                                   "all-reduce over ranks of several nodes",
                                   "in a node + 2(x − 1)/x of a rank's part over its port"};
inline const Formula kContextRows{"serving.step.context_rows", "x_rank",
                                  "a prompt's tokens on one of its context ranks",
                                  "over the ranks, evenly", Hint::kCount};
inline const Formula kServedContextGather{"serving.context_gather", "t_cp",
                                          "keys and values of a prompt's other ranks",
                                          "(c − 1)/c of them over the link or the port"};
inline const Formula kReduceServed{"serving.all_reduce", "t_ar", "all-reduce of a layer's half",
                                   "the library's curve · the engine's factor"};
inline const Formula kReduceSlow{"serving.all_reduce_slow", "t_ar",
                                 "all-reduce of a layer's half, in a long step",
                                 "the library's curve · the engine's factors"};
inline const Formula kServedCopies{"serving.all_to_all.copies", "copies",
                                   "copies of a token that leave its GPU or node",
                                   "one an expert, those elsewhere", Hint::kRatio};
inline const Formula kServedCopiesFew{
    "serving.all_to_all.copies_few", "copies", "copies of a token that leave its GPU or node",
    "one for each GPU or node that holds any, elsewhere", Hint::kRatio};
inline const Formula kExpertExchange{"serving.all_to_all", "t_a2a",
                                     "dispatch and combine of a layer",
                                     "fixed + copies over the share of the link"};
inline const Formula kServedHead{"serving.head", "t_head", "output head",
                                 "one product, for tokens that are sampled"};
inline const Formula kStageHops{"serving.hops", "t_hops", "from stage to stage",
                                "rows · hidden over link or port, between all stages"};
inline const Formula kServedHostTime{"serving.host", "t_host", "host time of an eager step",
                                     "layers · the host's time in one"};

// What one step does, on one data rank.
template <class R>
struct StepCall {
  Count<R> n{0}, T{0};                // sequences that decode, and their mean context
  Count<R> x{0}, s{0}, past{0};       // a prompt's tokens; new ones of a prompt here; those before
  Count<R> prompts{0};                // prompts whose last token is computed: each is sampled
  std::optional<Count<R>> x_rank{};   // of x, where context ranks share a prompt
  std::optional<Count<R>> drafted{};  // tokens verified beside each sequence's own
};

template <class R>
Count<R> rows_of(const StepCall<R>& call) {
  auto n = call.n;
  auto x = call.x_rank ? *call.x_rank : call.x;
  NAME(n, x);
  if (!call.drafted) return kStepRows(n + x);
  auto v = *call.drafted;
  NAME(v);
  return kStepRowsDrafted(n * (1 + v) + x);
}

// Tokens that the head samples.
template <class R>
Count<R> emitted(const StepCall<R>& call) {
  if (call.drafted) return call.n * (1 + *call.drafted) + call.prompts;
  return call.n + call.prompts;
}

template <class R>
Seconds<R> served_product(const GemmShape<R>& shape, const ServedProduct<R>& with,
                          const Chip<R>& chip) {
  if (shape.m <= 0) return {};
  return gemm_cost<R>(shape, with.kernel, {with.P, chip.memory.bandwidth}).time;
}

// Tokens of T that a layer reads.
template <class R>
Count<R> seen(const Mixer<R>& x, Count<R> T) {
  return x.window ? min(T, *x.window) : T;
}

// Heads of keys and values on one rank: at least one, unless ranks that share one deal the sequences out.
template <class R>
Count<R> heads_on_rank(const ServingMachine<R>& s, const Mixer<R>& x) {
  auto kv = kv_heads(x);
  auto t = s.mesh.tensor;
  NAME(kv, t);
  return s.shared_heads == SharedHeads::kByBatch ? kv / t : max(kv / t, 1);
}

template <class R>
Seconds<R> decode_sweep(const ServingMachine<R>& s, const Mixer<R>& x, const StepCall<R>& call) {
  const EngineAttention<R>& a = s.engine.attention;
  auto n = call.n;
  auto T_seen = seen(x, call.T);
  auto d_kv = head_width(s.model, x) + value_head_width(s.model, x);
  auto kv_rank = heads_on_rank(s, x);
  auto b_kv = s.served.cache.size;
  NAME(n, T_seen, d_kv, kv_rank, b_kv);
  auto K = kCacheSwept(n * T_seen * kv_rank * d_kv * b_kv);
  auto W = s.chip.memory.bandwidth;
  auto sharing = *x.heads / kv_heads(x);
  auto t_a = a.fixed;
  auto e_kv = a.cache;
  auto r_gqa = a.reread;
  NAME(K, W, sharing, t_a, e_kv, r_gqa);
  return kCacheSweep(t_a + K * (1 + r_gqa * (sharing - 1)) / (W * e_kv));
}

// Per token of the cache: scores against latent and positions, values out of the latent, for every head of a rank.
template <class R>
Seconds<R> latent_sweep(const ServingMachine<R>& s, const Mixer<R>& x, const StepCall<R>& call) {
  const EngineAttention<R>& a = s.engine.attention;
  auto n = call.n;
  auto T_seen = seen(x, call.T);
  auto r = *x.kv_rank + *x.rope_width;
  auto v = *x.kv_rank;
  auto q = *x.heads / s.mesh.tensor;
  auto b_kv = s.served.cache.size;
  auto W = s.chip.memory.bandwidth;
  auto P = s.P_16;
  auto t_a = a.fixed;
  auto e_kv = a.cache;
  auto c_lat = a.latent;
  auto rows =
      n;  // queries: each sequence's own, and those of its drafts, over a cache that is read once
  if (call.drafted) rows = n * (1 + *call.drafted);
  NAME(n, rows, T_seen, r, v, q, b_kv, W, P, t_a, e_kv, c_lat);
  auto t_F = 2_flop * rows * T_seen * q * (r + v) / (P * c_lat);
  auto t_D = n * T_seen * r * b_kv / (W * e_kv);
  NAME(t_F, t_D);
  return kLatentSweep(t_a + detail::roofline(t_F, t_D));
}

template <class R>
Seconds<R> prompt_sweep(const ServingMachine<R>& s, const Mixer<R>& x, const StepCall<R>& call) {
  const EngineAttention<R>& a = s.engine.attention;
  auto n_x = call.x_rank ? *call.x_rank : call.x;
  auto x_all = call.x;
  auto s_new = call.s;
  auto past = call.past;
  NAME(n_x, x_all, s_new, past);
  auto n_pair = x.window ? kPromptPairsWindow(min(past + s_new / 2, *x.window))
                         : kPromptPairs(past + s_new / 2);
  auto q = *x.heads / s.mesh.tensor;
  auto d_both = (query_width(s.model, x) + value_width(s.model, x)) / *x.heads;
  auto P = s.P_16;
  auto c_a = a.prefill;
  auto s_0 = a.ramp;
  auto t_a = a.fixed;
  NAME(n_pair, q, d_both, P, c_a, s_0, t_a);
  auto t_F = 2_flop * n_x * n_pair * q * d_both / (P * c_a) * (1 + s_0 / (past + s_new));
  auto tokens_past = x.window ? min(past, *x.window) : past;
  auto prompts = (call.x_rank ? x_all : n_x) / s_new;
  auto kv_token = x.kind == MixerKind::kMla
                      ? s.served.cache.size * (*x.kv_rank + *x.rope_width)
                      : s.served.cache.size * heads_on_rank(s, x) *
                            (head_width(s.model, x) + value_head_width(s.model, x));
  auto W = s.chip.memory.bandwidth;
  auto e_kv = a.cache;
  NAME(tokens_past, prompts, kv_token, W, e_kv);
  auto t_D = prompts * tokens_past * kv_token / (W * e_kv);
  NAME(t_F, t_D);
  return kPromptSweep(t_a + detail::roofline(t_F, t_D));
}

// Every sequence's state is read and written once; a prompt's too.
template <class R>
Seconds<R> state_sweep(const ServingMachine<R>& s, const Mixer<R>& x, const StepCall<R>& call) {
  auto sequences = call.n + call.prompts;
  auto S_state = state_elements(s.model, x) * s.b_state / s.mesh.tensor;
  auto W = s.chip.memory.bandwidth;
  auto e_kv = s.engine.attention.cache;
  NAME(sequences, S_state, W, e_kv);
  return kStateSweep(2 * sequences * S_state / (W * e_kv));
}

template <class R>
Seconds<R> mixer_time(const ServingMachine<R>& s, const Mixer<R>& x, const StepCall<R>& call) {
  if (x.kind == MixerKind::kNone) return {};
  if (recurrent(x.kind)) return state_sweep(s, x, call);
  Seconds<R> t{};
  if (!(call.n <= 0))
    t = x.kind == MixerKind::kMla ? latent_sweep(s, x, call) : decode_sweep(s, x, call);
  if (!(call.x <= 0)) t = t + prompt_sweep(s, x, call);
  return t;
}

template <class R>
Seconds<R> elementwise_time(const ServingMachine<R>& s, Count<R> m) {
  auto n_el = s.engine.elementwise.passes;
  auto h = *s.model.hidden;
  auto W = s.chip.memory.bandwidth;
  auto e_el = s.engine.elementwise.memory;
  if (n_el <= 0) return {};
  NAME(n_el, m, h, W, e_el);
  return kElementwise(n_el * m * h * 2_B / (W * e_el));
}

template <class R>
Seconds<R> experts_time(const ServingMachine<R>& s, const Mlp<R>& x, Count<R> m) {
  auto E = *x.experts;
  auto k = *x.top_k;
  auto ep = s.ep;
  auto M = m * s.mesh.data;
  auto b_moe = s.imbalance;
  NAME(E, k, ep, M, b_moe);
  auto slots = kExpertSlots(M * k / ep * b_moe);
  auto E_t = kExpertsTouched(E / ep * (1 - pow(1 - k / E, M)));
  auto width = *x.width * ep / (s.mesh.tensor * s.mesh.data);
  auto h_in = expert_hidden(s.model, x);
  NAME(slots, E_t, width);
  const Peaks<R> peaks{s.experts.P, s.chip.memory.bandwidth};
  auto t_up = grouped_gemm_cost<R>({slots, E_t, (x.matrices - 1) * width, h_in, s.experts.experts},
                                   s.experts.kernel, peaks)
                  .time;
  auto t_down =
      grouped_gemm_cost<R>({slots, E_t, h_in, width, s.experts.experts}, s.experts.kernel, peaks)
          .time;
  auto o_moe = s.engine.overhead.experts;
  NAME(t_up, t_down, o_moe);
  return kExpertsTime(t_up + t_down + o_moe);
}

// One all-reduce of m rows over the tensor ranks.
template <class R>
Seconds<R> reduce_by_link(const ServingMachine<R>& s, Count<R> ranks, Bytes<R> S) {
  auto t = ranks;
  auto W_link = s.W_link;
  auto e_ar = s.engine.all_reduce.share;
  auto a_ar = s.engine.all_reduce.wait;
  NAME(S, t, W_link, e_ar, a_ar);
  return kReduceByLink(a_ar + 2 * (t - 1) / t * S / (W_link * e_ar));
}

// Between t ranks of one node.
template <class R>
Seconds<R> reduce_by_library(const ServingMachine<R>& s, Count<R> t, Bytes<R> S) {
  if (!s.small && !s.large) return reduce_by_link(s, t, S);
  if (!s.small) return curve_cost(S, *s.large).time;
  if (!s.large || S <= s.engine.all_reduce.large_from) return curve_cost(S, *s.small).time;
  Smallest<kSecond, R> faster;
  faster.offer("small", curve_cost(S, *s.small).time);
  faster.offer("large", curve_cost(S, *s.large).time);
  return faster.best();
}

// Ranks fill whole nodes: each sums its part inside its node, then with its peers in the other nodes.
template <class R>
Seconds<R> reduce_across(const ServingMachine<R>& s, Bytes<R> S) {
  auto t_n = s.node_gpus;
  auto x = s.mesh.tensor / s.node_gpus;
  auto t_in = reduce_by_library(s, t_n, S);
  auto W_port = s.W_port;
  auto a_ar = s.engine.all_reduce.wait;
  NAME(t_n, x, t_in, S, W_port, a_ar);
  return kReduceAcross(t_in + a_ar + 2 * (x - 1) / x * S / t_n / W_port);
}

// Every rank sees the whole prompt's keys and values of a layer.
template <class R>
Seconds<R> context_gather(const ServingMachine<R>& s, const Mixer<R>& x, const StepCall<R>& call) {
  auto c = s.mesh.context;
  auto n_x = call.x;
  auto kv_token = x.kind == MixerKind::kMla
                      ? s.served.cache.size * (*x.kv_rank + *x.rope_width)
                      : s.served.cache.size * heads_on_rank(s, x) *
                            (head_width(s.model, x) + value_head_width(s.model, x));
  auto W_cp = s.mesh.tensor * c <= s.node_gpus ? s.W_link : s.W_port;
  auto a_ar = s.engine.all_reduce.wait;
  NAME(c, n_x, kv_token, W_cp, a_ar);
  return kServedContextGather(a_ar + (c - 1) / c * n_x * kv_token / W_cp);
}

// Of a step without any rows, nothing.
template <class R>
Seconds<R> served_all_reduce(const ServingMachine<R>& s, Count<R> m) {
  if (m <= 0) return {};
  const EngineAllReduce<R>& a = s.engine.all_reduce;
  auto h = *s.model.hidden;
  auto b = s.served.activations.size;
  NAME(m, h, b);
  const bool across = !(s.mesh.tensor <= s.node_gpus);
  auto t_lib =
      across ? reduce_across(s, m * h * b) : reduce_by_library(s, s.mesh.tensor, m * h * b);
  auto f_ar = a.factor;
  NAME(t_lib, f_ar);
  const bool is_long = a.slow_from <= m && a.slow_ranks <= s.mesh.tensor && !(a.slow <= 1);
  if (!is_long) return kReduceServed(t_lib * f_ar);
  auto f_slow = a.slow;
  NAME(f_slow);
  return kReduceSlow(t_lib * f_ar * f_slow);
}

template <class R>
Seconds<R> expert_exchange(const ServingMachine<R>& s, const Mlp<R>& x, Count<R> m,
                           const StepCall<R>& call) {
  const EngineAllToAll<R>& a = s.engine.all_to_all;
  const bool crosses = !(s.ep <= s.node_gpus);
  const bool each = (call.n <= 0 ? a.prefill : a.decode) == ExpertCopies::kPerExpert;
  auto groups = crosses ? s.ep / s.node_gpus : s.ep;
  NAME(groups);
  Count<R> copies;
  if (each) {
    auto k = *x.top_k;
    NAME(k);
    copies = kServedCopies(k * (1 - 1 / groups));
  } else {
    auto distinct = distinct_groups(x, groups);
    if (crosses && !(x.node_limit <= 0)) distinct = min(distinct, x.node_limit);
    NAME(distinct);
    copies = kServedCopiesFew(distinct * (1 - 1 / groups));
  }
  auto W_a2a = crosses ? s.W_port : s.W_link;
  auto h = *s.model.hidden;
  auto e_a2a = a.share;
  auto t_a2a = a.fixed;
  auto b_disp = a.dispatch;
  auto b_comb = a.combine;
  NAME(copies, W_a2a, m, h, e_a2a, t_a2a, b_disp, b_comb);
  return kExpertExchange(2 * t_a2a + m * h * (b_disp + b_comb) * copies / (W_a2a * e_a2a));
}

template <class R>
Seconds<R> head_time(const ServingMachine<R>& s, Count<R> emit) {
  if (emit <= 0 || s.model.vocab <= 0) return {};
  auto V_rank = s.model.vocab / s.mesh.tensor;
  NAME(V_rank);
  return kServedHead(served_product<R>({emit, V_rank, *s.model.hidden}, s.head, s.chip));
}

template <class R>
Seconds<R> stage_hops(const ServingMachine<R>& s, Count<R> m) {
  auto p = s.mesh.pipeline;
  auto h = *s.model.hidden;
  auto b = s.served.activations.size;
  const bool near = s.gpus <= s.node_gpus && !(s.W_link <= ByteRate<R>{});
  auto W_hop = near ? s.W_link : s.W_port;
  auto a_ar = s.engine.all_reduce.wait;
  NAME(p, m, h, b, W_hop, a_ar);
  // Each of p parts of the batch goes through p − 1 hops; parts follow each other, so their hops add up once a stage.
  return kStageHops((p - 1) * (a_ar + m * h * b / W_hop));
}

template <class R>
Seconds<R> host_time(const ServingMachine<R>& s, const StepCall<R>& call) {
  const auto& per_layer =
      call.n <= 0 ? s.engine.overhead.host_prefill : s.engine.overhead.host_decode;
  if (!per_layer) return {};
  auto L = s.layers;
  auto host = *per_layer;
  NAME(L, host);
  return kServedHostTime(L * host);
}

}  // namespace reckon
