// Kernels bound by memory, in bf16: a block a row, 16 bytes a load.
#pragma once

#include "numbers.cuh"

namespace reckon::bench::cuda {

// residual += x; y = residual/rms(residual). Rows of `width`, a multiple of 8.
void add_norm(const bf16* x, bf16* residual, bf16* y, std::int64_t rows, int width, cudaStream_t s);
// out = g·sigmoid(g)·u; a row of `both` is g and then u.
void swiglu(const bf16* both, bf16* out, std::int64_t rows, int width, cudaStream_t s);
// e4m3 codes with one scale a row: largest magnitude to 448.
void quantize(const bf16* x, __nv_fp8_e4m3* out, float* scales, std::int64_t rows, int width,
              cudaStream_t s);

}  // namespace reckon::bench::cuda
