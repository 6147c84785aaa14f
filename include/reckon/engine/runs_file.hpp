// Training runs from a CSV file: parameters, tokens or FLOP, loss.
//
//   params,flops,loss               # a header names the columns; lines that begin with # are comments
//   1.2e9,3e20,2.51
//
// Names that are understood: params (N, parameters, model_size, Model Size), tokens (D), flops (C, compute, Training
// FLOP), loss (L). Others are given as {params: "my column"}. Of tokens and flops one follows from the other, C = 6ND.
// A quoted cell is taken without its quotes. Every fault names its line: a column that is missing, a cell that is no
// number, not finite or not above 0, a row that is short. #pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reckon/engine/workspace.hpp"
#include "reckon/numerics/fit_loss.hpp"

namespace reckon {

struct RunRow {
  int line = 0;
  double params = 0, tokens = 0, flops = 0, loss = 0;
};

struct RunsFile {
  const SourceFile* source = nullptr;
  std::vector<RunRow> rows;
  std::map<std::string, std::string> columns;  // what each was called
};

// Nothing after a fault.
std::optional<RunsFile> read_runs(Workspace& work, const std::string& file,
                                  const std::map<std::string, std::string>& columns,
                                  Diagnostics& diagnostics);

}  // namespace reckon
