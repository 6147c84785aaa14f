// A space's file: the plan that it is about, and what is opened.
//
//   OpenSpace s;
//   read_space(work, "plans/spaces/175b-512xa100.yaml", tree, diagnostics, s);
//   search(work, s.request(), diagnostics);
//
// `plan` is a file beside the space's own, or a plan written out.
#pragma once

#include "reckon/engine/search.hpp"

namespace reckon {

struct OpenSpace {
  PlanFile file;
  Space<double> space;
  std::vector<Axis> axes;
  std::vector<Goal> where;
};

// Whether a file says `kind: space`.
bool is_space(const doc::Value& tree);

// False after a fault.
bool read_space(Workspace& work, const std::string& name, doc::Value tree, const Sets& sets,
                Diagnostics& diagnostics, OpenSpace& out);

}  // namespace reckon
