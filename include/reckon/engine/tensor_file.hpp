// Values in files: NumPy's .npy, read in pieces, and text (CSV), read whole.
//
//   std::unique_ptr<Source> weights = open_tensor(work, "weights.npy", diagnostics);
//
// .npy: versions 1 to 3, float16, float32, float64, little-endian, in C order. What has more than two dimensions is
// read as rows along the last one. Faults, each with what to do: no .npy file, another type, Fortran order, shorter or
// longer than its header says. Text: a row a line, numbers as read_decimal takes them, separated by commas, spaces or
// semicolons; empty lines and what follows # are skipped; rows of different lengths are a fault at the line.
#pragma once

#include <memory>
#include <string>

#include "reckon/engine/workspace.hpp"
#include "reckon/numerics/tensor.hpp"

namespace reckon {

// Null after reporting.
std::unique_ptr<Source> open_tensor(Workspace& work, const std::string& file,
                                    Diagnostics& diagnostics);

// "0.3 -0.5; 0.12 30": rows end with a semicolon. `name` is what faults call it.
std::unique_ptr<Source> tensor_of_text(Workspace& work, const std::string& name,
                                       const std::string& text, Diagnostics& diagnostics);

}  // namespace reckon
