// Where a layer is split and where its all-reduces fall:
//
//   matrix  split    whole           one of 8 ranks  forward
//   q       columns  4,096 × 4,096   4,096 × 512
//   …
//   o       rows     4,096 × 4,096   512 × 4,096     all-reduce
#pragma once

#include "reckon/engine/result.hpp"
#include "reckon/spec/model.hpp"

namespace reckon {

// Of a mean model: its most frequent kind of layer; without a model the names alone.
Picture tensor_picture(const std::optional<Model<double>>& model, Count<double> ranks,
                       bool sequence);

}  // namespace reckon
