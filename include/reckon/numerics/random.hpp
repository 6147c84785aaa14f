// Values of a known distribution, the same on every machine for the same seed.
//
//   Random random(1);
//   random.draw(Distribution::kNormal)        // mean 0, standard deviation 1
//
// xoshiro256++ seeded by splitmix64; normals by Box and Muller.
#pragma once

#include <array>
#include <cstdint>

namespace reckon {

enum class Distribution {
  kNormal,    // mean 0, deviation 1
  kUniform,   // [-1, 1)
  kPositive,  // [0, 1)
  kLaplace    // mean 0, deviation 1: heavier tails
};

class Random {
 public:
  explicit Random(std::uint64_t seed);
  std::uint64_t next();
  double unit();  // [0, 1), 53 bits
  double draw(Distribution d);

 private:
  std::array<std::uint64_t, 4> state_;
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace reckon
