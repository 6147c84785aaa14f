// What the serving questions share: number formats of the served model, and the load of a decode batch.
//
//   weights: int4              # bf16 if not stated (presets/serving.yaml)
//   cache: fp8-e4m3
//   classes: {head: bf16, embedding: bf16}     # weights kept in formats of their own
//   recipe: w4a16              # or all of them from a file in formats/recipes
//   batch: 32
//   prompt: 2000               # or context: 2250, the mean number of tokens in a sequence's cache
//   output: 500
//
// Parts of a question's description: `Served<R>::fields(v, s.served...)` adds these keys to its own.
#pragma once

#include <optional>
#include <string>

#include "reckon/doc/field.hpp"
#include "reckon/spec/assume.hpp"
#include "reckon/spec/model.hpp"
#include "reckon/spec/precision.hpp"
#include "reckon/spec/questions/machine.hpp"

namespace reckon {

template <class R>
struct Served {
  std::string recipe;
  Stored<R> weights, cache, activations;
  std::optional<TensorFormats<R>> classes;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("recipe", "", "a file in formats/recipes: weights by class, cache, activations, peak"),
      s.recipe...);
    v(Field("weights", "w", "number format of the stored weights").by_name().supplied(),
      s.weights...);
    v(Field("classes", "", "weights of classes of tensors that are stored in another format"),
      s.classes...);
    v(Field("cache", "b_kv", "number format of cached keys and values").by_name().supplied(),
      s.cache...);
    v(Field("activations", "b", "number format of what tensor ranks exchange").by_name().supplied(),
      s.activations...);
  }
};

template <class R>
struct DecodeBatch {
  std::optional<Count<R>> batch, context, prompt, output;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("batch", "B", "sequences that decode together").degree(), s.batch...);
    v(Field("context", "T_ctx", "tokens in a sequence's cache; else prompt + output / 2")
          .hint(Hint::kLength)
          .limit(Limit::kAtLeastOne),
      s.context...);
    v(Field("prompt", "T", "tokens of a prompt").hint(Hint::kLength).limit(Limit::kAtLeastOne),
      s.prompt...);
    v(Field("output", "T_out", "tokens of an answer").hint(Hint::kLength).limit(Limit::kAtLeastOne),
      s.output...);
  }
};

}  // namespace reckon
