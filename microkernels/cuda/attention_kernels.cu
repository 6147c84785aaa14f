#include <algorithm>

#include "attention.cuh"
#include "layout.hpp"
#include "splits.hpp"

namespace reckon::bench::cuda {
namespace {

constexpr int kWarps = 4, kThreads = 32 * kWarps;
constexpr float kNone = -1e30F;

// Elements between rows in shared memory: 16 bytes more than a row, so that eight rows lie in different banks.
template <int D>
constexpr int kPitch = D + 8;

// A tile of kPage rows; rows from `rows` on are zeros.
template <int D>
__device__ inline void load_tile(bf16* to, const bf16* from, std::int64_t stride, int rows) {
  for (int i = static_cast<int>(threadIdx.x); i < kPage * D / 8; i += kThreads) {
    const int r = i / (D / 8), c = i % (D / 8) * 8;
    copy_later(to + r * kPitch<D> + c, from + std::int64_t{min(r, rows - 1)} * stride + c,
               r < rows);
  }
}

// Sixteen queries of one warp: their fragments, running largest score, sum, and output.
template <int D>
struct Rows {
  std::uint32_t q[D / 16][4];
  float largest[2] = {kNone, kNone}, sum[2] = {0, 0};
  float out[D / 8][4] = {};

  __device__ void load(const bf16* tile) {  // 16 rows in shared memory
    const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
    for (int i = 0; i < D / 16; ++i)
      load_matrices(q[i], tile + a_row(lane) * kPitch<D> + i * 16 + a_column(lane));
  }

  // Scores against N keys from `keys`, in the base-2 exponent's scale.
  template <int N>
  __device__ void score(float (&s)[N / 8][4], const bf16* keys, float scale) const {
    const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
    for (int j = 0; j < N / 8; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) s[j][e] = 0;
#pragma unroll
    for (int i = 0; i < D / 16; ++i)
#pragma unroll
      for (int j = 0; j < N / 16; ++j) {
        std::uint32_t k[4];
        load_matrices(k, keys + (j * 16 + b_row(lane)) * kPitch<D> + i * 16 + b_column(lane));
        multiply_add(s[2 * j], q[i], k[0], k[1]);
        multiply_add(s[2 * j + 1], q[i], k[2], k[3]);
      }
#pragma unroll
    for (int j = 0; j < N / 8; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) s[j][e] *= scale;
  }

  // Weights of N scores, and their values added to the output.
  template <int N>
  __device__ void add(float (&s)[N / 8][4], const bf16* values) {
    const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float most = largest[half];
#pragma unroll
      for (int j = 0; j < N / 8; ++j) most = fmaxf(most, fmaxf(s[j][2 * half], s[j][2 * half + 1]));
      most = fmaxf(most, __shfl_xor_sync(0xffffffffU, most, 1));
      most = fmaxf(most, __shfl_xor_sync(0xffffffffU, most, 2));
      const float shrink = exp2f(largest[half] - most);
      largest[half] = most;
      sum[half] *= shrink;
#pragma unroll
      for (int j = 0; j < D / 8; ++j) {
        out[j][2 * half] *= shrink;
        out[j][2 * half + 1] *= shrink;
      }
#pragma unroll
      for (int j = 0; j < N / 8; ++j)
#pragma unroll
        for (int e = 2 * half; e < 2 * half + 2; ++e) {
          // A row that has seen nothing yet must not weigh what is masked.
          s[j][e] = s[j][e] <= kNone ? 0 : exp2f(s[j][e] - most);
          sum[half] += s[j][e];
        }
    }
#pragma unroll
    for (int i = 0; i < N / 16; ++i) {
      const std::uint32_t p[4] = {pack(s[2 * i][0], s[2 * i][1]), pack(s[2 * i][2], s[2 * i][3]),
                                  pack(s[2 * i + 1][0], s[2 * i + 1][1]),
                                  pack(s[2 * i + 1][2], s[2 * i + 1][3])};
#pragma unroll
      for (int j = 0; j < D / 16; ++j) {
        std::uint32_t v[4];
        load_matrices_turned(v,
                             values + (i * 16 + a_row(lane)) * kPitch<D> + j * 16 + a_column(lane));
        multiply_add(out[2 * j], p, v[0], v[1]);
        multiply_add(out[2 * j + 1], p, v[2], v[3]);
      }
    }
  }

