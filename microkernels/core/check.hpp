// Whether a kernel computed what it should: its outputs against a reference in double precision.
//
//   Check c = start_check("bf16", "fp32");
//   compare(c, got, want, magnitude);      // magnitude: Σ|a·b| behind `want`
//   c.worst                                // largest error over what rounding explains; > 1 is wrong
//
// Inputs lie on a grid that the format holds exactly (random_on_grid), so that the reference needs no rounding of
// inputs, is the same on every device, and is computed for sampled outputs without copying the inputs back.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#if defined(__CUDACC__)
#define RECKON_BOTH __host__ __device__
#else
#define RECKON_BOTH
#endif

namespace reckon::bench {

// Steps of the grid on [-1, 1]: all a format's significant bits, so that multipliers and wires toggle as with data.
constexpr int grid_of(char format) {
  switch (format) {
    case '8':  // fp8 e4m3: four significant bits
      return 8;
    case 'b':  // bf16
      return 128;
    case 'h':  // fp16
    case 't':  // tf32
      return 1024;
    default:  // fp32
      return 1 << 20;
  }
}

// A value in [-1, 1] that depends on the seed and the index alone: Steele's mix of a Weyl sequence.
RECKON_BOTH inline float random_on_grid(std::uint64_t seed, std::uint64_t index, int steps) {
  std::uint64_t z = (index + 1) * 0x9e3779b97f4a7c15ULL + seed * 0xd1b54a32d192ed03ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  z ^= z >> 31;
  const int k = static_cast<int>((z >> 33) % (2 * static_cast<std::uint64_t>(steps) + 1)) - steps;
  return static_cast<float>(k) / static_cast<float>(steps);
}

struct Check {
  double worst = 0;           // error over what is allowed
  std::int64_t compared = 0;  // outputs looked at
  double output_eps = 0, sum_eps = 0;
  bool wrong() const { return !(worst <= 1) || compared == 0; }
};

// Rounding of an output in `format`, and what an accumulator loses a unit of Σ|a·b|. Tensor cores keep fp8 sums in
// about 14 bits before they are added up (DeepGEMM's remark), other formats in fp32.
inline Check start_check(const std::string& output, const std::string& operands) {
  Check c;
  c.output_eps = output == "bf16"   ? std::ldexp(1., -8)
                 : output == "fp16" ? std::ldexp(1., -11)
                 : output == "fp8"  ? std::ldexp(1., -4)
                                    : std::ldexp(1., -23);
  c.sum_eps = operands == "fp8" ? std::ldexp(1., -11) : std::ldexp(1., -18);
  return c;
}

inline void compare(Check& c, double got, double want, double magnitude) {
  ++c.compared;
  const double allowed = c.output_eps * std::abs(want) + c.sum_eps * magnitude;
  const double off = std::abs(got - want);
  const double ratio = allowed > 0 ? off / allowed : (off > 0 ? HUGE_VAL : 0);
  // A NaN, which is what outputs are poisoned with, must not pass as small.
  c.worst = std::isnan(ratio) ? HUGE_VAL : std::fmax(c.worst, ratio);
}

}  // namespace reckon::bench
