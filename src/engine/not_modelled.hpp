// What the estimate of a plan leaves out, said with every answer.
#pragma once

#include <string>
#include <vector>

#include "reckon/spec/training.hpp"

namespace reckon {

std::vector<std::string> not_modelled(const TrainingPlan<double>& plan);

}  // namespace reckon
