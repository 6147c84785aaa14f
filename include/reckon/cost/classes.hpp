// Bytes of tensors whose formats differ by class: fp32 norms beside bf16 matrices, int4 matrices beside 16-bit tables.
//
//   ByClass<double> n = by_class(parameters(model));
//   class_bytes(n, 2_B, recipe.classes)           // a class without a format of its own takes 2 B an element
//
// The classes are those of TensorFormats (spec/precision.hpp). Positions count with the input table. An abstract model
// has no classes: where they are asked for it is refused (engine/legal.hpp).
#pragma once

#include <cstddef>
#include <optional>

#include "reckon/cost/parameters.hpp"
#include "reckon/spec/precision.hpp"

namespace reckon {

inline const Formula kClassBytes{"class.bytes", "M_cls", "bytes of a class of tensors",
                                 "parameters · bytes of one in the class's format"};
inline const Formula kClassOnGpu{"class.on_gpu", "M_cls", "bytes of a class of tensors on one GPU",
                                 "those of its ranks, over the shard group"};

// Parameters by class of tensors.
template <class R>
struct ByClass {
  Count<R> embedding{0}, head{0}, attention{0}, mlp{0}, experts{0}, shared{0}, router{0},
      vectors{0};
};

struct TensorClass {
  std::size_t at;
  const char *id, *title;
};
inline constexpr std::size_t kTensorClasses = 8;

// visit(class, member of each): over counts, formats, or both side by side.
template <class V, class... S>
void for_each_class(V&& visit, S&&... s) {
  visit(TensorClass{0, "embedding", "input table"}, s.embedding...);
  visit(TensorClass{1, "head", "output head"}, s.head...);
  visit(TensorClass{2, "attention", "attention"}, s.attention...);
  visit(TensorClass{3, "mlp", "dense MLPs"}, s.mlp...);
  visit(TensorClass{4, "experts", "routed experts"}, s.experts...);
  visit(TensorClass{5, "shared", "shared experts"}, s.shared...);
  visit(TensorClass{6, "router", "routers"}, s.router...);
  visit(TensorClass{7, "vectors", "norms and biases"}, s.vectors...);
}

// Names of a metric of each class: `RECKON_CLASS_METRICS("memory.weights.", "weights: ")`.
#define RECKON_CLASS_METRICS(prefix, what)                                                   \
  {                                                                                          \
    {prefix "embedding", what "input table"}, {prefix "head", what "output head"},           \
        {prefix "attention", what "attention"}, {prefix "mlp", what "dense MLPs"},           \
        {prefix "experts", what "routed experts"}, {prefix "shared", what "shared experts"}, \
        {prefix "router", what "routers"}, {                                                 \
      prefix "vectors", what "norms and biases"                                              \
    }                                                                                        \
  }

template <class R>
ByClass<R>& operator+=(ByClass<R>& a, const ByClass<R>& b) {
  for_each_class([](TensorClass, Count<R>& x, const Count<R>& y) { x += y; }, a, b);
  return a;
}
template <class R>
ByClass<R> operator*(Count<R> n, ByClass<R> x) {
  for_each_class([&n](TensorClass, Count<R>& y) { y = n * y; }, x);
  return x;
}

template <class R>
ByClass<R> by_class(const Parameters<R>& n) {
  return {n.embedding + n.positions,
          n.head,
          n.attention,
          n.mlp,
          n.experts,
          n.shared,
          n.router,
          n.vectors};
}

// One class: what a class without a format of its own takes an element is `rest`.
template <class R>
Bytes<R> class_bytes(Count<R> count, Bytes<R> rest, const std::optional<Stored<R>>& own) {
  auto N_cls = count;
  auto b_cls = own ? own->size : rest;
  NAME(N_cls, b_cls);
  return kClassBytes(N_cls * b_cls);
}

template <class R>
Bytes<R> class_bytes(const ByClass<R>& n, Bytes<R> rest, const TensorFormats<R>& formats) {
  Sum<kByte, R> sum;
  for_each_class(
      [&](TensorClass c, const Count<R>& count, const std::optional<Stored<R>>& own) {
        if (!(count <= 0)) sum.add(c.title, class_bytes(count, rest, own));
      },
      n, formats);
  return sum.total();
}

}  // namespace reckon