  __device__ float total(int half) const {
    float x = sum[half];
    x += __shfl_xor_sync(0xffffffffU, x, 1);
    return x + __shfl_xor_sync(0xffffffffU, x, 2);
  }
};

// 64 queries of one head a block; keys and values in two stages.
template <int D>
__global__ void __launch_bounds__(kThreads)
    prompt_kernel(const bf16* q, const bf16* keys, const bf16* values, bf16* out, int length,
                  int heads, int group, std::int64_t q_stride, std::int64_t kv_stride,
                  std::int64_t out_stride, float scale) {
  extern __shared__ __align__(16) unsigned char shared[];
  constexpr int kTile = kPage * kPitch<D>;
  bf16* const tiles = reinterpret_cast<bf16*>(shared);  // queries; then keys and values, twice
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  // The longest rows first, so that the short ones fill the end.
  const int block = static_cast<int>(gridDim.x - 1 - blockIdx.x),
            head = static_cast<int>(blockIdx.y);
  const std::int64_t token = std::int64_t{blockIdx.z} * length;
  const int first = block * kPage;
  const auto later = [&](int tile) {
    const std::int64_t from = (token + std::int64_t{tile} * kPage) * kv_stride + head / group * D;
    bf16* stage = tiles + kTile * (1 + 2 * (tile % 2));
    load_tile<D>(stage, keys + from, kv_stride, length - tile * kPage);
    load_tile<D>(stage + kTile, values + from, kv_stride, length - tile * kPage);
    close_copies();
  };
  load_tile<D>(tiles, q + (token + first) * q_stride + head * D, q_stride, length - first);
  later(0);
  Rows<D> rows;
  for (int tile = 0; tile <= block; ++tile) {
    if (tile < block)
      later(tile + 1);
    else
      close_copies();
    wait_copies<1>();
    __syncthreads();
    if (tile == 0) rows.load(tiles + warp * 16 * kPitch<D>);
    const bf16* stage = tiles + kTile * (1 + 2 * (tile % 2));
    float s[kPage / 8][4];
    rows.template score<kPage>(s, stage, scale);
    if (tile == block) {  // the diagonal
#pragma unroll
      for (int j = 0; j < kPage / 8; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const int row = warp * 16 + accumulator_row(lane, e),
                    column = accumulator_column(lane, 4 * j + e);
          if (column > row) s[j][e] = kNone;
        }
    }
    rows.template add<kPage>(s, stage + kTile);
    __syncthreads();
  }
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = first + warp * 16 + accumulator_row(lane, 2 * half);
    const float one = 1 / rows.total(half);
    if (row >= length) continue;
    bf16* to = out + (token + row) * out_stride + head * D;
#pragma unroll
    for (int j = 0; j < D / 8; ++j)
      *reinterpret_cast<std::uint32_t*>(to + accumulator_column(lane, 4 * j)) =
          pack(one * rows.out[j][2 * half], one * rows.out[j][2 * half + 1]);
  }
}

constexpr int kStages = 3;

// The heads that share keys, as the 16 rows of a product; each warp takes 16 tokens of a page. Blocks of one sequence
// and kv head take `each` pages.
template <int D>
__global__ void __launch_bounds__(kThreads)
    decode_kernel(const bf16* q, const bf16* keys, const bf16* values, const int* pages,
                  float* work, int length, int heads, int kv_heads, std::int64_t q_stride, int each,
                  int page_slots, float scale) {
  extern __shared__ __align__(16) unsigned char shared[];
  constexpr int kTile = kPage * kPitch<D>;
  bf16* const tiles = reinterpret_cast<bf16*>(shared);
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  const int split = static_cast<int>(blockIdx.x), kv = static_cast<int>(blockIdx.y),
            sequence = static_cast<int>(blockIdx.z), group = heads / kv_heads;
  const int first = split * each, last = min(first + each, (length + kPage - 1) / kPage);
  const auto later = [&](int page) {
    if (page < last) {
      const std::int64_t at =
          (std::int64_t{pages[sequence * page_slots + page]} * kv_heads + kv) * kPage * D;
      bf16* stage = tiles + 2 * kTile * ((page - first) % kStages);
      // Behind the last token a page holds anything, and a weight of nothing times NaN is NaN.
      const int tokens = min(kPage, length - page * kPage);
      load_tile<D>(stage, keys + at, D, tokens);
      load_tile<D>(stage + kTile, values + at, D, tokens);
    }
    close_copies();
  };
  // Queries through the last stage, which is filled only after they have been read.
  bf16* const queries = tiles + 2 * kTile * (kStages - 1);
  load_tile<D>(queries, q + sequence * q_stride + std::int64_t{kv} * group * D, D, group);
  close_copies();
  for (int i = 0; i < kStages - 1; ++i) later(first + i);
  wait_copies<kStages - 1>();
  __syncthreads();
  Rows<D> rows;
  rows.load(queries);
  for (int page = first; page < last; ++page) {
    wait_copies<kStages - 2>();
    __syncthreads();
    later(page + kStages - 1);
    const bf16* stage = tiles + 2 * kTile * ((page - first) % kStages) + warp * 16 * kPitch<D>;
    float s[2][4];
    rows.template score<16>(s, stage, scale);
#pragma unroll
    for (int j = 0; j < 2; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e)
        if (page * kPage + warp * 16 + accumulator_column(lane, 4 * j + e) >= length)
          s[j][e] = kNone;
    rows.template add<16>(s, stage + kTile);
  }
  // Each warp's part: for each head D outputs, the largest score and the sum.
  const std::int64_t parts = std::int64_t{gridDim.x} * kWarps;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = accumulator_row(lane, 2 * half);
    const float sum = rows.total(half);
    if (row >= group) continue;
    float* to = work + ((std::int64_t{sequence} * heads + kv * group + row) * parts +
                        split * kWarps + warp) *
                           (D + 2);
#pragma unroll
    for (int j = 0; j < D / 8; ++j) {
      const int column = accumulator_column(lane, 4 * j);
      to[column] = rows.out[j][2 * half];
      to[column + 1] = rows.out[j][2 * half + 1];
    }
    if (lane % 4 == 0) {
      to[D] = rows.largest[half];
      to[D + 1] = sum;
    }
  }
}

