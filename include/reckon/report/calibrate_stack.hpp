// A stack's ceilings from measured kernels, as `reckon calibrate stack` prints them beside the file it writes.
#pragma once

#include <string>

#include "reckon/engine/calibrate_stack.hpp"
#include "reckon/report/style.hpp"

namespace reckon {

std::string calibrate_stack_text(const StackCalibration& c, const TextStyle& style);
std::string calibrate_stack_markdown(const StackCalibration& c);
std::string calibrate_stack_csv(const StackCalibration& calibration);
std::string calibrate_stack_json(const StackCalibration& c);

}  // namespace reckon
