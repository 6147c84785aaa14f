// A described struct on doubles again: what a search or a simulation needs of a plan that is being recorded.
//
//   LoadQuestion<double> flat = lower(question);
#pragma once

#include <optional>
#include <type_traits>
#include <vector>

#include "reckon/doc/bind.hpp"

namespace reckon {

namespace detail {

template <class From, class To>
void lower_member(const From& from, To& to) {
  if constexpr (std::is_same_v<From, To>) {
    to = from;
  } else if constexpr (is_quantity<From>) {
    to = To(value_of(from.raw));
  } else if constexpr (Element<From>::optional) {
    if (from) lower_member(*from, to.emplace());
  } else if constexpr (Element<From>::list) {
    to.clear();
    for (const auto& one : from) lower_member(one, to.emplace_back());
  } else {
    From::fields([](const Field&, const auto& a, auto& b) { lower_member(a, b); }, from, to);
  }
}

}  // namespace detail

template <template <class> class S, class R>
S<double> lower(const S<R>& from) {
  S<double> to;
  detail::lower_member(from, to);
  return to;
}

}  // namespace reckon
