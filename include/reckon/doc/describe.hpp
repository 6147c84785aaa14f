// A struct's field description as data: what the JSON Schema (schema.hpp) and the reference
// (reference.hpp) are made of.
//
//   const Description plan = describe<TrainingPlan<double>>();
//   for (const Description& field : plan.parts) …
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reckon/doc/write.hpp"

namespace reckon {

struct Description {
  enum class Kind { kQuantity, kFlag, kText, kWord, kList, kGroup, kAny };

  Kind kind = Kind::kGroup;
  std::string_view key, symbol, meaning;
  Dim dim = {};  // quantities
  Hint hint = Hint::kNone;
  Limit limit = Limit::kNonNegative;
  bool required = false;
  bool by_name = false;            // a word may stand for the group: see Field::by_name()
  bool one_word = false;           // the group has a one-word form of its own
  std::vector<std::string> words;  // of a word
  std::vector<Description> parts;  // the fields of a group, or the item of a list
  doc::Value initial;              // as it is written; null if there is none
};

namespace detail {

template <Described S>
std::vector<Description> describe_fields(const S& initial);

template <class T>
void describe_kind(const Field& f, const T& initial, Description& d) {
  using E = Element<T>;
  using Kind = Description::Kind;
  if constexpr (is_quantity<T>) {
    d.kind = Kind::kQuantity;
    d.dim = dim_of(initial);
  } else if constexpr (E::optional) {
    describe_kind(f, initial.value_or(typename E::type{}), d);
  } else if constexpr (E::list) {
    d.kind = Kind::kList;
    Description& item = d.parts.emplace_back();
    item.hint = f.hint_;
    item.limit = f.limit_;
    describe_kind(f, typename E::type{}, item);
  } else if constexpr (std::is_same_v<T, bool>) {
    d.kind = Kind::kFlag;
  } else if constexpr (std::is_same_v<T, std::string>) {
    d.kind = Kind::kText;
  } else if constexpr (std::is_same_v<T, doc::Value>) {
    d.kind = Kind::kAny;
  } else if constexpr (NamedEnum<T>) {
    d.kind = Kind::kWord;
    d.words = words_of(initial);
  } else {
    d.kind = Kind::kGroup;
    d.one_word = d.one_word || HasOneWordForm<T>;
    d.parts = describe_fields(initial);
  }
}

// A zero where none may be written means that there is no default.
template <class T>
bool is_allowed(const Field& f, const T& initial) {
  if constexpr (is_quantity<T>) {
    return holds(f.limit_, initial.raw);
  } else {
    return true;
  }
}

template <class T>
Description describe_member(const Field& f, const T& initial) {
  Description d;
  d.key = f.name;
  d.symbol = f.symbol;
  d.meaning = f.doc;
  d.hint = f.hint_;
  d.limit = f.limit_;
  d.required = f.required_;
  d.by_name = f.by_name_;
  d.one_word = f.or_word_;
  describe_kind(f, initial, d);
  const bool whole = d.kind == Description::Kind::kGroup;  // its fields say theirs
  if (!d.required && !whole && is_allowed(f, initial))
    d.initial = member_tree(f, initial, initial, Defaults::kWrite);
  return d;
}

template <Described S>
std::vector<Description> describe_fields(const S& initial) {
  std::vector<Description> out;
  S::fields([&](const Field& f, const auto& i) { out.push_back(describe_member(f, i)); }, initial);
  return out;
}

}  // namespace detail

// Structs that contain themselves can't be described.
template <Described S>
Description describe() {
  Description d;
  d.one_word = detail::HasOneWordForm<S>;
  d.parts = detail::describe_fields(S{});
  return d;
}

}  // namespace reckon
