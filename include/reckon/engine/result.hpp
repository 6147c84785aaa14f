// What every command answers with: metrics under dotted ids, what was assumed, what was left out.
//
//   const Metric* m = result.find("memory.total");        // value in SI units, dimension and hint beside it
//
// One list serves every format: text, JSON, CSV, Markdown, `expect:` and the objectives of searches.
#pragma once

#include <string>
#include <vector>

#include "reckon/units/dim.hpp"

namespace reckon {

struct Metric {
  std::string id, title;
  double value = 0;
  Dim dim = {};
  Hint hint = Hint::kNone;
  std::string text;    // of metrics that are words: a verdict, a bound
  std::string reason;  // why there is no value
  int node = -1;       // on the tape, when the run was recorded

  bool has_value() const { return reason.empty(); }
  bool is_text() const { return !text.empty(); }
};

// A convention or efficiency in force, and where it was stated.
struct Assumption {
  std::string path, value, place, source;
  bool overridden = false;
};

// A change of one field that makes a plan fit.
struct Fix {
  std::string change;                  // as --set takes it: "sharding.zero=2"
  std::string title;                   // "ZeRO-2"
  double headroom = 0, step_time = 0;  // bytes; seconds, 0 if the plan states no efficiency
};

struct Result {
  std::string name, file, case_name, kind;
  std::vector<std::pair<std::string, std::string>>
      headline;  // "model": "Llama 3 8B, 8.03B params", …
  std::vector<Metric> metrics;
  std::vector<Assumption> assumptions;
  std::vector<std::string> warnings, not_modelled;
  std::vector<Fix> fixes;
  bool fits = true;

  const Metric* find(std::string_view id) const {
    for (const Metric& m : metrics) {
      if (m.id == id) return &m;
    }
    return nullptr;
  }
};

}  // namespace reckon
