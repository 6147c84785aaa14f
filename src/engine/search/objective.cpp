#include <fmt/format.h>

#include "reckon/engine/search.hpp"

namespace reckon {

std::string objective_id(const std::string& said) {
  return said.starts_with("min:") || said.starts_with("max:") ? said.substr(4) : said;
}

bool read_objective(const std::string& said, const Metric& metric, Diagnostics& diagnostics,
                    bool& maximize) {
  if (metric.is_text()) {
    diagnostics.error({}, fmt::format("objective: {} is a word, not a number", metric.id))
        .help("name a number: step.time, run.cost, memory.total");
    return false;
  }
  maximize = said.starts_with("max:");
  if (maximize || said.starts_with("min:")) return true;
  // Times, sizes, dollars and joules are better small, rates large; shares may be either.
  const Dim d = metric.dim;
  if (d == kHertz || d == kByteRate || d == kFlopRate) return maximize = true;
  if (d == kSecond || d == kByte || d == kUsd || d == kJoule || d == kFlop) return true;
  diagnostics
      .error({},
             fmt::format("objective: whether {} is better large or small is not said", metric.id))
      .help(fmt::format("write max:{} or min:{}", metric.id, metric.id));
  return false;
}

}  // namespace reckon
