#include "places.hpp"

#include <algorithm>

#include "reckon/base/utf8.hpp"

namespace reckon::doc {

Places::Places(const SourceFile* file) : file_(file), text_(file->text) {
  if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
}

Span Places::at(std::size_t from, std::size_t to) {
  const std::size_t mark = file_->text.size() - text_.size();
  from = std::min(from, text_.size());
  const int line = file_->line_at(from + mark);
  const auto characters = [&](std::size_t a, std::size_t b) {
    return static_cast<int>(character_count(text_.substr(a, b - a)));
  };
  if (line != line_) {
    const std::size_t start = file_->start_of_line(line) - mark;
    column_ = 1 + characters(start, std::max(start, from));
  } else {
    column_ += from >= last_ ? characters(last_, from) : -characters(from, last_);
  }
  line_ = line;
  last_ = from;
  std::string_view marked = text_.substr(from, std::max(to, from) - from);
  marked = marked.substr(0, marked.find_first_of("\r\n"));
  return {file_, line_, column_, std::max(1, static_cast<int>(character_count(marked)))};
}

void Places::report(const SyntaxFault& f, Diagnostics& diagnostics) {
  Diagnostic& d = diagnostics.error(at(f.at, f.at + f.length), f.message).help(f.help);
  if (f.note_at != kNowhere) d.note(at(f.note_at), f.note);
}

}  // namespace reckon::doc
