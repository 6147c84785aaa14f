// Problems one after the other on one back end, with what was measured kept as it comes: a kernel that fails or hangs
// costs its own point, and not what came before.
//
//   Tally t = run_session(backend, left_to_do(problems, document), document, rules, hooks);
//   t.lost                              // the device answers no more: a new process goes on from the document
//
// What is not measured stands under the document's `left_out`, with why.
#pragma once

#include <cmath>
#include <functional>

#include "measure.hpp"

namespace reckon::bench {

struct SessionRules {
  StopRule sampling;
  double within = HUGE_VAL;    // seconds after which no further problem is begun
  double patience = HUGE_VAL;  // seconds after which a problem hangs
};

struct SessionHooks {
  // Of the problem that is begun, and of what came out.
  std::function<void(std::size_t at, std::size_t of, const std::string& text, bool done)> said;
  std::function<void(const Document&)> keep;  // after each problem
  // After the document was kept, on another thread: the process is to end here.
  std::function<void()> hung;
};

struct Tally {
  std::size_t wrong = 0, too_large = 0, not_begun = 0;
  bool lost = false;
};

Tally run_session(Backend& backend, const std::vector<Problem>& problems, Document& document,
                  const SessionRules& rules, const SessionHooks& hooks);

// Those that the document neither holds nor left out; what it had no time for is to be done again.
std::vector<Problem> left_to_do(const std::vector<Problem>& problems, Document& document);

// "12.3 µs ±0.4 %  2.71 TB/s  (40 samples, steady)"
std::string summary(const Measured& measured);

}  // namespace reckon::bench
