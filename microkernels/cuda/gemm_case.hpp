// A matrix product on the GPU, whoever multiplies: C[m][n] = Σ A[m][k]·W[n][k], both operands with k innermost, as
// linear layers keep them. `groups` of them, each with matrices of its own.
#pragma once

#include "core/reference.hpp"
#include "device.hpp"

namespace reckon::bench::cuda {

struct GemmSizes {
  std::int64_t groups, m, n, k;
};

class GemmCase : public GpuCase {
 public:
  GemmCase(Gpu& gpu, const Problem& p, Dtype t);
  bool allocate(std::size_t extra, Refusal& refusal, std::string& why);
  Check check() override;

 protected:
  virtual void multiply(const void* a, const void* w, void* c, cudaStream_t s) = 0;
  const void* weights(std::size_t copy) const {
    return w_.as<char>(copy * static_cast<std::size_t>(x_.groups * x_.n * x_.k) * bytes_of(t_));
  }

  Dtype t_, out_;
  GemmSizes x_;
  Buffer a_, w_, c_;

 private:
  void launch(std::size_t copy, cudaStream_t s) final {
    multiply(a_.as<void>(), weights(copy), c_.as<void>(), s);
  }
};

}  // namespace reckon::bench::cuda
