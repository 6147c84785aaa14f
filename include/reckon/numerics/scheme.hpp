// Values that share a scale: how the scale follows from them, and the codes they get.
//
//   Scheme int8 = …;                                       // absmax, codes -127 … 127
//   Block b = quantize_block(int8, values);                // b.scale = 1.5 / 127
//   b.codes[0], b.values[0]                                // 25, 0.2953
//
// Rules (a: the largest |value| of the block)
//   absmax           s = a / largest element; with `pow2`, s rounded up to a power of two
//   affine           s = (max - min) / (codes - 1), the range widened to hold 0; z = lowest code - round(min / s),
//                    q = round(x / s) + z, so that 0 has the code z and no error
//   power_of_two     MX: s = 2^(floor(log2 a) - largest exponent of the element), -127 … 127; with `ceil`,
//                    2^ceil(log2(a / largest element)), which never clips
//   two_level        NVFP4: t = a of the tensor / (largest element · largest scale) as fp32;
//                    s = stored(a / largest element / t) · t
//   ggml_absmax, ggml_signed_max, ggml_range: Q8_0; Q4_0 and Q5_0; Q4_1 and Q5_1 as ggml's reference code computes
//                    them: in fp32, times 1/d, d kept as fp16 only afterwards
//   ggml_mxfp4, ggml_nvfp4: elements are the first of the nearest in the order of codes, so that ties go towards zero
//                    and there is no -0. Scales: 2^(floor(log2f a) - 2), at least 2^-127; a/6 as E4M3, halves up, where
//                    256 and more all become 448 and nothing rounds up from a subnormal to a normal number
// Scales are rounded to `stored` before use where it is set; ggml's after. Elements saturate. A block of zeros has
// scale 0 (MX: its smallest, 2^-127) and codes of 0. Values must be finite. Rounding is to nearest, ties to even,
// unless asked.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reckon/numerics/element.hpp"

namespace reckon {

enum class ScaleRule {
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

// How a power-of-two scale is chosen.
enum class Power { kFloor, kCeil };

struct Scheme {
  Element element;
  ScaleRule rule = ScaleRule::kNone;
  std::optional<Element> stored;  // the scale's format; none: kept as computed
  Power power = Power::kFloor;
  bool pow2 = false;
  Rounding rounding = Rounding::kNearestEven;
  std::function<double()> uniform = {};  // for stochastic rounding
  // Clipping: values beyond ±clip do not count for the scale, and saturate.
  double clip = 0;
};

struct Scale {
  double scale = 0;
  std::uint64_t code = 0;       // of `stored`
  double tensor = 1;            // two_level
  std::int64_t zero_point = 0;  // affine
  double minimum = 0;           // ggml_range, as stored
  // What ggml makes codes with, before fp16.
  double computed = 0, computed_minimum = 0;
};

// Extremes of a block: all that a scale is computed from.
struct Extremes {
  double lowest = 0, highest = 0;
  double signed_max = 0;  // the value of largest magnitude, the first of equals
  bool any = false;
  double magnitude() const { return -lowest > highest ? -lowest : highest; }
  void add(double x);
};

// NVFP4's second level, from the largest magnitude of the tensor; 1 for other rules.
double tensor_scale(const Scheme& scheme, double tensor_magnitude);
Scale scale_of(const Scheme& scheme, const Extremes& extremes, double tensor = 1);

struct Quantized {
  std::int64_t code = 0;  // integers as numbers, others as bit patterns
  double value = 0;
  bool clipped = false;
};
Quantized quantize(const Scheme& scheme, const Scale& scale, double x);

struct Block {
  Scale scale;
  std::vector<std::int64_t> codes;
  std::vector<double> values;
};
Block quantize_block(const Scheme& scheme, std::span<const double> values, double tensor = 1);

// Codes an element can have: 255 of symmetric int8, 16 of NF4, 253 finite ones of E4M3 with both zeros as one.
double levels(const Element& e);

}  // namespace reckon
