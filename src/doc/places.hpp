// The text of a file, and byte offsets in it -> Spans: quick where one comes after the other.
#pragma once

#include <cstddef>
#include <string_view>

#include "reckon/base/diagnostic.hpp"
#include "syntax_fault.hpp"

namespace reckon::doc {

class Places {
 public:
  explicit Places(const SourceFile* file);

  // The text without its byte order mark: offsets count from its beginning.
  std::string_view text() const { return text_; }

  // The characters from byte `from` to byte `to`, cut at the end of its line; at least one.
  Span at(std::size_t from, std::size_t to);
  Span at(std::size_t from) { return at(from, from + 1); }

  void report(const SyntaxFault& fault, Diagnostics& diagnostics);

 private:
  const SourceFile* file_;
  std::string_view text_;
  std::size_t last_ = 0;  // the place that was asked for last
  int line_ = 0, column_ = 1;
};

}  // namespace reckon::doc
