// μP: what to multiply by when the width grows by r = n / n_0, so that the best settings of the proxy stay best.
//
//   tensor               deviation of init   learning rate, SGD   learning rate, Adam
//   input, biases, norms        1                    r                    1
//   hidden                    1/√r                   1                   1/r
//   output                     1/r                  1/r                  1/r
//
// Attention scores are scaled by √d_0 / d, where the proxy's are by 1/√d_0: d_0/d of that. Depth, batch and
// length stay.
// Source: Yang 2022 (Tensor Programs V), table 3.
#pragma once

#include "reckon/cost/metric.hpp"
#include "reckon/spec/questions/mup.hpp"

namespace reckon {

inline const Formula kWidthRatio{"mup.width_ratio", "r", "growth of the width", "n / n_0",
                                 Hint::kRatio};
inline const Formula kHiddenInit{"mup.hidden_init", "x_init",
                                 "deviation of hidden weights at the start, over the proxy's",
                                 "Yang 2022, table 3: variance 1 / fan-in", Hint::kRatio};
inline const Formula kOutputInit{"mup.output_init", "x_init",
                                 "deviation of output weights at the start, over the proxy's",
                                 "Yang 2022, table 3: variance 1 / fan-in²", Hint::kRatio};
inline const Formula kInverseRatio{
    "mup.inverse_ratio", "1/r",
    "learning rate over the proxy's: Adam, hidden and output; SGD, output", "Yang 2022, table 3",
    Hint::kRatio};
inline const Formula kAttentionScale{
    "mup.attention_scale", "x_att", "scale of attention scores over the proxy's",
    "Yang 2022, definition 4.1: 1/d in place of 1/√d", Hint::kRatio};
inline const Formula kProxyShare{"mup.proxy_share", "share",
                                 "tuning on the proxy over one run of the target",
                                 "trials · N_0·D_0 / (N·D)", Hint::kFraction};
inline const Formula kProxyParams{"mup.proxy_params", "N_0", "parameters of the proxy",
                                  "N / r²: hidden matrices alone", Hint::kParams};
inline const Formula kProxyByWidth{
    "mup.proxy_share_by_width", "share", "tuning on the proxy over one run of the target",
    "trials / r²: as many tokens, hidden matrices alone", Hint::kFraction};

template <class R>
struct MupAnswer {
  Ratio<R> r, one{1}, hidden_init, output_init, inverse, attention, share;
  std::optional<Count<R>> proxy_params;

  template <class V>
  void metrics(V&& v) const;
};

template <class R>
MupAnswer<R> answer(const MupQuestion<R>& question);

template <class R>
template <class V>
void MupAnswer<R>::metrics(V&& v) const {
  const auto ratio = [&](std::string_view id, std::string_view title, Ratio<R> x) {
    v(MetricInfo{id, title, Hint::kRatio}, x);
  };
  ratio("width_ratio", "growth of the width", r);
  ratio("input.init", "input weights: deviation at the start, over the proxy's", one);
  ratio("input.sgd", "input weights: learning rate of SGD over the proxy's", r);
  ratio("input.adam", "input weights: learning rate of Adam over the proxy's", one);
  ratio("hidden.init", "hidden weights: deviation at the start, over the proxy's", hidden_init);
  ratio("hidden.sgd", "hidden weights: learning rate of SGD over the proxy's", one);
  ratio("hidden.adam", "hidden weights: learning rate of Adam over the proxy's", inverse);
  ratio("output.init", "output weights: deviation at the start, over the proxy's", output_init);
  ratio("output.sgd", "output weights: learning rate of SGD over the proxy's", inverse);
  ratio("output.adam", "output weights: learning rate of Adam over the proxy's", inverse);
  ratio("bias.init", "biases and norms: deviation at the start, over the proxy's", one);
  ratio("bias.sgd", "biases and norms: learning rate of SGD over the proxy's", r);
  ratio("bias.adam", "biases and norms: learning rate of Adam over the proxy's", one);
  ratio("attention.scale", "scale of attention scores over that of the proxy", attention);
  v(MetricInfo{"proxy.params", "parameters of the proxy", Hint::kParams}, proxy_params,
    "the question states no size: params: 7B");
  v(MetricInfo{"proxy.share", "tuning on the proxy over one run of the target", Hint::kFraction},
    share);
}

}  // namespace reckon
