// The words of reckon-bench's command line.
//
//   Options o;
//   std::optional<int> ends = read_options(argc, argv, o);      // the exit code where there is nothing more to do
#pragma once

#include <optional>
#include <string>

#include "backends.hpp"
#include "core/session.hpp"

namespace reckon::bench {

enum Exit {
  kOk = 0,
  kWrong = 1,
  kUsage = 2,
  kNoDevice = 3,
  kOldDriver = 4,
  kNoMemory = 5,
  kLost = 6
};

struct Options {
  BackendOptions backend;
  std::string sweep, only, chip, output, aims, report, root;
  SessionRules rules;
  bool list = false, resume = false, strict = false;
};

std::optional<int> read_options(int argc, char** argv, Options& options);

}  // namespace reckon::bench
