#include "ggml.hpp"

#include <algorithm>
#include <cmath>

namespace reckon::detail {
namespace {

// Codes of the signed-max rule are kept unsigned, half of them below zero.
float half_of(const Scheme& s) {
  const auto half = (s.element.highest + 1) / 2;
  return static_cast<float>(half);
}

double stored(const Scheme& s, float x) {
  return s.stored ? encode(*s.stored, x, {.saturate = false}).value : x;
}

// As ggml writes E4M3 without a sign.
std::uint64_t ue4m3_code(float x) {
  constexpr float kLargest = 448,
                  kSubnormals = 512;  // the largest value; steps of a subnormal in 1
  constexpr std::uint64_t kMostCode = 0x7E;
  if (!(x > 0)) return 0;
  int exponent = 0;
  const float fraction = std::frexp(std::min(x, kLargest), &exponent);  // of [1/2, 1)
  const int biased = exponent - 1 + 7;
  if (biased <= 0) {
    const float shifted = x * kSubnormals + 0.5F;
    return std::min<std::uint64_t>(7, static_cast<std::uint64_t>(shifted));
  }
  const auto sixteenths =
      static_cast<std::uint64_t>(fraction * 32) - 16;  // 4 bits behind the point, cut
  const std::uint64_t code = (static_cast<std::uint64_t>(biased) << 3) + (sixteenths + 1) / 2;
  return code >= 15U << 3 ? kMostCode : code;
}

Scale fp4_scale(const Scheme& s, const Extremes& x) {
  const auto a = static_cast<float>(x.magnitude());
  Scale out;
  if (s.rule == ScaleRule::kGgmlMxfp4) {
    constexpr float kLeast = -127;
    const float exponent = a > 0 ? std::max(kLeast, std::floor(std::log2(a)) - 2) : kLeast;
    out.scale = std::ldexp(1.0, static_cast<int>(exponent));
    out.code = encode(*s.stored, out.scale).code;
  } else {
    out.code = ue4m3_code(a / static_cast<float>(largest(s.element)));
    out.scale = decode(*s.stored, out.code);
  }
  out.computed = out.scale;
  return out;
}

// The first of the nearest: codes of one sign order as magnitudes do.
Quantized fp4_quantize(const Scheme& s, const Scale& scale, double x) {
  const auto d = static_cast<float>(scale.scale);
  if (d == 0) return {0, 0, x != 0};
  const auto size = static_cast<float>(std::abs(x));
  const auto negative = std::int64_t{1} << (s.element.bits - 1);
  std::int64_t best = 0;
  float least = size;
  for (std::int64_t code = 1; code < negative; ++code) {
    const auto value = static_cast<float>(decode(s.element, static_cast<std::uint64_t>(code)));
    const float error = std::abs(value * d - size);
    if (error < least) {
      least = error;
      best = code;
    }
  }
  const double value = decode(s.element, static_cast<std::uint64_t>(best)) * scale.scale;
  const bool clipped = encode(s.element, size / d, {.saturate = true}).overflow;
  return best == 0 || x > 0 ? Quantized{best, value, clipped}
                            : Quantized{best + negative, -value, clipped};
}

bool is_fp4(const Scheme& s) {
  return s.rule == ScaleRule::kGgmlMxfp4 || s.rule == ScaleRule::kGgmlNvfp4;
}

}  // namespace

Scale ggml_scale(const Scheme& s, const Extremes& x) {
  if (is_fp4(s)) return fp4_scale(s, x);
  float d = 0;
  Scale out;
  switch (s.rule) {
    case ScaleRule::kGgmlAbsmax:
      d = static_cast<float>(x.magnitude()) / static_cast<float>(s.element.highest);
      break;
    case ScaleRule::kGgmlSignedMax:
      d = static_cast<float>(x.signed_max) / -half_of(s);
      break;
    default:
      d = (static_cast<float>(x.highest) - static_cast<float>(x.lowest)) /
          static_cast<float>(s.element.highest);
      out.minimum = stored(s, static_cast<float>(x.lowest));
      out.computed_minimum = x.lowest;
  }
  out.scale = stored(s, d);
  if (s.stored) out.code = encode(*s.stored, d).code;
  out.computed = d;
  return out;
}

Quantized ggml_quantize(const Scheme& s, const Scale& scale, double x) {
  if (is_fp4(s)) return fp4_quantize(s, scale, x);
  const auto d = static_cast<float>(scale.computed);
  const float inverse = d != 0 ? 1.0F / d : 0.0F;
  const auto value = static_cast<float>(x);
  Quantized out;
  if (s.rule == ScaleRule::kGgmlAbsmax) {
    out.code = static_cast<std::int64_t>(std::round(value * inverse));
    out.value = static_cast<double>(out.code) * scale.scale;
  } else if (s.rule == ScaleRule::kGgmlSignedMax) {
    const float shifted = value * inverse + (half_of(s) + 0.5F);
    out.code = std::min(s.element.highest, static_cast<std::int64_t>(shifted));
    out.clipped = static_cast<std::int64_t>(shifted) > s.element.highest;
    out.value = (static_cast<double>(out.code) - half_of(s)) * scale.scale;
  } else {
    const float shifted = (value - static_cast<float>(scale.computed_minimum)) * inverse + 0.5F;
    out.code = std::min(s.element.highest, static_cast<std::int64_t>(shifted));
    out.value = static_cast<double>(out.code) * scale.scale + scale.minimum;
  }
  return out;
}

}  // namespace reckon::detail
