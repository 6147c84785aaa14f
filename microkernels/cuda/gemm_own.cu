// Matrix products of our own in bf16, so that no figure hangs on a library: tensor cores by mma.sync, dense and
// grouped; a skinny one that reads the weights once; on Hopper by wgmma (wgmma.cu).
#include <algorithm>

#include "gemm_case.hpp"
#include "layout.hpp"
#include "mma.cuh"
#include "wgmma.hpp"

namespace reckon::bench::cuda {
namespace {

// A block: 128 × 128 of C, eight warps of 64 × 32, four stages of depth 32. Rows of a stage are 80 bytes apart, so that
// eight of them lie in different banks.
constexpr int kTile = 128, kDepth = 32, kPitch = kDepth + 8, kStages = 4, kThreads = 256;
constexpr int kStageElements = 2 * kTile * kPitch;
constexpr std::size_t kShared = sizeof(bf16) * kStages * kStageElements;

__device__ inline void load_stage(bf16* stage, const bf16* a, const bf16* w, std::int64_t m,
                                  std::int64_t n, std::int64_t k, std::int64_t row,
                                  std::int64_t column, std::int64_t depth) {
  for (int i = static_cast<int>(threadIdx.x); i < kTile * kDepth / 8; i += kThreads) {
    const int r = i / (kDepth / 8), c = i % (kDepth / 8) * 8;
    const std::int64_t ra = min(row + r, m - 1), rw = min(column + r, n - 1);
    copy_later(stage + r * kPitch + c, a + ra * k + depth + c, row + r < m);
    copy_later(stage + (kTile + r) * kPitch + c, w + rw * k + depth + c, column + r < n);
  }
}

__global__ void __launch_bounds__(kThreads)
    mma_kernel(const bf16* a, const bf16* w, bf16* c, std::int64_t m, std::int64_t n,
               std::int64_t k) {
  extern __shared__ __align__(16) unsigned char shared[];
  bf16* const stages = reinterpret_cast<bf16*>(shared);
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  const int warp_row = warp / 4 * 64, warp_column = warp % 4 * 32;
  const std::int64_t group = blockIdx.z;
  a += group * m * k;
  w += group * n * k;
  c += group * m * n;
  const std::int64_t row = std::int64_t{blockIdx.y} * kTile,
                     column = std::int64_t{blockIdx.x} * kTile;
  float sum[4][4][4] = {};
  const int steps = static_cast<int>(k / kDepth);
  for (int s = 0; s < kStages - 1; ++s) {
    if (s < steps) load_stage(stages + s * kStageElements, a, w, m, n, k, row, column, s * kDepth);
    close_copies();
  }
  for (int step = 0; step < steps; ++step) {
    wait_copies<kStages - 2>();
    __syncthreads();
    const int ahead = step + kStages - 1;
    if (ahead < steps)
      load_stage(stages + ahead % kStages * kStageElements, a, w, m, n, k, row, column,
                 std::int64_t{ahead} * kDepth);
    close_copies();
    const bf16* left = stages + step % kStages * kStageElements;
    const bf16* right = left + kTile * kPitch;
#pragma unroll
    for (int d = 0; d < kDepth; d += 16) {
      std::uint32_t x[4][4], y[2][4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        load_matrices(x[i], left + (warp_row + i * 16 + a_row(lane)) * kPitch + d + a_column(lane));
#pragma unroll
      for (int j = 0; j < 2; ++j)
        load_matrices(y[j],
                      right + (warp_column + j * 16 + b_row(lane)) * kPitch + d + b_column(lane));
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
          multiply_add(sum[i][j], x[i], y[j / 2][j % 2 * 2], y[j / 2][j % 2 * 2 + 1]);
    }
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const std::int64_t at_column = column + warp_column + accumulator_column(lane, 4 * j);
      for (int half = 0; half < 2; ++half) {
        const std::int64_t at_row = row + warp_row + i * 16 + accumulator_row(lane, 2 * half);
        if (at_row >= m || at_column >= n) continue;
        *reinterpret_cast<std::uint32_t*>(c + at_row * n + at_column) =
            pack(sum[i][j][2 * half], sum[i][j][2 * half + 1]);
      }
    }
}

// Few rows: a warp reads two rows of the weights once, 16 bytes a lane, for all M rows of A.
constexpr int kSkinnyThreads = 256, kColumns = 2;

template <int M>
__global__ void __launch_bounds__(kSkinnyThreads)
    skinny_kernel(const bf16* a, const bf16* w, bf16* c, int n, int k) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int first =
      static_cast<int>(blockIdx.x * (kSkinnyThreads / 32) + threadIdx.x / 32) * kColumns;
  if (first >= n) return;
  float sum[kColumns][M] = {};
#pragma unroll 4
  for (int d = lane * 8; d < k; d += 256) {
    uint4 y[kColumns];
#pragma unroll
    for (int j = 0; j < kColumns; ++j)
      y[j] = __ldcs(reinterpret_cast<const uint4*>(w + std::int64_t{first + j} * k + d));
#pragma unroll
    for (int i = 0; i < M; ++i) {
      const uint4 x = *reinterpret_cast<const uint4*>(a + std::int64_t{i} * k + d);
      const auto* px = reinterpret_cast<const __nv_bfloat162*>(&x);
#pragma unroll
      for (int j = 0; j < kColumns; ++j) {
        const auto* py = reinterpret_cast<const __nv_bfloat162*>(&y[j]);
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const float2 u = __bfloat1622float2(px[e]), v = __bfloat1622float2(py[e]);
          sum[j][i] += u.x * v.x + u.y * v.y;
        }
      }
    }
  }
#pragma unroll
  for (int j = 0; j < kColumns; ++j)
#pragma unroll
    for (int i = 0; i < M; ++i) {
      for (int step = 16; step > 0; step /= 2)
        sum[j][i] += __shfl_down_sync(0xffffffffU, sum[j][i], step);
      if (lane == 0) c[std::int64_t{i} * n + first + j] = __float2bfloat16(sum[j][i]);
    }
}

class MmaGemm final : public GemmCase {
 public:
  MmaGemm(Gpu& gpu, const Problem& p) : GemmCase(gpu, p, Dtype::kBf16) {
    must(cudaFuncSetAttribute(mma_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              static_cast<int>(kShared)),
         "shared memory");
  }

