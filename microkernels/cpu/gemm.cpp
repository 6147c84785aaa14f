// Matrix products in fp32: by our own blocked kernel, and by the system's BLAS where it was found.
#include <cmath>
#include <cstring>

#include "case.hpp"
#include "core/reference.hpp"

#ifdef RECKON_HAS_BLAS
extern "C" void sgemm_(const char* ta, const char* tb, const int* m, const int* n, const int* k,
                       const float* alpha, const float* a, const int* lda, const float* b,
                       const int* ldb, const float* beta, float* c, const int* ldc);
#endif

namespace reckon::bench::cpu {
namespace {

constexpr std::uint64_t kSeedA = 11, kSeedW = 12;

class GemmCase final : public CpuCase {
 public:
  GemmCase(Cpu& cpu, const Problem& p, bool blas)
      : CpuCase(cpu, p), blas_(blas), m_(size("m")), n_(size("n")), k_(size("k")) {}

  bool allocate(Refusal& refusal, std::string& why) {
    if (plan_copies(4. * static_cast<double>(n_ * k_), refusal, why) == 0) return false;
    a_ = Floats(m_ * k_);
    c_ = Floats(m_ * n_);
    w_ = Floats(n_ * k_ * static_cast<std::int64_t>(copies_));
    for (std::int64_t i = 0; i < m_ * k_; ++i)
      a_[i] = random_on_grid(kSeedA, static_cast<std::uint64_t>(i), kGrid);
    for (std::int64_t n = 0; n < n_; ++n)
      for (std::int64_t k = 0; k < k_; ++k)
        w_[blas_ ? k * n_ + n : packed_index(n, k, k_)] = weight(n, k);
    for (std::size_t i = 1; i < copies_; ++i)
      std::memcpy(w_.data() + static_cast<std::int64_t>(i) * n_ * k_, w_.data(),
                  static_cast<std::size_t>(n_ * k_) * sizeof(float));
    return true;
  }

  Check check() override {
    for (std::int64_t i = 0; i < m_ * n_; ++i) c_[i] = NAN;
    once(0);
    Check c = start_check("fp32", "fp32");
    for (const std::int64_t at : sampled(m_ * n_, 400)) {
      const std::int64_t row = at / n_, column = at % n_;
      const Dot want = dot(
          k_, [&](std::int64_t k) { return a_[row * k_ + k]; },
          [&](std::int64_t k) { return weight(column, k); });
      compare(c, static_cast<double>(c_[at]), want.value, want.magnitude);
    }
    return c;
  }

 private:
  float weight(std::int64_t n, std::int64_t k) const {
    return random_on_grid(kSeedW, static_cast<std::uint64_t>(n * k_ + k), kGrid);
  }

  void once(std::size_t copy) override {
    const float* w = w_.data() + static_cast<std::int64_t>(copy) * n_ * k_;
    if (blas_) return by_blas(w);
    cpu_.pool.run([&](int part, int parts) {
      const auto [from, to] = Cpu::part(n_ / panel_width(), 1, part, parts);
      multiply(a_.data(), w, c_.data(), m_, n_, k_, from, to);
    });
  }

  // Row-major C = A·W seen from Fortran is Cᵀ = Wᵀ·Aᵀ.
  void by_blas([[maybe_unused]] const float* w) {
#ifdef RECKON_HAS_BLAS
    const int m = static_cast<int>(m_), n = static_cast<int>(n_), k = static_cast<int>(k_);
    const float one = 1, zero = 0;
    sgemm_("N", "N", &n, &m, &k, &one, w, &n, a_.data(), &k, &zero, c_.data(), &n);
#endif
  }

  bool blas_;
  std::int64_t m_, n_, k_;
  Floats a_, w_, c_;
};

}  // namespace

Prepared prepare_gemm(Cpu& cpu, const Problem& p, Refusal& refusal, std::string& why) {
  refusal = Refusal::kNotHere;
  const bool blas = p.library == "BLAS";
#ifndef RECKON_HAS_BLAS
  if (blas) {
    why = "no BLAS was found when reckon-bench was built";
    return nullptr;
  }
#endif
  if (!blas && p.size("n") % panel_width() != 0) {
    why = "n must be a multiple of " + std::to_string(panel_width());
    return nullptr;
  }
  auto c = std::make_unique<GemmCase>(cpu, p, blas);
  return c->allocate(refusal, why) ? std::move(c) : nullptr;
}

}  // namespace reckon::bench::cpu
