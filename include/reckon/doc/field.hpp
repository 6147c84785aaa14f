// The one description of a struct: each field's key, symbol, meaning and limits, said once.
//
//   template <class R>
//   struct Memory {
//     Bytes<R> capacity;
//     std::optional<ByteRate<R>> bandwidth;
//
//     template <class V, class... S>
//     static void fields(V&& v, S&... s) {
//       v(Field("capacity", "C", "as the vendor prints it").required(), s.capacity...);
//       v(Field("bandwidth", "W_m", "reads and writes together"), s.bandwidth...);
//     }
//   };
//
// From it come reading (bind.hpp), writing, `--set`, error messages, the JSON schema, the help of
// the question verbs, docs/file-formats.md and the lifting to other number types (spec/lift.hpp). A
// visitor is called as v(field, member) or, for structs of one shape side by side, v(field, a, b).
// Defaults are the members' initializers.
#pragma once

#include <string_view>
#include <type_traits>

#include "reckon/units/dim.hpp"

namespace reckon {

enum class Limit {
  kNonNegative,
  kPositive,    // > 0
  kAtLeastOne,  // whole degrees and counts
  kShare,       // 0 to 1
  kEfficiency,  // > 0, at most 1
};

constexpr bool holds(Limit limit, double x) {
  switch (limit) {
    case Limit::kNonNegative:
      return x >= 0;
    case Limit::kPositive:
      return x > 0;
    case Limit::kAtLeastOne:
      return x >= 1;
    case Limit::kShare:
      return x >= 0 && x <= 1;
    case Limit::kEfficiency:
      return x > 0 && x <= 1;
  }
  return true;
}

struct Field {
  std::string_view name, symbol, doc;
  Hint hint_ = Hint::kNone;
  Limit limit_ = Limit::kNonNegative;
  bool required_ = false, supplied_ = false, by_name_ = false, or_word_ = false;

  constexpr Field(std::string_view key, std::string_view letter, std::string_view meaning)
      : name(key), symbol(letter), doc(meaning) {}
  constexpr Field required() const {
    Field f = *this;
    f.required_ = true;
    return f;
  }
  // A file may leave it out, since a preset supplies it; what is bound must have it all the same: a
  // preset that is silent must never become a zero.
  constexpr Field supplied() const {
    Field f = *this;
    f.supplied_ = true;
    return f;
  }
  // How else a struct may be written in a file; what stands for it is written out before it is
  // bound (engine/load.hpp). By the name of a file of its own: `chip: h100-sxm`, or
  // {base: h100-sxm, power: 600 W} for what differs. Or by a word: `sharding: fsdp`.
  constexpr Field by_name() const {
    Field f = *this;
    f.by_name_ = true;
    return f;
  }
  constexpr Field or_word() const {
    Field f = *this;
    f.or_word_ = true;
    return f;
  }
  constexpr Field hint(Hint h) const {
    Field f = *this;
    f.hint_ = h;
    return f;
  }
  constexpr Field limit(Limit l) const {
    Field f = *this;
    f.limit_ = l;
    return f;
  }
  constexpr Field count() const { return hint(Hint::kCount); }
  constexpr Field degree() const { return hint(Hint::kCount).limit(Limit::kAtLeastOne); }
  constexpr Field share() const { return hint(Hint::kFraction).limit(Limit::kShare); }
  constexpr Field efficiency() const { return hint(Hint::kFraction).limit(Limit::kEfficiency); }
};

// The words of an enumeration, in order of its values, found by argument-dependent lookup:
//   constexpr auto names(Recompute) { return std::array{"none", "selective", "full"}; }
template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E e) {
  names(e);
};

template <NamedEnum E>
constexpr std::string_view name_of(E e) {
  return names(e)[static_cast<std::size_t>(e)];
}

// A struct with a field description.
struct AnyVisitor {
  template <class... A>
  void operator()(const Field&, A&...) const {}
};
template <class S>
concept Described = requires(S& s) {
  S::fields(AnyVisitor{}, s);
};

}  // namespace reckon
