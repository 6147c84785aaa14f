// Device memory by size: read, write, copy, triad; and reads that the second-level cache answers.
//
// 16 bytes a load, several of them in flight a thread: one alone reaches three quarters of what an H200's memory gives.
#include <algorithm>

#include "numbers.cuh"

namespace reckon::bench::cuda {
namespace {

enum class Stream { kRead, kWrite, kCopy, kTriad };
constexpr int kInFlight = 8, kThreads = 512;

// Words that look random and whose sum is known: i·odd + 1.
constexpr std::uint32_t kOdd = 0x9e3779b9U;
__host__ __device__ inline std::uint32_t word_at(std::uint64_t i) {
  return static_cast<std::uint32_t>(i) * kOdd + 1;
}
std::uint32_t sum_of_words(std::uint64_t n) {
  const std::uint64_t pairs = n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n;  // mod 2^64 is enough
  return static_cast<std::uint32_t>(pairs) * kOdd + static_cast<std::uint32_t>(n);
}

__global__ void fill_words(std::uint32_t* p, std::uint64_t n) {
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < n;
       i += std::uint64_t{gridDim.x} * blockDim.x)
    p[i] = word_at(i);
}

template <bool kCached>
__device__ inline uint4 load(const uint4* p) {
  return kCached ? __ldcg(p) : __ldcs(p);
}

template <bool kCached>
__global__ void __launch_bounds__(kThreads)
    read_kernel(const uint4* p, std::uint64_t n, std::uint32_t* sum) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * kThreads;
  std::uint64_t i = blockIdx.x * std::uint64_t{kThreads} + threadIdx.x;
  std::uint32_t mine = 0;
  for (; i + (kInFlight - 1) * step < n; i += kInFlight * step) {
    uint4 x[kInFlight];
#pragma unroll
    for (int j = 0; j < kInFlight; ++j) x[j] = load<kCached>(p + i + j * step);
#pragma unroll
    for (int j = 0; j < kInFlight; ++j) mine += x[j].x + x[j].y + x[j].z + x[j].w;
  }
  for (; i < n; i += step) {
    const uint4 x = load<kCached>(p + i);
    mine += x.x + x.y + x.z + x.w;
  }
  // One addition a block: those of every warp, to one address, would outlast a small read.
  __shared__ std::uint32_t of_block;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  for (int lane = 16; lane > 0; lane /= 2) mine += __shfl_down_sync(0xffffffffU, mine, lane);
  if (threadIdx.x % 32 == 0) atomicAdd(&of_block, mine);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(sum, of_block);
}

__global__ void __launch_bounds__(kThreads)
    write_kernel(uint4* p, std::uint64_t n, std::uint32_t word) {
  const uint4 x = make_uint4(word, word, word, word);
  for (std::uint64_t i = blockIdx.x * std::uint64_t{kThreads} + threadIdx.x; i < n;
       i += std::uint64_t{gridDim.x} * kThreads)
    __stcs(p + i, x);
}

// A block a piece of 32 KB, so that whichever multiprocessor is free takes the next: none is waited for at the end.
constexpr int kCopyThreads = 256, kPiece = kInFlight * kCopyThreads;

__global__ void __launch_bounds__(kCopyThreads)
    copy_kernel(const uint4* a, uint4* b, std::uint64_t n) {
  const std::uint64_t first = blockIdx.x * std::uint64_t{kPiece} + threadIdx.x;
  if (first - threadIdx.x + kPiece <= n) {
    uint4 x[kInFlight];
#pragma unroll
    for (int j = 0; j < kInFlight; ++j) x[j] = __ldcs(a + first + j * kCopyThreads);
#pragma unroll
    for (int j = 0; j < kInFlight; ++j) __stcs(b + first + j * kCopyThreads, x[j]);
    return;
  }
  for (std::uint64_t i = first; i < n; i += kCopyThreads) __stcs(b + i, __ldcs(a + i));
}

__global__ void __launch_bounds__(kThreads)
    triad_kernel(const float4* a, const float4* b, float4* c, float s, std::uint64_t n) {
  constexpr int kHalf = kInFlight / 2;
  const std::uint64_t step = std::uint64_t{gridDim.x} * kThreads;
  const auto one = [s](float4 x, float4 y) {
    return make_float4(x.x + s * y.x, x.y + s * y.y, x.z + s * y.z, x.w + s * y.w);
  };
  std::uint64_t i = blockIdx.x * std::uint64_t{kThreads} + threadIdx.x;
  for (; i + (kHalf - 1) * step < n; i += kHalf * step) {
    float4 x[kHalf], y[kHalf];
#pragma unroll
    for (int j = 0; j < kHalf; ++j) x[j] = __ldcs(a + i + j * step);
#pragma unroll
    for (int j = 0; j < kHalf; ++j) y[j] = __ldcs(b + i + j * step);
#pragma unroll
    for (int j = 0; j < kHalf; ++j) __stcs(c + i + j * step, one(x[j], y[j]));
  }
  for (; i < n; i += step) __stcs(c + i, one(__ldcs(a + i), __ldcs(b + i)));
}

class MemoryCase final : public GpuCase {
 public:
  MemoryCase(Gpu& gpu, const Problem& p, Stream what)
      : GpuCase(gpu, p),
        what_(what),
        by_engine_(p.library == "copy engine"),
        bytes_(static_cast<std::size_t>(size("bytes")) / 16 * 16) {
    resident_ = what == Stream::kWrite   ? resident(write_kernel)
                : what == Stream::kTriad ? resident(triad_kernel)
                : p.op == "cache-read"   ? resident(read_kernel<true>)
                                         : resident(read_kernel<false>);
  }

