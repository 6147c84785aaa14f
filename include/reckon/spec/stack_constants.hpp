// kind: stack-constants. Which constants of a stack can be fitted on runs, within which bounds, and how far they
// usually lie from those of the stack it starts from: plans/measured/constants.yaml.
//
//   knee: 5 %                 # an error beyond it counts linearly
//   constants:
//     - {field: gemm.ceiling, low: 30 %, high: 98 %, spread: 8 %, scale: size}
//     - {field: fixed.step, low: 0 s, high: 300 ms, spread: 30 ms, scale: offset}
#pragma once

#include <array>
#include <string>
#include <vector>

#include "reckon/doc/field.hpp"
#include "reckon/units/quantity.hpp"

namespace reckon {

// A size is fitted in its logarithm, and its spread is a share; an offset may be 0, and its spread has its unit.
enum class ConstantScale { kSize, kOffset };
constexpr auto names(ConstantScale) { return std::array{"size", "offset"}; }

struct StackConstant {
  std::string field, low, high, spread;
  ConstantScale scale = ConstantScale::kSize;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("field", "", "of a stack: gemm.ceiling").required(), s.field...);
    v(Field("low", "", "in the field's unit").required(), s.low...);
    v(Field("high", "", "in the field's unit").required(), s.high...);
    v(Field("spread", "", "usual distance from the stack it starts from").required(), s.spread...);
    v(Field("scale", "", "size (spread is a share of it) | offset"), s.scale...);
  }
};

// Of a stack with fewer rows than constants: what its rows leave open must come from the stack it starts from.
template <class R>
struct StackPrior {
  std::string stack, source;
  Ratio<R> prior;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("stack", "", "its file's name").required(), s.stack...);
    v(Field("prior", "", "in place of the file's")
          .required()
          .hint(Hint::kFraction)
          .limit(Limit::kPositive),
      s.prior...);
    v(Field("source", "", "why"), s.source...);
  }
};

template <class R>
struct StackConstants {
  std::string id, comment, source;
  Ratio<R> knee, prior, other_weight;
  std::vector<StackPrior<R>> priors;
  std::vector<StackConstant> constants;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("id", "", "the file's name, filled in by the program"), s.id...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("knee", "", "error beyond which a row counts linearly")
          .required()
          .hint(Hint::kFraction)
          .limit(Limit::kPositive),
      s.knee...);
    v(Field("prior", "",
            "a constant that lies a spread from the usual costs as much as a row off by this")
          .required()
          .hint(Hint::kFraction)
          .limit(Limit::kPositive),
      s.prior...);
    v(Field("priors", "", "of stacks with another"), s.priors...);
    v(Field("other_weight", "", "of a row of tier A beside the core, over that of a core row")
          .required()
          .share(),
      s.other_weight...);
    v(Field("constants", "", "").required(), s.constants...);
    v(Field("source", "", "where the figures come from"), s.source...);
  }
};

}  // namespace reckon
