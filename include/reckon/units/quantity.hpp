// Quantities: a number of any number type R (double, Dual, Traced) with its dimension in the type.
//
//   Seconds<R> t = bytes / bandwidth;          // fine
//   Seconds<R> t = bytes + bandwidth;          // error: adds or compares … different dimensions
//   Seconds<R> t = bytes / bandwidth * n;      // error if n is a run-time int
//   Seconds<R> t = 2 * bytes / bandwidth + 4_s;
//
// Only constants written in the formula mix with quantities, so no number enters unrecorded. There
// is no ==: quantities are computed, and computed doubles are compared by order.
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
#define RECKON_LITERAL(name, dim)                                  \
  constexpr Literal<dim> operator""_##name(unsigned long long x) { \
    return {static_cast<double>(x)};                               \
  }                                                                \
  constexpr Literal<dim> operator""_##name(long double x) { return {static_cast<double>(x)}; }
RECKON_LITERAL(B, kByte)
RECKON_LITERAL(flop, kFlop)
RECKON_LITERAL(s, kSecond)
RECKON_LITERAL(usd, kUsd)
RECKON_LITERAL(J, kJoule)
#undef RECKON_LITERAL

template <Dim D, class R>
struct Quantity {
  R raw{};  // for this folder, lifting and reading results; a formula never needs it
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
using Grams = Quantity<kGram, R>;
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
  } else if constexpr (op == Op::kPow) {
    static_assert(A == kOne && B == kOne, "powers are taken of plain numbers, not of quantities");
    return A;
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
RECKON_BINARY(pow, Op::kPow)
#undef RECKON_BINARY

template <Dim D, class R>
auto operator-(Quantity<D, R> a) {
  return Quantity<D, R>(R(0.0)) - a;
}
template <Dim D, class R>
auto sqrt(Quantity<D, R> a) {
  return Quantity<root(D), R>(combine<Op::kSqrt>(a.raw));
}

// Functions of plain numbers: ceil(bytes) would depend on the unit.
#define RECKON_UNARY(name, op)           \
  template <class R>                     \
  auto name(Count<R> a) {                \
    return Count<R>(combine<op>(a.raw)); \
  }
RECKON_UNARY(ceil, Op::kCeil)
RECKON_UNARY(floor, Op::kFloor)
RECKON_UNARY(exp, Op::kExp)
RECKON_UNARY(log, Op::kLog)
RECKON_UNARY(log2, Op::kLog2)
#undef RECKON_UNARY

// A comparison serves both kinds of branch: `if (p < 2)` decides the structure of a model in plain
// C++, `where(w < 8, x, y)` is part of a formula and appears in its text.
template <class R>
struct Condition {
  Op op;
  R left, right;
  bool holds;
  explicit operator bool() const { return holds; }
};
template <Op op, Dim A, Dim B, class R>
[[gnu::always_inline]] inline Condition<R> compare(Quantity<A, R> a, Quantity<B, R> b) {
  static_assert(A == B, "adds or compares quantities of different dimensions");
  return {op, a.raw, b.raw, evaluate(op, value_of(a.raw), value_of(b.raw)) != 0};
}
// Each takes two quantities, or a quantity and a constant on either side; > and >= are recorded as
// < and <= the other way round.
#define RECKON_COMPARE(name, op, first, second)     \
  template <Dim A, Dim B, class R>                  \
  auto name(Quantity<A, R> a, Quantity<B, R> b) {   \
    return compare<op>(first, second);              \
  }                                                 \
  template <Dim A, Dim B, class R>                  \
  auto name(Quantity<A, R> a, Literal<B> literal) { \
    const Quantity<B, R> b(literal);                \
    return compare<op>(first, second);              \
  }                                                 \
  template <Dim A, Dim B, class R>                  \
  auto name(Literal<A> literal, Quantity<B, R> b) { \
    const Quantity<A, R> a(literal);                \
    return compare<op>(first, second);              \
  }                                                 \
  template <Dim A, class R>                         \
  auto name(Quantity<A, R> a, Number number) {      \
    const Quantity<kOne, R> b(number);              \
    return compare<op>(first, second);              \
  }                                                 \
  template <Dim B, class R>                         \
  auto name(Number number, Quantity<B, R> b) {      \
    const Quantity<kOne, R> a(number);              \
    return compare<op>(first, second);              \
  }
RECKON_COMPARE(operator<, Op::kLess, a, b)
RECKON_COMPARE(operator<=, Op::kLessEqual, a, b)
RECKON_COMPARE(operator>, Op::kLess, b, a)
RECKON_COMPARE(operator>=, Op::kLessEqual, b, a)
#undef RECKON_COMPARE

template <Dim D, class R>
auto where(Condition<R> c, Quantity<D, R> yes, Quantity<D, R> no) {
  return Quantity<D, R>(select(c.op, c.left, c.right, c.holds, yes.raw, no.raw));
}
template <Dim D, class R>
auto where(Condition<R> c, Quantity<D, R> yes, Literal<D> no) {
  return where(c, yes, Quantity<D, R>(no));
}
template <Dim D, class R>
auto where(Condition<R> c, Literal<D> yes, Quantity<D, R> no) {
  return where(c, Quantity<D, R>(yes), no);
}
template <class R>
auto where(Condition<R> c, Count<R> yes, Number no) {
  return where(c, yes, Count<R>(no));
}
template <class R>
auto where(Condition<R> c, Number yes, Count<R> no) {
  return where(c, Count<R>(yes), no);
}

}  // namespace reckon
