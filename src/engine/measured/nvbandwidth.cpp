// nvbandwidth's JSON (-j): copies between host and device, between devices, and inside one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "reckon/base/text.hpp"
#include "tables.hpp"

namespace reckon {
namespace {

struct TestCase {
  std::string_view name;
  MeasuredKernel kernel;
};
// One direction at a time, by copy engine; the other cases are left out, and said to be.
constexpr TestCase kCases[] = {
    {"host_to_device_memcpy_ce", MeasuredKernel::kHostToDevice},
    {"device_to_host_memcpy_ce", MeasuredKernel::kDeviceToHost},
    {"device_to_device_memcpy_read_ce", MeasuredKernel::kPeerCopy},
    {"device_local_copy", MeasuredKernel::kMemoryCopy},
};

// A case's figures: all of the matrix that are of a pair, and the unit they are in.
struct Cells {
  std::vector<TableCell> pairs;
  TableColumn column{MeasuredColumn::kBandwidth, 1e9};  // GB/s, where nothing says
};

// Between a GPU and itself older versions print 0.00, newer N/A.
bool is_of_no_pair(const doc::Value& cell, bool diagonal) {
  if (cell.text.empty() || cell.text == "N/A") return true;
  char* end = nullptr;
  const double x = std::strtod(cell.text.c_str(), &end);
  return diagonal && *end == '\0' && std::abs(x) <= 0;
}

// "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)": the unit in the last brackets.
bool read_unit(const doc::Value* heading, TableColumn& column, Diagnostics& d) {
  if (!heading) return true;
  const std::size_t open = heading->text.rfind('('), close = heading->text.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) {
    d.error(heading->span, fmt::format("'{}' states no unit", printable(heading->text)));
    return false;
  }
  const std::string unit = heading->text.substr(open + 1, close - open - 1);
  return read_column({"bandwidth " + unit, heading->span}, column, d);
}

// The figures, each a positive number, and the sum that stands beside them.
bool read_cells(const doc::Value& test, bool peers, Cells& out, Diagnostics& d) {
  const doc::Value& matrix = *test.find("bandwidth_matrix");
  if (!read_unit(test.find("bandwidth_description"), out.column, d)) return false;
  double sum = 0, slack = 0;
  for (std::size_t r = 0; r < matrix.items.size(); ++r) {
    const doc::Value& row = matrix.items[r];
    if (row.items.size() != matrix.items.front().items.size()) {
      d.error(row.span, fmt::format("a row of {} figures beside one of {}", row.items.size(),
                                    matrix.items.front().items.size()))
          .help("was the output cut off?");
      return false;
    }
    for (std::size_t c = 0; c < row.items.size(); ++c) {
      const doc::Value& cell = row.items[c];
      if (is_of_no_pair(cell, peers && r == c)) continue;
      MeasuredSet one;
      if (!add_point(one, {out.column}, {{cell.text, cell.span}}, cell.span, d)) return false;
      out.pairs.push_back({cell.text, cell.span});
      sum += std::strtod(cell.text.c_str(), nullptr);
      slack += half_of_last_digit(cell.text);
    }
  }
  const doc::Value* said = test.find("sum");
  constexpr double kSame = 1e-3;
  if (!said || out.pairs.empty()) return true;
  const double x = std::strtod(said->text.c_str(), nullptr);
  if (std::abs(x - sum) <= slack + half_of_last_digit(said->text) + kSame * sum) return true;
  d.error(said->span, fmt::format("the sum is said to be {}, and the figures make {:.2f}",
                                  printable(said->text), sum))
      .note(matrix.span, "these")
      .help("a figure or a row was changed or lost");
  return false;
}

// "0: NVIDIA H100 80GB HBM3 (00000000:1B:00): (host)" -> "NVIDIA H100 80GB HBM3": one kind, or a fault.
bool one_device(const doc::Value& tree, std::string& name, Diagnostics& d) {
  const doc::Value* list = tree.at("nvbandwidth.GPU Device list");
  if (!list) return true;
  std::set<std::string> names;
  for (const doc::Value& said : list->items) {
    std::string text = said.text;
    if (const std::size_t colon = text.find(": "); colon < text.find('(')) text.erase(0, colon + 2);
    names.insert(text.substr(0, text.find(" (")));
  }
  if (names.size() > 1) {
    d.error(list->span,
            fmt::format("different GPUs in one run: {}", listed({names.begin(), names.end()})))
        .help("constants belong to one chip: measure on one kind, CUDA_VISIBLE_DEVICES chooses");
    return false;
  }
  if (!names.empty()) name = *names.begin();
  return true;
}

}  // namespace

