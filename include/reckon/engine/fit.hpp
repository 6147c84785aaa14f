// A scaling law from your own runs: `reckon fit DATA.csv`.
//
//   FitRequest request{.file = "runs.csv", .drop_highest = 5};
//   const FitReport report = fit_law(work, request, diagnostics);
//   report.law                       // as laws/*.yaml hold it
//
// Approach loss fits L = E + A / N^α + B / D^β (numerics/fit_loss.hpp), approach isoflop N* = k·C^a
// (numerics/fit_isoflop.hpp). No row is dropped unless a rule says so, and those that are dropped are listed. Seeded;
// the same for any number of threads.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reckon/engine/runs_file.hpp"
#include "reckon/numerics/fit_isoflop.hpp"

namespace reckon {

enum class FitApproach { kLoss, kIsoflop };

struct FitRequest {
  std::string file;
  std::map<std::string, std::string> columns = {};
  FitApproach approach = FitApproach::kLoss;
  std::size_t drop_highest = 0;           // so many runs of highest loss
  std::optional<double> drop_above = {};  // runs of higher loss
  double delta = 1e-3;
  std::size_t starts = 4500, bootstrap = 200;
  std::uint64_t seed = 1;
  unsigned threads = 1;
  std::string name = {};
  std::function<void(const char* stage, std::size_t done, std::size_t of)> progress = {};
};

// A constant with its interval.
struct FitConstant {
  std::string symbol, key, meaning;
  double value = 0;
  std::optional<double> low, high, deviation;
};

struct FitResidual {
  RunRow run;
  double predicted = 0;  // 0 where the approach says nothing about it
  double residual = 0;   // ln loss − ln predicted
  bool dropped = false;
};

struct FitReport {
  FitRequest request;
  std::size_t read = 0;
  std::vector<RunRow> dropped;
  std::vector<FitConstant> constants;
  std::vector<FitResidual> residuals;  // in the order of the file
  double objective = 0, root_mean_square = 0;
  std::size_t starts = 0, agreeing = 0, resamples = 0;
  std::vector<IsoflopGroup> groups;  // approach isoflop
  std::vector<std::string> samples;  // E A B alpha beta of each resample
  std::vector<std::string> notes, warnings;
  std::string law;  // the file's text
};

// Nothing after a fault.
std::optional<FitReport> fit_law(Workspace& work, const FitRequest& request,
                                 Diagnostics& diagnostics);

}  // namespace reckon
