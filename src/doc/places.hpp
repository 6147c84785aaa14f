// Byte offsets of a text -> Spans, quick where one comes after the other.
#pragma once

#include <cstddef>

#include "reckon/base/source.hpp"

namespace reckon::doc {

class Places {
 public:
  explicit Places(const SourceFile* file) : file_(file) {}

  // The characters from byte `from` to byte `to`, cut at the end of its line; at least one.
  Span at(std::size_t from, std::size_t to);
  Span at(std::size_t from) { return at(from, from + 1); }

 private:
  const SourceFile* file_;
  std::size_t last_ = 0;  // the place that was asked for last
  int line_ = 0, column_ = 1;
};

}  // namespace reckon::doc
