// Which layer has which mixer and which MLP, by the rules of a record.
//
//   std::vector<std::string> names = layer_kinds(rules.mixer, "mixer", 24, evaluator, at, diagnostics);
//   names[0]                                   // "local", a name of the record's mixers, or "none"
#pragma once

#include <string>
#include <vector>

#include "expression.hpp"
#include "reckon/spec/architecture.hpp"

namespace reckon::importing {

inline constexpr double kMostLayers = 100'000;  // they are written out one by one

struct LayerKinds {
  std::vector<std::string> names;  // of each layer; empty after a fault
  std::string rule;  // how they were chosen: "layer_types", "every 4th (full_attention_interval)"
  Span span;         // of the key that says so
  From from = From::kDefault;
};

LayerKinds layer_kinds(const std::vector<LayerRule>& rules, std::string_view what,
                       std::size_t layers, const Evaluator& eval, Span config,
                       Diagnostics& diagnostics);

}  // namespace reckon::importing
