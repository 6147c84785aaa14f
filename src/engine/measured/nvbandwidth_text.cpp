// nvbandwidth's text: matrices under the name of their case, as it prints without -j.
//
//   Running host_to_device_memcpy_ce.
//   memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)
//              0         1
//    0     55.63     55.64
//
//   SUM host_to_device_memcpy_ce 111.27
#include <algorithm>
#include <cctype>

#include "tables.hpp"

namespace reckon {
namespace {

constexpr std::string_view kRunning = "Running ";

std::vector<doc::Value> words(const SourceFile* file, int line) {
  const std::string_view text = file->line(line);
  std::vector<doc::Value> out;
  for (std::size_t at = 0; at < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
      ++at;
      continue;
    }
    const std::size_t from = at;
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) == 0) ++at;
    out.push_back(
        doc::scalar(std::string(text.substr(from, at - from)),
                    {file, line, static_cast<int>(from) + 1, static_cast<int>(at - from)}));
  }
  return out;
}

bool is_row(const std::vector<doc::Value>& w) {
  return w.size() >= 2 && w[0].text.find_first_not_of("0123456789") == std::string::npos &&
         std::any_of(w.begin() + 1, w.end(), [](const doc::Value& v) {
           return v.text == "N/A" || v.text.find('.') != std::string::npos;
         });
}

}  // namespace

doc::Value nvbandwidth_tree(const SourceFile* file) {
  doc::Value cases = doc::sequence({file, 1, 1});
  doc::Value* matrix = nullptr;
  for (int line = 1; line <= static_cast<int>(file->line_starts.size()); ++line) {
    std::string_view text = file->line(line);
    if (text.starts_with(kRunning)) {
      text.remove_prefix(kRunning.size());
      doc::Value one = doc::mapping({file, line, 1});
      const Span at{file, line, static_cast<int>(kRunning.size()) + 1};
      doc::set(one, "name", doc::scalar(std::string(text.substr(0, text.find('.'))), at));
      doc::set(one, "bandwidth_matrix", doc::sequence(at));
      cases.items.push_back(std::move(one));
      matrix = cases.items.back().find("bandwidth_matrix");
      continue;
    }
    std::vector<doc::Value> w = words(file, line);
    if (!matrix || !is_row(w)) continue;
    doc::Value row = doc::sequence(w[0].span);
    row.items.assign(w.begin() + 1, w.end());
    matrix->items.push_back(std::move(row));
  }
  doc::Value inner = doc::mapping({file, 1, 1}), root = doc::mapping({file, 1, 1});
  doc::set(inner, "testcases", std::move(cases));
  doc::set(root, "nvbandwidth", std::move(inner));
  return root;
}

}  // namespace reckon
