// Whole numbers of a computed quotient: what floating point puts beside a whole number still is that number.
//
//   most_whole(budget / (price · g))     50 USD/h over 4 · 2.50 USD/h buys five, though the quotient is 4.999…
//   least_whole(tokens / chunk)          3072.0000000000005 tokens fill three chunks of 1024, not four
#pragma once

#include "reckon/units/formula/formula.hpp"

namespace reckon {

namespace detail {

// Far above what a few operations round, far below one over any count that is looked for.
inline constexpr double kWholeRounding = 1e-12;

}  // namespace detail

template <class R>
Count<R> least_whole(Count<R> least) {
  auto rounding = Ratio<R>{detail::kWholeRounding};
  NAME(rounding);
  return ceil(least * (1 - rounding));
}

template <class R>
Count<R> most_whole(Count<R> most) {
  auto rounding = Ratio<R>{detail::kWholeRounding};
  NAME(rounding);
  return floor(most * (1 + rounding));
}

}  // namespace reckon
