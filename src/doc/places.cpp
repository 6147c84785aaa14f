#include "places.hpp"

#include <algorithm>

#include "reckon/base/utf8.hpp"

namespace reckon::doc {

Span Places::at(std::size_t from, std::size_t to) {
  const std::string_view text = file_->text;
  from = std::min(from, text.size());
  const int line = file_->line_at(from);
  const auto characters = [&](std::size_t a, std::size_t b) {
    return static_cast<int>(character_count(text.substr(a, b - a)));
  };
  if (line != line_) {
    const std::size_t start = file_->start_of_line(line);
    column_ = 1 + characters(start, std::max(start, from));
  } else {
    column_ += from >= last_ ? characters(last_, from) : -characters(from, last_);
  }
  line_ = line;
  last_ = from;
  std::string_view marked = text.substr(from, std::max(to, from) - from);
  marked = marked.substr(0, marked.find_first_of("\r\n"));
  return {file_, line_, column_, std::max(1, static_cast<int>(character_count(marked)))};
}

}  // namespace reckon::doc
