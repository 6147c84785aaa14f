#include <cuda.h>

#include <algorithm>

#include "layout.hpp"
#include "mma.cuh"
#include "ring.hpp"
#include "wgmma.hpp"

namespace reckon::bench::cuda {
namespace {

constexpr int kThreads = 128 + kReadingWarps * 32;
constexpr int kBytesA = kWgmmaRows * kWgmmaDepth * 2, kBytesB = kWgmmaColumns * kWgmmaDepth * 2;
constexpr int kStageBytes = kBytesA + kBytesB;
constexpr int kShared = kRingStages * kStageBytes + 1024 + 2 * kRingStages * 8;
// Rows of tiles whose blocks run together, so that what they read stays in the second cache. (sm_90a only)
[[maybe_unused]] constexpr unsigned kBand = 16;

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

__device__ inline void begin(std::uint64_t* barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals));
}
__device__ inline void expect(std::uint64_t* barrier, unsigned bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}
// Also of arrivals by other blocks of the cluster.
__device__ inline void wait(std::uint64_t* barrier, unsigned parity) {
  asm volatile(
      "{\n.reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
      "@done bra out;\n"
      "bra again;\n"
      "out:\n}" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}
// At the barrier that lies there in another block of the cluster, or in this one.
__device__ inline void arrive_at(std::uint64_t* barrier, int block) {
  asm volatile(
      "{\n.reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}" ::"r"(
          shared_address(barrier)),
      "r"(block)
      : "memory");
}
// All threads of all its blocks. A warp whose first lane alone has been at work comes together before.
__device__ inline void meet_cluster() {
  __syncwarp();
  asm volatile(
      "barrier.cluster.arrive.release.aligned;\n"
      "barrier.cluster.wait.acquire.aligned;" ::
          : "memory");
}
__device__ inline unsigned block_of_cluster() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// A box of the matrix, its rows of 128 bytes swizzled, to shared memory.
__device__ inline void fetch(void* to, const CUtensorMap* map, int depth, int row,
                             std::uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, "
      "{%3, %4}], [%2];" ::"r"(shared_address(to)),
      "l"(reinterpret_cast<std::uint64_t>(map)), "r"(shared_address(barrier)), "r"(depth), "r"(row)
      : "memory");
}
// The same to the same place of every block in the mask, each of which counts it at its own barrier.
__device__ inline void fetch_for_all(void* to, const CUtensorMap* map, int depth, int row,
                                     std::uint64_t* barrier, std::uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(shared_address(to)),
      "l"(reinterpret_cast<std::uint64_t>(map)), "r"(shared_address(barrier)), "r"(depth), "r"(row),
      "h"(blocks)
      : "memory");
}

// 64 × 256 += 64 × 16 times 16 × 256.
__device__ inline void multiply(float (&c)[128], std::uint64_t a, std::uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
      "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, "
      "%127}, "
      "%128, %129, 1, 1, 1, 0, 0;"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]),
        "+f"(c[7]), "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]),
        "+f"(c[14]), "+f"(c[15]), "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]),
        "+f"(c[21]), "+f"(c[22]), "+f"(c[23]), "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]),
        "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31]), "+f"(c[32]), "+f"(c[33]), "+f"(c[34]),
        "+f"(c[35]), "+f"(c[36]), "+f"(c[37]), "+f"(c[38]), "+f"(c[39]), "+f"(c[40]), "+f"(c[41]),
        "+f"(c[42]), "+f"(c[43]), "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47]), "+f"(c[48]),
        "+f"(c[49]), "+f"(c[50]), "+f"(c[51]), "+f"(c[52]), "+f"(c[53]), "+f"(c[54]), "+f"(c[55]),
        "+f"(c[56]), "+f"(c[57]), "+f"(c[58]), "+f"(c[59]), "+f"(c[60]), "+f"(c[61]), "+f"(c[62]),
        "+f"(c[63]), "+f"(c[64]), "+f"(c[65]), "+f"(c[66]), "+f"(c[67]), "+f"(c[68]), "+f"(c[69]),
        "+f"(c[70]), "+f"(c[71]), "+f"(c[72]), "+f"(c[73]), "+f"(c[74]), "+f"(c[75]), "+f"(c[76]),
        "+f"(c[77]), "+f"(c[78]), "+f"(c[79]), "+f"(c[80]), "+f"(c[81]), "+f"(c[82]), "+f"(c[83]),
        "+f"(c[84]), "+f"(c[85]), "+f"(c[86]), "+f"(c[87]), "+f"(c[88]), "+f"(c[89]), "+f"(c[90]),
        "+f"(c[91]), "+f"(c[92]), "+f"(c[93]), "+f"(c[94]), "+f"(c[95]), "+f"(c[96]), "+f"(c[97]),
        "+f"(c[98]), "+f"(c[99]), "+f"(c[100]), "+f"(c[101]), "+f"(c[102]), "+f"(c[103]),
        "+f"(c[104]), "+f"(c[105]), "+f"(c[106]), "+f"(c[107]), "+f"(c[108]), "+f"(c[109]),
        "+f"(c[110]), "+f"(c[111]), "+f"(c[112]), "+f"(c[113]), "+f"(c[114]), "+f"(c[115]),
        "+f"(c[116]), "+f"(c[117]), "+f"(c[118]), "+f"(c[119]), "+f"(c[120]), "+f"(c[121]),
        "+f"(c[122]), "+f"(c[123]), "+f"(c[124]), "+f"(c[125]), "+f"(c[126]), "+f"(c[127])
      : "l"(a), "l"(b));
}

