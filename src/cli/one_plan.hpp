// The one plan that sweep, solve and search are about, before it is loaded.
#pragma once

#include "reckon/engine/load.hpp"
#include "session.hpp"

namespace reckon::cli {

struct OnePlan {
  PlanFile file;
  const PlanFile::Case* which = nullptr;  // into `file`: don't copy
};

// Reads the file, takes out cases, applies --set. False after a fault in the session's diagnostics.
bool open_one_plan(Session& session, const std::string& plan, const std::string& which_case,
                   const std::vector<std::string>& sets, OnePlan& out);
// The same of a tree that has been read.
bool open_one_plan(Session& session, const std::string& plan, doc::Value tree,
                   const std::string& which_case, const std::vector<std::string>& sets,
                   OnePlan& out);

}  // namespace reckon::cli
