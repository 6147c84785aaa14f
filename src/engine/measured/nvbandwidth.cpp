// nvbandwidth's JSON (-j): copies between host and device, between devices, and inside one.
#include <fmt/format.h>

#include <algorithm>

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

// The cells of a matrix that hold a number.
std::vector<TableCell> numbers_in(const doc::Value& matrix) {
  std::vector<TableCell> out;
  for (const doc::Value& row : matrix.items)
    for (const doc::Value& cell : row.items)
      if (cell.text != "N/A" && !cell.text.empty()) out.push_back({cell.text, cell.span});
  return out;
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
  const doc::Value* cases = tree.at("nvbandwidth.testcases");
  if (!cases || !cases->is_sequence()) {
    diagnostics.error(tree.span, "nvbandwidth: no list of testcases").help("run nvbandwidth -j");
    return {};
  }
  std::vector<MeasuredSet> out;
  std::vector<std::string> skipped;
  for (const doc::Value& test : cases->items) {
    const doc::Value* name = test.find("name");
    const doc::Value* matrix = test.find("bandwidth_matrix");
    if (!name || !matrix) continue;
    const auto known = std::find_if(std::begin(kCases), std::end(kCases),
                                    [name](const TestCase& c) { return c.name == name->text; });
    if (known == std::end(kCases)) {
      skipped.push_back(name->text);
      continue;
    }
    std::vector<TableCell> cells = numbers_in(*matrix);
    if (cells.empty()) continue;  // waived: one GPU, no peer access
    std::sort(cells.begin(), cells.end(), [](const TableCell& a, const TableCell& b) {
      return std::strtod(a.text.c_str(), nullptr) < std::strtod(b.text.c_str(), nullptr);
    });
    MeasuredSet set;
    set.kernel = known->kernel;
    set.chip = facts.chip;
    set.library = "copy engine";
    set.source = set.file = name->span ? name->span.file->name : "";
    set.span = name->span;
    set.conditions = "nvbandwidth, median of the pairs";
    add_point(set, {{MeasuredColumn::kBandwidth, 1e9}}, {cells[cells.size() / 2]}, test.span,
              diagnostics);
    out.push_back(std::move(set));
  }
  if (!skipped.empty()) notes.push_back(fmt::format("left out: {}", join(skipped, ", ")));
  if (diagnostics.error_count() > before) return {};
  return out;
}

}  // namespace reckon
