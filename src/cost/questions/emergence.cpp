#include "reckon/cost/questions/emergence.hpp"

namespace reckon {

template <class R>
EmergenceAt<R> emergence_at(const EmergenceQuestion<R>& q, Flops<R> C) {
  const LossCurve<R> l = loss_curve(*q.law.loss);
  auto r = reducible_at(l, C, flops_per_param_token<R>());
  auto a = token_accuracy(q.floor + r);
  return {C, a, exact_match(a, q.answer_tokens), emergence_slopes(l, a, r, q.answer_tokens)};
}

template <class R>
EmergenceAnswer<R> answer(const EmergenceQuestion<R>& q) {
  EmergenceAnswer<R> out;
  out.k = flops_per_param_token<R>();
  out.target_loss = loss_at_target(q.target, q.answer_tokens);
  out.target_accuracy = token_accuracy(out.target_loss);
  if (q.flops) {
    out.here = emergence_at(q, *q.flops);
    out.accuracy = out.here->accuracy;
    out.exact = out.here->exact;
  } else if (q.accuracy) {
    out.accuracy = *q.accuracy;
    out.exact = exact_match(*q.accuracy, q.answer_tokens);
  }
  if (q.floor < out.target_loss) {
    const LossCurve<R> l = loss_curve(*q.law.loss);
    const Point<R> x = cheapest_with(l, l.E + out.target_loss - q.floor);
    out.threshold = emergence_at(q, flops_of(x, out.k));
  }
  return out;
}

template EmergenceAnswer<double> answer(const EmergenceQuestion<double>&);
template EmergenceAnswer<Dual> answer(const EmergenceQuestion<Dual>&);
template EmergenceAnswer<Traced> answer(const EmergenceQuestion<Traced>&);
template EmergenceAt<double> emergence_at(const EmergenceQuestion<double>&, Flops<double>);

}  // namespace reckon
