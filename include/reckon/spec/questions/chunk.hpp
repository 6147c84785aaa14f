// kind: chunk. How much of a prefill rides along a decode step, and when do prefill GPUs of their own pay?
//
//   kind: chunk
//   model: llama-3-8b
//   batch: 32
//   prompt: 2000
//   output: 500
//   chunk: 256
//   cluster: 8xh100-sxm
#pragma once

#include <string>

#include "reckon/spec/questions/serving.hpp"

namespace reckon {

template <class R>
struct ChunkQuestion {
  std::string name, comment;
  Model<R> model;
  std::optional<Count<R>> chunk;
  DecodeBatch<R> load;
  Count<R> tensor{1};
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
    v(Field("chunk", "c", "prompt tokens that ride along a decode step")
          .hint(Hint::kLength)
          .limit(Limit::kAtLeastOne),
      s.chunk...);
    DecodeBatch<R>::fields(v, s.load...);
    v(Field("tensor", "t", "GPUs that run the model together").degree(), s.tensor...);
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
