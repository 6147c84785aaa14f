// A plan of any kind at many values of some fields.
//
//   PlanPoints points(work, file, which, {"cluster.nodes", "batch.micro"});
//   PlanPoint p = points.at({"8", "2"});        // metrics, or why there is no such plan
//
// The first plan is loaded as `eval` loads it. Where the fields are plain and the kind offers it, the others are that
// plan with the fields changed, held to the bit against plans that are loaded again before it is trusted.
#pragma once

#include <map>

#include "reckon/engine/kinds.hpp"

namespace reckon {

struct PlanPoint : Judged {
  std::string fault;  // why there is no such plan; "" if there is

  bool legal() const { return fault.empty(); }
  // nullptr where the metric is absent or has no value.
  const Metric* number(std::string_view id) const;
};

class PlanPoints {
 public:
  PlanPoints(Workspace& work, const PlanFile& file, const PlanFile::Case* which,
             std::vector<std::string> paths, Span said = {});

  PlanPoint at(const std::vector<std::string>& values);
  // What loading warned of, each message once, with the first values it was said at ("stack=megatron-2022-a100").
  const std::map<std::string, std::string>& warnings() const { return warnings_; }
  // The plan itself at those values, loaded; null after a fault.
  std::unique_ptr<Loaded> load(const std::vector<std::string>& values, Diagnostics& diagnostics);

 private:
  PlanPoint loaded_again(const std::vector<std::string>& values);
  void keep_warnings(const std::vector<std::string>& values, const Diagnostics& diagnostics);
  bool changed(const std::vector<std::string>& values, PlanPoint& out);
  doc::Value value(const std::string& text);

  Workspace& work_;
  const PlanFile& file_;
  const PlanFile::Case* which_;
  std::vector<std::string> paths_, fields_;  // as said, and as the bound plan has them
  Span said_;
  std::unique_ptr<Loaded> base_;
  std::map<std::string, std::string> warnings_;
  int held_ = 0;       // comparisons that the fast way has passed
  bool slow_ = false;  // it can't be used here
};

}  // namespace reckon
