// kind: dtype, quantize, accumulate. What happens to numbers in a format, to the bit.
//
//   kind: dtype                        kind: quantize                     kind: accumulate
//   type: bf16                         values: [0.3, -0.5, 0.12, 30]      value: 3
//   values: [257, 70000, 1e-8]         to: int8                           terms: 100
//                                      per: [tensor, block]               in: fp8-e4m3
//                                      block: 2                           promote: 8
//
// Numbers that are rounded (values, start, an outlier) are texts, so that they are rounded once and may be negative,
// infinite or a code (0x7E): numerics/decimal.hpp reads them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "reckon/doc/field.hpp"
#include "reckon/units/quantity.hpp"

namespace reckon {

enum class RoundingWord { kNearestEven, kNearestAway, kTowardZero, kUp, kDown, kStochastic };
constexpr auto names(RoundingWord) {
  return std::array{"nearest-even", "nearest-away", "toward-zero", "up", "down", "stochastic"};
}

template <class R>
struct DtypeQuestion {
  std::string name, comment, type;
  std::vector<std::string> values, compare;
  RoundingWord rounding = RoundingWord::kNearestEven;
  std::optional<Ratio<R>> draw, gradient, largest_gradient;
  bool saturate = false;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "for people"), s.name...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("type", "", "a file in formats/: `reckon list formats`"), s.type...);
    v(Field("values", "", "numbers to round, or codes such as 0x7E"), s.values...);
    v(Field("compare", "", "formats side by side: bf16,fp16"), s.compare...);
    v(Field("rounding", "", "nearest-even | nearest-away | toward-zero | up | down | stochastic"),
      s.rounding...);
    v(Field("draw", "", "the random number of stochastic rounding, 0 to 1").share(), s.draw...);
    v(Field("saturate", "", "what is too large becomes the largest value"), s.saturate...);
    v(Field("gradient", "", "the smallest that matters: which loss scale keeps it")
          .hint(Hint::kRatio)
          .limit(Limit::kPositive),
      s.gradient...);
    v(Field("largest_gradient", "", "the largest one: how far it is from overflow")
          .hint(Hint::kRatio)
          .limit(Limit::kPositive),
      s.largest_gradient...);
  }
};

enum class DistributionWord { kNone, kNormal, kUniform, kPositive, kLaplace };
constexpr auto names(DistributionWord) {
  return std::array{"none", "normal", "uniform", "positive", "laplace"};
}

// Where numbers come from.
template <class R>
struct NumbersFrom {
  std::vector<std::string> values;
  std::string rows, file, shape;
  DistributionWord random = DistributionWord::kNone;
  Count<R> seed{1.0};
  std::optional<Count<R>> outlier_columns;
  std::optional<Ratio<R>> outlier_factor;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("values", "", "numbers, one row of them"), s.values...);
    v(Field("rows", "", "a matrix: \"0.3 -0.5; 0.12 30\""), s.rows...);
    v(Field("file", "", "a .npy or CSV file"), s.file...);
    v(Field("random", "", "normal | uniform | positive | laplace"), s.random...);
    v(Field("shape", "", "rows and columns of random numbers: 64x256"), s.shape...);
    v(Field("seed", "", "of random numbers").count(), s.seed...);
    v(Field("outlier_columns", "", "so many columns (channels) of random numbers are larger")
          .count(),
      s.outlier_columns...);
    v(Field("outlier_factor", "", "by this factor").hint(Hint::kRatio).limit(Limit::kPositive),
      s.outlier_factor...);
  }
};

enum class PerWord { kTensor, kChannel, kToken, kRow, kColumn, kBlock };
constexpr auto names(PerWord) {
  return std::array{"tensor", "channel", "token", "row", "column", "block"};
}

enum class ScaleChoice { kOwn, kFloor, kCeil, kPow2 };
constexpr auto names(ScaleChoice) { return std::array{"own", "floor", "ceil", "pow2"}; }

