#include <cmath>

#include "core/layer_data.hpp"
#include "elementwise.cuh"

namespace reckon::bench::cuda {
namespace {

constexpr int kThreads = 256;

struct Eight {
  float v[8];
};
__device__ inline Eight load(const bf16* p) {
  const uint4 x = *reinterpret_cast<const uint4*>(p);
  const auto* h = reinterpret_cast<const __nv_bfloat162*>(&x);
  Eight out;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float2 f = __bfloat1622float2(h[i]);
    out.v[2 * i] = f.x;
    out.v[2 * i + 1] = f.y;
  }
  return out;
}
__device__ inline void store(bf16* p, const Eight& x) {
  uint4 out;
  auto* h = reinterpret_cast<__nv_bfloat162*>(&out);
#pragma unroll
  for (int i = 0; i < 4; ++i) h[i] = __floats2bfloat162_rn(x.v[2 * i], x.v[2 * i + 1]);
  *reinterpret_cast<uint4*>(p) = out;
}

// The sum, or the largest, of one value a thread; all threads get it.
template <class Op>
__device__ inline float over_block(float x, Op op) {
  __shared__ float parts[kThreads / 32];
  for (int step = 16; step > 0; step /= 2) x = op(x, __shfl_xor_sync(0xffffffffU, x, step));
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
  __syncthreads();
  x = parts[0];
  for (int i = 1; i < kThreads / 32; ++i) x = op(x, parts[i]);
  __syncthreads();
  return x;
}

// The residual is read and written once; its second use in the row comes from the first cache.
__global__ void __launch_bounds__(kThreads)
    norm_kernel(const bf16* x, bf16* residual, bf16* y, int width) {
  const std::int64_t at = std::int64_t{blockIdx.x} * width;
  float squares = 0;
  for (int i = static_cast<int>(threadIdx.x) * 8; i < width; i += kThreads * 8) {
    const Eight a = load(x + at + i);
    Eight h = load(residual + at + i);
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      h.v[j] += a.v[j];
      squares += h.v[j] * h.v[j];
    }
    store(residual + at + i, h);
  }
  squares = over_block(squares, [](float a, float b) { return a + b; });
  const float scale = rsqrtf(squares / static_cast<float>(width) + kNormEps);
  for (int i = static_cast<int>(threadIdx.x) * 8; i < width; i += kThreads * 8) {
    Eight h = load(residual + at + i);
#pragma unroll
    for (float& v : h.v) v *= scale;
    store(y + at + i, h);
  }
}

__global__ void __launch_bounds__(kThreads) swiglu_kernel(const bf16* both, bf16* out, int width) {
  const std::int64_t row = blockIdx.x;
  for (int i = static_cast<int>(threadIdx.x) * 8; i < width; i += kThreads * 8) {
    Eight g = load(both + 2 * row * width + i);
    const Eight u = load(both + (2 * row + 1) * width + i);
#pragma unroll
    for (int j = 0; j < 8; ++j) g.v[j] = g.v[j] / (1 + __expf(-g.v[j])) * u.v[j];
    store(out + row * width + i, g);
  }
}

constexpr float kMost = 448;  // of e4m3

__global__ void __launch_bounds__(kThreads)
    quantize_kernel(const bf16* x, __nv_fp8_e4m3* out, float* scales, int width) {
  const std::int64_t at = std::int64_t{blockIdx.x} * width;
  float most = 0;
  for (int i = static_cast<int>(threadIdx.x) * 8; i < width; i += kThreads * 8) {
    const Eight a = load(x + at + i);
#pragma unroll
    for (const float v : a.v) most = fmaxf(most, fabsf(v));
  }
  most = over_block(most, [](float a, float b) { return fmaxf(a, b); });
  const float scale = most > 0 ? most / kMost : 1;
  if (threadIdx.x == 0) scales[blockIdx.x] = scale;
  for (int i = static_cast<int>(threadIdx.x) * 8; i < width; i += kThreads * 8) {
    const Eight a = load(x + at + i);
    uint2 codes;
    auto* c = reinterpret_cast<__nv_fp8_e4m3*>(&codes);
#pragma unroll
    for (int j = 0; j < 8; ++j) c[j] = __nv_fp8_e4m3(a.v[j] / scale);
    *reinterpret_cast<uint2*>(out + at + i) = codes;
  }
}

class StreamCase final : public GpuCase {
 public:
  StreamCase(Gpu& gpu, const Problem& p)
      : GpuCase(gpu, p), rows_(size("tokens")), width_(static_cast<int>(size("hidden"))) {}

