// kind: pools. How many prefill and decode GPUs, each in a pool of its own, does a request rate need?
//
//   kind: pools
//   model: llama-3-8b
//   prompt: 2000
//   output: 500
//   batch: 32
//   rate: 100 requests/s
//   cluster: 8xh100-sxm
//   assume: {prefill.mfu: 50%}
#pragma once

#include <string>

#include "reckon/spec/questions/serving.hpp"

namespace reckon {

template <class R>
struct PoolsQuestion {
  std::string name, comment;
  Model<R> model;
  DecodeBatch<R> load;
  std::optional<Frequency<R>> rate;
  Count<R> prefill_tensor{1}, decode_tensor{1};
  Served<R> served;
  std::optional<Cluster<R>> cluster;
  OnLinks<R> on;
  OnChip<R> chip;
  Assume<R> assume;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "for people"), s.name...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("model", "", "a model in models/, a file, or its dimensions").required().by_name(),
      s.model...);
    DecodeBatch<R>::fields(v, s.load...);
    v(Field("rate", "rate", "requests that arrive, for pool sizes")
          .hint(Hint::kRequestRate)
          .limit(Limit::kPositive),
      s.rate...);
    v(Field("prefill_tensor", "g_pre", "GPUs that compute a prompt together").degree(),
      s.prefill_tensor...);
    v(Field("decode_tensor", "g_dec", "GPUs that decode a batch together").degree(),
      s.decode_tensor...);
    Served<R>::fields(v, s.served...);
    v(Field("cluster", "", "8xh100-sxm, or a file in hardware/clusters: its chip and links")
          .by_name(),
      s.cluster...);
    OnChip<R>::fields(v, s.chip...);
    OnLinks<R>::fields(v, s.on...);
    v(Field("assume", "", "a preset's name, or {preset, conventions}"), s.assume...);
  }
};

}  // namespace reckon
