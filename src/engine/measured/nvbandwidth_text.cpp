// nvbandwidth's text: matrices under the name of their case, as it prints without -j.
//
//   Running host_to_device_memcpy_ce.
//   memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)
//              0         1
//    0     55.63     55.64
//
//   SUM host_to_device_memcpy_ce 111.27
//
// Above them stand the devices: "Device 0: NVIDIA H100 80GB HBM3 (00000000:1b:00)".
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

bool all_whole(const std::vector<doc::Value>& w) {
  return std::all_of(w.begin(), w.end(), [](const doc::Value& v) {
    return v.text.find_first_not_of("0123456789") == std::string::npos;
  });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
    text.remove_suffix(1);
  return text;
}

// Reads one case after the other.
class Reader {
 public:
  explicit Reader(const SourceFile* file)
      : file_(file), cases_(doc::sequence({file, 1, 1})), devices_(cases_) {}

  void take(int line) {
    const std::string_view text = trimmed(file_->line(line));
    const Span at{file_, line, 1, static_cast<int>(text.size())};
    if (text.starts_with("Device ") && text.find(": ") != text.npos)
      devices_.items.push_back(doc::scalar(std::string(text.substr(7)), at));
    else if (text.starts_with(kRunning))
      start(text.substr(kRunning.size()), line);
    else if (one_)
      take_within(text, line, at);
  }

  doc::Value tree() {
    doc::Value inner = doc::mapping({file_, 1, 1}), root = inner;
    if (!devices_.items.empty()) doc::set(inner, "GPU Device list", std::move(devices_));
    doc::set(inner, "testcases", std::move(cases_));
    doc::set(root, "nvbandwidth", std::move(inner));
    return root;
  }

 private:
  void start(std::string_view name, int line) {
    doc::Value one = doc::mapping({file_, line, 1});
    const Span at{file_, line, static_cast<int>(kRunning.size()) + 1};
    doc::set(one, "name", doc::scalar(std::string(name.substr(0, name.find('.'))), at));
    doc::set(one, "bandwidth_matrix", doc::sequence(at));
    cases_.items.push_back(std::move(one));
    one_ = &cases_.items.back();
    columns_ = 0;
  }

  // The heading, the numbers of the columns, the rows, the sum.
  void take_within(std::string_view text, int line, Span at) {
    std::vector<doc::Value> w = words(file_, line);
    if (w.empty()) return;
    if (w[0].text == "SUM" && w.size() > 2) {
      doc::set(*one_, "sum", w.back());
    } else if (columns_ == 0 && all_whole(w)) {
      columns_ = w.size();
    } else if (columns_ == 0 && text.find("(column)") != text.npos) {
      doc::set(*one_, "bandwidth_description", doc::scalar(std::string(text), at));
    } else if (columns_ > 0 && all_whole({w[0]})) {
      doc::Value row = doc::sequence(w[0].span);
      row.items.assign(w.begin() + 1, w.end());
      one_->find("bandwidth_matrix")->items.push_back(std::move(row));
    }
  }

  const SourceFile* file_;
  doc::Value cases_, devices_;
  doc::Value* one_ = nullptr;
  std::size_t columns_ = 0;
};

}  // namespace

doc::Value nvbandwidth_tree(const SourceFile* file) {
  Reader reader(file);
  for (int line = 1; line <= static_cast<int>(file->line_starts.size()); ++line) reader.take(line);
  return reader.tree();
}

}  // namespace reckon
