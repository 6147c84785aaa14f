// A name that something is laid over becomes {base: name, …}: so `cluster: 64xh100-sxm` with
// `--set cluster.node.chip.peak.bf16=1000TFLOP/s`, or a case that says `cluster: {nodes: 4}`, overrides one field.
#pragma once

#include <string_view>

#include "reckon/doc/value.hpp"

namespace reckon {

// Opens the names that a path runs through.
void open_names_along(doc::Value& tree, std::string_view path);

// Opens the names that `overlay` says more about, then lays it over.
void lay_over(doc::Value& tree, const doc::Value& overlay);

}  // namespace reckon
