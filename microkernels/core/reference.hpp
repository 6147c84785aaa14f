// Results in double precision, for the outputs that are sampled.
//
//   compare(check, got, dot.value, dot.magnitude)
//
// Vectors are read through functions of the index.
#pragma once

#include <functional>
#include <vector>

#include "layer_data.hpp"

namespace reckon::bench {

struct Dot {
  double value = 0, magnitude = 0;  // Σab, Σ|ab|
};

template <class A, class B>
Dot dot(std::int64_t k, const A& a, const B& b) {
  Dot out;
  for (std::int64_t i = 0; i < k; ++i) {
    const double x = static_cast<double>(a(i)) * static_cast<double>(b(i));
    out.value += x;
    out.magnitude += std::abs(x);
  }
  return out;
}

// softmax(q·K/sqrt(d))·V over `positions` of one kv head; keys(t, j), values(t, j).
using Cells = std::function<double(std::int64_t, std::int64_t)>;
std::vector<double> attend(const std::vector<double>& query, std::int64_t positions,
                           const Cells& keys, const Cells& values);

// What the layer adds for token 0 (decode), or for the first `tokens` tokens of sequence 0 (prompt): token · hidden.
std::vector<double> layer_outputs(const LayerSizes& l, int steps, std::int64_t tokens);

// Which outputs of so many are looked at: the corners, and a few in between.
std::vector<std::int64_t> sampled(std::int64_t outputs, std::int64_t most);

}  // namespace reckon::bench
