// Holds a plan to its `expect:` lines.
//
//   - {id: P103, metric: comm.all_gather.time, exact: 27.2222 ms, printed: 27 ms, within: 1%, source: …}
//   - {metric: run.days, at_most: 30 days}
//
// `exact` is held to 1e-5 relative (whole counts and words exactly), `printed` to `within`, or where none is stated to
// half a unit of the last digit that it prints; `at_most` and `at_least` are bounds. A line passes if all it states
// holds. An unknown metric, or a value of another dimension, is a fault of the file.
#pragma once

#include <string>
#include <vector>

#include "reckon/engine/plan_file.hpp"
#include "reckon/engine/result.hpp"

namespace reckon {

inline constexpr double kExactTolerance = 1e-5;

struct CheckLine {
  std::string id, file, case_name, metric, source;
  Span span;
  std::string value;  // as people read it
  double number = 0;  // SI; NaN if the metric has no value
  std::string unit;
  std::string exact, printed, at_most, at_least;  // as the file says
  double exact_number = 0, printed_number = 0, most = 0, least = 0;
  double exact_deviation = 0, printed_deviation = 0;  // relative
  double within = 0;  // of `printed`: as stated, else what half a unit of its last digit is
  bool has_exact = false, has_printed = false, is_text = false;
  bool pass = false;
  std::string why;  // of a miss
};

std::vector<CheckLine> check_expectations(const std::vector<Expectation>& expect,
                                          const Result& result, Diagnostics& diagnostics);

// Everything a file or the files of a folder expect, cases included. Faults of a file go to `diagnostics`; its other
// files are still checked. `files` counts plans that carried expectations.
struct CheckReport {
  struct Fault {  // what can't be read
    std::string file, place, message;
  };
  std::vector<CheckLine> lines;
  std::vector<Fault> faults;
  std::size_t files = 0, plans = 0;
  std::size_t misses() const;
};
// `sets`: what is changed in each plan first. `which_case`: that case alone; files without it are passed over.
struct CheckOnly {
  Sets sets;
  std::string which_case;
};
CheckReport check_file(Workspace& work, const std::string& file, Diagnostics& diagnostics,
                       const CheckOnly& only = {});

// Data that lies beside plans and holds none: budgets of measured runs, bounds of their constants.
bool is_companion(const doc::Value& tree);

// The plan files under a folder (*.yaml, sorted), or the file itself.
std::vector<std::string> plan_files(const std::string& path, Diagnostics& diagnostics);

}  // namespace reckon
