// The CPU's kernels in fp32, one thread's part each. Compiled for the machine that builds them.
//
//   pack(w, n, k, packed);                        // weights once, as engines do: panels of panel_width() columns
//   multiply(a, packed, c, m, n, k, 0, n / panel_width());
//
// Row-major activations; a weight is W[n][k], the product C[m][n] = Σ A[m][k]·W[n][k]. n is a multiple of the panel.
#pragma once

#include <cstdint>

namespace reckon::bench::cpu {

std::int64_t panel_width();
// Where W[n][k] lies among the packed weights.
std::int64_t packed_index(std::int64_t n, std::int64_t k, std::int64_t depth);

// Panels [from, to) of the product.
void multiply(const float* a, const float* packed, float* c, std::int64_t m, std::int64_t n,
              std::int64_t k, std::int64_t from, std::int64_t to);

// One sequence and kv head: `group` queries of width d over `length` keys and values; `scores` holds group · length.
void attend_one(const float* q, const float* keys, const float* values, float* out, float* scores,
                std::int64_t group, std::int64_t length, std::int64_t d);

// One head of a prompt, queries [from, to), causal. Rows lie `q_stride`, `kv_stride`
// and `out_stride` apart. `scores`: 4 · length.
void attend_prompt(const float* q, const float* keys, const float* values, float* out,
                   float* scores, std::int64_t from, std::int64_t to, std::int64_t length,
                   std::int64_t d, std::int64_t q_stride, std::int64_t kv_stride,
                   std::int64_t out_stride);

// residual += x; y = residual/rms(residual), a row at a time.
void add_norm(const float* x, float* residual, float* y, std::int64_t rows, std::int64_t width);
// out = gate·sigmoid(gate)·up; a row of `both` is gate and then up.
void swiglu(const float* both, float* out, std::int64_t rows, std::int64_t width);

float read_all(const float* a, std::int64_t n);  // their sum
void write_all(float* a, float x, std::int64_t n);
void copy_all(const float* a, float* b, std::int64_t n);
void triad_all(const float* a, const float* b, float* c, float x, std::int64_t n);

// Multiply-adds on registers alone: `steps` · fma_per_step() of them; what they come to.
float fma_only(std::int64_t steps, float x);
std::int64_t fma_per_step();

}  // namespace reckon::bench::cpu
