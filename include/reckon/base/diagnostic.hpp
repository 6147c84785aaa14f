// Faults of the user's input: collected, not thrown, so that one run reports all of them.
//
//   diagnostics.error(value.span, "tensor = 6 does not divide heads = 64")
//       .note(heads.span, "heads is stated here")
//       .help("nearest degrees that work: 4, 8");
//
//   plan.yaml:7:16: error: tensor = 6 does not divide heads = 64
//       7 | mesh: {tensor: 6}
//         |                ^
//   models/llama-3-70b.yaml:9:12: note: heads is stated here
//       9 |     heads: 64
//         |            ^~
//   help: nearest degrees that work: 4, 8
//
// Diagnostics at one place with one text are shown once, and of very many the first hundred. A
// source line of more than 100 characters is cut around the place; control and invisible
// characters, of the source and of messages, are shown as ·.
#pragma once

#include <string>
#include <vector>

#include "reckon/base/source.hpp"

namespace reckon {

enum class Severity { kError, kWarning };

struct Diagnostic {
  struct Note {
    Span span;
    std::string text;
  };
  Severity severity = Severity::kError;
  Span span;  // may be empty: the fault has no place in a file
  std::string message;
  std::string help_text;
  std::vector<Note> notes;

  Diagnostic& help(std::string text) {
    help_text = std::move(text);
    return *this;
  }
  Diagnostic& note(Span at, std::string text) {
    notes.push_back({at, std::move(text)});
    return *this;
  }
};

class Diagnostics {
 public:
  // The reference is good until the next error() or warning().
  Diagnostic& error(Span at, std::string message);
  Diagnostic& warning(Span at, std::string message);
  void add(Diagnostic found);  // elsewhere, as it is
  bool has_errors() const;
  std::size_t error_count() const;
  const std::vector<Diagnostic>& all() const { return all_; }

  // Everything as text; what has no place first, then by file (in order of first appearance), line
  // and column. `colour` for terminals.
  std::string render(bool colour = false) const;

 private:
  std::size_t errors_ = 0;
  std::vector<Diagnostic> all_;
};

}  // namespace reckon
