// What a launch takes, copies between host and device, and between devices.
#include <cstring>

#include "numbers.cuh"

namespace reckon::bench::cuda {
namespace {

__global__ void nothing(int* count) {
  if (count) atomicAdd(count, 1);
}

// From one small kernel to the next: in a stream or in a graph, as the problem says.
class LaunchCase final : public GpuCase {
 public:
  LaunchCase(Gpu& gpu, const Problem& p) : GpuCase(gpu, p), count_(16) {}

  Check check() override {
    must(cudaMemsetAsync(count_.as<void>(), 0, 16, gpu_.stream), "cudaMemset");
    counting_ = true;
    launch_once();
    counting_ = false;
    int got = 0;
    must(cudaMemcpy(&got, count_.as<void>(), sizeof got, cudaMemcpyDeviceToHost), "check");
    Check c = start_check("fp32", "fp32");
    compare(c, got, 1, 0);
    return c;
  }

 private:
  void launch(std::size_t, cudaStream_t s) override {
    nothing<<<1, 32, 0, s>>>(counting_ ? count_.as<int>() : nullptr);
  }
  Buffer count_;
  bool counting_ = false;
};

// Host memory, pinned or as the system gives it.
class HostMemory {
 public:
  HostMemory(std::size_t bytes, bool pinned) : pinned_(pinned), bytes_(bytes) {
    if (pinned)
      must(cudaHostAlloc(&data_, bytes, cudaHostAllocDefault), "cudaHostAlloc");
    else
      plain_.resize(bytes);
  }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  ~HostMemory() {
    if (pinned_) cudaFreeHost(data_);
  }
  unsigned char* data() { return pinned_ ? static_cast<unsigned char*>(data_) : plain_.data(); }
  std::size_t bytes() const { return bytes_; }

 private:
  bool pinned_;
  std::size_t bytes_;
  void* data_ = nullptr;
  std::vector<unsigned char> plain_;
};

unsigned char byte_at(std::size_t i) { return static_cast<unsigned char>(i * 2654435761U >> 13); }

class HostCopy final : public GpuCase {
 public:
  HostCopy(Gpu& gpu, const Problem& p)
      : GpuCase(gpu, p),
        to_device_(p.op == "host-to-device"),
        host_(static_cast<std::size_t>(size("bytes")), p.library != "pageable"),
        device_(host_.bytes()) {
    may_wait_ = p.library != "pageable";
    for (std::size_t i = 0; i < host_.bytes(); ++i) host_.data()[i] = byte_at(i);
    upload(device_.as<void>(), host_.data(), host_.bytes(), gpu_.stream);
  }

  Check check() override {
    std::vector<unsigned char> got(host_.bytes());
    if (to_device_) {
      device_.poison();
      launch_once();
      must(cudaMemcpy(got.data(), device_.as<void>(), got.size(), cudaMemcpyDeviceToHost), "copy");
    } else {
      std::memset(host_.data(), 0xff, host_.bytes());
      launch_once();
      std::memcpy(got.data(), host_.data(), got.size());
    }
    Check c = start_check("fp32", "fp32");
    for (std::size_t i = 0; i < got.size(); i += 37) {
      ++c.compared;
      if (got[i] != byte_at(i)) c.worst = HUGE_VAL;
    }
    return c;
  }

 private:
  void launch(std::size_t, cudaStream_t s) override {
    must(to_device_ ? cudaMemcpyAsync(device_.as<void>(), host_.data(), host_.bytes(),
                                      cudaMemcpyHostToDevice, s)
                    : cudaMemcpyAsync(host_.data(), device_.as<void>(), host_.bytes(),
                                      cudaMemcpyDeviceToHost, s),
         "copy");
  }
  bool to_device_;
  HostMemory host_;
  Buffer device_;
};

class PeerCopy final : public GpuCase {
 public:
  PeerCopy(Gpu& gpu, const Problem& p, int peer)
      : GpuCase(gpu, p), peer_(peer), bytes_(static_cast<std::size_t>(size("bytes"))), to_(bytes_) {
    must(cudaSetDevice(peer_), "cudaSetDevice");
    from_ = Buffer(bytes_);
    std::vector<unsigned char> host(bytes_);
    for (std::size_t i = 0; i < bytes_; ++i) host[i] = byte_at(i);
    upload(from_.as<void>(), host.data(), bytes_, nullptr);
    must(cudaSetDevice(gpu_.device), "cudaSetDevice");
    int can = 0;
    must(cudaDeviceCanAccessPeer(&can, gpu_.device, peer_), "peer");
    if (can != 0) cudaDeviceEnablePeerAccess(peer_, 0);  // that it is on already is no fault
    cudaGetLastError();
    note_ = can != 0 ? "peer access" : "through the host: no peer access";
  }

  Check check() override {
    to_.poison();
    launch_once();
    std::vector<unsigned char> got(bytes_);
    must(cudaMemcpy(got.data(), to_.as<void>(), bytes_, cudaMemcpyDeviceToHost), "copy");
    Check c = start_check("fp32", "fp32");
    for (std::size_t i = 0; i < bytes_; i += 37) {
      ++c.compared;
      if (got[i] != byte_at(i)) c.worst = HUGE_VAL;
    }
    return c;
  }

 private:
  void launch(std::size_t, cudaStream_t s) override {
    must(cudaMemcpyPeerAsync(to_.as<void>(), gpu_.device, from_.as<void>(), peer_, bytes_, s),
         "copy");
  }
  int peer_;
  std::size_t bytes_;
  Buffer from_, to_;
};

}  // namespace

Prepared prepare_transfer(Gpu& gpu, const Problem& p, Refusal& refusal, std::string& why) {
  if (p.op == "launch") return std::make_unique<LaunchCase>(gpu, p);
  const double bytes = static_cast<double>(p.size("bytes"));
  if (bytes > gpu.free_memory())
    return refuse(refusal, why, "more than the device has free", Refusal::kMemory);
  if (p.op != "peer-copy") {
    if (p.library == "pageable" && p.launch == "graph")
      return refuse(refusal, why, "a graph can't hold a copy of pageable memory");
    return std::make_unique<HostCopy>(gpu, p);
  }
  int devices = 0;
  must(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  if (devices < 2) return refuse(refusal, why, "one GPU: no peer to copy from");
  return std::make_unique<PeerCopy>(gpu, p, gpu.device == 0 ? 1 : 0);
}

}  // namespace reckon::bench::cuda
