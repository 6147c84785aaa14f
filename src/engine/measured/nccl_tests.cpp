#include "nccl_tests.hpp"

#include <fmt/format.h>

#include <cmath>
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

// A figure in GB/s beside what the row's time makes it; false after a fault. Nothing stated is nothing to hold to.
bool holds(const TableCell& said, const char* name, double by_time, const NcclRow& row,
           const std::string& of, Diagnostics& d) {
  constexpr double kSame = 0.01;
  char* end = nullptr;
  const double x = std::strtod(said.text.c_str(), &end);
  if (said.text.empty() || said.text == "N/A") return true;
  const double time = std::strtod(row.us.text.c_str(), nullptr);
  const double slack =
      half_of_last_digit(said.text) + by_time * (kSame + half_of_last_digit(row.us.text) / time);
  if (*end == '\0' && std::abs(x - by_time) <= slack) return true;
  d.error(said.span ? said.span : row.span,
          fmt::format("{} {}: {} bytes in {} us{} make it {:.2f}", name, printable(said.text),
                      printable(row.bytes.text), printable(row.us.text), of, by_time))
      .note(row.us.span, "the time")
      .help("one of the figures was changed, or the ranks listed are not those that ran");
  return false;
}

// A row against itself: its rates are its bytes over its time, and on the bus by the number of ranks.
bool holds(const NcclRow& row, MeasuredKernel op, int ranks, Diagnostics& d) {
  constexpr double kPerMicro = 1e-3;  // bytes a microsecond, in GB/s
  const double bytes = std::strtod(row.bytes.text.c_str(), nullptr);
  const double time = std::strtod(row.us.text.c_str(), nullptr);
  if (!(time > 0)) return true;  // told so where the point is added
  const double rate = kPerMicro * bytes / time;
  return holds(row.algbw, "algbw", rate, row, "", d) &&
         holds(row.busbw, "busbw", rate * bus_factor(op, ranks), row,
               fmt::format(" over {} ranks", ranks), d);
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
        .help(
            "--kernel all-reduce, or all-gather, reduce-scatter, all-to-all: nccl-tests' older "
            "tables don't name theirs");
    return false;
  }
  if (!run.op.empty() && run.op != op) {
    d.error(top, fmt::format("{}: {} was run, and --kernel says {}", file->name, run.op, op))
        .help("leave --kernel out: the file says it itself");
    return false;
  }
  if (!run.devices.empty()) {
    set.machine.name = *run.devices.begin();
    check_device(set.machine.name, facts.chip, top, d);
  }
  if (!read_kernel(op, top, set.kernel, d)) return false;
  if (run.ranks < 2) {
    d.error(top, fmt::format("{}: {} ranks are listed, and a collective needs two", file->name,
                             run.ranks))
        .help(
            "keep the lines `#  Rank  0 …` of the output, or its heading `# nThread 1 nGpus 8 …`");
    return false;
  }
  if (run.each > 0 && run.ranks % run.each != 0) {
    d.error(top, fmt::format("{}: {} ranks are listed, and its heading says {} a process",
                             file->name, run.ranks, run.each))
        .help(
            "nThread and nGpus count a process's ranks: was a line lost, or the heading changed?");
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
  notes.push_back(
      fmt::format("{}: {} over {} ranks{} of {}{}, {}, out-of-place times in us", file->name, op,
                  run.ranks, run.of_heading ? " (of one process, as the heading says)" : "",
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

std::vector<MeasuredSet> nccl_set(const SourceFile* file, const FileFacts& facts, NcclRun run,
                                  const std::vector<NcclRow>& rows, Diagnostics& diagnostics,
                                  std::vector<std::string>& notes) {
  // Of an output whose list of ranks was cut away the heading still says how many a process has.
  run.of_heading = run.ranks == 0 && run.each > 0;
  if (run.of_heading) run.ranks = run.each;
  const std::size_t before = diagnostics.error_count();
  MeasuredSet set;
  if (!nothing_beside({{"--dtype", !facts.format.empty()}, {"--column", !facts.columns.empty()}},
                      file->name, {file, 1, 1}, diagnostics) ||
      !start_set(file, facts, run, set, diagnostics, notes))
    return {};
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
    if (!holds(row, set.kernel, run.ranks, diagnostics)) continue;
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
