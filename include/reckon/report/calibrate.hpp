// Constants fitted to measured points, as `reckon calibrate` prints them beside the file it writes.
#pragma once

#include <string>

#include "reckon/engine/calibrate.hpp"
#include "reckon/report/style.hpp"

namespace reckon {

std::string calibrate_text(const Calibration& calibration, const TextStyle& style);
std::string calibrate_markdown(const Calibration& calibration);
std::string calibrate_csv(const Calibration& calibration);
std::string calibrate_json(const Calibration& calibration);

}  // namespace reckon
