// kind: experts. What a mixture of experts holds, what a token uses of it, and what spreading the experts over GPUs
// sends.
//
//   kind: experts
//   model: mixtral-8x7b
//   ranks: 8                # GPUs that share the experts of a layer
//   tokens: 8192            # on each GPU
//   cluster: 8xh100-sxm
#pragma once

#include <optional>
#include <string>

#include "reckon/spec/assume.hpp"
#include "reckon/spec/model.hpp"
#include "reckon/spec/precision.hpp"
#include "reckon/spec/questions/machine.hpp"

namespace reckon {

template <class R>
struct ExpertsQuestion {
  std::string name, comment;
  Model<R> model;
  std::optional<Count<R>> ranks;
  std::optional<Cluster<R>> cluster;
  std::optional<Count<R>> tokens;
  Stored<R> weights, sent;
  std::optional<Stored<R>> returned;
  std::optional<Count<R>> node_limit;
  std::optional<Ratio<R>> capacity_factor;
  OnPeak<R> chip;
  OnLinks<R> on;
  Assume<R> assume;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "for people"), s.name...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("model", "", "a mixture of experts in models/").by_name().required(), s.model...);
    v(Field("ranks", "q", "GPUs that share the experts; the cluster's if not stated").degree(),
      s.ranks...);
    v(Field("cluster", "", "64xh100-sxm, or a file in hardware/clusters").by_name(), s.cluster...);
    v(Field("tokens", "T", "tokens of one GPU: what is sent, and what is computed").degree(),
      s.tokens...);
    v(Field("weights", "b_w", "format of the weights; bf16 if not stated").by_name(), s.weights...);
    v(Field("sent", "e", "format of a dispatched element; bf16 if not stated").by_name(),
      s.sent...);
    v(Field("returned", "e_back", "format of a combined element; as sent if not stated").by_name(),
      s.returned...);
    v(Field("node_limit", "M", "most nodes a token is sent to; the model's if not stated").degree(),
      s.node_limit...);
    v(Field("capacity_factor", "CF", "room of an expert over its even share: padded, and cut there")
          .hint(Hint::kRatio)
          .limit(Limit::kPositive),
      s.capacity_factor...);
    OnPeak<R>::fields(v, s.chip...);
    OnLinks<R>::fields(v, s.on...);
    v(Field("assume", "", "a preset's name, or {preset, conventions}"), s.assume...);
  }
};

}  // namespace reckon
