// What is varied: a field of a plan and the values it takes.
//
//   cluster.nodes=1..64:x2        1, 2, 4 … 64
//   batch.micro=1,2,4
//   rate=1,4,8 requests/s         the unit once, or with each
//   batch.sequence=4096..32768:+4096
//   chip.link.one_way=100..900 GB/s:+200       the unit once, or at both ends
//   recompute=none,selective,full
//
// A range needs to say how it goes on, unless it runs over whole numbers; one that never ends is a fault. Values stay
// text: the plan's own description reads them.
#pragma once

#include <string>
#include <vector>

#include "reckon/engine/plan_file.hpp"

namespace reckon {

struct Axis {
  std::string path;
  std::vector<std::string> values;
  Span span;  // of what was said of it
};

inline constexpr std::size_t kMostPoints = 1000000;  // of all axes together

// `said_by`: where it was written, "--vary". False after a fault.
bool read_axis(const std::string& word, const std::string& said_by, Sources& sources,
               Diagnostics& diagnostics, Axis& out);

// "1..64:x2" alone, as a space's file says it; `at` is its place.
std::vector<std::string> read_values(const std::string& text, Span at, Diagnostics& diagnostics);

// "0.1" beside "100 requests/s" is "0.1 requests/s"; what has a unit, or needs none, stays as it is.
std::string with_unit_of(const std::string& bare, const std::string& other);

// Points of all axes together.
std::size_t points_of(const std::vector<Axis>& axes);
// Values at a point, the last axis fastest.
std::vector<std::string> point(const std::vector<Axis>& axes, std::size_t at);
// A fault where there are too many, where one field is varied twice, or where one is varied and set.
void check_axes(const std::vector<Axis>& axes, const PlanFile& plan, Diagnostics& diagnostics);

}  // namespace reckon
