// Memory by size, the copy between threads, the peak of the arithmetic, and what waking the threads takes.
#include <atomic>
#include <chrono>
#include <cmath>

#include "case.hpp"

namespace reckon::bench::cpu {
namespace {

enum class Stream { kRead, kWrite, kCopy, kTriad };

class MemoryCase final : public CpuCase {
 public:
  MemoryCase(Cpu& cpu, const Problem& p, Stream what) : CpuCase(cpu, p), what_(what) {}

  bool allocate(Refusal& refusal, std::string& why) {
    n_ = size("bytes") / 4;
    const int arrays = what_ == Stream::kTriad ? 3 : what_ == Stream::kCopy ? 2 : 1;
    if (plan_copies(4. * static_cast<double>(n_) * arrays, refusal, why) == 0) return false;
    const std::int64_t all = n_ * static_cast<std::int64_t>(copies_);
    for (int i = 0; i < arrays; ++i) {
      arrays_.emplace_back(all);
      fill(arrays_.back(), i);
    }
    sums_.resize(static_cast<std::size_t>(cpu_.pool.size()) * kApart);
    return true;
  }

  Check check() override {
    Check c = start_check("fp32", "fp32");
    const Floats& out = arrays_.back();
    if (what_ != Stream::kRead)
      for (std::int64_t i = 0; i < n_; ++i) out[i] = NAN;
    once(0);
    if (what_ == Stream::kRead) {
      double want = 0, got = 0, magnitude = 0;
      for (std::int64_t i = 0; i < n_; ++i) {
        const double x = static_cast<double>(value(0, i));
        want += x;
        magnitude += std::abs(x);
      }
      for (std::size_t i = 0; i < sums_.size(); i += kApart) got += static_cast<double>(sums_[i]);
      compare(c, got, want, magnitude);
      return c;
    }
    for (std::int64_t i = 0; i < n_; i += 97) {
      const double a = static_cast<double>(value(0, i));
      const double want = what_ == Stream::kWrite  ? 1
                          : what_ == Stream::kCopy ? a
                                                   : a + 3 * static_cast<double>(value(1, i));
      compare(c, static_cast<double>(out[i]), want, std::abs(want));
    }
    return c;
  }

 private:
  static constexpr std::size_t kApart = 16;  // floats of a cache line
  static float value(int array, std::int64_t i) {
    return random_on_grid(static_cast<std::uint64_t>(array), static_cast<std::uint64_t>(i), 128);
  }

  // By all threads: it takes longer than what is then measured.
  void fill(const Floats& array, int which) {
    cpu_.pool.run([&](int part, int parts) {
      const auto [from, to] = Cpu::part(n_, 16, part, parts);
      for (std::int64_t j = from; j < to; ++j) {
        const float x = value(which, j);
        for (std::size_t c = 0; c < copies_; ++c) array[n_ * static_cast<std::int64_t>(c) + j] = x;
      }
    });
  }

  void once(std::size_t copy) override {
    const std::int64_t at = n_ * static_cast<std::int64_t>(copy);
    cpu_.pool.run([&](int part, int parts) {
      const auto share = Cpu::part(n_, 16, part, parts);
      const std::int64_t from = share.first, n = share.second - from;
      const auto array = [&](std::size_t i) { return arrays_[i].data() + at + from; };
      switch (what_) {
        case Stream::kRead:
          sums_[static_cast<std::size_t>(part) * kApart] = read_all(array(0), n);
          break;
        case Stream::kWrite:
          write_all(array(0), 1, n);
          break;
        case Stream::kCopy:
          copy_all(array(0), array(1), n);
          break;
        case Stream::kTriad:
          triad_all(array(0), array(1), array(2), 3, n);
          break;
      }
    });
  }

  Stream what_;
  std::int64_t n_ = 0;
  std::vector<Floats> arrays_;
  std::vector<float> sums_;
};

// One thread copies what another has just written.
class PeerCopy final : public Case {
 public:
  PeerCopy(Cpu& cpu, std::int64_t n) : cpu_(cpu), from_(n), to_(n) {}

  Check check() override {
    for (std::int64_t i = 0; i < to_.size(); ++i) to_[i] = NAN;
    run();
    Check c = start_check("fp32", "fp32");
    for (std::int64_t i = 0; i < to_.size(); i += 61)
      compare(c, static_cast<double>(to_[i]), static_cast<double>(written_), 0);
    return c;
  }

  double run() override {
    written_ += 1;
    cpu_.pool.run([&](int part, int) {
      if (part == 0) write_all(from_.data(), written_, from_.size());
    });
    cpu_.pool.run([&](int part, int) {
      if (part != 1) return;
      const auto start = std::chrono::steady_clock::now();
      copy_all(from_.data(), to_.data(), from_.size());
      seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    });
    return seconds_;
  }

 private:
  Cpu& cpu_;
  Floats from_, to_;
  float written_ = 0;
  double seconds_ = 0;
};

// Multiply-adds on registers: the peak that products are a share of.
class FmaCase final : public CpuCase {
 public:
  using CpuCase::CpuCase;
  Check check() override {  // x -> x/2 + 1/2 goes to 1 from anywhere
    once(0);
    Check c = start_check("fp32", "fp32");
    const auto lanes = static_cast<double>(fma_per_step());
    for (const float x : results_) compare(c, static_cast<double>(x), lanes, lanes);
    return c;
  }
  Amounts amounts(const Problem&) const override {
    return {0, 2. * kSteps * static_cast<double>(fma_per_step()) * cpu_.pool.size()};
  }

 private:
  static constexpr std::int64_t kSteps = 200000;
  void once(std::size_t) override {
    results_.resize(static_cast<std::size_t>(cpu_.pool.size()));
    cpu_.pool.run(
        [&](int part, int) { results_[static_cast<std::size_t>(part)] = fma_only(kSteps, 0.5F); });
  }
  std::vector<float> results_;
};

class LaunchCase final : public CpuCase {
 public:
  using CpuCase::CpuCase;
  Check check() override {
    parts_ = 0;
    once(0);
    Check c = start_check("fp32", "fp32");
    compare(c, parts_.load(), cpu_.pool.size(), 0);
    return c;
  }

 private:
  void once(std::size_t) override {
    cpu_.pool.run([&](int, int) { parts_.fetch_add(1, std::memory_order_relaxed); });
  }
  std::atomic<int> parts_ = 0;
};

}  // namespace

Prepared prepare_memory(Cpu& cpu, const Problem& p, Refusal& refusal, std::string& why) {
  if (p.op == "fma") return std::make_unique<FmaCase>(cpu, p);
  if (p.op == "launch") return std::make_unique<LaunchCase>(cpu, p);
  if (p.op == "peer-copy") {
    if (cpu.pool.size() >= 2) return std::make_unique<PeerCopy>(cpu, p.size("bytes") / 4);
    refusal = Refusal::kNotHere;
    why = "a copy between threads needs two";
    return nullptr;
  }
  const Stream what = p.op == "memory-read" || p.op == "cache-read" ? Stream::kRead
                      : p.op == "memory-write"                      ? Stream::kWrite
                      : p.op == "memory-copy"                       ? Stream::kCopy
                                                                    : Stream::kTriad;
  auto c = std::make_unique<MemoryCase>(cpu, p, what);
  return c->allocate(refusal, why) ? std::move(c) : nullptr;
}

}  // namespace reckon::bench::cpu
