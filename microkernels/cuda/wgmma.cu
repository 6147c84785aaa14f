#include <cuda.h>

#include "mma.cuh"
#include "wgmma.hpp"

namespace reckon::bench::cuda {
namespace {

constexpr int kStages = 4, kThreads = 3 * 128;
constexpr int kBytesA = kWgmmaRows * kWgmmaDepth * 2, kBytesB = kWgmmaColumns * kWgmmaDepth * 2;
constexpr int kStageBytes = kBytesA + kBytesB;
constexpr int kShared = kStages * kStageBytes + 1024 + 2 * kStages * 8;
// Blocks that share columns run together, so that what they read stays in the second cache. (sm_90a only)
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
__device__ inline void arrive(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
               : "memory");
}
__device__ inline void wait(std::uint64_t* barrier, unsigned parity) {
  asm volatile(
      "{\n.reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra.uni out;\n"
      "bra.uni again;\n"
      "out:\n}" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
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

// A matrix in shared memory: rows of 128 swizzled bytes, groups of eight rows 1024 bytes apart.
__device__ inline std::uint64_t describe(const void* p) {
  std::uint64_t d = (shared_address(p) & 0x3ffffU) >> 4;
  d |= std::uint64_t{1} << 16;          // leading offset: not used with this swizzle
  d |= std::uint64_t{1024 >> 4} << 32;  // from eight rows to the next eight
  d |= std::uint64_t{1} << 62;          // swizzle of 128 bytes
  return d;
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
};

__device__ inline void produce(const Ring& r, const CUtensorMap* a, const CUtensorMap* w, int steps,
                               int row, int column) {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
  if (threadIdx.x != 0) return;
  for (int i = 0; i < steps; ++i) {
    const int s = i % kStages;
    if (i >= kStages) wait(r.empty + s, static_cast<unsigned>(i / kStages - 1) % 2);
    expect(r.full + s, kStageBytes);
    unsigned char* stage = r.stages + s * kStageBytes;
    fetch(stage, a, i * kWgmmaDepth, row, r.full + s);
    fetch(stage + kBytesA, w, i * kWgmmaDepth, column, r.full + s);
  }
}

__device__ inline void consume(const Ring& r, bf16* c, int steps, std::int64_t n, int row,
                               int column) {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  const int group = static_cast<int>(threadIdx.x / 128) - 1;
  const int thread = static_cast<int>(threadIdx.x % 128);
  float sum[128] = {};
  for (int i = 0; i < steps; ++i) {
    const int s = i % kStages;
    wait(r.full + s, static_cast<unsigned>(i / kStages) % 2);
    const unsigned char* stage = r.stages + s * kStageBytes;
    const std::uint64_t left = describe(stage + group * 64 * 128);
    const std::uint64_t right = describe(stage + kBytesA);
    fence();
#pragma unroll
    for (int d = 0; d < kWgmmaDepth / 16; ++d)  // 32 bytes along the swizzled rows
      multiply(sum, left + 2 * d, right + 2 * d);
    commit();
    wait_products<1>();  // the step before is done: its stage is free
    if (i > 0 && thread == 0) arrive(r.empty + (i - 1) % kStages);
  }
  wait_products<0>();
  const int first = row + group * 64 + thread / 32 * 16 + thread % 32 / 4;
#pragma unroll
  for (int j = 0; j < 32; ++j) {
    bf16* to = c + std::int64_t{first} * n + column + j * 8 + thread % 4 * 2;
    *reinterpret_cast<std::uint32_t*>(to) = pack(sum[4 * j], sum[4 * j + 1]);
    *reinterpret_cast<std::uint32_t*>(to + 8 * n) = pack(sum[4 * j + 2], sum[4 * j + 3]);
  }
}

#endif

__global__ void __launch_bounds__(kThreads)
    wgmma_kernel([[maybe_unused]] const __grid_constant__ CUtensorMap a,
                 [[maybe_unused]] const __grid_constant__ CUtensorMap w, [[maybe_unused]] bf16* c,
                 [[maybe_unused]] std::int64_t n, [[maybe_unused]] int steps,
                 [[maybe_unused]] unsigned rows) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ unsigned char raw[];
  unsigned char* aligned = raw + (1024 - shared_address(raw) % 1024) % 1024;
  auto* barriers = reinterpret_cast<std::uint64_t*>(aligned + kStages * kStageBytes);
  const Ring ring{aligned, barriers, barriers + kStages};
  // Down a band of kBand rows of blocks, then the next column of it.
  const unsigned columns = gridDim.x / rows, band = blockIdx.x / (kBand * columns);
  const unsigned tall = min(kBand, rows - band * kBand), in_band = blockIdx.x % (kBand * columns);
  const int row = static_cast<int>((band * kBand + in_band % tall) * kWgmmaRows);
  const int column = static_cast<int>(in_band / tall * kWgmmaColumns);
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      begin(ring.full + s, 1);
      begin(ring.empty + s, 2);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x < 128)
    produce(ring, &a, &w, steps, row, column);
  else
    consume(ring, c, steps, n, row, column);
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
  static const bool once = [] {
    must(cudaFuncSetAttribute(wgmma_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared),
         "shared memory");
    return true;
  }();
  static_cast<void>(once);
  const auto rows = static_cast<unsigned>(m / kWgmmaRows);
  const auto columns = static_cast<unsigned>(n / kWgmmaColumns);
  wgmma_kernel<<<rows * columns, kThreads, kShared, s>>>(
      map_of(a, m, k, kWgmmaRows), map_of(w, n, k, kWgmmaColumns), static_cast<bf16*>(c), n,
      static_cast<int>(k / kWgmmaDepth), rows);
}

}  // namespace reckon::bench::cuda
