// Norm with residual and gated activation in fp32.
#include <cmath>

#include "case.hpp"

namespace reckon::bench::cpu {
namespace {

class StreamCase final : public CpuCase {
 public:
  StreamCase(Cpu& cpu, const Problem& p)
      : CpuCase(cpu, p), norm_(p.op == "norm"), rows_(size("tokens")), width_(size("hidden")) {}

  bool allocate(Refusal& refusal, std::string& why) {
    const std::int64_t in = rows_ * width_ * 2;
    if (plan_copies(4. * static_cast<double>(in), refusal, why) == 0) return false;
    const auto copies = static_cast<std::int64_t>(copies_);
    in_ = Floats(in * copies);
    out_ = Floats(rows_ * width_ * copies);
    for (std::int64_t i = 0; i < in * copies; ++i)
      in_[i] = random_on_grid(31, static_cast<std::uint64_t>(i), kGrid);
    return true;
  }

  Check check() override {
    Check c = start_check("fp32", "fp32");
    for (std::int64_t i = 0; i < rows_ * width_; ++i) out_[i] = NAN;
    const std::vector<float> before(in_.data(), in_.data() + 2 * rows_ * width_);
    once(0);
    for (const std::int64_t row : {std::int64_t{0}, rows_ / 2, rows_ - 1}) {
      double squares = 0;
      const auto sum = [&](std::int64_t j) {
        return static_cast<double>(before[static_cast<std::size_t>(row * width_ + j)]) +
               static_cast<double>(before[static_cast<std::size_t>((rows_ + row) * width_ + j)]);
      };
      for (std::int64_t j = 0; j < width_; ++j) squares += sum(j) * sum(j);
      const double scale = 1 / std::sqrt(squares / static_cast<double>(width_) + 1e-5);
      for (std::int64_t j = 0; j < width_; ++j) {
        const auto at = static_cast<std::size_t>(2 * row * width_ + j);
        const double g = static_cast<double>(before[at]);
        const double u = static_cast<double>(before[at + static_cast<std::size_t>(width_)]);
        const double want = norm_ ? sum(j) * scale : g / (1 + std::exp(-g)) * u;
        compare(c, static_cast<double>(out_[row * width_ + j]), want, 1);
      }
    }
    return c;
  }

 private:
  void once(std::size_t copy) override {
    float* in = in_.data() + static_cast<std::int64_t>(copy) * 2 * rows_ * width_;
    float* out = out_.data() + static_cast<std::int64_t>(copy) * rows_ * width_;
    cpu_.pool.run([&](int part, int parts) {
      const auto [from, to] = Cpu::part(rows_, 1, part, parts);
      if (norm_)
        add_norm(in + from * width_, in + (rows_ + from) * width_, out + from * width_, to - from,
                 width_);
      else
        swiglu(in + 2 * from * width_, out + from * width_, to - from, width_);
    });
  }

  bool norm_;
  std::int64_t rows_, width_;
  Floats in_, out_;
};

}  // namespace

Prepared prepare_stream(Cpu& cpu, const Problem& p, Refusal& refusal, std::string& why) {
  refusal = Refusal::kNotHere;
  if (p.op == "quantize") {
    why = "the CPU back end computes in fp32 alone";
    return nullptr;
  }
  auto c = std::make_unique<StreamCase>(cpu, p);
  return c->allocate(refusal, why) ? std::move(c) : nullptr;
}

}  // namespace reckon::bench::cpu
