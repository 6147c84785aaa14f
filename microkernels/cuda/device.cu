#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/layer_data.hpp"
#include "numbers.cuh"

namespace reckon::bench::cuda {
namespace {

constexpr int kMostLaunches = 256;
constexpr double kLongEnough =
    500e-6;  // of a timed stretch: event resolution is half a microsecond
constexpr double kMemoryShare = 0.9;

template <class T>
__global__ void fill_kernel(T* p, std::int64_t n, std::uint64_t seed, int steps, float scale) {
  for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * blockDim.x)
    p[i] = to<T>(scale * random_on_grid(seed, static_cast<std::uint64_t>(i), steps));
}

template <class T>
__global__ void fill_layer_kernel(T* p, int tensor, std::int64_t n, std::int64_t k, int steps) {
  for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < n * k;
       i += std::int64_t{gridDim.x} * blockDim.x)
    p[i] = to<T>(layer_weight(static_cast<LayerTensor>(tensor), i / k, i % k, k, steps));
}

template <class T>
__global__ void gather_kernel(const T* p, const std::int64_t* at, float* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = static_cast<float>(p[at[i]]);
}

// Holds the stream until the host says go; gives up after a second, so that a lost host can't hang the GPU.
__global__ void wait_for_host(const volatile int* go) {
  const long long start = clock64();
  while (*go == 0 && clock64() - start < 2000000000LL) {
  }
}

__device__ unsigned long long global_nanoseconds() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}

// Clocks and nanoseconds of a short wait.
__global__ void clock_kernel(unsigned long long* out) {
  constexpr unsigned long long kWait = 100000;
  const unsigned long long start_time = global_nanoseconds();
  const long long start = clock64();
  unsigned long long now = start_time;
  while (now - start_time < kWait) now = global_nanoseconds();
  out[0] = static_cast<unsigned long long>(clock64() - start);
  out[1] = now - start_time;
}

int blocks_for(std::int64_t n) {
  return static_cast<int>(std::min<std::int64_t>((n + 255) / 256, 4096));
}

}  // namespace

void must(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  throw Failure(std::string(what) + ": " + cudaGetErrorString(error));
}

Buffer::Buffer(std::size_t bytes) : bytes_(bytes) {
  must(cudaMalloc(&data_, std::max<std::size_t>(bytes, 16)), "cudaMalloc");
}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Buffer::~Buffer() {
  if (data_) cudaFree(data_);
}

void Buffer::poison() {
  must(cudaMemset(data_, 0xff, bytes_), "cudaMemset");
  must(cudaStreamSynchronize(nullptr), "cudaMemset");
}

void upload(void* to, const void* from, std::size_t bytes, cudaStream_t s) {
  must(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, s), "upload");
  must(cudaStreamSynchronize(s), "upload");
}

