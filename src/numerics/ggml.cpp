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

}  // namespace

Scale ggml_scale(const Scheme& s, const Extremes& x) {
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
