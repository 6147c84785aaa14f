// Which layers a pipeline stage holds.
//
// A model is cut into as many pieces as ranks and chunks ask for, and the schedule says which pieces
// a rank holds (schedule/kind.hpp). L/P layers a piece if that is whole; else, if P divides L + 2, the
// first and last piece hold one layer less (embedding and head count as a layer); else as many as
// fit, the remainder on the last one. A plan may state those of the first and last stage.
// Source: Megatron-LM layer placement; the Llama 3 report for first and last stage.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "reckon/schedule/order.hpp"
#include "reckon/spec/model.hpp"
#include "reckon/spec/training.hpp"
#include "reckon/units/formula/formula.hpp"

namespace reckon {

// How a model is cut. Plain numbers: they shape the plan, no formula computes with them.
struct Cut {
  int ranks = 1;
  ScheduleKind kind = ScheduleKind::k1f1b;
  int chunks = 1;
  std::optional<int> first = {}, last = {};  // layers of the first and last piece

  int pieces() const { return ranks * chunks; }
  schedule::PipelineLayout layout() const { return {kind, ranks, chunks, 1}; }
};

// Layers of piece i of P, of L in all. Where a rank holds several pieces, one may be empty.
inline int layers_of_piece(int L, int P, int i, bool may_be_empty) {
  const bool end = i == 0 || i == P - 1;
  if (L % P == 0) return L / P;
  if ((L + 2) % P == 0 && ((L + 2) / P > 1 || may_be_empty)) return (L + 2) / P - (end ? 1 : 0);
  const int each = (L + P - 1) / P;
  if (each * (P - 1) < L) return i < P - 1 ? each : L - (P - 1) * each;
  return L / P + (i < L % P ? 1 : 0);
}
inline int layers_of_stage(int L, int p, int i) { return layers_of_piece(L, p, i, false); }

// The layers that stated ends leave, over the pieces between: those before get one more where they
// don't divide.
inline int layers_of_piece(int L, const Cut& cut, int i) {
  const int P = cut.pieces();
  if (!cut.first && !cut.last) return layers_of_piece(L, P, i, cut.chunks > 1);
  if (i == 0 && cut.first) return *cut.first;
  if (i == P - 1 && cut.last) return *cut.last;
  const int left = L - cut.first.value_or(0) - cut.last.value_or(0);
  const int among = P - (cut.first ? 1 : 0) - (cut.last ? 1 : 0), k = i - (cut.first ? 1 : 0);
  return left / among + (k < left % among ? 1 : 0);
}

template <class R>
int total_layers(const Model<R>& model) {
  int L = 0;
  for (const LayerGroup<R>& g : model.layers) L += whole(g.count);
  return L;
}

// Where each piece begins among the model's layers. Made once for a plan.
template <class R>
class Stages {
 public:
  Stages(const Model<R>& model, int p) : Stages(model, Cut{p}) {}
  Stages(const Model<R>& model, const Cut& cut) : model_(model), cut_(cut) {
    const int L = total_layers(model), P = cut.pieces();
    first_.reserve(static_cast<std::size_t>(P) + 1);
    first_.push_back(0);
    for (int i = 0; i < P; ++i) first_.push_back(first_.back() + layers_of_piece(L, cut, i));
    count_layers();
    find_alike();
  }

  int count() const { return cut_.ranks; }
  const Cut& cut() const { return cut_; }
  // Copies of the model among the ranks; a micro-batch passes through one of them.
  int copies() const { return cut_.layout().copies(); }

  // Whether the input table or the head lies on stage i.
  bool holds_first(int i) const { return holds(i, 0); }
  bool holds_last(int i) const { return holds(i, cut_.pieces() - 1); }

  // Visits (group index, layers of that group on stage i). Counts are recorded as structure of the
  // plan.
  template <class Visit>
  void groups_of(int i, Visit visit) const {
    const std::size_t groups = model_.layers.size();
    for (std::size_t g = 0; g < groups; ++g) {
      const int n = layers_[static_cast<std::size_t>(i) * groups + g];
      if (n > 0) visit(g, cut_.ranks == 1 ? model_.layers[g].count : structural<R>("layers", n));
    }
  }
  // The same of one piece.
  template <class Visit>
  void groups_of_piece(int piece, Visit visit) const {
    for_each_group([&](std::size_t g, int start, int end) {
      const int n = shared(piece, start, end);
      if (n > 0) visit(g, structural<R>("layers", n));
    });
  }

  // Whether another stage before i, past the first, holds the same layers. Such a stage needs
  // neither more memory (it
  // holds as many micro-batches or fewer) nor more time; the first and last carry the tables and are
  // never alike.
  bool like_an_earlier(int i) const { return alike_[static_cast<std::size_t>(i)]; }

  // Whether the pieces of a stage, its chunks or those of two copies of the model, hold as many layers
  // of each group: then it does not matter which of them are in flight.
  bool pieces_alike(int i) const {
    const bool counted = cut_.kind == ScheduleKind::kInterleaved || copies() == 2;
    if (!counted || cut_.ranks == 1) return true;
    const schedule::PipelineLayout x = cut_.layout();
    bool same = true;
    for_each_group([&](std::size_t, int start, int end) {
      for (int c = 1; c < x.held(); ++c)
        same = same && shared(x.piece(i, c), start, end) == shared(x.piece(i, 0), start, end);
    });
    return same;
  }

 private:
  // Pieces that stage i holds, one for each chunk.
  template <class Visit>
  void for_each_piece(int i, Visit visit) const {
    const schedule::PipelineLayout x = cut_.layout();
    for (int c = 0; c < x.held(); ++c) visit(x.piece(i, c));
  }
  bool holds(int i, int piece) const {
    bool found = false;
    for_each_piece(i, [&](int k) { found = found || k == piece; });
    return found;
  }
  template <class Visit>
  void for_each_group(Visit visit) const {
    int start = 0;
    for (std::size_t g = 0; g < model_.layers.size(); ++g) {
      const int end = start + whole(model_.layers[g].count);
      visit(g, start, end);
      start = end;
    }
  }
  // Layers of a piece between two.
  int shared(int piece, int start, int end) const {
    const auto at = static_cast<std::size_t>(piece);
    return std::max(0, std::min(first_[at + 1], end) - std::max(first_[at], start));
  }
  void count_layers() {
    layers_.reserve(static_cast<std::size_t>(cut_.ranks) * model_.layers.size());
    for (int i = 0; i < cut_.ranks; ++i) {
      for_each_group([&](std::size_t, int start, int end) {
        int n = 0;
        for_each_piece(i, [&](int piece) { n += shared(piece, start, end); });
        layers_.push_back(n);
      });
    }
  }
  void find_alike() {
    alike_.assign(static_cast<std::size_t>(cut_.ranks), false);
    for (int i = 2; i + 1 < cut_.ranks; ++i) {
      for (int k = 1; k < i && !alike_[static_cast<std::size_t>(i)]; ++k)
        alike_[static_cast<std::size_t>(i)] = alike(k, i);
    }
  }
  bool alike(int a, int b) const {
    const schedule::PipelineLayout x = cut_.layout();
    bool same = true;
    for_each_group([&](std::size_t, int start, int end) {
      for (int c = 0; c < x.held(); ++c)
        same = same && shared(x.piece(a, c), start, end) == shared(x.piece(b, c), start, end);
    });
    return same;
  }

  const Model<R>& model_;
  Cut cut_;
  std::vector<int> first_;   // layer each piece begins with
  std::vector<int> layers_;  // of each stage, by group
  std::vector<bool> alike_;  // stages that hold the same as one before
};

}  // namespace reckon
