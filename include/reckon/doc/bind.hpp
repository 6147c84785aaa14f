// Document tree -> struct, by the struct's field description. All faults are reported, none stops
// the rest.
//
//   Plan<double> plan;
//   Origins origins;
//   bind(tree, plan, {diagnostics, origins});
//   origins.at("mesh.tensor")                     // file and line that stated it
//
// Kinds of member: quantity, optional quantity, bool, enumeration, text, list of texts, doc::Value
// (kept as it is), described struct, optional struct, list of structs. A quantity may be written
// {value: …, source: …}, and in quotes or not. A struct may offer `static bool from_scalar(const
// doc::Value&, S&, const BindContext&)` for a one-word form ("overlap: full"); false, with or
// without a report of its own, means that the word is none. An unknown key is an error with the
// nearest known key; a missing required one names the struct's place, unless an unknown key was
// meant for it. A key without a value counts as not stated.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "reckon/base/text.hpp"
#include "reckon/doc/field.hpp"
#include "reckon/doc/value.hpp"
#include "reckon/units/formula/origin.hpp"
#include "reckon/units/parse.hpp"
#include "reckon/units/quantity.hpp"

namespace reckon {

// What a value was stated by, by the field's path. Fields that nobody stated are absent.
struct Stated {
  Span span;
  Span replaced;       // what it overrode
  std::string source;  // of {value, source}
};
using Origins = std::map<std::string, Stated, std::less<>>;

struct BindContext {
  Diagnostics& diagnostics;
  Origins& origins;
  std::string path = {};  // of the struct being bound; "" at the root

