// Plans named on the command line, with their cases and --set: loaded and judged.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "reckon/engine/loaded.hpp"
#include "session.hpp"

namespace reckon::cli {

using Plans = std::vector<std::unique_ptr<Loaded>>;

struct PlanRequest {
  std::vector<std::string> plans;  // files; - reads stdin
  std::vector<std::string> sets;   // path=value
  std::string which_case;          // "", a name, or "all"
};

// Faults of all plans go to the session's diagnostics; the plans are meaningful only without them.
Plans load_plans(Session&, const PlanRequest&);
// The same from a tree that is there already.
void load_plan(Session&, const std::string& name, doc::Value tree, const PlanRequest&, Plans& out);

// A file that is a plan only with one of its cases: true after the fault that names them.
bool needs_case(Session&, const PlanFile&);

// The fault of a --case that the file lacks; `all_would_do`: the command takes `--case all`.
void unknown_case(Session&, const PlanFile&, const std::string& wanted, bool all_would_do);

}  // namespace reckon::cli
