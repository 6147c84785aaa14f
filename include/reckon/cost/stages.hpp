// Which layers a pipeline stage holds.
//
// L/p each if that is whole; else, if p divides L + 2, the first and last stage hold one layer less
// (embedding and head count as a layer); else as many as fit, the remainder on the last stage.
// Source: Megatron-LM layer placement; the Llama 3 report for first and last stage.
#pragma once

#include <algorithm>
#include <vector>

#include "reckon/spec/model.hpp"
#include "reckon/units/formula/formula.hpp"

namespace reckon {

// Layers of stage i of p, of L in all. Plain numbers: they shape the plan, no formula computes with
// them.
inline int layers_of_stage(int L, int p, int i) {
  if (L % p == 0) return L / p;
  if ((L + 2) % p == 0 && (L + 2) / p > 1) return (L + 2) / p - (i == 0 || i == p - 1 ? 1 : 0);
  const int each = (L + p - 1) / p;
  if (each * (p - 1) < L) return i < p - 1 ? each : L - (p - 1) * each;
  return L / p + (i < L % p ? 1 : 0);
}

template <class R>
int total_layers(const Model<R>& model) {
  int L = 0;
  for (const LayerGroup<R>& g : model.layers) L += whole(g.count);
  return L;
}

// Where each stage begins among the model's layers. Made once for a plan.
template <class R>
class Stages {
 public:
  Stages(const Model<R>& model, int p) : model_(model), p_(p) {
    const int L = total_layers(model);
    first_.reserve(static_cast<std::size_t>(p) + 1);
    first_.push_back(0);
    for (int i = 0; i < p; ++i) first_.push_back(first_.back() + layers_of_stage(L, p, i));
  }

  int count() const { return p_; }

  // Visits (group index, layers of that group on stage i). Counts are recorded as structure of the
  // plan.
  template <class Visit>
  void groups_of(int i, Visit visit) const {
    for_each_count(i, [&](std::size_t g, int n) {
      if (n > 0) visit(g, p_ == 1 ? model_.layers[g].count : structural<R>("layers", n));
    });
  }

  // Whether another stage before i, past the first, holds the same layers. Such a stage needs
  // neither more memory (it
  // holds fewer micro-batches) nor more time; the first and last carry the tables and are never
  // alike.
  bool like_an_earlier(int i) const {
    if (i == 0 || i == p_ - 1) return false;
    for (int k = 1; k < i; ++k) {
      if (alike(k, i)) return true;
    }
    return false;
  }

 private:
  template <class Visit>
  void for_each_count(int i, Visit visit) const {
    int start = 0;
    for (std::size_t g = 0; g < model_.layers.size(); ++g) {
      const int end = start + whole(model_.layers[g].count);
      visit(g, std::min(last(i), end) - std::max(first(i), start));
      start = end;
    }
  }
  int first(int i) const { return first_[static_cast<std::size_t>(i)]; }
  int last(int i) const { return first_[static_cast<std::size_t>(i) + 1]; }

  bool alike(int a, int b) const {
    int start = 0;
    for (const LayerGroup<R>& g : model_.layers) {
      const int end = start + whole(g.count);
      const auto held = [&](int i) {
        return std::max(0, std::min(last(i), end) - std::max(first(i), start));
      };
      if (held(a) != held(b)) return false;
      start = end;
    }
    return true;
  }

  const Model<R>& model_;
  int p_;
  std::vector<int> first_;
};

}  // namespace reckon
