// Which format each class of tensor has in the files, layer by layer: from `quantization_config`, or
// from ModelOpt's hf_quant_config.json beside the config.
//
//   std::optional<Quantization> q = read_quantization(config, beside, record, work, layers, diagnostics);
//   q->layers[0]["mlp"]                // "fp8-e4m3", or "" where the base format holds
//
// What can't be said by class of tensor and layer (half of a layer's attention, one expert) is refused.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record.hpp"

namespace reckon::importing {

// Format by class of tensor; a class that isn't there keeps the base format.
using ClassFormats = std::map<std::string, std::string>;

struct Quantization {
  std::vector<ClassFormats> layers;  // one a layer
  std::string how;                   // "fp8 (config.json:24)"
  Span span;
  std::vector<std::string> notes;
};

// Classes that a layer has: "attention", "mlp", "experts", "shared", "router".
using LayerClasses = std::vector<std::vector<std::string>>;

// `beside`: the tree of hf_quant_config.json, or null. Nothing where neither quantizes, or after a fault.
std::optional<Quantization> read_quantization(const Config& config, const doc::Value& beside,
                                              const Record& record, Workspace& work,
                                              const LayerClasses& layers, Diagnostics& diagnostics);

}  // namespace reckon::importing
