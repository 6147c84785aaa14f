// The topics there are; each is defined in a file of its own and listed in topics.cpp.
#pragma once

#include "reckon/engine/topics.hpp"

namespace reckon {

TopicPage parallelism_page(const LoadedTraining* plan);

}  // namespace reckon
