// A question as a file would say it, answered; faults as people read them.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "catch.hpp"
#include "reckon/engine/kinds.hpp"

namespace reckon::test {

struct Asked {
  Result result;
  std::string faults;

  double value(std::string_view id) const {
    const Metric* m = result.find(id);
    INFO(id << faults);
    REQUIRE(m);
    REQUIRE(m->has_value());
    return m->value;
  }
  bool absent(std::string_view id) const {
    const Metric* m = result.find(id);
    return !m || !m->has_value();
  }
};

// The lines of a file, less those whose keys are stated again.
inline std::string with(const std::string& lines, const std::string& more) {
  std::string out;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    const std::string line = lines.substr(at, end - at);
    const std::string key = line.substr(0, line.find(':') + 1);
    if (("\n" + more).find("\n" + key) == std::string::npos) out += line + '\n';
    at = end + 1;
  }
  return out + more + '\n';
}

inline Asked ask(const std::string& yaml) {
  static Workspace work({RECKON_SOURCE_DIR});
  Diagnostics d;
  Asked out;
  const PlanFile file =
      open_plan(work, "question.yaml", work.read_text("question.yaml", yaml, d), {}, d);
  if (const auto plan = d.has_errors() ? nullptr : load_plan(work, file, nullptr, d))
    out.result = plan->result(work);
  out.faults = d.render();
  return out;
}

}  // namespace reckon::test
