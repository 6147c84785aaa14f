// How a number came about: its formula, the numbers put in, and so down to the inputs and the line
// that stated each.
//
//   derivation(tape, last_node_of(tape, "pipeline.p2p"), {.depth = 1})
//
//   stage-to-stage transfers of one micro-batch [pipeline.p2p; training model, section 9]
//   t_p2p = 2·once·(1 − o)·v = 2·387.1 µs·(1 − 0.7)·5 = 1.161 ms
//   · o = 70 % (stack.yaml:12), v = 5 (plan.yaml:4)
//   └─ once = bytes / (W·e) + a = 16.78 MB / (50 GB/s·0.92) + 22.4 µs = 387.1 µs
//      · W = 50 GB/s (chip.yaml:5), e = 92 % (preset textbook), a = 22.4 µs (default)
//      └─ … (--depth 2 shows 1 more)
//
// Reading it: each node is «symbol = formula = numbers = value»; lines with · are inputs, each shown
// where it is first used; a table lists the parts of a sum or the candidates of a choice (◂ chosen);
// «(above)» was derived further up. Numbers have four digits; JSON has all of them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reckon/units/formula/formula.hpp"

namespace reckon {

struct DerivationOptions {
  int depth = 3;            // levels below the root
  std::size_t width = 100;  // columns, where words allow
};

// An input of a formula and where its value came from.
struct DerivationInput {
  std::vector<std::string> symbols;  // the names it passed under, outermost first
  std::string path;                  // as --set takes it; empty: it follows from the structure
  double value = 0;
  Dim dim = {};
  Hint hint = Hint::kNone;
  Origin origin = {};
  std::string row;  // of a table
};

// Parts of a sum, or candidates of a choice.
struct DerivationTable {
  struct Row {
    std::string name;
    double value = 0;
    bool chosen = false;
  };
  bool is_choice = false;
  Dim dim = {};
  Hint hint = Hint::kNone;  // of rates
  double total = 0;         // of a sum
  std::vector<Row> rows;
};

struct DerivationNode {
  std::string title, id, source;     // of a formula; empty for a local
  std::vector<std::string> symbols;  // the names it passed under, outermost first
  std::string part;                  // which part or candidate of its parent it is
  std::string text;                  // the right-hand side in symbols
  std::string numbers;               // and with numbers put in; empty if that says nothing new
  double value = 0;
  Dim dim = {};
  Hint hint = Hint::kNone;
  bool repeated = false;  // derived further up, or not to be derived (an input)
  std::vector<DerivationInput> inputs;
  std::vector<DerivationTable> tables;
  std::vector<DerivationNode> children;
  int more = 0;     // operands that the depth limit hid
  int deeper = 0;   // the depth that shows them
  int similar = 0;  // counted parts like the children (stage 5, stage 6 …) that were left out
};

DerivationNode derive(const Tape& tape, std::int32_t root, int depth = 3);

std::string derivation_text(const DerivationNode& node, std::size_t width = 100);
std::string derivation(const Tape& tape, std::int32_t root, const DerivationOptions& options = {});
// The same in a code fence.
std::string derivation_markdown(const Tape& tape, std::int32_t root,
                                const DerivationOptions& options = {});

// «(plan.yaml:8)», «(stack.yaml:6, row all_gather 4)», «(plan.yaml:9, overridden)», «(preset
// textbook)», «(default)», with the source that stands beside the value; empty if there is none.
std::string origin_text(const DerivationInput& input);

// The node's own line, symbol apart: «bytes / W», «24.5 GB / (450 GB/s)», «54.44 ms».
std::vector<std::string> derivation_steps(const DerivationNode& node);

// Adds the text of each formula on the tape to `texts`, by id: «t = bytes / W». Sums and choices
// are folded («Σ parts»), so that a text doesn't depend on how many parts a plan has. An id with a
// second text hides a branch in its formula: it goes to `torn`.
void formula_texts(const Tape& tape, std::map<std::string, std::string>& texts,
                   std::map<std::string, std::string>& torn);

// Adds the names of what «Σ parts» and «candidates» stand for, by formula id, in order of
// appearance; counted ones once ("stage i").
void formula_parts(const Tape& tape, std::map<std::string, std::vector<std::string>>& parts);

}  // namespace reckon
