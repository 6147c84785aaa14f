// One named thing and all it refers to, as a tree ready to bind: `model: llama-3-8b`, `chip: h100-sxm`, a preset.
//
//   doc::Value chip = resolve_chip(work, said, diagnostics);      // every value keeps its file and line
#pragma once

#include "reckon/doc/bind.hpp"
#include "reckon/engine/workspace.hpp"

namespace reckon {

doc::Value resolve_model(Workspace& work, const doc::Value& said, Diagnostics& diagnostics);
doc::Value resolve_cluster(Workspace& work, const doc::Value& said, Diagnostics& diagnostics);
doc::Value resolve_chip(Workspace& work, const doc::Value& said, Diagnostics& diagnostics);
doc::Value resolve_node(Workspace& work, const doc::Value& said, Diagnostics& diagnostics);
// For training, which needs formats of gradients; a recipe, for serving, does not.
doc::Value resolve_precision(Workspace& work, const doc::Value& said, Diagnostics& diagnostics);
// chip: resolved, on which the stack runs; may be null.
doc::Value resolve_stack(Workspace& work, const doc::Value& said, const doc::Value* chip,
                         Diagnostics& diagnostics);
doc::Value resolve_engine(Workspace& work, const doc::Value& said, Diagnostics& diagnostics);
doc::Value resolve_recipe(Workspace& work, const doc::Value& said, Diagnostics& diagnostics);
doc::Value resolve_optimizer(Workspace& work, const doc::Value& said, Diagnostics& diagnostics);
// A format's name under each class of tensors.
doc::Value resolve_classes(Workspace& work, const doc::Value& said, Diagnostics& diagnostics);
doc::Value resolve_format(Workspace& work, const doc::Value& said, Diagnostics& diagnostics);
doc::Value resolve_law(Workspace& work, const doc::Value& said, Diagnostics& diagnostics);
doc::Value resolve_assume(Workspace& work, const doc::Value& said, Diagnostics& diagnostics);

}  // namespace reckon
