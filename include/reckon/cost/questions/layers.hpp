// What a question says of its micro-batch, as the accounting of activations takes it.
#pragma once

#include "reckon/cost/activations.hpp"
#include "reckon/spec/questions/layers.hpp"

namespace reckon {

inline const Formula kQuestionTokens{"batch.rank_tokens", "T",
                                     "tokens of a micro-batch on one rank", "sequences · length",
                                     Hint::kTokens};

// sequences: of the micro-batch, on one rank. The assumptions must outlive what comes back.
template <class R>
ActivationShape<R> activation_shape(const Model<R>& model, const OnLayers<R>& on,
                                    Count<R> sequences, const Assume<R>& assume) {
  auto b = sequences;
  NAME(b);
  auto T = kQuestionTokens(b * *on.sequence);
  auto t_sp = on.sequence_parallel ? on.tensor : Count<R>{1};
  NAME(t_sp);
  return {on.precision.activations.size,
          T,
          *model.hidden,
          on.tensor,
          t_sp,
          assume,
          on.sequence,
          on.precision.activation_classes ? &*on.precision.activation_classes : nullptr};
}

}  // namespace reckon
