#include "reckon/numerics/random.hpp"

#include <bit>
#include <cmath>
#include <numbers>

namespace reckon {

Random::Random(std::uint64_t seed) : state_() {
  for (std::uint64_t& word : state_) {
    std::uint64_t z = seed += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    word = z ^ (z >> 31);
  }
}

std::uint64_t Random::next() {
  std::array<std::uint64_t, 4>& s = state_;
  const std::uint64_t out = std::rotl(s[0] + s[3], 23) + s[0];
  const std::uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = std::rotl(s[3], 45);
  return out;
}

double Random::unit() { return std::ldexp(static_cast<double>(next() >> 11), -53); }

double Random::draw(Distribution d) {
  switch (d) {
    case Distribution::kUniform:
      return 2 * unit() - 1;
    case Distribution::kPositive:
      return unit();
    case Distribution::kLaplace: {
      const double u = unit() - 0.5;
      return -std::copysign(std::log1p(-2 * std::abs(u)), u) / std::numbers::sqrt2;
    }
    case Distribution::kNormal:
      break;
  }
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const double radius = std::sqrt(-2 * std::log1p(-unit())), angle = 2 * std::numbers::pi * unit();
  spare_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

}  // namespace reckon
