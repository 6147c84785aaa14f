// Whether a model can be split over so many tensor ranks: heads and widths must divide; KV heads divide, or are held by
// several ranks.
//
//   check_tensor_degree(model, {"mesh.tensor", "tensor", 8, nearest}, places, diagnostics);
#pragma once

#include <functional>
#include <string>

#include "places.hpp"
#include "reckon/base/diagnostic.hpp"
#include "reckon/spec/model.hpp"

namespace reckon {

struct TensorDegree {
  std::string_view path, word;  // where it was stated, and what it is called there
  long t;
  // Degrees near t that divide n; nearest_divisors where nothing else has a say.
  std::function<std::string(long n)> nearest;
};

// The model stands under `model`.
void check_tensor_degree(const Model<double>& model, const TensorDegree& degree,
                         const Places& places, Diagnostics& diagnostics);

// The same as a question, without a fault.
bool divides_model(const Model<double>& model, long t);

}  // namespace reckon
