// How text for people is laid out. The program sets it from the terminal and its options; tests state it.
#pragma once

#include <cstddef>

namespace reckon {

struct TextStyle {
  bool colour = false;     // ANSI escapes; without them the text is the same
  std::size_t width = 80;  // columns that lines are wrapped to; fewer than 80 count as 80
  bool verbose = false;    // every metric, and every assumption with its place and source
  bool fit = false;  // a terminal shows it: tables keep to the width, and say what they leave out

  std::size_t usable_width() const { return width < 80 ? 80 : width; }
};

}  // namespace reckon
