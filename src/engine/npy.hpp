// NumPy's .npy: its header, and its values in pieces.
#pragma once

#include <fstream>
#include <memory>
#include <string>

#include "reckon/base/diagnostic.hpp"
#include "reckon/numerics/tensor.hpp"

namespace reckon {

// Does it begin as a .npy file does?
bool is_npy(const std::string& file);
std::unique_ptr<Source> open_npy(const std::string& file, Diagnostics& diagnostics);

}  // namespace reckon
