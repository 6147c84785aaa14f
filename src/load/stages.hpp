// The stages of a pipeline, which batches pass one behind the other: none overtakes in a stage.
#pragma once

#include <algorithm>
#include <vector>

namespace reckon::load {

class Stages {
 public:
  explicit Stages(int n) : free_(static_cast<std::size_t>(n), 0) {}

  // How long the passage takes of a batch that alone would take `time`, a stage like the other. Batches come here in
  // the order of their begin.
  double pass(double begin, double time) {
    double t = begin;
    for (double& free : free_) {
      t = std::max(t, free) + time / static_cast<double>(free_.size());
      free = t;
    }
    return t - begin;
  }

 private:
  std::vector<double> free_;  // from then on
};

}  // namespace reckon::load