__device__ inline void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int N>
__device__ inline void wait_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}

struct Ring {
  unsigned char* stages;
  std::uint64_t *full, *empty;
  __device__ unsigned char* stage(unsigned use) const {
    return stages + stage_of(use) * kStageBytes;
  }
};

// What a block has to do: its share of the tiles, of which those of a cluster's blocks lie below one another.
template <int kCluster>
struct Work {
  unsigned rows, columns, rank;
  int steps;
  __device__ unsigned tiles() const { return rows / kCluster * columns; }
  __device__ unsigned first() const { return blockIdx.x / kCluster; }
  __device__ unsigned stride() const { return gridDim.x / kCluster; }
  __device__ Tile at(unsigned index) const {
    Tile t = tile_of(index, rows / kCluster, columns, kBand / kCluster);
    t.row = (t.row * kCluster + rank) * kWgmmaRows;
    t.column *= kWgmmaColumns;
    return t;
  }
};

// One thread loads: its own rows of A, and its part of W's for all blocks of the cluster, which have the same columns.
template <int kCluster>
__device__ inline void produce(const Ring& r, const CUtensorMap* a, const CUtensorMap* w,
                               const Work<kCluster>& work) {
  constexpr int kPart = kWgmmaColumns / kCluster;
  constexpr auto kAll = static_cast<std::uint16_t>((1 << kCluster) - 1);
  const int part = static_cast<int>(work.rank) * kPart;
  unsigned use = 0;
  for (unsigned tile = work.first(); tile < work.tiles(); tile += work.stride()) {
    const Tile at = work.at(tile);
    for (int i = 0; i < work.steps; ++i, ++use) {
      if (must_wait(use)) wait(r.empty + stage_of(use), freed(use));
      std::uint64_t* full = r.full + stage_of(use);
      expect(full, kStageBytes);
      unsigned char* stage = r.stage(use);
      fetch(stage, a, i * kWgmmaDepth, static_cast<int>(at.row), full);
      const int column = static_cast<int>(at.column) + part;
      unsigned char* to = stage + kBytesA + part * kRowBytes;
      if constexpr (kCluster == 1)
        fetch(to, w, i * kWgmmaDepth, column, full);
      else
        fetch_for_all(to, w, i * kWgmmaDepth, column, full, kAll);
    }
  }
}

// What a warp has read may be overwritten by every block that loads here.
template <int kCluster>
__device__ inline void release(const Ring& r, unsigned use) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  if (lane < kCluster) arrive_at(r.empty + stage_of(use), lane);
}

template <int kCluster>
__device__ inline void consume(const Ring& r, bf16* c, std::int64_t n, const Work<kCluster>& work) {
  const int group = static_cast<int>(threadIdx.x / 128) - 1;
  const int thread = static_cast<int>(threadIdx.x % 128);
  unsigned use = 0;
  for (unsigned tile = work.first(); tile < work.tiles(); tile += work.stride()) {
    float sum[128];
#pragma unroll
    for (float& x : sum) x = 0;
    for (int i = 0; i < work.steps; ++i, ++use) {
      wait(r.full + stage_of(use), filled(use));
      const unsigned char* stage = r.stage(use);
      const std::uint64_t left = operand(shared_address(stage + group * 64 * kRowBytes));
      const std::uint64_t right = operand(shared_address(stage + kBytesA));
      fence();
#pragma unroll
      for (int d = 0; d < kWgmmaDepth / 16; ++d) multiply(sum, deeper(left, d), deeper(right, d));
      commit();
      wait_products<1>();  // the step before is done: its stage is free
      if (i > 0) release<kCluster>(r, use - 1);
    }
    wait_products<0>();
    release<kCluster>(r, use - 1);
    const Tile at = work.at(tile);
    bf16* to = c + (std::int64_t{at.row} + group * 64 + accumulator_row(thread, 0)) * n + at.column;
#pragma unroll
    for (int j = 0; j < 128; j += 4) {
      bf16* pair = to + accumulator_column(thread, j);
      *reinterpret_cast<std::uint32_t*>(pair) = pack(sum[j], sum[j + 1]);
      *reinterpret_cast<std::uint32_t*>(pair + 8 * n) = pack(sum[j + 2], sum[j + 3]);
    }
  }
}

#endif

