// Quantities: a number of any number type R (double, Dual, Traced) with its dimension in the type.
//
//   Seconds<R> t = bytes / bandwidth;        // fine
//   Seconds<R> t = bytes + bandwidth;        // error: adds or compares quantities of different
//   dimensions Seconds<R> t = bytes / bandwidth * n;    // error if n is a run-time int: only
//   constants written in the
//                                            // formula mix with quantities, so no number enters
//                                            unrecorded
#pragma once

#include <type_traits>

#include "reckon/units/dim.hpp"
#include "reckon/units/formula/arithmetic.hpp"

namespace reckon {

// A constant written in a formula: `2` or, with a unit, `2_flop`. consteval is the point: a
// variable of the surrounding code can't become one, so it can't slip into a formula without a
// name.
struct Number {
  double v;
  template <class T>
  requires std::is_arithmetic_v<T>
  consteval Number(T x) : v(static_cast<double>(x)) {}
};
template <Dim D>
struct Literal {
  double v;
};
// A literal operator takes literals only; constexpr because clang 14 calls consteval ones at run
// time.
constexpr Literal<kByte> operator""_B(unsigned long long x) { return {static_cast<double>(x)}; }
constexpr Literal<kFlop> operator""_flop(unsigned long long x) { return {static_cast<double>(x)}; }

template <Dim D, class R>
struct Quantity {
  R raw{};  // for core/ only
  Quantity() = default;
  explicit constexpr Quantity(R r) : raw(r) {}
  constexpr Quantity(Literal<D> x) : raw(R(x.v)) {}
  constexpr Quantity(Number x) requires(D == kOne) : raw(R(x.v)) {}
  Quantity& operator+=(Quantity other) { return *this = *this + other; }
};
template <class R>
using Count = Quantity<kOne, R>;
template <class R>
using Ratio = Quantity<kOne, R>;
template <class R>
using Bytes = Quantity<kByte, R>;
template <class R>
using Seconds = Quantity<kSecond, R>;
template <class R>
using Flops = Quantity<kFlop, R>;
template <class R>
using ByteRate = Quantity<kByte / kSecond, R>;
template <class R>
using FlopRate = Quantity<kFlop / kSecond, R>;
template <class R>
using Dollars = Quantity<kUsd, R>;
template <class R>
using Joules = Quantity<kJoule, R>;
template <class R>
using Watts = Quantity<kJoule / kSecond, R>;
template <class R>
using Price = Quantity<kUsd / kSecond, R>;  // dollars per second (of a GPU)
template <class R>
using Frequency = Quantity<kOne / kSecond, R>;

template <Op op, Dim A, Dim B>
consteval Dim result_dim() {
  if constexpr (op == Op::kMultiply) {
    return A * B;
  } else if constexpr (op == Op::kDivide) {
    return A / B;
  } else {
    static_assert(A == B, "adds or compares quantities of different dimensions");
    return A;
  }
}
template <Op op, Dim A, Dim B, class R>
[[gnu::always_inline]] inline auto binary(Quantity<A, R> a, Quantity<B, R> b) {
  return Quantity<result_dim<op, A, B>(), R>(combine<op>(a.raw, b.raw));
}

// Every binary operation takes two quantities, or a quantity and a constant on either side.
#define RECKON_BINARY(name, op)                                                 \
  template <Dim A, Dim B, class R>                                              \
  [[gnu::always_inline]] inline auto name(Quantity<A, R> a, Quantity<B, R> b) { \
    return binary<op>(a, b);                                                    \
  }                                                                             \
  template <Dim A, Dim B, class R>                                              \
  [[gnu::always_inline]] inline auto name(Quantity<A, R> a, Literal<B> b) {     \
    return binary<op>(a, Quantity<B, R>(b));                                    \
  }                                                                             \
  template <Dim A, Dim B, class R>                                              \
  [[gnu::always_inline]] inline auto name(Literal<A> a, Quantity<B, R> b) {     \
    return binary<op>(Quantity<A, R>(a), b);                                    \
  }                                                                             \
  template <Dim A, class R>                                                     \
  [[gnu::always_inline]] inline auto name(Quantity<A, R> a, Number b) {         \
    return binary<op>(a, Quantity<kOne, R>(b));                                 \
  }                                                                             \
  template <Dim B, class R>                                                     \
  [[gnu::always_inline]] inline auto name(Number a, Quantity<B, R> b) {         \
    return binary<op>(Quantity<kOne, R>(a), b);                                 \
  }
RECKON_BINARY(operator+, Op::kAdd)
RECKON_BINARY(operator-, Op::kSubtract)
RECKON_BINARY(operator*, Op::kMultiply)
RECKON_BINARY(operator/, Op::kDivide)
RECKON_BINARY(max, Op::kMax)
RECKON_BINARY(min, Op::kMin)
#undef RECKON_BINARY

template <Dim D, class R>
auto sqrt(Quantity<D, R> a) {
  return Quantity<root(D), R>(combine<Op::kSqrt>(a.raw));
}
template <class R>
auto ceil(Count<R> a) {
  return Count<R>(combine<Op::kCeil>(a.raw));
}
template <class R>
auto floor(Count<R> a) {
  return Count<R>(combine<Op::kFloor>(a.raw));
}
template <class R>
auto log2(Count<R> a) {
  return Count<R>(combine<Op::kLog2>(a.raw));
}

// A comparison serves both kinds of branch: `if (p < 2)` decides the structure of a model in plain
// C++, `where(w < 8, x, y)` is part of a formula and appears in its text.
template <class R>
struct Condition {
  Op op;
  R left, right;
  bool holds;
  explicit operator bool() const { return holds; }
};
template <Op op, class R>
Condition<R> compare(R a, R b) {
  return {op, a, b, evaluate(op, value_of(a), value_of(b)) != 0};
}
template <Dim D, class R>
auto operator<(Quantity<D, R> a, Quantity<D, R> b) {
  return compare<Op::kLess>(a.raw, b.raw);
}
template <Dim D, class R>
auto operator<=(Quantity<D, R> a, Quantity<D, R> b) {
  return compare<Op::kLessEqual>(a.raw, b.raw);
}
template <class R>
auto operator<(Count<R> a, Number b) {
  return compare<Op::kLess>(a.raw, R(b.v));
}
template <class R>
auto operator<=(Count<R> a, Number b) {
  return compare<Op::kLessEqual>(a.raw, R(b.v));
}
template <Dim D, class R>
auto where(Condition<R> c, Quantity<D, R> yes, Quantity<D, R> no) {
  return Quantity<D, R>(select(c.op, c.left, c.right, c.holds, yes.raw, no.raw));
}

}  // namespace reckon
