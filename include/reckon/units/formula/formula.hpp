// How a model says what its numbers are called.
//
//   inline const Formula kGemmTime{"gemm.time", "t_gemm", "time of one GEMM", "roofline"};
//
//   template <class R>
//   Seconds<R> gemm_time(Count<R> M, Count<R> N, Count<R> K, FlopRate<R> P) {
//     NAME(M, N, K);                            // arguments appear under the names they have here
//     auto flops = 2_flop * M * N * K;
//     NAME(flops);                              // a local worth a line of its own
//     return kGemmTime(flops / P);              // the result carries id, symbol and source
//   }
//
// On double and Dual all of this is the identity and compiles to nothing. Names outlive the tape:
// give literals.
#pragma once

#include <limits>
#include <string_view>
#include <vector>

#include "reckon/units/formula/dual.hpp"
#include "reckon/units/formula/tape.hpp"
#include "reckon/units/quantity.hpp"

namespace reckon {

// Identity of a formula. Every one links itself into the registry, so there is no second list to
// forget.
struct Formula {
  std::string_view id, symbol, title, source;
  Hint hint;
  std::string_view file;  // the header that it is written in
  const Formula* next;
  static inline constinit const Formula* first = nullptr;

  Formula(std::string_view id_, std::string_view symbol_, std::string_view title_,
          std::string_view source_, Hint hint_ = Hint::kNone,
          std::string_view file_ = __builtin_FILE())
      : id(id_),
        symbol(symbol_),
        title(title_),
        source(source_),
        hint(hint_),
        file(file_),
        next(first) {
    first = this;
  }
  Formula(const Formula&) = delete;

  template <Dim D, class R>
  Quantity<D, R> operator()(Quantity<D, R> x) const {
    if constexpr (std::is_same_v<R, Traced>) {
      return Quantity<D, R>(
          Tape::current->name(x.raw, {.formula = this, .symbol = symbol, .dim = D, .hint = hint}));
    }
    return x;
  }
};

// A local under a name other than its variable's, or with a hint of its own.
template <Dim D>
Quantity<D, Traced> called(std::string_view name, Quantity<D, Traced> x, Hint hint = Hint::kNone) {
  return Quantity<D, Traced>(
      Tape::current->name(x.raw, {.symbol = Label(name), .dim = D, .hint = hint}));
}
template <Dim D, class R>
[[gnu::always_inline]] inline Quantity<D, R> called(std::string_view, Quantity<D, R> x,
                                                    Hint = Hint::kNone) {
  return x;
}

// NAME(a, b): the variables a and b appear in derivations under these names. The text is the
// identifier itself, so the two can't drift apart.
template <class... Q>
[[gnu::always_inline]] inline void name_all(std::string_view names, Q&... q) {
  if constexpr ((std::is_same_v<decltype(q.raw), Traced> && ...)) {
    auto next = [&names] {
      const std::size_t comma = names.find(',');
      const std::string_view word = names.substr(0, comma);
      names = comma == names.npos ? std::string_view{}
                                  : names.substr(names.find_first_not_of(' ', comma + 1));
      return word;
    };
    ((q = called(next(), q)), ...);
  }
}
#define NAME(...) ::reckon::name_all(#__VA_ARGS__, __VA_ARGS__)

template <Dim D, class R>
Quantity<D, R> part(Label label, Quantity<D, R> x) {
  if constexpr (std::is_same_v<R, Traced>) {
    return Quantity<D, R>(Tape::current->part(x.raw, label, D));
  }
  return x;
}

// A value found in a table: the recording keeps the key of the row beside the row's file and line.
template <Dim D, class R>
Quantity<D, R> looked_up(Label key, Quantity<D, R> x) {
  if constexpr (std::is_same_v<R, Traced>) {
    return Quantity<D, R>(Tape::current->lookup(x.raw, key));
  }
  return x;
}

// A sum over named parts: the parts of a breakdown. A part that is nothing (a literal zero: the
// model has no such part) is left out; one whose value happens to be zero keeps its derivatives.
template <Dim D, class R>
class Sum {
 public:
  Sum& add(Label label, Quantity<D, R> x) {
    if constexpr (std::is_same_v<R, Traced>) {
      if (!is_nothing(x.raw)) total_.raw = Tape::current->add_part(total_.raw, part(label, x).raw);
    } else {
      total_ += x;
    }
    return *this;
  }
  Quantity<D, R> total() const { return total_; }

 private:
  Quantity<D, R> total_{};
};

// A choice among named candidates; the first of equals wins. The recording keeps the losers and
// their values, the derivative follows the winner.
//
//   Smallest<kSecond, R> algorithm;
//   algorithm.offer("ring", ring_time(x));
//   algorithm.offer("tree", tree_time(x));
//   return kAcrossNodes(algorithm.best());
template <Dim D, class R, Op better>
class Choice {
 public:
  void offer(Label label, Quantity<D, R> x) {
    const bool wins = count_ == 0 || beats(value_of(x.raw), value_of(best_.raw));
    if constexpr (std::is_same_v<R, Traced>) candidates_.push_back(part(label, x).raw);
    if (wins) {
      best_ = x;
      winner_ = count_;
    }
    ++count_;
  }
  // Zero if nothing was offered.
  Quantity<D, R> best() const {
    if constexpr (std::is_same_v<R, Traced>) {
      constexpr Op op = better == Op::kMax ? Op::kLargest : Op::kSmallest;
      if (count_ > 0) return Quantity<D, R>(Tape::current->choice(op, candidates_, winner_));
    }
    return best_;
  }
  bool empty() const { return count_ == 0; }
  std::size_t winner() const { return winner_; }  // which offer, from 0

 private:
  static bool beats(double x, double best) { return better == Op::kMin ? x < best : best < x; }
  struct Nothing {};
  Quantity<D, R> best_{};
  std::size_t count_ = 0, winner_ = 0;
  [[no_unique_address]] std::conditional_t<std::is_same_v<R, Traced>, std::vector<Traced>, Nothing>
      candidates_;
};
template <Dim D, class R>
using Largest = Choice<D, R, Op::kMax>;
template <Dim D, class R>
using Smallest = Choice<D, R, Op::kMin>;

// A whole number that follows from the plan's structure (layers of a stage): recorded under its
// label, with no field behind it.
template <class R>
Count<R> structural(Label label, int n) {
  if constexpr (std::is_same_v<R, Traced>) {
    return Count<R>(Tape::current->input(n, {.symbol = label, .hint = Hint::kCount}));
  } else {
    return Count<R>(R(n));
  }
}

// For loop bounds and `if`: a plain int can't get back into a formula (see Number in quantity.hpp).
// Above the range of int it is the range's end, below it and for NaN -1.
template <class R>
int whole(Count<R> n) {
  constexpr double kMost = std::numeric_limits<int>::max();
  const double v = value_of(n.raw);
  return v >= kMost ? std::numeric_limits<int>::max() : v > -kMost ? static_cast<int>(v) : -1;
}

// All formulas of the program, by id. Two with one id are a mistake: duplicate_formula_ids().
std::vector<const Formula*> registered_formulas();
std::vector<std::string_view> duplicate_formula_ids();

}  // namespace reckon
