// A stack's constants fitted on runs, as `reckon calibrate runs` prints them beside the file it writes.
#pragma once

#include <string>
#include <vector>

#include "reckon/engine/calibrate_runs.hpp"
#include "reckon/report/style.hpp"

namespace reckon {

std::string calibrate_runs_text(const std::vector<RunsCalibration>& all, const TextStyle& style);
std::string calibrate_runs_markdown(const std::vector<RunsCalibration>& all);
std::string calibrate_runs_csv(const std::vector<RunsCalibration>& all);
std::string calibrate_runs_json(const std::vector<RunsCalibration>& all);

}  // namespace reckon
