// kind: compress. What do fewer bits buy a model, until when, and what does it cost to get there?
//
//   kind: compress
//   model: llama-3-8b
//   weights: int4-g128          # the layers' matrices; tables, head and norms as below, or as before
//   recipe: w4a16               # or all of them from a file in formats/recipes
//   cluster: 1xh100-sxm
//   batch: 16
//   context: 8192
#pragma once

#include <optional>
#include <string>

#include "reckon/spec/assume.hpp"
#include "reckon/spec/model.hpp"
#include "reckon/spec/precision.hpp"
#include "reckon/spec/questions/machine.hpp"

namespace reckon {

template <class R>
struct CompressQuestion {
  std::string name, comment;
  Model<R> model;
  std::string recipe;
  std::optional<Stored<R>> weights, embeddings, head, norms, kv, original;
  std::optional<TensorFormats<R>> classes;
  std::optional<Cluster<R>> cluster;
  OnChip<R> on;
  std::optional<FlopRate<R>> original_peak;
  Count<R> batch{1.0};
  std::optional<Count<R>> context, calibration, search, qat;
  Precision<R> precision;
  Optimizer<R> optimizer;
  Assume<R> assume;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "for people"), s.name...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("model", "", "a file in models/").by_name().required(), s.model...);
    v(Field("recipe", "", "a file in formats/recipes: weights by class, cache, peak"), s.recipe...);
    v(Field("weights", "b_w", "format of the layers' matrices").by_name(), s.weights...);
    v(Field("classes", "", "formats of classes of tensors; the rest as below"), s.classes...);
    v(Field("embeddings", "b_e", "of the input table; as before if not stated").by_name(),
      s.embeddings...);
    v(Field("head", "b_h", "of the output head; as before if not stated").by_name(), s.head...);
    v(Field("norms", "b_n", "of norms, biases and routers; as before if not stated").by_name(),
      s.norms...);
    v(Field("kv", "b_kv", "of the cache; as before if not stated").by_name(), s.kv...);
    v(Field("original", "b_0", "the format before").by_name().required(), s.original...);
    v(Field("cluster", "", "one GPU by its chip: 1xh100-sxm").by_name(), s.cluster...);
    OnChip<R>::fields(v, s.on...);
    v(Field("original_peak", "P_0", "dense FLOP/s in the format before; the same if not stated")
          .limit(Limit::kPositive),
      s.original_peak...);
    v(Field("batch", "B", "sequences decoded together").degree(), s.batch...);
    v(Field("context", "T", "tokens each of them has in the cache")
          .hint(Hint::kLength)
          .limit(Limit::kAtLeastOne),
      s.context...);
    v(Field("calibration", "T_cal", "tokens that GPTQ or AWQ looks at")
          .hint(Hint::kTokens)
          .limit(Limit::kPositive),
      s.calibration...);
    v(Field("search", "G", "scales that AWQ tries").degree(), s.search...);
    v(Field("qat", "T_qat", "tokens of quantization-aware training")
          .hint(Hint::kTokens)
          .limit(Limit::kPositive),
      s.qat...);
    v(Field("precision", "", "of that training: a file in formats/recipes/").by_name().required(),
      s.precision...);
    v(Field("optimizer", "", "of that training: a file in optimizers/").by_name().required(),
      s.optimizer...);
    v(Field("assume", "", "a preset's name, or {preset, conventions}"), s.assume...);
  }
};

}  // namespace reckon
