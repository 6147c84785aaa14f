// Requests: when each arrives, how long its prompt and its answer are.
//
//   Traffic t;
//   t.rate = 4;                                        // requests/s
//   t.prompt = {LengthShape::kLognormal, 2000, 0.5};         // tokens, and their spread
//   t.output = {LengthShape::kConstant, 300};
//   std::vector<Request> r = draw_requests(t, 10'000, Random(1));
//
// The same seed gives the same requests on every machine: uniform numbers of our own, distributions by their inverse
// or by Marsaglia and Tsang's rejection (gamma), no std:: ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reckon/load/kinds.hpp"
#include "reckon/numerics/random.hpp"

namespace reckon::load {

struct Request {
  double arrival = 0;  // s
  std::int32_t prompt = 1, output = 1;
};

struct Lengths {
  LengthShape shape = LengthShape::kConstant;
  double mean = 1, spread = 0;  // standard deviation over mean
  double longest = 1e9;         // cut there
};

struct Arrivals {
  ArrivalKind kind = ArrivalKind::kPoisson;
  double spread = 1;       // of the times between, gamma
  double on = 1, off = 1;  // mean length of a burst and of a pause, s
};

struct Traffic {
  double rate = 1;   // requests/s, all together
  double share = 1;  // of them come here, each by chance: one of several engines
  double think = 0;  // s, mean, exponential: of users, between an answer and their next request
  Arrivals arrivals;
  Lengths prompt, output;
};

// Whole tokens, at least one.
std::int32_t draw_length(const Lengths& lengths, Random& random);

// In the order of their arrival. With a rate of 0, for users who wait for their answer, what each of them thinks
// stands in the place of his arrival: nothing, or `think` on average.
std::vector<Request> draw_requests(const Traffic& traffic, std::size_t n, Random random);

}  // namespace reckon::load
