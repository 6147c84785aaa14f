// Nodes counted out: so many GPUs in nodes of a kind, and what a part of a node keeps of its ports.
#pragma once

#include "reckon/engine/workspace.hpp"

namespace reckon {

// A count as stated, or 0 if it is none (binding says so).
double plain_count(const doc::Value* v);

// After a node's GPUs went from `gpus_before` to fewer: as large a part of its ports.
void keep_ports_of_part(doc::Value& node, double gpus_before, double ports_before);

// The cluster with its node looked up and, where it was counted in GPUs (64xh100-sxm), {gpus, node}: the count stands
// until chip:, node: and fabric: have been laid over it.
doc::Value open_cluster(Workspace& work, const doc::Value& said, Diagnostics& diagnostics);

// {node, gpus: 64} -> {node, nodes: 8}; fewer GPUs than a node has: part of one. `gpus` may be absent.
doc::Value fill_nodes(doc::Value cluster, Diagnostics& diagnostics);

// `cluster` of a plan looked up; chip:, node: and fabric: at the plan's top override parts of it.
void resolve_hardware(Workspace& work, doc::Value& tree, Diagnostics& diagnostics);

}  // namespace reckon
