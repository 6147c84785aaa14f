// Whose errors a plan's stack may claim: the counts and errors that stand in a stack's file are of its constants as
// they stand there. A plan that changes one, or takes other curves or another model of collectives, is a stack that
// nobody measured.
//
//   StackClaim c = stack_claim(work, loaded);
//   c.altered                        // {"gemm.ceiling", "tier"}: what differs from the measured stack
//   c.own                            // "mine.yaml": a file that doesn't ship, and says of itself what it says
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reckon/engine/load.hpp"

namespace reckon {

struct StackClaim {
  std::vector<std::string> altered;  // constants that times depend on
  std::vector<std::string> memory;   // constants that memory alone depends on
  std::vector<std::string> flags;    // switches of the software, with which runs were measured too
  std::string own;  // the file, not one that ships, that states the counts and errors
  std::optional<std::size_t> core;  // core runs behind a stack that ships
  bool any() const { return !altered.empty() || !memory.empty() || !flags.empty(); }
};

// Of a plan that names a stack.
StackClaim stack_claim(Workspace& work, const LoadedTraining& loaded);

// "gemm.ceiling, tier and 3 more"
std::string altered_words(const std::vector<std::string>& altered);

}  // namespace reckon
