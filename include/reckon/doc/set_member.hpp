// Changes one plain member (a number, a word, yes or no) of a struct that is bound already, by its path.
//
//   set_member(plan, "mesh.tensor", doc::scalar("8"), {diagnostics, origins})     // true
//   set_member(plan, "model", doc::scalar("llama-3-8b"), …)     // false: a group, nothing is looked up here
//
// What a fault of the value is goes to the diagnostics, as in bind.hpp.
#pragma once

#include <charconv>

#include "reckon/doc/bind.hpp"

namespace reckon {

template <Described S>
bool set_member(S& s, std::string_view path, const doc::Value& v, const BindContext& c);

namespace detail {

template <class T>
inline constexpr bool is_plain = is_quantity<T> || NamedEnum<T> || std::is_same_v<T, bool>;

template <class T>
bool set_inside(const Field& f, T& member, std::string_view rest, const doc::Value& v,
                const BindContext& c);

template <class T>
bool set_item(std::vector<T>& items, const Field& f, std::string_view rest, const doc::Value& v,
              const BindContext& c) {
  std::size_t at = 0;
  const std::size_t dot = rest.find('.');
  const std::string_view index = rest.substr(0, dot);
  const auto read = std::from_chars(index.data(), index.data() + index.size(), at);
  if (read.ec != std::errc() || read.ptr != index.data() + index.size() || at >= items.size())
    return false;
  return set_inside(f, items[at], dot == rest.npos ? "" : rest.substr(dot + 1), v, c);
}

template <class T>
bool set_inside(const Field& f, T& member, std::string_view rest, const doc::Value& v,
                const BindContext& c) {
  using E = Element<T>;
  if constexpr (is_plain<T>) {
    if (rest.empty()) bind_member(v, f, member, c, f.name);
    return rest.empty();
  } else if constexpr (E::optional) {
    if constexpr (is_plain<typename E::type>) {
      if (rest.empty()) bind_member(v, f, member, c, f.name);
      return rest.empty();
    } else {
      return member && set_inside(f, *member, rest, v, c);
    }
  } else if constexpr (E::list) {
    if constexpr (std::is_same_v<T, std::vector<bool>>)
      return false;
    else
      return set_item(member, f, rest, v, c);
  } else if constexpr (Described<T>) {
    return !rest.empty() && set_member(member, rest, v, c.in(f.name));
  } else {
    return false;
  }
}

}  // namespace detail

template <Described S>
bool set_member(S& s, std::string_view path, const doc::Value& v, const BindContext& c) {
  const std::size_t dot = path.find('.');
  const std::string_view name = path.substr(0, dot);
  const std::string_view rest = dot == path.npos ? "" : path.substr(dot + 1);
  bool done = false;
  S::fields(
      [&](const Field& f, auto& member) {
        if (!done && f.name == name) done = detail::set_inside(f, member, rest, v, c);
      },
      s);
  return done;
}

}  // namespace reckon