template <class R>
struct QuantizeQuestion {
  std::string name, comment;
  NumbersFrom<R> from;
  std::string to = "int8", outlier, scale_format, original = "fp32", weights;
  std::vector<std::string> per;
  std::optional<Count<R>> block, history, margin, outputs;
  std::optional<Ratio<R>> within, clip, smooth;
  ScaleChoice scale_rule = ScaleChoice::kOwn;
  RoundingWord rounding = RoundingWord::kNearestEven;
  bool histogram = false;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "for people"), s.name...);
    v(Field("comment", "", "for people"), s.comment...);
    NumbersFrom<R>::fields(v, s.from...);
    v(Field("to", "", "a format with a scale: int8, int4, uint8, mxfp4, nf4, q4_0, …"), s.to...);
    v(Field("per", "", "what shares a scale, side by side: tensor,channel,token,column,block"),
      s.per...);
    v(Field("block", "", "values of a block, along a row; the format's if not stated").degree(),
      s.block...);
    v(Field("clip", "", "share of the values that the scale covers: 99.9%").efficiency(),
      s.clip...);
    v(Field("scale_format", "", "how scales are stored; exact = as computed"), s.scale_format...);
    v(Field("scale_rule", "", "own | floor, ceil (of MX) | pow2 (rounded up to a power of two)"),
      s.scale_rule...);
    v(Field("rounding", "", "nearest-even | nearest-away | toward-zero | up | down | stochastic"),
      s.rounding...);
    v(Field("outlier", "", "the study: the last value becomes this one, before and after"),
      s.outlier...);
    v(Field("within", "", "how many codes are left for values up to this size")
          .hint(Hint::kRatio)
          .limit(Limit::kPositive),
      s.within...);
    v(Field("original", "", "the format before, for the size"), s.original...);
    v(Field("histogram", "", "of the errors"), s.histogram...);
    v(Field("weights", "", "W8A8: the matrix x is multiplied by, \"1 2; 3 4\" or random"),
      s.weights...);
    v(Field("outputs", "", "columns of random weights").degree(), s.outputs...);
    v(Field("smooth", "", "share of an activation channel's scale moved into the weights").share(),
      s.smooth...);
    v(Field("history", "", "delayed scaling: values are maxima by step, the scale knows so many")
          .degree(),
      s.history...);
    v(Field("margin", "", "powers of two between the maximum and the largest value").count(),
      s.margin...);
  }
};

template <class R>
struct AccumulateQuestion {
  std::string name, comment;
  NumbersFrom<R> from;
  std::string value, times, start, operands, in = "fp32", total = "fp32";
  std::optional<Count<R>> terms, promote, adder_bits, chunk;
  RoundingWord rounding = RoundingWord::kNearestEven;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "for people"), s.name...);
    v(Field("comment", "", "for people"), s.comment...);
    NumbersFrom<R>::fields(v, s.from...);
    v(Field("value", "", "one number, added again and again"), s.value...);
    v(Field("terms", "n", "how many").degree(), s.terms...);
    v(Field("times", "", "a dot product: the other factors, or random"), s.times...);
    v(Field("start", "", "what the sum starts from: a weight, say"), s.start...);
    v(Field("operands", "", "format of the terms; as given if not stated"), s.operands...);
    v(Field("in", "", "the running sum's format"), s.in...);
    v(Field("promote", "", "terms after which the partial sum goes to the total").degree(),
      s.promote...);
    v(Field("total", "", "the total's format"), s.total...);
    v(Field("adder_bits", "", "instead: an adder that keeps so many bits and truncates").degree(),
      s.adder_bits...);
    v(Field("chunk", "", "terms it adds at once").degree(), s.chunk...);
    v(Field("rounding", "", "nearest-even | nearest-away | toward-zero | up | down | stochastic"),
      s.rounding...);
  }
};

}  // namespace reckon
