// Requests from a CSV file: when each arrives, how long its prompt and its answer are.
//
//   arrival,prompt,output
//   0.00,812,96
//   0.31,2400,310
//
// Seconds from any moment, in order; whole tokens. A faulty row is reported at its line and column.
#pragma once

#include <string>
#include <vector>

#include "reckon/engine/workspace.hpp"
#include "reckon/load/requests.hpp"

namespace reckon {

struct RequestTrace {
  std::vector<load::Request> requests;  // the first arrives at 0

  // Means, and standard deviations over them.
  double rate = 0, burstiness = 0, prompt = 0, prompt_spread = 0, output = 0, output_spread = 0;
};

// `file`: beside the file that says so, or where the program runs. Empty after a fault.
// `longest`: most tokens of prompt and answer; 0: any.
RequestTrace read_requests(Workspace& work, const std::string& file, Span said, double longest,
                           Diagnostics& diagnostics);

}  // namespace reckon
