// What was measured, as the versioned JSON that `reckon calibrate` reads.
//
//   Document d;
//   d.machine = backend.machine(); d.points.push_back(point);
//   write(d)            // {"kind": "bench", "version": 1, "units": {"time": "us", …}, "machine": …, "points": […]}
//   read_document(work, "h100.json", diagnostics)                // and back
//
// Times in microseconds, bytes and FLOP of one run, clocks in MHz: said once under `units`. NaN never gets in: a point
// whose result is wrong is left out of the file and counted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend.hpp"
#include "reckon/engine/workspace.hpp"
#include "sampler.hpp"
#include "statistics.hpp"

namespace reckon::bench {

inline constexpr int kDocumentVersion = 1;

struct Point {
  Problem problem;
  Amounts amounts;
  Spread seconds;
  std::size_t samples = 0;
  Stop stop = Stop::kSamples;
  double clock = 0;  // Hz; 0: not read
  bool throttled = false;
  double check = 0;  // worst error over what rounding explains
  std::string note;
};

struct Document {
  Machine machine;
  std::string chip;  // a file in hardware/chips, if the caller named one
  std::string date, command;
  std::vector<Point> points;
  std::vector<std::string> left_out;  // what was asked for and is not here, with why
};

std::string write(const Document& document);
// Nothing after a fault.
std::optional<Document> read_document(Workspace& work, const std::string& file,
                                      Diagnostics& diagnostics);

}  // namespace reckon::bench
