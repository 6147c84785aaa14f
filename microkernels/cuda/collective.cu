// Collectives over the GPUs of this machine, by NCCL where it was found: one process, out of place, in bf16. Sizes are
// of the whole array, as nccl-tests counts them; times are of a batch of calls, from the first device's start to the
// last one's end.
#include "numbers.cuh"

#ifdef RECKON_HAS_NCCL
#include <nccl.h>

#include <algorithm>
#include <chrono>
#include <map>

namespace reckon::bench::cuda {
namespace {

void must_nccl(ncclResult_t r, const char* what) {
  if (r != ncclSuccess) throw Failure(std::string(what) + ": " + ncclGetErrorString(r));
}

// Communicators of the first n devices, kept: they take seconds to make.
struct Group {
  std::vector<ncclComm_t> comms;
  std::vector<cudaStream_t> streams;
};
Group& group_of(int n) {
  static std::map<int, Group> all;
  Group& g = all[n];
  if (!g.comms.empty()) return g;
  std::vector<int> devices(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) devices[static_cast<std::size_t>(i)] = i;
  g.comms.resize(devices.size());
  g.streams.resize(devices.size());
  must_nccl(ncclCommInitAll(g.comms.data(), n, devices.data()), "ncclCommInitAll");
  for (int i = 0; i < n; ++i) {
    must(cudaSetDevice(i), "cudaSetDevice");
    must(cudaStreamCreateWithFlags(&g.streams[static_cast<std::size_t>(i)], cudaStreamNonBlocking),
         "stream");
  }
  return g;
}

class Collective final : public Case {
 public:
  Collective(Gpu& gpu, const Problem& p)
      : gpu_(gpu),
        op_(p.op),
        ranks_(static_cast<int>(p.size("ranks"))),
        group_(group_of(ranks_)),
        whole_(p.size("bytes") / 2 / ranks_ * ranks_),
        part_(whole_ / ranks_) {
    for (int i = 0; i < ranks_; ++i) {
      must(cudaSetDevice(i), "cudaSetDevice");
      in_.emplace_back(static_cast<std::size_t>(whole_) * 2);
      out_.emplace_back(static_cast<std::size_t>(whole_) * 2);
      fill(in_.back().as<void>(), Dtype::kBf16, whole_, static_cast<std::uint64_t>(i) + 1, 1,
           group_.streams[static_cast<std::size_t>(i)]);
      must(cudaDeviceSynchronize(), "fill");
    }
    must(cudaSetDevice(gpu_.device), "cudaSetDevice");
  }
  ~Collective() override {
    for (int i = 0; i < ranks_; ++i) {
      cudaSetDevice(i);
      in_[static_cast<std::size_t>(i)] = Buffer();
      out_[static_cast<std::size_t>(i)] = Buffer();
    }
    cudaSetDevice(gpu_.device);
  }

  Check check() override {
    for (int i = 0; i < ranks_; ++i) {
      must(cudaSetDevice(i), "cudaSetDevice");
      out_[static_cast<std::size_t>(i)].poison();
    }
    calls(1);
    Check c = start_check("bf16", "bf16");
    for (int r = 0; r < ranks_; ++r) {
      must(cudaSetDevice(r), "cudaSetDevice");
      const std::int64_t n = op_ == "reduce-scatter" ? part_ : whole_;
      std::vector<std::int64_t> at;
      for (std::int64_t i = 0; i < n; i += n / 251 + 1) at.push_back(i);
      const std::vector<float> got =
          gather(out_[static_cast<std::size_t>(r)].as<void>(), Dtype::kBf16, at,
                 group_.streams[static_cast<std::size_t>(r)]);
      // Partial sums may be rounded to bf16 on every hop: 2^-9 of up to `ranks` each time.
      for (std::size_t i = 0; i < at.size(); ++i)
        compare(c, static_cast<double>(got[i]), want(r, at[i]), 512. * ranks_ * ranks_);
    }
    must(cudaSetDevice(gpu_.device), "cudaSetDevice");
    return c;
  }

  double run() override {
    constexpr double kLongEnough = 2e-3;
    constexpr int kMost = 200;
    if (repeats_ == 0) {
      const double one = timed(2);
      repeats_ = static_cast<int>(std::clamp(kLongEnough / one, 2., 1. * kMost));
    }
    return timed(repeats_);
  }

