// kind: states. What do weights, gradients and optimizer take on a GPU under DDP, ZeRO and FSDP?
//
//   kind: states
//   model: {params: 7B}
//   cluster: 64xh100-sxm            # or ranks, link, network, node_gpus, peak, capacity
//   assume: {train.mfu: 40%}        # for the tokens behind which the traffic hides
#pragma once

#include <optional>
#include <string>

#include "reckon/spec/assume.hpp"
#include "reckon/spec/model.hpp"
#include "reckon/spec/precision.hpp"
#include "reckon/spec/questions/machine.hpp"

namespace reckon {

template <class R>
struct StatesQuestion {
  std::string name, comment;
  Model<R> model;
  std::optional<Count<R>> ranks;
  std::optional<Cluster<R>> cluster;
  Precision<R> precision;
  Optimizer<R> optimizer;
  std::optional<Stored<R>> gradients, master;
  OnLinks<R> on;
  std::optional<FlopRate<R>> peak;
  std::optional<Bytes<R>> capacity, spare;
  std::optional<Count<R>> sequence;
  Assume<R> assume;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "for people"), s.name...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("model", "", "a file in models/, a path, or a model written out").by_name().required(),
      s.model...);
    v(Field("ranks", "D", "GPUs that share the states; the cluster's if not stated").degree(),
      s.ranks...);
    v(Field("cluster", "", "64xh100-sxm, or a file in hardware/clusters").by_name(), s.cluster...);
    v(Field("precision", "", "a file in formats/recipes").by_name(), s.precision...);
    v(Field("optimizer", "", "a file in optimizers/").by_name(), s.optimizer...);
    v(Field("gradients", "g", "format they are kept in, in place of the recipe's").by_name(),
      s.gradients...);
    v(Field("master", "m", "format of the copy the optimizer updates, in place of the recipe's")
          .by_name(),
      s.master...);
    OnLinks<R>::fields(v, s.on...);
    v(Field("peak", "P", "dense FLOP/s of one GPU").limit(Limit::kPositive), s.peak...);
    v(Field("capacity", "C", "of one GPU's memory").limit(Limit::kPositive), s.capacity...);
    v(Field("spare", "M_spare", "memory of a GPU to be left to activations and the rest"),
      s.spare...);
    v(Field("sequence", "s", "tokens of a sequence, where attention's FLOPs count")
          .hint(Hint::kLength)
          .limit(Limit::kAtLeastOne),
      s.sequence...);
    v(Field("assume", "", "a preset's name, or {preset, conventions}"), s.assume...);
  }
};

}  // namespace reckon
