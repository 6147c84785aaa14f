#include "reckon/cost/questions/repeat.hpp"

#include <cmath>

#include "reckon/units/formula/solve.hpp"

namespace reckon {
namespace {

// The least of a function with one valley, by golden section.
template <class F>
double golden(double low, double high, F f) {
  const double ratio = (std::sqrt(5.0) - 1) / 2;
  double a = high - ratio * (high - low), b = low + ratio * (high - low);
  double fa = f(a), fb = f(b);
  for (int i = 0; i < 200 && high - low > 1e-12 * std::abs(high); ++i) {
    if (fa < fb) {
      high = b;
      b = a;
      fb = fa;
      a = high - ratio * (high - low);
      fa = f(a);
    } else {
      low = a;
      a = b;
      fa = fb;
      b = low + ratio * (high - low);
      fb = f(b);
    }
  }
  return low + (high - low) / 2;
}

// ln N of the least loss at a budget.
double best_log_size(const LossTerms<double>& loss, const RepeatTerms<double>& repeat, double C,
                     double U_D) {
  const LossCurve<double> l = loss_curve(loss);
  const double k = plain(flops_per_param_token<double>());
  const double middle = std::log(plain(optimum(l, Flops<double>(C), Flops<double>(k)).N));
  constexpr double kReach = 12;  // e^12 either side
  return golden(middle - kReach, middle + kReach, [&](double x) {
    const double N = std::exp(x);
    return plain(
        repeated(l, repeat, {Count<double>(N), Count<double>(C / (k * N))}, Count<double>(U_D))
            .loss.total);
  });
}

template <class R>
LossTerms<double> plain_terms(const LossTerms<R>& t) {
  return {plain_quantity(t.E), plain_quantity(t.A), plain_quantity(t.B), plain_quantity(t.alpha),
          plain_quantity(t.beta)};
}

template <class R>
Point<R> run_of(const RepeatQuestion<R>& q, Flops<R> k) {
  if (q.flops) {
    const RepeatTerms<double> repeat{plain_quantity(q.law.repeat->tokens),
                                     plain_quantity(q.law.repeat->params)};
    const double x =
        best_log_size(plain_terms(*q.law.loss), repeat, plain(*q.flops), plain(q.unique));
    auto N = found<R>("N_best", std::exp(x));
    return {N, tokens_of_budget(*q.flops, N, k)};
  }
  if (q.tokens) return {*q.params, *q.tokens};
  auto n_ep = *q.epochs;
  auto U_D = q.unique;
  NAME(n_ep, U_D);
  return {*q.params, kTokensOfEpochs(n_ep * U_D)};
}

}  // namespace

double repeat_loss(const RepeatQuestion<double>& q, double N, double D) {
  return plain(repeated(loss_curve(*q.law.loss), *q.law.repeat,
                        {Count<double>(N), Count<double>(D)}, q.unique)
                   .loss.total);
}

template <class R>
RepeatAnswer<R> answer(const RepeatQuestion<R>& q) {
  RepeatAnswer<R> out;
  const LossCurve<R> l = loss_curve(*q.law.loss);
  const RepeatTerms<R>& repeat = *q.law.repeat;
  out.k = flops_per_param_token<R>();
  out.fit_params = unique_params(l, q.unique);
  out.ceiling = kCeiling(q.unique * (1 + repeat.tokens));
  auto ln2 = called("ln2", log(Ratio<R>(2)));
  out.half_worth = kHalfWorth(1 + repeat.tokens * ln2);
  if (!q.flops && !q.params) return out;
  out.run = run_of(q, out.k);
  out.C = flops_of(*out.run, out.k);
  auto D = out.run->D;
  auto U_D = q.unique;
  NAME(D, U_D);
  out.epochs = kEpochs(D / U_D);
  out.worth = repeated(l, repeat, *out.run, q.unique);
  auto L = out.worth->loss.total;
  auto L_fresh = repeated(l, repeat, *out.run, max(D, U_D)).loss.total;
  NAME(L, L_fresh);
  out.fresh_loss = L_fresh;
  out.penalty = kRepeatPenalty(L - L_fresh);
  return out;
}

template RepeatAnswer<double> answer(const RepeatQuestion<double>&);
template RepeatAnswer<Dual> answer(const RepeatQuestion<Dual>&);
template RepeatAnswer<Traced> answer(const RepeatQuestion<Traced>&);

}  // namespace reckon
