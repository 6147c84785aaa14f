// Short forms of what is recomputed and of what lies on the host, written out as the plan's fields.
//
//   recompute: {modules: [layernorm]}      -> recompute: modules, recompute_modules: [layernorm]
//   recompute: [layernorm]                 the same
//   offload: [optimizer, activations]      -> offload: optimizer, offloaded: {activations: 100 %}
//   offload: {optimizer: yes, activations: 50 %}
#pragma once

#include "reckon/base/diagnostic.hpp"
#include "reckon/doc/value.hpp"

namespace reckon {

void write_out_recompute(doc::Value& tree, Diagnostics& diagnostics);
void write_out_offload(doc::Value& tree, Diagnostics& diagnostics);

}  // namespace reckon
