// kind: decode. How long is a decode step, what bounds it, and how is it best spread over g GPUs?
//
//   kind: decode
//   model: llama-3-8b
//   batch: 32
//   context: 8192              # or prompt and output
//   tensor: 8
//   cluster: 8xh100-sxm
#pragma once

#include <string>

#include "reckon/spec/questions/serving.hpp"

namespace reckon {

template <class R>
struct DecodeQuestion {
  std::string name, comment;
  Model<R> model;
  DecodeBatch<R> load;
  Count<R> tensor{1};
  std::optional<Count<R>> ranks;
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
    v(Field("tensor", "t", "GPUs that decode a batch together by tensor parallelism").degree(),
      s.tensor...);
    v(Field("ranks", "g", "GPUs to compare the ways to shard over; else tensor, else the cluster's")
          .degree(),
      s.ranks...);
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
