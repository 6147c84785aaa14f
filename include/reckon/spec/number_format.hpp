// A number format as its file says it: formats/NAME.yaml.
//
//   kind: format
//   name: MXFP4
//   bits_per_weight: 4.25                                   # scales included
//   element: {bits: 4, exponent: 2, mantissa: 1, bias: 1}   # without exponent: integers or a codebook
//   block: 32
//   scale: power_of_two                                     # how the scale follows from the values
//   scale_format: e8m0
//
// A format with a block and no `scale` is known by its size alone.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "reckon/doc/field.hpp"
#include "reckon/units/quantity.hpp"

namespace reckon {

enum class InfinityCode { kNone, kIeee };
constexpr auto names(InfinityCode) { return std::array{"none", "ieee"}; }

enum class NanWord { kNone, kIeee, kAllOnes, kNegativeZero };
constexpr auto names(NanWord) { return std::array{"none", "ieee", "all_ones", "negative_zero"}; }

enum class IntegerCodes { kNone, kSymmetric, kFull, kUnsigned };
constexpr auto names(IntegerCodes) { return std::array{"none", "symmetric", "full", "unsigned"}; }

// How the scale of values that share one follows from them.
enum class ScaleWord {
  kNone,
  kAbsmax,
  kAffine,
  kPowerOfTwo,
  kTwoLevel,
  kGgmlAbsmax,
  kGgmlSignedMax,
  kGgmlRange,
  kGgmlMxfp4,
  kGgmlNvfp4
};
constexpr auto names(ScaleWord) {
  return std::array{"none",        "absmax",          "affine",     "power_of_two", "two_level",
                    "ggml_absmax", "ggml_signed_max", "ggml_range", "ggml_mxfp4",   "ggml_nvfp4"};
}

template <class R>
struct ElementLayout {
  Count<R> bits;
  std::optional<Count<R>> exponent, mantissa, bias;
  bool sign = true, subnormals = true;
  IntegerCodes codes = IntegerCodes::kNone;
  Count<R> point{0.0};
  std::vector<std::string> codebook;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("bits", "", "of a code").hint(Hint::kRatio).limit(Limit::kPositive).required(),
      s.bits...);
    v(Field("exponent", "", "exponent bits, of floats").count(), s.exponent...);
    v(Field("mantissa", "", "mantissa bits stored, of floats").count(), s.mantissa...);
    v(Field("bias", "", "what the stored exponent is above the true one").count(), s.bias...);
    v(Field("sign", "", "has a sign bit"), s.sign...);
    v(Field("subnormals", "", "exponent 0 holds zero and subnormals"), s.subnormals...);
    v(Field("codes", "", "of integers: symmetric leaves the lowest code unused"), s.codes...);
    v(Field("point", "", "of integers: binary places after the point").count(), s.point...);
    v(Field("codebook", "", "the values of the codes, ascending"), s.codebook...);
  }
};

// How training in a format searches for a factor that keeps small gradients alive.
template <class R>
struct LossScaling {
  Ratio<R> initial, growth, backoff;
  Count<R> interval;
  std::string source;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("initial", "", "first factor").hint(Hint::kRatio).limit(Limit::kPositive).required(),
      s.initial...);
    v(Field("growth", "", "times this after `interval` good steps")
          .hint(Hint::kRatio)
          .limit(Limit::kPositive)
          .required(),
      s.growth...);
    v(Field("backoff", "", "times this, and the step skipped, at an overflow")
          .efficiency()
          .required(),
      s.backoff...);
    v(Field("interval", "", "good steps before it grows").degree().required(), s.interval...);
    v(Field("source", "", "where the figures come from"), s.source...);
  }
};

template <class R>
struct NumberFormat {
  std::string id, name, source;
  Ratio<R> bits_per_weight;
  ElementLayout<R> element;
  std::string max, min_normal, min_subnormal;  // beyond what quantities go to
  InfinityCode inf = InfinityCode::kNone;
  NanWord nan = NanWord::kNone;
  bool signed_zero = false;
  std::optional<Count<R>> block, block_rows;
  ScaleWord scale = ScaleWord::kNone;
  std::string scale_format;
  std::optional<Ratio<R>> scale_bits_per_block, tensor_scale_bits;
  std::optional<LossScaling<R>> loss_scale;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("id", "", "the file's name, filled in by the program"), s.id...);
    v(Field("name", "", "as people call it"), s.name...);
    v(Field("bits_per_weight", "", "in memory, scales included")
          .hint(Hint::kRatio)
          .limit(Limit::kPositive)
          .required(),
      s.bits_per_weight...);
    v(Field("element", "", "one stored value; unstated: the size is all that is known"),
      s.element...);
    v(Field("max", "", "largest finite value of an element"), s.max...);
    v(Field("min_normal", "", "smallest normal value"), s.min_normal...);
    v(Field("min_subnormal", "", "smallest positive value"), s.min_subnormal...);
    v(Field("inf", "", "codes for infinities"), s.inf...);
    v(Field("nan", "", "which codes are NaN"), s.nan...);
    v(Field("signed_zero", "", "0 and -0 are two codes"), s.signed_zero...);
    v(Field("block", "", "values that share a scale").degree(), s.block...);
    v(Field("block_rows", "", "rows of a two-dimensional block").degree(), s.block_rows...);
    v(Field("scale", "", "how the shared scale follows from the values"), s.scale...);
    v(Field("scale_format", "", "how a scale is stored: a file in formats/"), s.scale_format...);
    v(Field("scale_bits_per_block", "", "zero points included").hint(Hint::kRatio),
      s.scale_bits_per_block...);
    v(Field("tensor_scale_bits", "", "what a whole tensor adds").hint(Hint::kRatio),
      s.tensor_scale_bits...);
    v(Field("loss_scale", "", "how training searches for a loss scale"), s.loss_scale...);
    v(Field("source", "", "where the figures come from"), s.source...);
  }
};

}  // namespace reckon
