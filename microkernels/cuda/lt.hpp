// cuBLASLt for one shape: the best of the algorithms it proposes, timed here.
#pragma once

#include "device.hpp"

namespace reckon::bench::cuda {

class LtProduct {
 public:
  // C[m][n] = Σ A[m][k]·W[n][k]; `why` is set if cuBLASLt has nothing for it.
  LtProduct(Gpu& gpu, Dtype t, Dtype out, std::int64_t m, std::int64_t n, std::int64_t k,
            std::string& why);
  LtProduct(LtProduct&&) noexcept;
  ~LtProduct();

  // Times the proposals on these operands and keeps the fastest. Copies of W in turn, as they will be read: the fastest
  // on weights that a cache holds need not be so on others.
  void tune(const void* a, const std::vector<const void*>& w, void* c);
  void run(const void* a, const void* w, void* c, cudaStream_t s) const;
  static std::string version();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reckon::bench::cuda
