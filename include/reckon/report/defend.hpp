// The argument for a plan, as text and as Markdown.
//
//   1  Memory before sharding
//      16 B/param of weights, gradients and optimizer states: 112 GB for 7B params
//      M_states = … = 112 GB
//      → DDP can't run: the state must be shared
#pragma once

#include <string>

#include "reckon/engine/defend.hpp"
#include "reckon/report/style.hpp"

namespace reckon {

std::string defence_text(const Defence& defence, const TextStyle& style = {});
std::string defence_markdown(const Defence& defence);

}  // namespace reckon
