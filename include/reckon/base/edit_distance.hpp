// "Did you mean …": the candidate closest to a misspelt word.
//
//   closest("tenser", {"tensor", "pipeline"})       // "tensor"
//   closest("zzz", {"tensor", "pipeline"})          // "": nothing is close enough
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reckon {

// Insertions, deletions, substitutions and swaps of neighbours, each 1.
int edit_distance(std::string_view a, std::string_view b);

// At most a third of the word's letters may differ (at least 1, at most 3), upper and lower case
// being the same; a candidate that the word begins, or that begins the word (by two letters or
// more), counts too. Ties go to the first.
std::string closest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace reckon
