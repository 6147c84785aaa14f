// kind: lifetime. The size that is cheapest to train and then to serve, at a quality.
//
//   kind: lifetime
//   quality: 13B               # as good as the compute-optimal model of that size; or loss: 2.0
//   demand: 2T                 # tokens served over its life
//   size: 7B                   # what would that size cost, and from what demand on does it win?
#pragma once

#include <optional>
#include <string>

#include "reckon/spec/questions/scaling.hpp"

namespace reckon {

// What a served token costs beside a trained one. Without it a FLOP is a FLOP.
template <class R>
struct ServingBill {
  std::optional<Ratio<R>> prompt_share, prompt_mfu, output_mfu;
  std::optional<Chip<R>> serve_hardware;
  std::optional<Price<R>> serve_price;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("prompt_share", "x_p", "share of the demand that is prompts, not answers").share(),
      s.prompt_share...);
    v(Field("prompt_mfu", "MFU_p", "share of the peak that prompts take in serving").efficiency(),
      s.prompt_mfu...);
    v(Field("output_mfu", "MFU_o", "share of the peak that answers take in serving").efficiency(),
      s.output_mfu...);
    v(Field("serve_hardware", "", "a chip that serves, where it is another than trains").by_name(),
      s.serve_hardware...);
    v(Field("serve_price", "c_serve", "of that chip for an hour; else the price of training")
          .hint(Hint::kUsdPerHour)
          .limit(Limit::kPositive),
      s.serve_price...);
  }
};

template <class R>
struct LifetimeQuestion {
  std::string name, comment;
  Law<R> law;
  std::optional<Count<R>> quality;
  std::optional<Ratio<R>> loss;
  Count<R> demand{0.0};
  std::optional<Count<R>> size;
  OnHire<R> hire;
  ServingBill<R> serving;
  Assume<R> assume;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "for people"), s.name...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("law", "", "a file in laws/, of family loss").by_name().supplied(), s.law...);
    v(Field("quality", "N_0", "as good as the compute-optimal model of so many parameters")
          .hint(Hint::kParams)
          .limit(Limit::kPositive),
      s.quality...);
    v(Field("loss", "L", "or as good as this loss, nats a token")
          .hint(Hint::kRatio)
          .limit(Limit::kPositive),
      s.loss...);
    v(Field("demand", "T_life", "tokens served over its life").hint(Hint::kTokens), s.demand...);
    v(Field("size", "N_1", "a size to set beside the best")
          .hint(Hint::kParams)
          .limit(Limit::kPositive),
      s.size...);
    OnHire<R>::fields(v, s.hire...);
    ServingBill<R>::fields(v, s.serving...);
    v(Field("assume", "", "a preset's name, or {preset, conventions}"), s.assume...);
  }
};

}  // namespace reckon
