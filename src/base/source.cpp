#include "reckon/base/source.hpp"

#include <algorithm>

#include "reckon/base/utf8.hpp"

namespace reckon {
namespace {

std::vector<std::size_t> starts_of_lines(std::string_view text) {
  std::vector<std::size_t> starts{text.substr(0, 3) == kByteOrderMark ? kByteOrderMark.size() : 0};
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    starts.push_back(at + 1);
  return starts;
}

}  // namespace

std::string_view SourceFile::line(int number) const {
  if (number < 1 || static_cast<std::size_t>(number) > line_starts.size()) return {};
  const std::size_t start = line_starts[static_cast<std::size_t>(number - 1)];
  std::string_view rest = std::string_view(text).substr(start);
  rest = rest.substr(0, rest.find('\n'));
  if (!rest.empty() && rest.back() == '\r') rest.remove_suffix(1);
  return rest;
}

int SourceFile::line_at(std::size_t byte) const {
  const auto after = std::upper_bound(line_starts.begin(), line_starts.end(), byte);
  return std::max(1, static_cast<int>(after - line_starts.begin()));
}

std::size_t SourceFile::start_of_line(int number) const {
  if (number < 1 || line_starts.empty()) return 0;
  const auto index = static_cast<std::size_t>(number - 1);
  return index < line_starts.size() ? line_starts[index] : text.size();
}

const SourceFile* Sources::add(std::string name, std::string text) {
  auto file = std::make_unique<SourceFile>(SourceFile{std::move(name), std::move(text), {}});
  file->line_starts = starts_of_lines(file->text);
  files_.push_back(std::move(file));
  return files_.back().get();
}

}  // namespace reckon