double Gpu::free_memory() const {
  std::size_t free = 0, total = 0;
  must(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return kMemoryShare * static_cast<double>(free);
}

bool dtype_of(const std::string& name, Dtype& out) {
  for (const auto& [word, t] : {std::pair{"bf16", Dtype::kBf16},
                                {"fp16", Dtype::kFp16},
                                {"tf32", Dtype::kTf32},
                                {"fp8", Dtype::kFp8},
                                {"fp32", Dtype::kFp32}})
    if (name == word) return out = t, true;
  return false;
}

std::size_t bytes_of(Dtype t) {
  return t == Dtype::kFp8 ? 1 : t == Dtype::kBf16 || t == Dtype::kFp16 ? 2 : 4;
}

int grid_of(Dtype t) {
  switch (t) {
    case Dtype::kFp8:
      return bench::grid_of('8');
    case Dtype::kBf16:
      return bench::grid_of('b');
    case Dtype::kFp16:
      return bench::grid_of('h');
    case Dtype::kTf32:
      return bench::grid_of('t');
    case Dtype::kFp32:
      break;
  }
  return bench::grid_of('s');
}

void fill(void* ptr, Dtype t, std::int64_t n, std::uint64_t seed, float scale, cudaStream_t s) {
  with_type(t, [&](auto* none) {
    using T = std::remove_pointer_t<decltype(none)>;
    fill_kernel<T><<<blocks_for(n), 256, 0, s>>>(static_cast<T*>(ptr), n, seed, grid_of(t), scale);
  });
  must(cudaGetLastError(), "fill");
}

void fill_layer(void* ptr, Dtype t, int tensor, std::int64_t n, std::int64_t k, cudaStream_t s) {
  with_type(t, [&](auto* none) {
    using T = std::remove_pointer_t<decltype(none)>;
    fill_layer_kernel<T>
        <<<blocks_for(n * k), 256, 0, s>>>(static_cast<T*>(ptr), tensor, n, k, grid_of(t));
  });
  must(cudaGetLastError(), "fill_layer");
}

std::vector<float> gather(const void* ptr, Dtype t, const std::vector<std::int64_t>& indices,
                          cudaStream_t s) {
  const std::size_t n = indices.size();
  const Buffer at(n * sizeof(std::int64_t)), out(n * sizeof(float));
  upload(at.as<void>(), indices.data(), n * sizeof(std::int64_t), s);
  with_type(t, [&](auto* none) {
    using T = std::remove_pointer_t<decltype(none)>;
    gather_kernel<T><<<blocks_for(static_cast<std::int64_t>(n)), 256, 0, s>>>(
        static_cast<const T*>(ptr), at.as<std::int64_t>(), out.as<float>(), static_cast<int>(n));
  });
  must(cudaGetLastError(), "gather");
  std::vector<float> host(n);
  must(cudaMemcpyAsync(host.data(), out.as<void>(), n * sizeof(float), cudaMemcpyDeviceToHost, s),
       "gather");
  must(cudaStreamSynchronize(s), "gather");
  return host;
}

GpuCase::GpuCase(Gpu& gpu, const Problem& problem)
    : gpu_(gpu), problem_(problem), clocks_(2 * sizeof(unsigned long long)) {
  must(cudaEventCreate(&start_), "cudaEventCreate");
  must(cudaEventCreate(&stop_), "cudaEventCreate");
  void* go = nullptr;
  must(cudaHostAlloc(&go, sizeof(int), cudaHostAllocMapped), "cudaHostAlloc");
  go_ = static_cast<int*>(go);
  must(cudaHostGetDevicePointer(&go, go_, 0), "cudaHostGetDevicePointer");
  device_go_ = static_cast<int*>(go);
}

GpuCase::~GpuCase() {
  *static_cast<volatile int*>(go_) = 1;  // after a failure the stream may still wait for it
  cudaStreamSynchronize(gpu_.stream);
  if (graph_) cudaGraphExecDestroy(graph_);
  cudaEventDestroy(start_);
  cudaEventDestroy(stop_);
  cudaFreeHost(go_);
}

std::size_t GpuCase::plan_copies(double bytes, double fixed, Refusal& refusal, std::string& why) {
  const double cache = problem_.cache == "cold" ? gpu_.machine.cache : 0;
  const double memory = gpu_.free_memory() - fixed;
  const std::size_t wanted = copies_needed(bytes, cache, memory);
  if (wanted == 0) {
    refuse(refusal, why,
           std::to_string(static_cast<long long>((bytes + fixed) / 1e6)) +
               " MB don't fit into the " + std::to_string(static_cast<long long>(memory / 1e6)) +
               " MB that are free",
           Refusal::kMemory);
    return 0;
  }
  copies_ = problem_.cache == "hot" ? 1 : wanted;
  if (problem_.cache == "cold" && !is_cold(copies_, bytes, cache)) {
    refuse(refusal, why, "too little memory for copies that keep the cache cold", Refusal::kMemory);
    return 0;
  }
  return copies_;
}

void GpuCase::launch_once() {
  launch(0, gpu_.stream);
  must(cudaGetLastError(), "launch");
  must(cudaStreamSynchronize(gpu_.stream), "kernel");
}

// Seconds on the device of what `launch_all` puts into the stream. It stands behind a kernel that waits for the host:
// the host's time for launching is over before the first event.
double GpuCase::elapsed(const std::function<void()>& launch_all) {
  volatile int& go = *go_;
  go = may_wait_ ? 0 : 1;
  wait_for_host<<<1, 1, 0, gpu_.stream>>>(device_go_);
  must(cudaEventRecord(start_, gpu_.stream), "event");
  launch_all();
  must(cudaGetLastError(), "launch");
  must(cudaEventRecord(stop_, gpu_.stream), "event");
  go = 1;
  must(cudaStreamSynchronize(gpu_.stream), "kernel");
  float milliseconds = 0;
  must(cudaEventElapsedTime(&milliseconds, start_, stop_), "event");
  return 1e-3 * static_cast<double>(milliseconds);
}

double GpuCase::elapsed(int launches) {
  return elapsed([this, launches] {
    for (int i = 0; i < launches; ++i) {
      launch(next_, gpu_.stream);
      next_ = (next_ + 1) % copies_;
    }
  });
}

void GpuCase::prepare() {
  const double one = elapsed(1);
  launches_ = static_cast<int>(std::clamp(kLongEnough / one, 1., 1. * kMostLaunches));
  if (problem_.launch != "graph") return;
  launches_ = static_cast<int>(whole_rounds(static_cast<std::size_t>(launches_), copies_));
  capture();
}

void GpuCase::capture() {
  cudaGraph_t graph = nullptr;
  must(cudaStreamBeginCapture(gpu_.stream, cudaStreamCaptureModeGlobal), "capture");
  try {
    for (int i = 0; i < launches_; ++i) launch(static_cast<std::size_t>(i) % copies_, gpu_.stream);
  } catch (...) {
    // The stream is everybody's: left capturing, it would refuse what comes next.
    cudaStreamEndCapture(gpu_.stream, &graph);
    if (graph) cudaGraphDestroy(graph);
    cudaGetLastError();
    throw;
  }
  must(cudaStreamEndCapture(gpu_.stream, &graph), "capture");
  must(cudaGraphInstantiate(&graph_, graph, 0), "cudaGraphInstantiate");
  cudaGraphDestroy(graph);
  must(cudaGraphUpload(graph_, gpu_.stream), "cudaGraphUpload");
}

double GpuCase::read_clock() {
  clock_kernel<<<1, 1, 0, gpu_.stream>>>(clocks_.as<unsigned long long>());
  unsigned long long host[2] = {};
  must(cudaMemcpyAsync(host, clocks_.as<void>(), sizeof host, cudaMemcpyDeviceToHost, gpu_.stream),
       "clock");
  must(cudaStreamSynchronize(gpu_.stream), "clock");
  return host[1] > 0 ? 1e9 * static_cast<double>(host[0]) / static_cast<double>(host[1]) : 0;
}

double GpuCase::run() {
  if (launches_ == 0) prepare();
  const double seconds =
      graph_ ? elapsed([this] { must(cudaGraphLaunch(graph_, gpu_.stream), "cudaGraphLaunch"); })
             : elapsed(launches_);
  clock_ = read_clock();
  return seconds / launches_;
}

}  // namespace reckon::bench::cuda
