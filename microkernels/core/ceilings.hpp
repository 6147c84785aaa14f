// Whether our own kernels reach what they are held against: a library's kernel that did the same work, or the best rate
// of another operation, out of one measurement.
//
//   std::vector<Comparison> all = held_against(document, aims);
//   all[0].ratio                        // 0.87: of the library's speed
//   all[0].verdict                      // reached, missed, throttled, not measured; shown: it has no aim
//   table_of(all)                       // for people; "" if nothing can be compared
//
// The same work: operation, format, shape, cold or hot, in a stream or in a graph. A best rate is of points that are
// as cold. Medians are compared. A throttled point judges nothing: its clock was not the other one's.
#pragma once

#include "aims.hpp"
#include "document.hpp"

namespace reckon::bench {

enum class Verdict { kShown, kReached, kMissed, kThrottled, kNotMeasured };

struct Comparison {
  std::string own, other;     // names
  std::string rate, of_rate;  // "612 TFLOP/s"
  double ratio = 0;           // 0: not measured
  double at_least = 0;        // 0: no aim
  Verdict verdict = Verdict::kShown;
  std::string why;  // where it is not judged
};

std::vector<Comparison> held_against(const Document& measured, const std::vector<Aim>& aims);

// Whether what is measured for the problem is held to the aim.
bool concerns(const Aim& aim, const Problem& problem);

// Whether every aim among them was reached: one that was missed, throttled or not measured was not.
bool all_reached(const std::vector<Comparison>& comparisons);

std::string table_of(const std::vector<Comparison>& comparisons);

}  // namespace reckon::bench