  std::string child(std::string_view name) const {
    return path.empty() ? std::string(name) : path + "." + std::string(name);
  }
  BindContext in(std::string_view name) const { return {diagnostics, origins, child(name)}; }
};

namespace detail {

// Each reads one kind of member; false after reporting a fault.
bool read_number(const doc::Value& v, Dim dim, const Field& f, const BindContext& c, double& out);
bool read_bool(const doc::Value& v, const Field& f, const BindContext& c, bool& out);
bool read_text(const doc::Value& v, const Field& f, const BindContext& c, std::string& out);
bool read_word(const doc::Value& v, const Field& f, const BindContext& c,
               const std::vector<std::string>& words, std::size_t& out);
struct Missing {
  Field field;
  std::string form;  // "a size such as 80 GB"
};
// Reports unknown keys and missing ones; a missing key that a misspelt one stands for is no second
// fault.
void check_keys(const doc::Value& v, const std::vector<std::string>& known,
                const std::vector<Missing>& missing, const BindContext& c);
// The suggestion it made, if any.
std::string unknown_key(const doc::Entry& e, const std::vector<std::string>& known,
                        const BindContext& c);
void missing_key(const doc::Value& v, const Field& f, const BindContext& c,
                 const std::string& form = "");
// What a mapping of a struct looks like: its keys, and the first of them that takes what was written in its place.
struct Shape {
  std::vector<std::string> keys;
  std::string taker;
};
bool expect_mapping(const doc::Value& v, const Shape& shape, const BindContext& c);
bool expect_sequence(const doc::Value& v, const Field& f, const BindContext& c);
void record(const doc::Value& v, const BindContext& c, std::string_view name);

template <class T>
inline constexpr bool is_quantity = false;
template <Dim D, class R>
inline constexpr bool is_quantity<Quantity<D, R>> = true;
template <class T>
struct Element {
  static constexpr bool list = false, optional = false;
};
template <class T>
struct Element<std::vector<T>> {
  static constexpr bool list = true, optional = false;
  using type = T;
};
template <class T>
struct Element<std::optional<T>> {
  static constexpr bool list = false, optional = true;
  using type = T;
};

template <Dim D>
constexpr Dim dim_of(const Quantity<D, double>&) {
  return D;
}

template <class S>
concept HasOneWordForm = requires(const doc::Value& v, S& s, const BindContext& c) {
  S::from_scalar(v, s, c);
};

// Whether a number of that kind may be written so.
template <class T>
bool takes(const doc::Value& v, const Field& f, const T& member) {
  if constexpr (is_quantity<T>) {
    if (!v.is_scalar()) return false;
    const auto read = parse_quantity(v.text, dim_of(member), f.hint_);
    const auto* x = std::get_if<double>(&read);
    return x && holds(f.limit_, *x);
  } else if constexpr (Element<T>::optional) {
    return takes(v, f, typename Element<T>::type{});
  } else {
    return false;
  }
}

template <NamedEnum E>
std::vector<std::string> words_of(E e) {
  const auto words = names(e);
  return {words.begin(), words.end()};
}

// How a member is written: "a size such as 80 GB", "one of none, selective, full".
template <class T>
std::string form_of(const Field& f, const T& member) {
  if constexpr (is_quantity<T>) {
    return expected_form(dim_of(member), f.hint_);
  } else if constexpr (Element<T>::optional) {
    return form_of(f, typename Element<T>::type{});
  } else if constexpr (Element<T>::list) {
    return "a list";
  } else if constexpr (std::is_same_v<T, bool>) {
    return "true or false";
  } else if constexpr (std::is_same_v<T, std::string>) {
    return "a text";
  } else if constexpr (NamedEnum<T>) {
    return "one of " + join(words_of(member), ", ");
  } else if constexpr (Described<T>) {
    return "a mapping";
  } else {
    return "a value";
  }
}

}  // namespace detail

template <Described S>
void bind(const doc::Value& v, S& out, const BindContext& c);

// One member from one value. `name` is the key, or "key.index" inside a list.
template <class T>
void bind_member(const doc::Value& v, const Field& f, T& out, const BindContext& c,
                 std::string_view name) {
  using E = detail::Element<T>;
  if constexpr (detail::is_quantity<T>) {
    double x = 0;
    detail::record(v, c, name);
    if (detail::read_number(v, detail::dim_of(out), f, c, x)) out = T(x);
  } else if constexpr (E::optional) {
    typename E::type x{};
    if (out) x = *out;
    bind_member(v, f, x, c, name);
    out = x;
  } else if constexpr (E::list) {
    if (!detail::expect_sequence(v, f, c)) return;
    out.clear();
    for (std::size_t i = 0; i < v.items.size(); ++i) {
      typename E::type x{};
      bind_member(v.items[i], f, x, c, std::string(name) + "." + std::to_string(i));
      out.push_back(std::move(x));
    }
  } else if constexpr (std::is_same_v<T, bool>) {
    detail::record(v, c, name);
    detail::read_bool(v, f, c, out);
  } else if constexpr (std::is_same_v<T, std::string>) {
    detail::record(v, c, name);
    detail::read_text(v, f, c, out);
  } else if constexpr (std::is_same_v<T, doc::Value>) {
    detail::record(v, c, name);
    out = v;
  } else if constexpr (NamedEnum<T>) {
    detail::record(v, c, name);
    std::size_t at = 0;
    if (detail::read_word(v, f, c, detail::words_of(out), at)) out = static_cast<T>(at);
  } else {
    static_assert(Described<T>, "a member of a kind that files can't hold");
    bind(v, out, c.in(name));
  }
}

template <Described S>
void bind(const doc::Value& v, S& out, const BindContext& c) {
  if constexpr (detail::HasOneWordForm<S>) {
    const std::size_t errors = c.diagnostics.error_count();
    if (v.is_scalar() && S::from_scalar(v, out, c)) return detail::record(v, c, "");
    if (c.diagnostics.error_count() > errors) return;
  }
  detail::Shape shape;
  std::vector<detail::Missing> missing;
  S::fields(
      [&](const Field& f, auto& member) {
        shape.keys.emplace_back(f.name);
        const doc::Value* at = v.find(f.name);
        if (!v.is_mapping()) {
          if (shape.taker.empty() && detail::takes(v, f, member)) shape.taker = f.name;
        } else if (at && !at->is_null()) {
          bind_member(*at, f, member, c, f.name);
        } else if ((f.required_ || f.supplied_) && !(at && at->faulty)) {
          missing.push_back({f, detail::form_of(f, member)});
        }
      },
      out);
  if (detail::expect_mapping(v, shape, c)) detail::check_keys(v, shape.keys, missing, c);
}

}  // namespace reckon