  bool allocate(Refusal& refusal, std::string& why) {
    const int arrays = what_ == Stream::kTriad ? 3 : what_ == Stream::kCopy ? 2 : 1;
    if (plan_copies(1. * arrays * static_cast<double>(bytes_), 4096, refusal, why) == 0)
      return false;
    for (int i = 0; i < arrays; ++i) {
      arrays_.emplace_back(bytes_ * copies_);
      for (std::size_t c = 0; c < copies_; ++c) {
        if (what_ == Stream::kTriad)
          fill(at(i, c), Dtype::kFp32, static_cast<std::int64_t>(bytes_ / 4),
               static_cast<std::uint64_t>(i), 1, gpu_.stream);
        else
          fill_words<<<1024, 256, 0, gpu_.stream>>>(static_cast<std::uint32_t*>(at(i, c)),
                                                    bytes_ / 4);
      }
    }
    sum_ = Buffer(16);
    must(cudaStreamSynchronize(gpu_.stream), "fill");
    return true;
  }

  Check check() override {
    Check c = start_check("fp32", "fp32");
    if (what_ == Stream::kRead) {
      must(cudaMemsetAsync(sum_.as<void>(), 0, 16, gpu_.stream), "cudaMemset");
      launch_once();
      std::uint32_t got = 0;
      must(cudaMemcpy(&got, sum_.as<void>(), sizeof got, cudaMemcpyDeviceToHost), "check");
      c.compared = 1;
      c.worst = got == sum_of_words(bytes_ / 4) ? 0 : HUGE_VAL;
      return c;
    }
    arrays_.back().poison();
    launch_once();
    return what_ == Stream::kTriad ? check_triad(c) : check_words(c);
  }

 private:
  void* at(int array, std::size_t copy) const {
    return arrays_[static_cast<std::size_t>(array)].as<char>(copy * bytes_);
  }

  Check check_words(Check c) const {
    std::vector<std::uint32_t> host(bytes_ / 4);
    must(cudaMemcpy(host.data(), arrays_.back().as<void>(), bytes_, cudaMemcpyDeviceToHost),
         "check");
    for (std::size_t i = 0; i < host.size(); i += 61) {
      ++c.compared;
      if (host[i] != (what_ == Stream::kWrite ? kOdd : word_at(i))) c.worst = HUGE_VAL;
    }
    return c;
  }

  Check check_triad(Check c) const {
    std::vector<std::int64_t> indices;
    const auto n = static_cast<std::int64_t>(bytes_ / 4);
    for (std::int64_t i = 0; i < n; i += n / 997 + 1) indices.push_back(i);
    const std::vector<float> got =
        gather(arrays_.back().as<void>(), Dtype::kFp32, indices, gpu_.stream);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const auto of = [&](std::uint64_t seed) {
        return static_cast<double>(
            random_on_grid(seed, static_cast<std::uint64_t>(indices[i]), grid_of(Dtype::kFp32)));
      };
      compare(c, static_cast<double>(got[i]), of(0) + 3 * of(1), 4);
    }
    return c;
  }

  void launch(std::size_t copy, cudaStream_t s) override {
    const std::uint64_t n = bytes_ / 16;
    const auto blocks =
        static_cast<unsigned>(std::min<std::uint64_t>(resident_, (n + kThreads - 1) / kThreads));
    auto* a = static_cast<uint4*>(at(0, copy));
    switch (what_) {
      case Stream::kRead:
        if (problem_.op == "cache-read")
          read_kernel<true><<<blocks, kThreads, 0, s>>>(a, n, sum_.as<std::uint32_t>());
        else
          read_kernel<false><<<blocks, kThreads, 0, s>>>(a, n, sum_.as<std::uint32_t>());
        break;
      case Stream::kWrite:
        write_kernel<<<blocks, kThreads, 0, s>>>(a, n, kOdd);
        break;
      case Stream::kCopy:
        if (by_engine_)
          must(cudaMemcpyAsync(at(1, copy), a, bytes_, cudaMemcpyDeviceToDevice, s), "copy");
        else
          copy_kernel<<<static_cast<unsigned>((n + kPiece - 1) / kPiece), kCopyThreads, 0, s>>>(
              a, static_cast<uint4*>(at(1, copy)), n);
        break;
      case Stream::kTriad:
        triad_kernel<<<blocks, kThreads, 0, s>>>(reinterpret_cast<const float4*>(a),
                                                 static_cast<const float4*>(at(1, copy)),
                                                 static_cast<float4*>(at(2, copy)), 3, n);
        break;
    }
  }

  // Blocks that the device holds at once: more would be a second wave, begun when the first has left it idle.
  template <class Kernel>
  std::uint64_t resident(Kernel kernel) const {
    int each = 0;
    must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, kThreads, 0), "occupancy");
    return static_cast<std::uint64_t>(each) * static_cast<std::uint64_t>(gpu_.sms);
  }

  Stream what_;
  std::uint64_t resident_ = 0;
  bool by_engine_;  // the runtime's device-to-device copy, to compare ours with
  std::size_t bytes_;
  std::vector<Buffer> arrays_;
  Buffer sum_;
};

}  // namespace

Prepared prepare_memory(Gpu& gpu, const Problem& p, Refusal& refusal, std::string& why) {
  const Stream what = p.op == "memory-write"   ? Stream::kWrite
                      : p.op == "memory-copy"  ? Stream::kCopy
                      : p.op == "memory-triad" ? Stream::kTriad
                                               : Stream::kRead;
  auto c = std::make_unique<MemoryCase>(gpu, p, what);
  if (!c->allocate(refusal, why)) return nullptr;
  return c;
}

}  // namespace reckon::bench::cuda
