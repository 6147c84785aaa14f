// nccl-tests' JSON (-J FILE, its file version 1 or 2).
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "nccl_tests.hpp"

namespace reckon {
namespace {

std::string text_at(const doc::Value& tree, std::string_view path) {
  const doc::Value* v = tree.at(path);
  return v ? v->text : "";
}

TableCell cell_at(const doc::Value& tree, std::string_view path) {
  const doc::Value* v = tree.at(path);
  return v ? TableCell{v->text, v->span} : TableCell{};
}

// A count of config; 1 where it is not said.
int count_at(const doc::Value& tree, std::string_view path) {
  return std::max(1, std::atoi(text_at(tree, path).c_str()));
}

// The list of devices holds one rank a process, whatever threads and GPUs the process has.
NcclRun run_of(const doc::Value& tree) {
  NcclRun run;
  const doc::Value* devices = tree.at("config.devices");
  const int each = count_at(tree, "config.nthreads") * count_at(tree, "config.ngpus");
  if (devices)
    for (const doc::Value& device : devices->items) {
      run.ranks += each;
      if (const std::string name = text_at(device, "device_info"); !name.empty())
        run.devices.insert(name);
      if (const std::string host = text_at(device, "hostname"); !host.empty())
        run.hosts.insert(host);
    }
  if (const doc::Value* args = tree.find("args"); args && !args->items.empty())
    run.op = nccl_operation(args->items.front().text);
  run.version = std::atoi(text_at(tree, "nccl_version").c_str());
  return run;
}

}  // namespace

std::vector<MeasuredSet> read_nccl_tests_json(const doc::Value& tree, const FileFacts& facts,
                                              Diagnostics& diagnostics,
                                              std::vector<std::string>& notes) {
  const std::size_t before = diagnostics.error_count();
  const doc::Value* results = tree.find("results");
  if (!results || !results->is_sequence()) {
    diagnostics.error(tree.span, "nccl-tests: no list of results").help("was the run cut off?");
    return {};
  }
  std::vector<NcclRow> rows;
  for (const doc::Value& result : results->items) {
    const doc::Value* bytes = result.find("size");
    const doc::Value* time = result.at("out_of_place.time");
    if (!bytes || !time) {
      diagnostics.error(result.span, "a result without its size or its out-of-place time")
          .help(result.at("out_of_place.cpu_time") ? "this is the host's time (-C): run without it"
                                                   : "results hold size and out_of_place.time");
      continue;
    }
    rows.push_back({result.span,
                    {bytes->text, bytes->span},
                    {time->text, time->span},
                    cell_at(result, "out_of_place.alg_bw"),
                    cell_at(result, "out_of_place.bus_bw"),
                    text_at(result, "out_of_place.nwrong")});
  }
  if (diagnostics.error_count() > before) return {};
  return nccl_set(tree.span.file, facts, run_of(tree), rows, diagnostics, notes);
}

}  // namespace reckon
