// Attention kernels of our own in bf16, heads of 64 or 128: a prompt over itself, and one new token a sequence over a
// paged cache. Sums in fp32, products by mma.sync, keys and values by asynchronous copies: what bounds the second is
// the memory.
#pragma once

#include "mma.cuh"

namespace reckon::bench::cuda {

inline constexpr int kPage =
    64;  // tokens of a page of the cache; also the tile that a block reads at once

// Causal: queries [batch][length][heads][d] at `q_stride` elements a token, keys and values alike with `kv_stride`.
void prompt_attention(const bf16* q, const bf16* keys, const bf16* values, bf16* out, int batch,
                      int length, int heads, int kv_heads, int d, std::int64_t q_stride,
                      std::int64_t kv_stride, std::int64_t out_stride, cudaStream_t s);

// One query a head and sequence, [batch][heads][d] at `q_stride` elements a sequence. The cache: pages of
// [kv_heads][kPage][d]; pages[sequence][i] is where tokens [i·kPage, …) lie. `work`: decode_work() floats.
void decode_attention(const bf16* q, const bf16* keys, const bf16* values, const int* pages,
                      bf16* out, float* work, int batch, int length, int heads, int kv_heads, int d,
                      std::int64_t q_stride, int sms, cudaStream_t s);
std::int64_t decode_work(int batch, int length, int heads, int kv_heads, int d, int sms);

}  // namespace reckon::bench::cuda
