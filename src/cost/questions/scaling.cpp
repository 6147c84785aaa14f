#include "reckon/cost/questions/scaling.hpp"

namespace reckon {
namespace {

template <class R>
std::optional<Count<R>> stated_params(const ScalingQuestion<R>& q) {
  if (q.params) return q.params;
  if (q.model) return parameters(*q.model).total;
  return {};
}

// GPU time, as stated or as money and days come to.
template <class R>
std::optional<Seconds<R>> stated_time(const ScalingQuestion<R>& q) {
  if (q.gpu_hours) return q.gpu_hours;
  if (q.budget) {
    auto cost = *q.budget;
    auto c_gpu = *q.hire.price;
    NAME(cost, c_gpu);
    return kTimeOfMoney(cost / c_gpu);
  }
  if (!q.days || !q.gpus) return {};
  auto T_run_time = *q.days;
  auto n_GPU = *q.gpus;
  NAME(T_run_time, n_GPU);
  return kTimeOfDays(T_run_time * n_GPU);
}

template <class R>
bool half(const ScalingQuestion<R>& q) {
  return q.critical_batch && q.law.family == LawFamily::kKaplan;
}

template <class R>
Point<R> reach(const ScalingQuestion<R>& q, const LossCurve<R>& curve,
               const std::optional<Count<R>>& N) {
  if (N) return {*N, tokens_to_reach(curve, *N, *q.loss)};
  if (q.tokens) return {params_to_reach(curve, *q.tokens, *q.loss), *q.tokens};
  return cheapest_with(curve, *q.loss);
}

// Parameters, tokens and compute of the run, from what is stated of them.
template <class R>
void settle(const ScalingQuestion<R>& q, ScalingAnswer<R>& out) {
  const auto N = stated_params(q);
  const auto C = stated_flops(q);
  const auto& D = q.tokens;
  if (N && D) {
    out.run = {*N, *D};
  } else if (q.loss) {
    out.run = reach(q, *out.curve, N);
  } else if (C && N) {
    out.run = {*N, tokens_of_budget(*C, *N, out.k)};
  } else if (C && D) {
    out.run = {params_of_budget(*C, *D, out.k), *D};
  } else {
    const Flops<R> counted = C   ? counted_flops(q.law, *C, half(q))
                             : N ? flops_for_params(q.law, *N, out.k)
                                 : flops_for_tokens(q.law, *D, out.k);
    out.run = split(q.law, counted, out.k);
    if (N) out.run.N = *N;
    if (D) out.run.D = *D;
    out.C = C ? *C : run_flops(counted, half(q));
    return;
  }
  out.C = C && !(N && D) ? *C : flops_of(out.run, out.k);
}

// What the law says of the run's loss.
template <class R>
void judge(const ScalingQuestion<R>& q, ScalingAnswer<R>& out, bool by_compute) {
  if (out.curve && q.law.family == LawFamily::kLoss) {
    out.loss = loss_at(*out.curve, out.run);
    out.total = out.loss->total;
    out.marginal = marginal_at(*out.curve, *out.loss);
  }
  if (q.law.losses)
    out.total = by_compute ? kaplan_loss(*q.law.losses, *out.C_min, q.law.allocation->unit)
                           : kaplan_loss(*q.law.losses, out.run);
}

template <class R>
void compare_with_optimum(ScalingAnswer<R>& out) {
  auto over = tokens_per_param(*out.optimum);
  out.optimum_ratio = over;
  auto ratio = out.ratio;
  auto ratio_opt = over;
  NAME(ratio, ratio_opt);
  out.over = kOverTraining(ratio / ratio_opt);
  auto D = out.run.D, D_opt = out.optimum->D;
  NAME(D, D_opt);
  out.token_ratio = kTokenRatio(D / D_opt);
  if (!out.loss) return;
  auto L = out.loss->total;
  auto L_opt = loss_at(*out.curve, *out.optimum).total;
  NAME(L, L_opt);
  out.optimum_loss = L_opt;
  out.extra = kExtraLoss(L - L_opt);
  const Point<R> cheapest = cheapest_with(*out.curve, L);
  auto C = out.C;
  auto C_opt = flops_of(cheapest, out.k);
  NAME(C, C_opt);
  out.worth = kWorth(C / C_opt);
}

template <class R>
void other_split(const ScalingQuestion<R>& q, ScalingAnswer<R>& out) {
  const Point<R> at = split(*q.against, out.C, out.k);
  Against<R> a{at, tokens_per_param(at), {}, {}, {}};
  auto D = out.run.D, D_opt = at.D;
  NAME(D, D_opt);
  a.tokens = kTokenRatio(D / D_opt);
  if (out.loss) {
    auto L = out.loss->total;
    auto L_other = loss_at(*out.curve, at).total;
    NAME(L, L_other);
    a.loss = L_other;
    a.extra = kAgainst(L - L_other);
  }
  out.against = a;
}

template <class R>
void variant(const ScalingQuestion<R>& q, ScalingAnswer<R>& out) {
  LawVariant<R>& x = out.variant;
  const Law<R>& law = q.law;
  if (law.granular_moe) x.loss = granular_loss(*law.granular_moe, out.run, *q.of.granularity);
  if (law.joint_moe) x.loss = joint_loss(*law.joint_moe, out.run, *q.of.experts);
  if (law.routed_moe) {
    x.effective_experts = effective_experts(*law.routed_moe, *q.of.experts);
    x.loss = routed_loss(*law.routed_moe, out.run.N, *x.effective_experts);
  }
  if (law.leverage) x.leverage = leverage(*law.leverage, out.C, *q.of.active, *q.of.granularity);
  if (law.family == LawFamily::kPrecision) {
    x.kept = kept_share(*law.precision, *q.of.weight_bits, *q.of.activation_bits, *q.of.cache_bits);
    auto N = out.run.N;
    NAME(N);
    x.effective_params = kEffectiveParams(N * *x.kept);
    out.loss = loss_at(*out.curve, {*x.effective_params, out.run.D});
    x.loss = out.loss->total;
  }
  if (x.loss) out.total = x.loss;
}

}  // namespace

template <class R>
std::optional<Flops<R>> stated_flops(const ScalingQuestion<R>& q) {
  if (q.flops) return q.flops;
  const auto rate = hired_rate(q.hire);
  const auto time = stated_time(q);
  if (!rate || !time) return {};
  return flops_in(*time, *rate);
}

template <class R>
ScalingAnswer<R> answer(const ScalingQuestion<R>& q) {
  ScalingAnswer<R> out;
  const Law<R>& law = q.law;
  out.k = flops_per_param_token<R>();
  out.law_splits = allocates(law);
  out.loss_law = law.has_loss();
  out.confidence = name_of(law.confidence);
  if (law.loss) out.curve = loss_curve(*law.loss);
  settle(q, out);
  out.ratio = tokens_per_param(out.run);
  const bool kaplan = law.family == LawFamily::kKaplan;
  if (kaplan) out.C_min = counted_flops(law, out.C, half(q));
  const bool both = (q.params || q.model) && q.tokens;
  judge(q, out, !both && !(stated_flops(q) && (q.params || q.model || q.tokens)));
  if (out.curve) out.growth = growth_of_params(*out.curve);
  if (out.law_splits) {
    out.optimum = split(law, kaplan ? *out.C_min : out.C, out.k);
    compare_with_optimum(out);
    if (kaplan) out.optimum_loss = kaplan_loss(*law.losses, *out.C_min, law.allocation->unit);
  }
  if (law.allocation) {
    const Flops<R> counted = kaplan ? *out.C_min : out.C;
    const Allocation<R>& x = *law.allocation;
    if (x.batch) out.batch = detail::by_power(kPowerBatch, *x.batch, counted, x.unit);
    if (x.steps) out.steps = detail::by_power(kPowerSteps, *x.steps, counted, x.unit);
  }
  variant(q, out);
  if (q.against) other_split(q, out);
  if (const auto rate = hired_rate(q.hire))
    out.hired = hired(q.hire, hired_time(out.C, *rate), q.days, q.gpus, q.assume);
  return out;
}

template ScalingAnswer<double> answer(const ScalingQuestion<double>&);
template ScalingAnswer<Dual> answer(const ScalingQuestion<Dual>&);
template ScalingAnswer<Traced> answer(const ScalingQuestion<Traced>&);
template std::optional<Flops<double>> stated_flops(const ScalingQuestion<double>&);

}  // namespace reckon