std::vector<MeasuredSet> read_nvbandwidth(const doc::Value& tree, const FileFacts& facts,
                                          Diagnostics& diagnostics,
                                          std::vector<std::string>& notes) {
  const std::size_t before = diagnostics.error_count();
  if (facts.chip.empty()) {
    diagnostics.error(tree.span, "which chip this is must be said").help("--chip h100-sxm");
    return {};
  }
  const std::string source = tree.span ? tree.span.file->name : "nvbandwidth's output";
  if (!stands_alone(facts, source, tree.span, diagnostics)) return {};
  std::string device;
  if (!one_device(tree, device, diagnostics)) return {};
  check_device(device, facts.chip, tree.span, diagnostics);
  const doc::Value* cases = tree.at("nvbandwidth.testcases");
  if (!cases || !cases->is_sequence()) {
    diagnostics.error(tree.span, "nvbandwidth: no list of testcases").help("run nvbandwidth -j");
    return {};
  }
  std::vector<MeasuredSet> out;
  std::vector<std::string> skipped, failed;
  for (const doc::Value& test : cases->items) {
    const doc::Value* name = test.find("name");
    if (!name) continue;
    const auto known = std::find_if(std::begin(kCases), std::end(kCases),
                                    [name](const TestCase& c) { return c.name == name->text; });
    if (known == std::end(kCases)) {
      skipped.push_back(name->text);
      continue;
    }
    const doc::Value* status = test.find("status");
    if (status && status->text != "Passed") {
      failed.push_back(fmt::format("{} ({})", name->text, status->text));
      continue;
    }
    if (!test.find("bandwidth_matrix")) continue;
    Cells cells;
    const bool peers = known->kernel == MeasuredKernel::kPeerCopy;
    if (!read_cells(test, peers, cells, diagnostics) || cells.pairs.empty()) continue;
    std::sort(cells.pairs.begin(), cells.pairs.end(), [](const TableCell& a, const TableCell& b) {
      return std::strtod(a.text.c_str(), nullptr) < std::strtod(b.text.c_str(), nullptr);
    });
    MeasuredSet set;
    set.kernel = known->kernel;
    set.chip = facts.chip;
    set.library = "copy engine";
    set.source = set.file = name->span ? name->span.file->name : "";
    if (!device.empty()) set.source = fmt::format("nvbandwidth on {}, {}", device, set.file);
    set.machine.name = device;
    set.span = name->span;
    set.conditions = "nvbandwidth, median of the pairs";
    add_point(set, {cells.column}, {cells.pairs[cells.pairs.size() / 2]}, test.span, diagnostics);
    out.push_back(std::move(set));
  }
  if (!skipped.empty()) notes.push_back(fmt::format("left out: {}", join(skipped, ", ")));
  if (!failed.empty()) notes.push_back(fmt::format("not measured: {}", join(failed, ", ")));
  if (out.empty() && diagnostics.error_count() == before)
    diagnostics.error(tree.span, "nvbandwidth: none of the cases that are read was measured")
        .help(
            "host_to_device_memcpy_ce, device_to_host_memcpy_ce, device_to_device_memcpy_read_ce, "
            "device_local_copy");
  if (diagnostics.error_count() > before) return {};
  return out;
}

}  // namespace reckon
