#include "reckon/cost/questions/mup.hpp"

namespace reckon {
namespace {

template <class R>
Ratio<R> attention_scale(const MupQuestion<R>& q) {
  if (!q.head_width || !q.base_head_width) return Ratio<R>{1};
  auto d = *q.head_width;
  auto d_0 = *q.base_head_width;
  NAME(d, d_0);
  return kAttentionScale(d_0 / d);
}

template <class R>
Ratio<R> proxy_share(const MupQuestion<R>& q, const std::optional<Count<R>>& N_proxy, Ratio<R> r) {
  auto n_try = q.trials ? *q.trials : Count<R>{1};
  NAME(n_try);
  if (!N_proxy || !q.tokens) return kProxyByWidth(n_try / (r * r));
  auto N = *q.params, N_0 = *N_proxy, D = *q.tokens;
  auto D_0 = q.base_tokens ? *q.base_tokens : D;
  NAME(N, N_0, D, D_0);
  return kProxyShare(n_try * N_0 * D_0 / (N * D));
}

}  // namespace

template <class R>
MupAnswer<R> answer(const MupQuestion<R>& q) {
  MupAnswer<R> out;
  auto n = q.width, n_0 = q.base_width;
  NAME(n, n_0);
  auto r = kWidthRatio(n / n_0);
  out.r = r;
  out.hidden_init = kHiddenInit(1 / sqrt(r));
  out.output_init = kOutputInit(1 / r);
  out.inverse = kInverseRatio(1 / r);
  out.attention = attention_scale(q);
  if (q.base_params) {
    out.proxy_params = *q.base_params;
  } else if (q.params) {
    auto N = *q.params;
    NAME(N);
    out.proxy_params = kProxyParams(N / (r * r));
  }
  out.share = proxy_share(q, out.proxy_params, r);
  return out;
}

template MupAnswer<double> answer(const MupQuestion<double>&);
template MupAnswer<Dual> answer(const MupQuestion<Dual>&);
template MupAnswer<Traced> answer(const MupQuestion<Traced>&);

}  // namespace reckon
