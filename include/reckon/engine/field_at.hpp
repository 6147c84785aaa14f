// The description of a field of a plan, by its path.
//
//   const Description plan = plan_kind("training")->describe();
//   const Description* d = field_at(plan, "batch.micro");      // d->dim, d->hint; null if there is none
//   bound_path("chip.peak.bf16")                               // "cluster.node.chip.peak.bf16"
#pragma once

#include <string>

#include "reckon/doc/describe.hpp"

namespace reckon {

const Description* field_at(const Description& plan, std::string_view path);

// `chip:`, `node:` and `fabric:` of a plan lie over what the cluster has of them.
std::string bound_path(const std::string& path);

// The field itself or one below it: mesh.tensor within mesh. Both as they may be written: chip.power is within
// cluster.node.chip.
bool is_within(const std::string& path, const std::string& group);

// A whole number: a degree, a count, a length.
bool is_whole(const Description& field);

// One value of it, read and written as files write it. False for what is no number of this field.
bool read_number(const Description& field, const std::string& text, double& out);
std::string written_number(const Description& field, double x);

}  // namespace reckon