// Registers of a thread: 168 at the start, since 384 of them share 65536; the loading warps give theirs to the others.
template <int kCluster>
__global__ void __launch_bounds__(kThreads, 1)
    wgmma_kernel([[maybe_unused]] const __grid_constant__ CUtensorMap a,
                 [[maybe_unused]] const __grid_constant__ CUtensorMap w, [[maybe_unused]] bf16* c,
                 [[maybe_unused]] std::int64_t n, [[maybe_unused]] int steps,
                 [[maybe_unused]] unsigned rows, [[maybe_unused]] unsigned columns) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ unsigned char raw[];
  unsigned char* aligned = raw + (1024 - shared_address(raw) % 1024) % 1024;
  auto* barriers = reinterpret_cast<std::uint64_t*>(aligned + kRingStages * kStageBytes);
  const Ring ring{aligned, barriers, barriers + kRingStages};
  const Work<kCluster> work{rows, columns, kCluster == 1 ? 0 : block_of_cluster(), steps};
  if (threadIdx.x == 0) {
    for (int s = 0; s < kRingStages; ++s) {
      begin(ring.full + s, 1);
      begin(ring.empty + s, arrivals_to_free(kCluster));
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  // No block of the cluster may load into another, or arrive there, before its barriers are; nor after it is gone.
  __syncthreads();
  if constexpr (kCluster > 1) meet_cluster();
  if (threadIdx.x < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0) produce(ring, &a, &w, work);
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    consume(ring, c, n, work);
  }
  if constexpr (kCluster > 1) meet_cluster();
#endif
}

// The driver's encoder, found without linking against the driver.
using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                            const cuuint64_t*, const cuuint32_t*, const cuuint32_t*,
                            CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                            CUtensorMapFloatOOBfill);

Encode encoder() {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  constexpr unsigned kSince = 12000;
  must(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, kSince, cudaEnableDefault,
                                        &result),
       "cuTensorMapEncodeTiled");
  if (result != cudaDriverEntryPointSuccess || !found)
    throw Failure("the driver has no cuTensorMapEncodeTiled");
  return reinterpret_cast<Encode>(found);
}

// A row-major matrix of bf16, read in boxes of `rows` × 64.
CUtensorMap map_of(const void* p, std::int64_t height, std::int64_t width, int rows) {
  static const Encode encode = encoder();
  CUtensorMap map{};
  const cuuint64_t sizes[] = {static_cast<cuuint64_t>(width), static_cast<cuuint64_t>(height)};
  const cuuint64_t strides[] = {static_cast<cuuint64_t>(2 * width)};
  const cuuint32_t box[] = {kWgmmaDepth, static_cast<cuuint32_t>(rows)}, steps[] = {1, 1};
  const CUresult r =
      encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<void*>(p), sizes, strides, box,
             steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (r != CUDA_SUCCESS) throw Failure("cuTensorMapEncodeTiled: error " + std::to_string(r));
  return map;
}

// As many blocks as the device holds at once: each takes tile after tile.
template <int kCluster>
cudaLaunchConfig_t config_of(unsigned tiles, cudaStream_t s, cudaLaunchAttribute& cluster) {
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {kCluster, 1, 1};
  cudaLaunchConfig_t config{};
  config.blockDim = dim3(kThreads);
  config.dynamicSmemBytes = kShared;
  config.stream = s;
  config.attrs = &cluster;
  config.numAttrs = 1;
  config.gridDim = dim3(kCluster);
  static const int most = [&config] {
    must(cudaFuncSetAttribute(wgmma_kernel<kCluster>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              kShared),
         "shared memory");
    int clusters = 0;
    must(cudaOccupancyMaxActiveClusters(&clusters, wgmma_kernel<kCluster>, &config), "clusters");
    if (clusters < 1) throw Failure("wgmma: no block of it fits on this device");
    return clusters;
  }();
  config.gridDim = dim3(std::min(tiles, static_cast<unsigned>(most)) * kCluster);
  return config;
}

template <int kCluster>
void product(const void* a, const void* w, void* c, std::int64_t m, std::int64_t n, std::int64_t k,
             cudaStream_t s) {
  const auto rows = static_cast<unsigned>(m / kWgmmaRows);
  const auto columns = static_cast<unsigned>(n / kWgmmaColumns);
  cudaLaunchAttribute cluster{};
  const cudaLaunchConfig_t config = config_of<kCluster>(rows / kCluster * columns, s, cluster);
  must(cudaLaunchKernelEx(&config, wgmma_kernel<kCluster>, map_of(a, m, k, kWgmmaRows),
                          map_of(w, n, k, kWgmmaColumns / kCluster), static_cast<bf16*>(c), n,
                          static_cast<int>(k / kWgmmaDepth), rows, columns),
       "wgmma");
}

}  // namespace

bool has_wgmma() {
#ifdef RECKON_HAS_SM90A
  return true;
#else
  return false;
#endif
}

void wgmma_product(const void* a, const void* w, void* c, std::int64_t m, std::int64_t n,
                   std::int64_t k, cudaStream_t s) {
  // Two blocks that share columns load half of W each for both: 32 KB a step in place of 48, with which the chip at
  // full rate would ask its second cache for 6.3 KB a clock. NVIDIA states 5120 bytes for the A100's.
  const auto run = m / kWgmmaRows % 2 == 0 ? product<2> : product<1>;
  run(a, w, c, m, n, k, s);
}

}  // namespace reckon::bench::cuda
