// A model by itself: `reckon params MODEL`.
#pragma once

#include <string>
#include <vector>

#include "reckon/engine/result.hpp"
#include "reckon/engine/workspace.hpp"

namespace reckon {

// As said on a command line; each is parsed, and faults point at the option.
struct ModelRequest {
  std::string model;     // a name, a path, or a count such as 7B
  std::string sequence;  // tokens
  std::string batch;     // sequences decoded together
  std::string format;    // of weights and cache
};

struct LayerLine {
  double count = 0;
  std::string mixer, mlp;           // "attention, 32 heads, 8 KV heads of 128"
  double per_layer = 0, total = 0;  // parameters
};

struct ModelReport {
  std::string name, file;
  std::string published;  // what a source prints, and where
  std::vector<Metric> metrics;
  std::vector<LayerLine> layers;
  std::string conventions;  // "sequence 8192, batch 1, bf16"
};

ModelReport report_model(Workspace& work, const ModelRequest& request, Diagnostics& diagnostics);

}  // namespace reckon
