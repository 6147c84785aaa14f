// A collective played on small arrays: its data read, every round drawn, what was sent counted.
//
//   ring, reduce-scatter, step 1 of 3
//     rank 0     1     2     3  [20]    sends 4 to rank 1
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "question_of.hpp"
#include "reckon/cost/messages.hpp"

namespace reckon {

inline constexpr std::size_t kMostTracedRanks = 8, kMostTracedNumbers = 64;

// "1 2 3 4; 5 6 7 8" as an array a rank; nothing after a fault.
std::optional<std::vector<Numbers>> read_arrays(const std::string& data, const Asked& asked);

// Metrics trace.* and, if `draw`, a picture a round.
void play_on(const std::vector<Numbers>& arrays, CollectiveOp op, bool direct, bool draw,
             Result& result);

}  // namespace reckon