// The parts of one head and sequence, one block of D threads.
template <int D>
__global__ void combine_kernel(const float* work, bf16* out, int parts) {
  const float* from = work + std::int64_t{blockIdx.x} * parts * (D + 2);
  float most = kNone, sum = 0, x = 0;
  for (int i = 0; i < parts; ++i) most = fmaxf(most, from[std::int64_t{i} * (D + 2) + D]);
  for (int i = 0; i < parts; ++i) {
    const float* part = from + std::int64_t{i} * (D + 2);
    const float weight = exp2f(part[D] - most);
    sum += weight * part[D + 1];
    x += weight * part[threadIdx.x];
  }
  out[std::int64_t{blockIdx.x} * D + threadIdx.x] = __float2bfloat16(x / sum);
}

Splits splits_for(int batch, int length, int kv_heads, int sms) {
  return splits_of((length + kPage - 1) / kPage, batch * kv_heads, sms);
}

float scale_of(int d) {
  constexpr float kLog2E = 1.4426950408889634F;
  return kLog2E / std::sqrt(static_cast<float>(d));
}

template <class Kernel>
void allow_shared(Kernel kernel, std::size_t bytes) {
  must(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                            static_cast<int>(bytes)),
       "shared memory");
}

template <int D>
void prompt_of(const bf16* q, const bf16* keys, const bf16* values, bf16* out, int batch,
               int length, int heads, int kv_heads, std::int64_t q_stride, std::int64_t kv_stride,
               std::int64_t out_stride, cudaStream_t s) {
  constexpr std::size_t kShared = sizeof(bf16) * 5 * kPage * kPitch<D>;
  allow_shared(prompt_kernel<D>, kShared);
  const dim3 blocks(static_cast<unsigned>((length + kPage - 1) / kPage),
                    static_cast<unsigned>(heads), static_cast<unsigned>(batch));
  prompt_kernel<D><<<blocks, kThreads, kShared, s>>>(q, keys, values, out, length, heads,
                                                     heads / kv_heads, q_stride, kv_stride,
                                                     out_stride, scale_of(D));
}

template <int D>
void decode_of(const bf16* q, const bf16* keys, const bf16* values, const int* pages, bf16* out,
               float* work, int batch, int length, int heads, int kv_heads, std::int64_t q_stride,
               int sms, cudaStream_t s) {
  constexpr std::size_t kShared = sizeof(bf16) * 2 * kStages * kPage * kPitch<D>;
  allow_shared(decode_kernel<D>, kShared);
  const int page_slots = (length + kPage - 1) / kPage;
  const Splits splits = splits_for(batch, length, kv_heads, sms);
  const dim3 blocks(static_cast<unsigned>(splits.count), static_cast<unsigned>(kv_heads),
                    static_cast<unsigned>(batch));
  decode_kernel<D><<<blocks, kThreads, kShared, s>>>(q, keys, values, pages, work, length, heads,
                                                     kv_heads, q_stride, splits.each, page_slots,
                                                     scale_of(D));
  combine_kernel<D><<<batch * heads, D, 0, s>>>(work, out, splits.count * kWarps);
}

}  // namespace

std::int64_t decode_work(int batch, int length, int heads, int kv_heads, int d, int sms) {
  return std::int64_t{batch} * heads * splits_for(batch, length, kv_heads, sms).count * kWarps *
         (d + 2);
}

void prompt_attention(const bf16* q, const bf16* keys, const bf16* values, bf16* out, int batch,
                      int length, int heads, int kv_heads, int d, std::int64_t q_stride,
                      std::int64_t kv_stride, std::int64_t out_stride, cudaStream_t s) {
  const auto run = d == 64 ? prompt_of<64> : prompt_of<128>;
  run(q, keys, values, out, batch, length, heads, kv_heads, q_stride, kv_stride, out_stride, s);
}

void decode_attention(const bf16* q, const bf16* keys, const bf16* values, const int* pages,
                      bf16* out, float* work, int batch, int length, int heads, int kv_heads, int d,
                      std::int64_t q_stride, int sms, cudaStream_t s) {
  const auto run = d == 64 ? decode_of<64> : decode_of<128>;
  run(q, keys, values, pages, out, work, batch, length, heads, kv_heads, q_stride, sms, s);
}

}  // namespace reckon::bench::cuda
