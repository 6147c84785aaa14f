// Numbers of each format on the device.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "device.hpp"

namespace reckon::bench::cuda {

using bf16 = __nv_bfloat16;

template <class T>
__device__ inline T to(float x) {
  return T(x);
}
template <>
__device__ inline float to<float>(float x) {
  return x;
}

// Calls f with a null pointer of the format's type.
template <class F>
void with_type(Dtype t, F f) {
  switch (t) {
    case Dtype::kBf16:
      return f(static_cast<bf16*>(nullptr));
    case Dtype::kFp16:
      return f(static_cast<__half*>(nullptr));
    case Dtype::kFp8:
      return f(static_cast<__nv_fp8_e4m3*>(nullptr));
    case Dtype::kTf32:
    case Dtype::kFp32:
      return f(static_cast<float*>(nullptr));
  }
}

}  // namespace reckon::bench::cuda
