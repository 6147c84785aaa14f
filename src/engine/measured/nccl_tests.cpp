#include "nccl_tests.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cstdlib>

#include "reckon/base/text.hpp"

namespace reckon {
namespace {

// 22902 -> "NCCL 2.29.2": major, then minor and patch of two decimals each.
std::string library_of(int version) {
  return version < 20000
             ? "NCCL"
             : fmt::format("NCCL {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

// "h100-sxm" is among "NVIDIA H100 80GB HBM3"; a name of one's own says nothing.
bool names_chip(const NcclRun& run, const std::string& chip) {
  if (run.devices.empty() || chip.find('/') != std::string::npos) return true;
  std::string model = chip.substr(0, chip.find('-')), device = *run.devices.begin();
  const auto upper = [](std::string& text) {
    for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  };
  upper(model);
  upper(device);
  return device.find(model) != std::string::npos;
}

bool start_set(const SourceFile* file, const FileFacts& facts, const NcclRun& run, MeasuredSet& set,
               Diagnostics& d, std::vector<std::string>& notes) {
  const Span top{file, 1, 1};
  if (run.devices.size() > 1) {
    d.error(top, fmt::format("{}: ranks on different GPUs: {}", file->name,
                             listed({run.devices.begin(), run.devices.end()})))
        .help("constants belong to one chip: measure on one kind");
    return false;
  }
  if (facts.chip.empty()) {
    d.error(top, fmt::format("{}: which chip this is must be said", file->name))
        .help("--chip h100-sxm");
    return false;
  }
  const std::string op = facts.kernel.empty() ? run.op : facts.kernel;
  if (op.empty()) {
    d.error(top, fmt::format("{}: nothing here says which operation was run", file->name))
        .help("--kernel all-reduce");
    return false;
  }
  if (!names_chip(run, facts.chip))
    d.warning(top, fmt::format("{}: the ranks ran on {}, and --chip says {}", file->name,
                               *run.devices.begin(), facts.chip))
        .help("constants of one chip under another's name mislead whoever uses them");
  if (!read_kernel(op, top, set.kernel, d)) return false;
  if (run.ranks < 2) {
    d.error(top, fmt::format("{}: {} ranks are listed, and a collective needs two", file->name,
                             run.ranks));
    return false;
  }
  set.chip = facts.chip;
  set.library = facts.library.empty() ? library_of(run.version) : facts.library;
  set.source = file->name;
  set.file = file->name;
  set.span = top;
  set.conditions = "nccl-tests, out of place";
  const std::string where =
      run.hosts.size() > 1 ? fmt::format(" on {} nodes", run.hosts.size()) : "";
  notes.push_back(fmt::format(
      "{}: {} over {} ranks of {}{}, {}, out-of-place times in us", file->name, op, run.ranks,
      run.devices.empty() ? facts.chip : *run.devices.begin(), where, set.library));
  return true;
}

}  // namespace

std::string nccl_operation(std::string_view text) {
  for (const auto& [name, op] :
       {std::pair{"all_reduce_perf", "all-reduce"}, std::pair{"all_gather_perf", "all-gather"},
        std::pair{"reduce_scatter_perf", "reduce-scatter"},
        std::pair{"alltoall_perf", "all-to-all"}})
    if (text.find(name) != text.npos) return op;
  return "";
}

std::vector<MeasuredSet> nccl_set(const SourceFile* file, const FileFacts& facts,
                                  const NcclRun& run, const std::vector<NcclRow>& rows,
                                  Diagnostics& diagnostics, std::vector<std::string>& notes) {
  const std::size_t before = diagnostics.error_count();
  MeasuredSet set;
  if (!start_set(file, facts, run, set, diagnostics, notes)) return {};
  std::vector<TableColumn> columns{
      {MeasuredColumn::kRanks, 1}, {MeasuredColumn::kBytes, 1}, {MeasuredColumn::kTime, 1e-6}};
  if (run.hosts.size() > 1) columns.insert(columns.begin() + 1, {MeasuredColumn::kNodes, 1});
  for (const NcclRow& row : rows) {
    if (row.bytes.text == "0") continue;
    if (!row.wrong.empty() && row.wrong != "N/A" && std::strtod(row.wrong.c_str(), nullptr) > 0) {
      diagnostics
          .error(row.span, fmt::format("{} wrong elements at {} bytes", printable(row.wrong),
                                       printable(row.bytes.text)))
          .help(
              "a collective that gives wrong results has no time: mend the machine, run it again");
      continue;
    }
    std::vector<TableCell> cells{{std::to_string(run.ranks), row.span}, row.bytes, row.us};
    if (run.hosts.size() > 1)
      cells.insert(cells.begin() + 1, {std::to_string(run.hosts.size()), row.span});
    add_point(set, columns, cells, row.span, diagnostics);
  }
  check_set(set, diagnostics);
  if (set.points.empty() && diagnostics.error_count() == before)
    diagnostics.error({file, 1, 1}, fmt::format("{}: no row of sizes and times", file->name));
  if (diagnostics.error_count() > before) return {};
  return {std::move(set)};
}

}  // namespace reckon