 private:
  void multiply(const void* a, const void* w, void* c, cudaStream_t s) override {
    const auto tiles = [](std::int64_t x) {
      return static_cast<unsigned>((x + kTile - 1) / kTile);
    };
    const dim3 blocks(tiles(x_.n), tiles(x_.m), static_cast<unsigned>(x_.groups));
    mma_kernel<<<blocks, kThreads, kShared, s>>>(static_cast<const bf16*>(a),
                                                 static_cast<const bf16*>(w), static_cast<bf16*>(c),
                                                 x_.m, x_.n, x_.k);
  }
};

class SkinnyGemm final : public GemmCase {
 public:
  SkinnyGemm(Gpu& gpu, const Problem& p) : GemmCase(gpu, p, Dtype::kBf16) {}

 private:
  void multiply(const void* a, const void* w, void* c, cudaStream_t s) override {
    constexpr int kEach = kSkinnyThreads / 32 * kColumns;
    const int n = static_cast<int>(x_.n), k = static_cast<int>(x_.k);
    const auto go = [&](auto kernel) {
      kernel<<<(n + kEach - 1) / kEach, kSkinnyThreads, 0, s>>>(
          static_cast<const bf16*>(a), static_cast<const bf16*>(w), static_cast<bf16*>(c), n, k);
    };
    switch (x_.m) {
      case 1:
        return go(skinny_kernel<1>);
      case 2:
        return go(skinny_kernel<2>);
      case 4:
        return go(skinny_kernel<4>);
      default:
        return go(skinny_kernel<8>);
    }
  }
};

class WgmmaGemm final : public GemmCase {
 public:
  WgmmaGemm(Gpu& gpu, const Problem& p) : GemmCase(gpu, p, Dtype::kBf16) {}

 private:
  void multiply(const void* a, const void* w, void* c, cudaStream_t s) override {
    wgmma_product(a, w, c, x_.m, x_.n, x_.k, s);
  }
};

std::string fault_of_shape(const Problem& p) {
  const std::int64_t m = p.size("m"), n = p.size("n"), k = p.size("k");
  if (p.dtype != "bf16") return "our own products are in bf16";
  if (p.library == "skinny")
    return (m == 1 || m == 2 || m == 4 || m == 8) && n % kColumns == 0 && k % 256 == 0
               ? ""
               : "skinny: m of 1, 2, 4 or 8, k a multiple of 256";
  if (p.library == "wgmma")
    return m % kWgmmaRows == 0 && n % kWgmmaColumns == 0 && k % kWgmmaDepth == 0
               ? ""
               : "wgmma: m a multiple of 128, n of 256, k of 64";
  if (p.library != "mma") return "no library '" + p.library + "': cuBLASLt, mma, wgmma or skinny";
  return n % 8 == 0 && k % kDepth == 0 ? "" : "mma: n a multiple of 8, k of 32";
}

}  // namespace

Prepared prepare_own_gemm(Gpu& gpu, const Problem& p, Refusal& refusal, std::string& why) {
  const std::string fault = fault_of_shape(p);
  if (!fault.empty()) return refuse(refusal, why, fault);
  if (p.op == "grouped-gemm" && p.library != "mma")
    return refuse(refusal, why, "grouped products: library mma");
  if (gpu.sm < 80) return refuse(refusal, why, "bf16 tensor cores need sm_80 or newer");
  if (p.library == "wgmma" && (gpu.sm != 90 || !has_wgmma()))
    return refuse(refusal, why, "wgmma needs a Hopper GPU and a build for sm_90a");
  std::unique_ptr<GemmCase> c;
  if (p.library == "wgmma")
    c = std::make_unique<WgmmaGemm>(gpu, p);
  else if (p.library == "skinny")
    c = std::make_unique<SkinnyGemm>(gpu, p);
  else
    c = std::make_unique<MmaGemm>(gpu, p);
  if (!c->allocate(0, refusal, why)) return nullptr;
  return c;
}

}  // namespace reckon::bench::cuda
