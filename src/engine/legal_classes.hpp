// Formats by class of tensors ask for a model whose tensors are known.
#pragma once

#include <optional>
#include <string_view>

#include "places.hpp"
#include "reckon/spec/model.hpp"
#include "reckon/spec/precision.hpp"

namespace reckon {

// `path`: where the classes stand; `model`: where the model stands.
void check_classes(const Model<double>& model, const std::optional<TensorFormats<double>>& classes,
                   std::string_view path, const Places& places, Diagnostics& out);

}  // namespace reckon
