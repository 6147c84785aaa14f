// The tensor-core instructions of sm_80 and newer, for bf16: loads of fragments, the product, asynchronous copies.
//
// Fragments of m16n8k16: with g = lane/4 and t = lane%4, a thread holds of A rows g and g + 8, columns 2t, 2t + 1 and
// those + 8; of B column g, rows 2t, 2t + 1 and those + 8; of C rows g and g + 8, columns 2t, 2t + 1.
#pragma once

#include <cstdint>

#include "numbers.cuh"

namespace reckon::bench::cuda {

__device__ inline std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

// Four 8 × 8 matrices; lane i gives the row i%8 of matrix i/8.
__device__ inline void load_matrices(std::uint32_t (&r)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(row)));
}
__device__ inline void load_matrices_turned(std::uint32_t (&r)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(row)));
}

__device__ inline void multiply_add(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                    std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// 16 bytes to shared memory; zeros where `there` is false.
__device__ inline void copy_later(void* to, const void* from, bool there) {
  const int bytes = there ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from),
               "r"(bytes));
}
__device__ inline void close_copies() { asm volatile("cp.async.commit_group;"); }
// Until at most N groups are under way.
template <int N>
__device__ inline void wait_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(N));
}

__device__ inline std::uint32_t pack(float low, float high) {
  const __nv_bfloat162 v = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&v);
}

}  // namespace reckon::bench::cuda
