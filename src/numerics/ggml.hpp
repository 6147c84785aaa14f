// Q4_0, Q4_1, Q5_0, Q5_1 and Q8_0 in the arithmetic of ggml's reference code (quantize_row_*_ref): fp32 throughout,
// values times 1/d, and d (and the minimum) rounded to fp16 only for storing.
#pragma once

#include "reckon/numerics/scheme.hpp"

namespace reckon::detail {

Scale ggml_scale(const Scheme& s, const Extremes& x);
Quantized ggml_quantize(const Scheme& s, const Scale& scale, double x);

}  // namespace reckon::detail