  std::string note() const override {
    int version = 0;
    ncclGetVersion(&version);
    return "NCCL " + std::to_string(version) + ", calls back to back, host's clock";
  }

 private:
  double value(int rank, std::int64_t i) const {
    return static_cast<double>(random_on_grid(static_cast<std::uint64_t>(rank) + 1,
                                              static_cast<std::uint64_t>(i),
                                              grid_of(Dtype::kBf16)));
  }
  double want(int rank, std::int64_t i) const {
    if (op_ == "all-gather") return value(static_cast<int>(i / part_), i % part_);
    if (op_ == "all-to-all") return value(static_cast<int>(i / part_), rank * part_ + i % part_);
    const std::int64_t at = op_ == "reduce-scatter" ? rank * part_ + i : i;
    double sum = 0;
    for (int r = 0; r < ranks_; ++r) sum += value(r, at);
    return sum;
  }

  void call(int rank) {
    const auto r = static_cast<std::size_t>(rank);
    const auto* in = in_[r].as<bf16>();
    auto* out = out_[r].as<bf16>();
    const auto whole = static_cast<std::size_t>(whole_), part = static_cast<std::size_t>(part_);
    const ncclComm_t comm = group_.comms[r];
    const cudaStream_t s = group_.streams[r];
    if (op_ == "all-reduce") {
      must_nccl(ncclAllReduce(in, out, whole, ncclBfloat16, ncclSum, comm, s), "all-reduce");
    } else if (op_ == "all-gather") {
      must_nccl(ncclAllGather(in, out, part, ncclBfloat16, comm, s), "all-gather");
    } else if (op_ == "reduce-scatter") {
      must_nccl(ncclReduceScatter(in, out, part, ncclBfloat16, ncclSum, comm, s), "reduce-scatter");
    } else {
      for (int peer = 0; peer < ranks_; ++peer) {
        const std::size_t at = part * static_cast<std::size_t>(peer);
        must_nccl(ncclSend(in + at, part, ncclBfloat16, peer, comm, s), "send");
        must_nccl(ncclRecv(out + at, part, ncclBfloat16, peer, comm, s), "receive");
      }
    }
  }

  void calls(int n) {
    for (int i = 0; i < n; ++i) {
      must_nccl(ncclGroupStart(), "group");
      for (int r = 0; r < ranks_; ++r) call(r);
      must_nccl(ncclGroupEnd(), "group");
    }
    for (int r = 0; r < ranks_; ++r)
      must(cudaStreamSynchronize(group_.streams[static_cast<std::size_t>(r)]), "collective");
  }

  double timed(int n) {
    const auto start = std::chrono::steady_clock::now();
    calls(n);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / n;
  }

  Gpu& gpu_;
  std::string op_;
  int ranks_, repeats_ = 0;
  Group& group_;
  std::int64_t whole_, part_;
  std::vector<Buffer> in_, out_;
};

}  // namespace

Prepared prepare_collective(Gpu& gpu, const Problem& p, Refusal& refusal, std::string& why) {
  int devices = 0;
  must(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  const std::int64_t ranks = p.size("ranks");
  if (ranks < 2 || ranks > devices)
    return refuse(
        refusal, why,
        std::to_string(ranks) + " ranks, and there are " + std::to_string(devices) + " GPUs");
  if (p.launch == "graph") return refuse(refusal, why, "collectives are called in streams here");
  if (p.size("bytes") / 2 < ranks) return refuse(refusal, why, "less than one number a rank");
  if (2. * static_cast<double>(p.size("bytes")) > gpu.free_memory())
    return refuse(refusal, why, "more than the device has free", Refusal::kMemory);
  cudaDeviceProp first{}, other{};
  must(cudaGetDeviceProperties(&first, 0), "properties");
  for (int i = 1; i < ranks; ++i) {
    must(cudaGetDeviceProperties(&other, i), "properties");
    if (std::string(first.name) != other.name)
      return refuse(refusal, why,
                    std::string("different GPUs: ") + first.name + " and " + other.name);
  }
  return std::make_unique<Collective>(gpu, p);
}

}  // namespace reckon::bench::cuda

#else

namespace reckon::bench::cuda {
Prepared prepare_collective(Gpu&, const Problem&, Refusal& refusal, std::string& why) {
  return refuse(refusal, why, "NCCL was not found when reckon-bench was built");
}
}  // namespace reckon::bench::cuda

#endif
