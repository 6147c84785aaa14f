// measurements/errors.csv: the error of every measured run, predicted without its source, and of every serving row,
// predicted without its model.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>

#include "reckon/engine/accuracy.hpp"
#include "reckon/engine/validate_runs.hpp"
#include "reckon/engine/validate_serving.hpp"

namespace reckon {
namespace {

constexpr const char* kHeading = "of,file,case,stack,chip,kind,core,model,error\n";

// Names of cases may hold what a CSV must quote; a reader of milliseconds has no quotes.
std::string plain(std::string text) {
  for (char& c : text)
    if (c == ',' || c == '"' || c == '\n') c = ' ';
  return text;
}

bool proves(const JudgedRow& r, BudgetOf of) {
  if (of == BudgetOf::kMemory) return r.metric == "memory.total";
  return r.facts.core || r.facts.tier == RowTier::kA;
}

void add_rows(Workspace& work, BudgetOf of, Diagnostics& d, std::string& out) {
  RunsRequest request;
  request.of = of;
  request.leave_out_file = of == BudgetOf::kRuns;
  for (const JudgedRow& r : validate_runs(work, request, d).rows)
    if (proves(r, of))
      out += fmt::format("{},{},{},{},{},{},{},,{:.4f}\n", name_of(of), r.file, plain(r.name),
                         r.stack, r.chip, r.kind, r.facts.core ? "yes" : "no", r.error);
}

// Rows of serving engines: by constants fitted without their model, or as they are where an engine has only one.
void add_serving(Workspace& work, Diagnostics& d, std::string& out) {
  std::map<std::string, double> left_out;
  const auto key = [](const ServingRow& r) { return r.file + "\n" + r.name + "\n" + r.metric; };
  for (const ServingRow& r : validate_serving(work, {LeaveOut::kModel, "", false}, d).rows)
    left_out[key(r)] = r.predicted / r.measured - 1;
  for (const ServingRow& r : validate_serving(work, {}, d).rows) {
    const auto at = left_out.find(key(r));
    if (at == left_out.end() && !r.fitted && r.figure != "TTFT, simulated") continue;
    out += fmt::format("{},{},{},{},{},{},no,{},{:.4f}\n",
                       at == left_out.end() ? "serving-fit" : "serving", r.file, plain(r.name),
                       r.engine, r.chip, plain(r.figure), r.model,
                       at == left_out.end() ? r.predicted / r.measured - 1 : at->second);
  }
}

// Lines by all but their last cell.
std::map<std::string, double> by_row(const std::string& text) {
  std::map<std::string, double> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t comma = line.rfind(',');
    if (comma != line.npos && line + "\n" != kHeading)
      out[line.substr(0, comma)] = std::strtod(line.c_str() + comma + 1, nullptr);
  }
  return out;
}

}  // namespace

std::string errors_csv(Workspace& work, Diagnostics& d) {
  const std::size_t before = d.error_count();
  std::string out = kHeading;
  add_rows(work, BudgetOf::kRuns, d, out);
  add_rows(work, BudgetOf::kMemory, d, out);
  add_serving(work, d, out);
  return d.error_count() > before ? "" : out;
}

std::vector<std::string> stale_errors(Workspace& work, Diagnostics& d, double tolerance) {
  const std::string* kept = work.data_text("measurements/errors.csv");
  const auto fresh = by_row(errors_csv(work, d));
  auto stored = by_row(kept ? *kept : std::string());
  std::vector<std::string> out;
  for (const auto& [row, error] : fresh) {
    const auto at = stored.find(row);
    if (at == stored.end())
      out.push_back(row + ": is not there");
    else if (!(std::abs(at->second - error) <= tolerance))
      out.push_back(fmt::format("{}: {} is now {}", row, at->second, error));
    if (at != stored.end()) stored.erase(at);
  }
  for (const auto& [row, error] : stored) out.push_back(row + ": no such row any more");
  return out;
}

std::filesystem::path errors_file(const Workspace& work) {
  std::error_code error;
  for (const auto& root : work.roots())
    if (std::filesystem::is_directory(root / "plans/measured", error))
      return root / "measurements/errors.csv";
  return {};
}

}  // namespace reckon
