#include "reckon/numerics/scheme.hpp"

#include <algorithm>
#include <cmath>

#include "ggml.hpp"

namespace reckon {
namespace {

constexpr int kScaleExponents = 127;  // E8M0: 2^-127 … 2^127

double power_of_two(const Scheme& s, double magnitude) {
  int exponent = 0;
  if (s.power == Power::kFloor) {
    std::frexp(magnitude, &exponent);  // magnitude in [0.5, 1) · 2^exponent
    exponent -= 1 + largest_exponent(s.element);
  } else {
    const double fraction = std::frexp(magnitude / largest(s.element), &exponent);
    if (fraction == 0.5) --exponent;
  }
  return std::ldexp(1.0, std::clamp(exponent, -kScaleExponents, kScaleExponents));
}

double up_to_power(double x) {
  int exponent = 0;
  return std::frexp(x, &exponent) == 0.5 ? x : std::ldexp(1.0, exponent);
}

void store(const Scheme& s, Scale& scale) {
  if (!s.stored) return;
  const Coded c = encode(*s.stored, scale.scale, {.saturate = true});
  scale.code = c.code;
  scale.scale = c.value;
}

Scale affine(const Scheme& s, const Extremes& x) {
  const double low = std::min(0.0, x.lowest), high = std::max(0.0, x.highest);
  Scale out;
  out.scale = (high - low) / static_cast<double>(s.element.highest - s.element.lowest);
  store(s, out);
  if (out.scale == 0) return out;
  const double zero = static_cast<double>(s.element.lowest) - std::nearbyint(low / out.scale);
  out.zero_point = static_cast<std::int64_t>(std::clamp(zero, static_cast<double>(s.element.lowest),
                                                        static_cast<double>(s.element.highest)));
  return out;
}

Extremes clipped(const Scheme& s, Extremes x) {
  if (s.clip <= 0) return x;
  x.lowest = std::max(x.lowest, -s.clip);
  x.highest = std::min(x.highest, s.clip);
  x.signed_max = std::clamp(x.signed_max, -s.clip, s.clip);
  return x;
}

RoundingMode mode_of(const Scheme& s) {
  return {s.rounding, s.rounding == Rounding::kStochastic && s.uniform ? s.uniform() : 0, true};
}

Quantized quantize_affine(const Scheme& s, const Scale& scale, double x) {
  Element steps = s.element;  // x / s as a whole number, before the zero point shifts it
  steps.lowest = s.element.lowest - scale.zero_point;
  steps.highest = s.element.highest - scale.zero_point;
  steps.bits = 64;
  const Coded c = encode(steps, x / scale.scale, mode_of(s));
  const auto q = static_cast<std::int64_t>(c.value);
  return {q + scale.zero_point, c.value * scale.scale, c.overflow};
}

}  // namespace

void Extremes::add(double x) {
  if (std::abs(x) > std::abs(signed_max) || !any) signed_max = x;
  lowest = any ? std::min(lowest, x) : x;
  highest = any ? std::max(highest, x) : x;
  any = true;
}

double tensor_scale(const Scheme& s, double magnitude) {
  if (s.rule != ScaleRule::kTwoLevel || !s.stored) return 1;
  return static_cast<float>(magnitude / (largest(s.element) * largest(*s.stored)));
}

Scale scale_of(const Scheme& s, const Extremes& all, double tensor) {
  const Extremes x = clipped(s, all);
  const double a = x.magnitude();
  Scale out;
  switch (s.rule) {
    case ScaleRule::kNone:
      out.scale = 1;
      break;
    case ScaleRule::kAbsmax:
      out.scale = a / largest(s.element);
      if (s.pow2 && a > 0) out.scale = up_to_power(out.scale);
      store(s, out);
      break;
    case ScaleRule::kAffine:
      return affine(s, x);
    case ScaleRule::kPowerOfTwo:
      out.scale = a > 0 ? power_of_two(s, a) : std::ldexp(1.0, -kScaleExponents);
      store(s, out);
      break;
    case ScaleRule::kTwoLevel:
      out.tensor = tensor;
      out.scale = tensor > 0 ? a / largest(s.element) / tensor : 0;
      store(s, out);
      out.scale *= tensor;
      break;
    case ScaleRule::kGgmlAbsmax:
    case ScaleRule::kGgmlSignedMax:
    case ScaleRule::kGgmlRange:
    case ScaleRule::kGgmlMxfp4:
    case ScaleRule::kGgmlNvfp4:
      return detail::ggml_scale(s, x);
  }
  return out;
}

Quantized quantize(const Scheme& s, const Scale& scale, double x) {
  if (s.rule >= ScaleRule::kGgmlAbsmax) return detail::ggml_quantize(s, scale, x);
  if (scale.scale == 0) {
    const std::int64_t zero = s.rule == ScaleRule::kAffine
                                  ? scale.zero_point
                                  : static_cast<std::int64_t>(encode(s.element, 0).code);
    return {zero, 0, x != 0};
  }
  if (s.rule == ScaleRule::kAffine) return quantize_affine(s, scale, x);
  const Coded c = encode(s.element, x / scale.scale, mode_of(s));
  const std::int64_t code = s.element.kind == ElementKind::kInteger
                                ? as_integer(s.element, c.code)
                                : static_cast<std::int64_t>(c.code);
  return {code, c.value * scale.scale, c.overflow};
}

Block quantize_block(const Scheme& scheme, std::span<const double> values, double tensor) {
  Extremes extremes;
  for (const double x : values) extremes.add(x);
  Block out;
  out.scale = scale_of(scheme, extremes, tensor);
  for (const double x : values) {
    const Quantized q = quantize(scheme, out.scale, x);
    out.codes.push_back(q.code);
    out.values.push_back(q.value);
  }
  return out;
}

double levels(const Element& e) {
  if (e.kind == ElementKind::kInteger) return static_cast<double>(e.highest - e.lowest + 1);
  if (e.kind == ElementKind::kCodebook) return static_cast<double>(e.codebook.size());
  const double positive =
      static_cast<double>(encode(e, largest(e)).code) + (e.subnormals ? 0 : 1);  // without zero
  return positive * (e.sign ? 2 : 1) + (e.subnormals ? 1 : 0);
}

}  // namespace reckon
