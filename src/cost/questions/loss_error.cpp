#include "reckon/cost/questions/loss_error.hpp"

namespace reckon {
namespace {

template <class R>
Ratio<R> design_effect(const LossErrorQuestion<R>& q) {
  if (!q.document) return Ratio<R>{1};
  auto m = *q.document;
  auto rho = *q.correlation;
  NAME(m, rho);
  return kDesignEffect(1 + (m - 1) * rho);
}

}  // namespace

template <class R>
LossErrorAnswer<R> answer(const LossErrorQuestion<R>& q) {
  auto deff = design_effect(q);
  auto z = *q.z;
  auto sigma = q.deviation;
  NAME(deff, z, sigma);
  LossErrorAnswer<R> out;
  out.design = deff;
  out.z = z;
  if (q.tokens) {
    auto n = *q.tokens;
    NAME(n);
    out.tokens = n;
    out.error = kErrorOfTokens(z * sigma * sqrt(deff / n));
  } else {
    auto e = *q.error;
    NAME(e);
    out.error = e;
    auto one = called("z·σ/e", z * sigma / e);
    out.tokens = kErrorTokens(ceil(one * one * deff));
  }
  if (q.document) {
    auto n = out.tokens;
    auto m = *q.document;
    NAME(n, m);
    out.documents = kErrorDocuments(ceil(n / m));
  }
  return out;
}

template LossErrorAnswer<double> answer(const LossErrorQuestion<double>&);
template LossErrorAnswer<Dual> answer(const LossErrorQuestion<Dual>&);
template LossErrorAnswer<Traced> answer(const LossErrorQuestion<Traced>&);

}  // namespace reckon
