// Where a text came from, and a place in it.
//
//   Sources sources;
//   const SourceFile* file = sources.add("plan.yaml", text);
//   Span at{file, 3, 10, 4};                 // line 3, columns 10 to 13
//
// Lines and columns count from 1; columns count characters, not bytes. Lines end in "\n" or "\r\n";
// a byte order mark is no part of the first line. A Span points into a SourceFile that its Sources
// owns: keep the Sources as long as anything that was read from it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace reckon {

// Made by Sources::add, which finds the lines.
struct SourceFile {
  std::string name;  // as shown to people: a path, "<stdin>", "--set"
  std::string text;
  std::vector<std::size_t> line_starts;  // byte offsets

  // The text of a line (from 1), without its end. Empty past the last line.
  std::string_view line(int number) const;
  int line_at(std::size_t byte) const;
  std::size_t start_of_line(int number) const;  // byte offset
};

struct Span {
  const SourceFile* file = nullptr;
  int line = 0, column = 0, length = 1;
  explicit operator bool() const { return file != nullptr; }
};

class Sources {
 public:
  const SourceFile* add(std::string name, std::string text);

 private:
  std::vector<std::unique_ptr<SourceFile>> files_;
};

}  // namespace reckon