  bool allocate(Refusal& refusal, std::string& why) {
    in_each_ = static_cast<std::size_t>(rows_ * width_) * 2 * (problem_.op == "quantize" ? 1 : 2);
    out_each_ = static_cast<std::size_t>(rows_ * width_) * (problem_.op == "quantize" ? 1 : 2);
    if (plan_copies(static_cast<double>(in_each_ + out_each_), 4. * static_cast<double>(rows_),
                    refusal, why) == 0)
      return false;
    in_ = Buffer(in_each_ * copies_);
    out_ = Buffer(out_each_ * copies_);
    scales_ = Buffer(static_cast<std::size_t>(rows_) * sizeof(float));
    for (std::size_t i = 0; i < copies_; ++i) refill(i);
    must(cudaStreamSynchronize(gpu_.stream), "fill");
    return true;
  }

  Check check() override {
    out_.poison();
    scales_.poison();
    refill(0);
    launch_once();
    const bool codes = problem_.op == "quantize";
    Check c = start_check("bf16", "bf16");
    // A code is off by half a step of three bits, and its scale is of fp32.
    if (codes) c.output_eps = std::ldexp(1., -4);
    for (const std::int64_t row : {std::int64_t{0}, rows_ / 2, rows_ - 1}) compare_row(c, row);
    return c;
  }

 private:
  void refill(std::size_t copy) {
    fill(in_.as<bf16>(copy * in_each_), Dtype::kBf16, static_cast<std::int64_t>(in_each_ / 2), 31,
         1, gpu_.stream);
  }
  double in(std::int64_t i) const {
    return static_cast<double>(
        random_on_grid(31, static_cast<std::uint64_t>(i), grid_of(Dtype::kBf16)));
  }

  void compare_row(Check& c, std::int64_t row) const {
    std::vector<std::int64_t> at;
    for (std::int64_t j = 0; j < width_; ++j) at.push_back(row * width_ + j);
    const bool codes = problem_.op == "quantize";
    const std::vector<float> got =
        gather(out_.as<void>(), codes ? Dtype::kFp8 : Dtype::kBf16, at, gpu_.stream);
    const double scale =
        codes ? static_cast<double>(gather(scales_.as<void>(), Dtype::kFp32, {row}, gpu_.stream)[0])
              : 1;
    double squares = 0;
    const auto sum = [&](std::int64_t i) { return in(i) + in(rows_ * width_ + i); };
    for (const std::int64_t i : at) squares += sum(i) * sum(i);
    const double rms = std::sqrt(squares / width_ + static_cast<double>(kNormEps));
    for (std::size_t j = 0; j < got.size(); ++j) {
      const std::int64_t i = at[j];
      const double g = in(i + row * width_), u = in(i + (row + 1) * width_);
      const double want = codes                   ? in(i)
                          : problem_.op == "norm" ? sum(i) / rms
                                                  : g / (1 + std::exp(-g)) * u;
      // The residual is rounded to bf16 before it is normed: 2^-8 of it once more.
      compare(c, static_cast<double>(got[j]) * scale, want, 1024);
    }
  }

  void launch(std::size_t copy, cudaStream_t s) override {
    auto* in = in_.as<bf16>(copy * in_each_);
    auto* out = out_.as<bf16>(copy * out_each_);
    if (problem_.op == "norm")
      add_norm(in, in + rows_ * width_, out, rows_, width_, s);
    else if (problem_.op == "swiglu")
      swiglu(in, out, rows_, width_, s);
    else
      quantize(in, reinterpret_cast<__nv_fp8_e4m3*>(out), scales_.as<float>(), rows_, width_, s);
  }

  std::int64_t rows_;
  int width_;
  std::size_t in_each_ = 0, out_each_ = 0;
  Buffer in_, out_, scales_;
};

}  // namespace

void add_norm(const bf16* x, bf16* residual, bf16* y, std::int64_t rows, int width,
              cudaStream_t s) {
  norm_kernel<<<static_cast<unsigned>(rows), kThreads, 0, s>>>(x, residual, y, width);
}
void swiglu(const bf16* both, bf16* out, std::int64_t rows, int width, cudaStream_t s) {
  swiglu_kernel<<<static_cast<unsigned>(rows), kThreads, 0, s>>>(both, out, width);
}
void quantize(const bf16* x, __nv_fp8_e4m3* out, float* scales, std::int64_t rows, int width,
              cudaStream_t s) {
  quantize_kernel<<<static_cast<unsigned>(rows), kThreads, 0, s>>>(x, out, scales, width);
}

Prepared prepare_stream(Gpu& gpu, const Problem& p, Refusal& refusal, std::string& why) {
  if (p.dtype != "bf16") return refuse(refusal, why, "our own " + p.op + " is in bf16");
  if (p.size("hidden") % 8 != 0) return refuse(refusal, why, "hidden must be a multiple of 8");
  auto c = std::make_unique<StreamCase>(gpu, p);
  if (!c->allocate(refusal, why)) return nullptr;
  return c;
}

}  // namespace reckon::bench::cuda
