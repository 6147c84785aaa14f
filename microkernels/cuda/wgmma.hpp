// A product of Hopper's own kind: operands by the tensor memory accelerator, multiplied by whole warpgroups from shared
// memory. One warpgroup loads, two multiply 64 × 256 each; four stages of depth 64 in a ring of barriers (ring.hpp).
// Blocks stay and take tile after tile, the next one's loads under way while one is written; two of a cluster share W.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace reckon::bench::cuda {

inline constexpr int kWgmmaRows = 128, kWgmmaColumns = 256, kWgmmaDepth = 64;

// Whether this build holds code for sm_90a.
bool has_wgmma();
// bf16: C[m][n] = Σ A[m][k]·W[n][k]; sizes are multiples of the above.
void wgmma_product(const void* a, const void* w, void* c, std::int64_t m, std::int64_t n,
                   std::int64_t k, cudaStream_t s);

}  // namespace reckon::bench::cuda
