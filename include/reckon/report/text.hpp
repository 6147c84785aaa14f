// A plan's estimate as people read it in a terminal.
//
//   Llama 3 8B on one node (plan.yaml)
//     model     Llama 3 8B, 8.03B params
//     …
//     fits: 10.3 GB of 80 GB to spare
//     7.987 s a step, bound by compute · 65,642 tokens/s · 17.63 days · 8,463 USD
//
//   Memory per GPU, of 80 GB (capacity: printed)
//     weights                           2.008 GB   2.5 %  █
//     gradients                         2.008 GB   2.5 %   ▏
//     optimizer states and master copy  12.05 GB  15.1 %   ████
//     …
//     total                              69.7 GB  87.1 %  ███████████████████████░░░
//     headroom                           10.3 GB  12.9 %  fits
//
// Then step, communication, throughput, run, changes that would make it fit, what was assumed, what was not modelled.
// Every part of a bar chart starts where the one above ends; ▓ is what does not fit. A part that is zero is left out, a
// figure that can't be given is «–» with the reason once; sections whose figures all lack for one reason share a line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reckon/engine/result.hpp"
#include "reckon/report/style.hpp"

namespace reckon {

std::string eval_text(const Result& result, const TextStyle& style = {});

// Ids (with `*`) that stay out of the text unless it is verbose: the headline says them in words, or they are detail.
// Whatever is neither here nor in a section is listed under «Other».
const std::vector<std::string_view>& left_out_of_text();

}  // namespace reckon
