// Estimates as Markdown: the sections of the text as tables, then every metric, then every assumption with its place.
#pragma once

#include <string>
#include <vector>

#include "reckon/engine/result.hpp"

namespace reckon {

std::string eval_markdown(const std::vector<Result>& results);

}  // namespace reckon
