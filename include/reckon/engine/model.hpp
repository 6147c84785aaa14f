// A model by itself: `reckon params MODEL`.
//
// In several formats beside each other: `format` names them, "bf16,fp8-e4m3,int4-g128"; metrics are
// of the first.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reckon/engine/loaded.hpp"
#include "reckon/engine/result.hpp"
#include "reckon/engine/stored.hpp"
#include "reckon/engine/workspace.hpp"

namespace reckon {

// As said on a command line; each is parsed, and faults point at the option.
struct ModelRequest {
  std::string model;                              // a name, a path, or a count such as 7B
  std::string sequence;                           // tokens
  std::string batch;                              // sequences decoded together
  std::string format;                             // of weights and cache; several with commas
  std::string state = "fp32", windows = "exact";  // of the cache: recurrent states; local layers
  bool stored = false;                            // what the files hold
  std::string published = {};  // a total to explain by it; "" = what the model's file states
  std::string assume = {};     // whose facts to take for a config of an unknown architecture
};

struct LayerLine {
  double count = 0;
  std::string mixer, mlp;           // "attention, 32 heads, 8 KV heads of 128"
  double per_layer = 0, total = 0;  // parameters
};

// Weights and cache in one format.
struct FormatLine {
  std::string format;
  double weights = 0;
  std::optional<double> token, sequence;  // cache of a token, of a sequence
};

struct ModelReport {
  std::string name, file;
  std::string published;  // what a source prints, and where
  std::vector<Metric> metrics;
  std::vector<LayerLine> layers;
  std::vector<FormatLine> formats;
  std::optional<StoredReport> stored;
  std::optional<PublishedTotal> total;  // what was published, explained
  std::string conventions;              // "sequence 8192, batch 1, bf16"
};

ModelReport report_model(Workspace& work, const ModelRequest& request, Diagnostics& diagnostics);

// The same counts to be derived: `reckon params MODEL --explain`. Null after a fault.
std::unique_ptr<Loaded> load_model(Workspace& work, const ModelRequest& request,
                                   Diagnostics& diagnostics);

}  // namespace reckon
