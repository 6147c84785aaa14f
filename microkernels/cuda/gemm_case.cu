#include "gemm_case.hpp"

namespace reckon::bench::cuda {
namespace {
constexpr std::uint64_t kSeedA = 11, kSeedW = 12;
constexpr std::int64_t kSampled = 512;

const char* word_of(Dtype t) {
  switch (t) {
    case Dtype::kBf16:
      return "bf16";
    case Dtype::kFp16:
      return "fp16";
    case Dtype::kTf32:
      return "tf32";
    case Dtype::kFp8:
      return "fp8";
    case Dtype::kFp32:
      break;
  }
  return "fp32";
}
}  // namespace

GemmCase::GemmCase(Gpu& gpu, const Problem& p, Dtype t)
    : GpuCase(gpu, p),
      t_(t),
      out_(t == Dtype::kFp8    ? Dtype::kBf16
           : t == Dtype::kTf32 ? Dtype::kFp32
                               : t),
      x_{p.size("groups", 1), size("m"), size("n"), size("k")} {}

bool GemmCase::allocate(std::size_t extra, Refusal& refusal, std::string& why) {
  const std::size_t each = bytes_of(t_);
  const auto bytes = [](std::int64_t n, std::size_t each) {
    return static_cast<std::size_t>(n) * each;
  };
  const std::size_t a = bytes(x_.groups * x_.m * x_.k, each),
                    w = bytes(x_.groups * x_.n * x_.k, each),
                    c = bytes(x_.groups * x_.m * x_.n, bytes_of(out_));
  if (plan_copies(static_cast<double>(w), static_cast<double>(a + c + extra), refusal, why) == 0)
    return false;
  a_ = Buffer(a);
  c_ = Buffer(c);
  w_ = Buffer(w * copies_);
  fill(a_.as<void>(), t_, x_.groups * x_.m * x_.k, kSeedA, 1, gpu_.stream);
  for (std::size_t i = 0; i < copies_; ++i)
    fill(w_.as<char>(i * w), t_, x_.groups * x_.n * x_.k, kSeedW, 1, gpu_.stream);
  must(cudaStreamSynchronize(gpu_.stream), "fill");
  return true;
}

Check GemmCase::check() {
  c_.poison();
  launch_once();
  const std::vector<std::int64_t> at = sampled(x_.groups * x_.m * x_.n, kSampled);
  const std::vector<float> got = gather(c_.as<void>(), out_, at, gpu_.stream);
  Check c = start_check(word_of(out_), word_of(t_));
  const int steps = grid_of(t_);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const std::int64_t group = at[i] / (x_.m * x_.n);
    const std::int64_t row = group * x_.m + at[i] / x_.n % x_.m;
    const std::int64_t column = group * x_.n + at[i] % x_.n;
    const Dot want = dot(
        x_.k,
        [&](std::int64_t k) {
          return random_on_grid(kSeedA, static_cast<std::uint64_t>(row * x_.k + k), steps);
        },
        [&](std::int64_t k) {
          return random_on_grid(kSeedW, static_cast<std::uint64_t>(column * x_.k + k), steps);
        });
    compare(c, static_cast<double>(got[i]), want.value, want.magnitude);
  }
  return c;
}

}  // namespace reckon::bench::cuda
