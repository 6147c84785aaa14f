// The text of one recorded expression: what stands right of «t =».
#pragma once

#include <string>
#include <vector>

#include "reckon/units/formula/recording.hpp"

namespace reckon {

enum class Show {
  kSymbols,  // bytes / W + a
  kNumbers,  // 16.78 MB / 50 GB/s + 8.4 µs
  kFolded,   // symbols, with sums and choices folded to «Σ parts» and «max of candidates»
};

std::string expression_text(const Tape& tape, std::int32_t node, Show show);

// The hint where it is of a rate that has a word (tokens/s, requests/s); none where it is of anything else.
Hint rate_hint(Hint hint);

// "stage 3"; "T_pipe".
std::string label_text(const Label& label);
// What a value is called: Greek words as letters ("eta_attn" is η_attn).
std::string symbol_text(const Tape::Name& name);

bool is_choice(Op op);
// What a chain of unnamed additions, or the parts of a Sum, adds up, left to right; the node itself
// if it is neither.
std::vector<std::int32_t> sum_terms(const Tape& tape, std::int32_t node);
// Whether the node is a Sum whose parts are worth a table instead of a formula: more than four, or
// counted by an index.
bool is_listed_sum(const Tape& tape, std::int32_t node);

}  // namespace reckon
