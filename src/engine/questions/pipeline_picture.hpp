// A pipeline's step as a picture: a line for each stage, time to the right, a letter for each pass.
//
//   stage 0 │F0F1F2F3······B0··F4B1··F5…
//
// Where each pass is at least two columns wide its micro-batch stands behind the letter. Where passes
// are narrower than a column, it shows what takes most of it.
#pragma once

#include "reckon/cost/questions/pipeline.hpp"
#include "reckon/engine/result.hpp"

namespace reckon {

Picture pipeline_picture(const PlayedPipeline& played);

// Every pass with its start and end; empty above so many that nobody reads them.
inline constexpr std::size_t kMostListedPasses = 20'000;
std::vector<TimelinePass> pipeline_timeline(const PlayedPipeline& played);

}  // namespace reckon
