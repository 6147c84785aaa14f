// What the CUDA cases share: errors, memory, events, how a run is timed, and the clock during it.
//
// A run is timed by device events around many launches, inside a CUDA graph or queued in a stream behind a kernel that
// waits for the host, so that neither counts the host's time. Failures of the runtime are exceptions: the programme
// prints them and ends.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "backends.hpp"
#include "core/rotation.hpp"

namespace reckon::bench::cuda {

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};
void must(cudaError_t error, const char* what);

// Device memory.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t bytes);
  Buffer(Buffer&& other) noexcept : data_(other.data_), bytes_(other.bytes_) {
    other.data_ = nullptr;
  }
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();

  template <class T>
  T* as(std::size_t offset_bytes = 0) const {
    return reinterpret_cast<T*>(static_cast<char*>(data_) + offset_bytes);
  }
  std::size_t bytes() const { return bytes_; }
  // All bits set: NaN in every floating-point format; and waits, since streams that kernels run in don't wait for it.
  void poison();

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// From the host, and waits: a plain copy may return before the last of it has arrived.
void upload(void* to, const void* from, std::size_t bytes, cudaStream_t s);

struct Gpu {
  Machine machine;
  int device = 0, sm = 0, sms = 0;  // sm: 90 for compute capability 9.0
  std::size_t shared_most = 0;      // bytes a block may have
  cudaStream_t stream = nullptr;

  double free_memory() const;
};

enum class Dtype { kBf16, kFp16, kTf32, kFp8, kFp32 };
bool dtype_of(const std::string& name, Dtype& out);
std::size_t bytes_of(Dtype t);
int grid_of(Dtype t);

// ptr[i] = random_on_grid(seed, i), i < n; `scale` is a power of two.
void fill(void* ptr, Dtype t, std::int64_t n, std::uint64_t seed, float scale, cudaStream_t s);
// W[n][k] of the decoder layer.
void fill_layer(void* ptr, Dtype t, int tensor, std::int64_t n, std::int64_t k, cudaStream_t s);
// Chosen elements, as floats on the host.
std::vector<float> gather(const void* ptr, Dtype t, const std::vector<std::int64_t>& indices,
                          cudaStream_t s);

// A case that goes round `copies` of its inputs.
class GpuCase : public Case {
 public:
  GpuCase(Gpu& gpu, const Problem& problem);
  ~GpuCase() override;
  double run() override;
  double clock() override { return clock_; }
  std::string note() const override { return note_; }

 protected:
  virtual void launch(std::size_t copy, cudaStream_t s) = 0;
  // Copies that inputs of so many bytes need, beside `fixed` bytes that all share; 0 and a reason if memory is short.
  std::size_t plan_copies(double bytes, double fixed, Refusal& refusal, std::string& why);
  std::int64_t size(std::string_view name) const { return problem_.size(name); }
  void launch_once();  // and waits

  Gpu& gpu_;
  Problem problem_;
  std::size_t copies_ = 1;
  std::string note_;
  // Whether launches may be queued behind a kernel that waits for the host: not where a launch itself waits.
  bool may_wait_ = true;

 private:
  void prepare();
  void capture();
  double elapsed(const std::function<void()>& launch_all);
  double elapsed(int launches);
  double read_clock();

  cudaEvent_t start_ = nullptr, stop_ = nullptr;
  int *go_ = nullptr, *device_go_ = nullptr;  // the host's word to the kernel that waits for it
  Buffer clocks_;
  cudaGraphExec_t graph_ = nullptr;
  int launches_ = 0;
  std::size_t next_ = 0;
  double clock_ = 0;
};

using Prepared = std::unique_ptr<Case>;
Prepared prepare_memory(Gpu&, const Problem&, Refusal&, std::string& why);
Prepared prepare_transfer(Gpu&, const Problem&, Refusal&, std::string& why);
Prepared prepare_lt_gemm(Gpu&, const Problem&, Refusal&, std::string& why);
Prepared prepare_own_gemm(Gpu&, const Problem&, Refusal&, std::string& why);
Prepared prepare_attention(Gpu&, const Problem&, Refusal&, std::string& why);
Prepared prepare_stream(Gpu&, const Problem&, Refusal&, std::string& why);
Prepared prepare_layer(Gpu&, const Problem&, Refusal&, std::string& why);
Prepared prepare_collective(Gpu&, const Problem&, Refusal&, std::string& why);

inline Prepared refuse(Refusal& refusal, std::string& why, std::string text,
                       Refusal kind = Refusal::kNotHere) {
  refusal = kind;
  why = std::move(text);
  return nullptr;
}

}  // namespace reckon::bench::cuda
