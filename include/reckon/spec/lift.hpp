// Lifts a described struct to another number type, field by field: the same plan, to be evaluated
// on dual numbers or recorded on a tape with each input's origin.
//
//   Recording run(origins);                       // paths must outlive the tape
//   Tape tape;
//   TrainingPlan<Traced> traced = lift<Traced>(plan, run);
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "reckon/doc/bind.hpp"
#include "reckon/units/formula/formula.hpp"

namespace reckon {

// Each quantity becomes an input of the current tape, with its path and where it was stated.
class Recording {
 public:
  using R = Traced;
  explicit Recording(const Origins& origins) : origins_(origins) {}

  template <Dim D>
  Traced operator()(const Field& f, const std::string& path, double v) const {
    const std::string& kept = *paths_.insert(path).first;
    return Tape::current->input(v, {.symbol = f.symbol.empty() ? f.name : f.symbol,
                                    .dim = D,
                                    .origin = origin_of(path),
                                    .hint = f.hint_,
                                    .path = kept});
  }

 private:
  Origin origin_of(const std::string& path) const;

  const Origins& origins_;
  mutable std::set<std::string> paths_;
};

// The derivative by one input.
struct Differentiating {
  using R = Dual;
  std::string by;  // its path

  template <Dim>
  Dual operator()(const Field&, const std::string& path, double v) const {
    return Dual(v, path == by ? 1 : 0);
  }
};

namespace detail {

inline std::string path_of(const std::string& parent, std::string_view name) {
  return parent.empty() ? std::string(name) : parent + "." + std::string(name);
}

// A field without a symbol of its own is called as what it belongs to: precision.weights.size is w.
inline Field called_as(Field f, std::string_view parent) {
  if (f.symbol.empty()) f.symbol = parent;
  return f;
}

template <class From, class To, class Run>
void lift_fields(const From& from, To& to, std::string_view symbol, const std::string& path,
                 const Run& run);

template <class From, class To, class Run>
void lift_member(const From& from, To& to, const Field& f, const std::string& path,
                 const Run& run) {
  if constexpr (is_quantity<From>) {
    to = To(run.template operator()<dim_of(From{})>(f, path, from.raw));
  } else if constexpr (Element<From>::optional) {
    if (from) lift_member(*from, to.emplace(), f, path, run);
  } else if constexpr (Element<From>::list) {
    to.clear();
    for (std::size_t i = 0; i < from.size(); ++i)
      lift_member(from[i], to.emplace_back(), f, path_of(path, std::to_string(i)), run);
  } else if constexpr (std::is_same_v<From, To>) {
    to = from;  // words, flags, texts
  } else {
    lift_fields(from, to, f.symbol, path, run);
  }
}

template <class From, class To, class Run>
void lift_fields(const From& from, To& to, std::string_view symbol, const std::string& path,
                 const Run& run) {
  From::fields(
      [&](const Field& field, const auto& a, auto& b) {
        lift_member(a, b, called_as(field, symbol), path_of(path, field.name), run);
      },
      from, to);
}

}  // namespace detail

template <template <class> class S, class Run>
S<typename Run::R> lift(const S<double>& from, const Run& run) {
  S<typename Run::R> to;
  detail::lift_fields(from, to, "", "", run);
  return to;
}

}  // namespace reckon
