// A model by itself, as `reckon params` prints it.
//
//   Llama 3 8B
//     published  8.03B (…)
//     for        sequence 8192, batch 1, bf16
//
//   Parameters
//     all parameters   8.03B params
//     …
//   By part
//     embedding table  525.3M params   6.5 %  ██
//     attention        1.342B params  16.7 %    █████
//     …
//   Layers, FLOPs and memory
//
// JSON has the layer groups beside the metrics: {"schema_version", "kind": "model", "name", "published", "for",
// "results", "layers": [{"count", "mixer", "mlp", "per_layer", "total"}]}. CSV has the metrics alone.
#pragma once

#include <string>

#include "reckon/engine/model.hpp"
#include "reckon/report/style.hpp"

namespace reckon {

std::string model_text(const ModelReport& report, const TextStyle& style = {});
std::string model_json(const ModelReport& report);
std::string model_csv(const ModelReport& report);
std::string model_markdown(const ModelReport& report);

}  // namespace reckon
