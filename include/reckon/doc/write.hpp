// Struct -> document tree, by the struct's field description: the way back of bind.hpp.
//
//   doc::write_yaml(to_tree(plan))                      // what differs from the fields' defaults
//   doc::write_yaml(to_tree(plan, Defaults::kWrite))    // everything
//
// Binding the tree to a fresh struct gives the same struct, bit for bit. Quantities are written as
// people write them, in the fewest digits that read back. A name that was looked up is written out
// as what it stood for.
#pragma once

#include <string>

#include "reckon/doc/bind.hpp"
#include "reckon/units/format.hpp"

namespace reckon {

enum class Defaults { kLeaveOut, kWrite };

namespace detail {

template <Described S>
doc::Value struct_tree(const S& s, const S& initial, Defaults defaults);

template <class T>
doc::Value member_tree(const Field& f, const T& x, const T& initial, Defaults defaults) {
  using E = Element<T>;
  if constexpr (is_quantity<T>) {
    return doc::scalar(write_quantity(x.raw, dim_of(x), f.hint_));
  } else if constexpr (E::optional) {
    using Inner = typename E::type;
    return x ? member_tree(f, *x, initial ? *initial : Inner{}, defaults) : doc::Value{};
  } else if constexpr (E::list) {
    doc::Value list = doc::sequence();
    for (const auto& item : x)
      list.items.push_back(member_tree(f, item, typename E::type{}, defaults));
    return list;
  } else if constexpr (std::is_same_v<T, bool>) {
    return doc::scalar(x ? "true" : "false");
  } else if constexpr (std::is_same_v<T, std::string>) {
    return doc::scalar(x);
  } else if constexpr (std::is_same_v<T, doc::Value>) {
    return x;
  } else if constexpr (NamedEnum<T>) {
    return doc::scalar(std::string(name_of(x)));
  } else {
    return struct_tree(x, initial, defaults);
  }
}

template <class T>
bool is_stated(const T& x) {
  if constexpr (Element<T>::optional) {
    return x.has_value();
  } else if constexpr (std::is_same_v<T, doc::Value>) {
    return !x.is_null();
  } else {
    return true;
  }
}

template <class T>
bool is_initial(const Field& f, const T& x, const T& initial) {
  return is_stated(x) == is_stated(initial) &&
         doc::same(member_tree(f, x, initial, Defaults::kWrite),
                   member_tree(f, initial, initial, Defaults::kWrite));
}

template <Described S>
doc::Value struct_tree(const S& s, const S& initial, Defaults defaults) {
  doc::Value out = doc::mapping();
  S::fields(
      [&](const Field& f, const auto& x, const auto& i) {
        const bool left_out =
            defaults == Defaults::kLeaveOut && !f.required_ && is_initial(f, x, i);
        if (!is_stated(x) || left_out) return;
        out.entries.push_back({std::string(f.name), {}, member_tree(f, x, i, defaults)});
      },
      s, initial);
  return out;
}

}  // namespace detail

template <Described S>
doc::Value to_tree(const S& s, Defaults defaults = Defaults::kLeaveOut) {
  return detail::struct_tree(s, S{}, defaults);
}

}  // namespace reckon
