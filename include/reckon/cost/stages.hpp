// Which layers a pipeline stage holds.
//
// L/p each if that is whole; else, if p divides L + 2, the first and last stage hold one layer less
// (embedding and head count as a layer); else as many as fit, the remainder on the last stage.
// Source: training model note, section 9.
#pragma once

#include <array>
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

// Visits (group index, layers of that group on stage i). Counts are recorded as structure of the
// plan.
template <class R, class Visit>
void for_each_group_of_stage(const Model<R>& model, int p, int i, Visit visit) {
  const int L = total_layers(model);
  int first = 0;
  for (int k = 0; k < i; ++k) first += layers_of_stage(L, p, k);
  const int last = first + layers_of_stage(L, p, i);
  int start = 0;
  for (std::size_t g = 0; g < model.layers.size(); ++g) {
    const int end = start + whole(model.layers[g].count);
    const int n = std::min(last, end) - std::max(first, start);
    if (n > 0) {
      visit(g, p == 1 ? model.layers[g].count : structural<R>("layers", n));
    }
    start = end;
  }
}

}  // namespace reckon
