// What the CPU's cases share: memory, threads, how a run is timed, and going round copies of the inputs.
#pragma once

#include <cstdlib>
#include <functional>
#include <memory>
#include <new>

#include "backends.hpp"
#include "core/rotation.hpp"
#include "kernels.hpp"
#include "pool.hpp"

namespace reckon::bench::cpu {

// Floats on pages of 2 MiB where the system gives them.
class Floats {
 public:
  Floats() = default;
  explicit Floats(std::int64_t n);
  float* data() const { return data_.get(); }
  std::int64_t size() const { return n_; }
  float& operator[](std::int64_t i) const { return data_.get()[i]; }

 private:
  struct Free {
    void operator()(float* p) const { std::free(p); }
  };
  std::unique_ptr<float, Free> data_;
  std::int64_t n_ = 0;
};

struct Cpu {
  Machine machine;
  Pool pool;
  double may_use = 0;  // bytes of memory

  explicit Cpu(int threads) : pool(threads) {}
  // The part of [0, n) that is thread `part`'s, in steps of `step`.
  static std::pair<std::int64_t, std::int64_t> part(std::int64_t n, std::int64_t step, int part,
                                                    int parts);
};

// A case that goes round `copies` of its inputs. Runs shorter than a millisecond are repeated and divided.
class CpuCase : public Case {
 public:
  CpuCase(Cpu& cpu, const Problem& problem) : cpu_(cpu), problem_(problem) {}
  double run() final;
  std::string note() const override { return note_; }

 protected:
  virtual void once(std::size_t copy) = 0;
  // Copies that a problem with inputs of so many bytes needs; 0 and a reason if memory is short.
  std::size_t plan_copies(double bytes, Refusal& refusal, std::string& why);
  std::int64_t size(std::string_view name) const { return problem_.size(name); }
  double timed(std::int64_t repeats);

  Cpu& cpu_;
  Problem problem_;
  std::size_t copies_ = 1;
  std::string note_;

 private:
  std::size_t next_ = 0;
  std::int64_t repeats_ = 0;
};

using Prepared = std::unique_ptr<Case>;
// Each returns null and a reason if the problem isn't of its kind here.
Prepared prepare_memory(Cpu& cpu, const Problem& p, Refusal& refusal, std::string& why);
Prepared prepare_gemm(Cpu& cpu, const Problem& p, Refusal& refusal, std::string& why);
Prepared prepare_attention(Cpu& cpu, const Problem& p, Refusal& refusal, std::string& why);
Prepared prepare_stream(Cpu& cpu, const Problem& p, Refusal& refusal, std::string& why);
Prepared prepare_layer(Cpu& cpu, const Problem& p, Refusal& refusal, std::string& why);

inline constexpr int kGrid = grid_of('s');

}  // namespace reckon::bench::cpu
