// What the sections of an estimate are made from: the result, which of its metrics some section has shown, and how wide
// and how painted the output is.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "paint.hpp"
#include "reckon/engine/result.hpp"
#include "reckon/report/section.hpp"

namespace reckon {

struct Canvas {
  std::size_t width = 80;  // of the whole output; unlimited for Markdown
  bool verbose = false;
  bool markdown = false;  // tables with titles instead of bars, nothing shortened
  Paint paint = {};

  static Canvas for_markdown() {
    return {
        .width = std::numeric_limits<std::size_t>::max() / 2, .verbose = true, .markdown = true};
  }
};

class Reader {
 public:
  explicit Reader(const Result& result) : result_(result) {}
  const Result& result() const { return result_; }

  // The metric, which counts as shown from now on; nullptr if there is none.
  const Metric* get(std::string_view id);

  // All these ids count as shown: the section that takes them may have nothing to say about some.
  void claim(std::initializer_list<std::string_view> ids);
  void claim_all(std::string_view prefix);

  // As people read it: "" if there is no such metric, "–" if it has no value.
  std::string text(std::string_view id);

  // Its number; nothing if there is no such metric or it has no value.
  std::optional<double> number(std::string_view id);

  std::vector<const Metric*> not_shown() const;

  // An assumption's value; "" if it isn't stated.
  std::string assumed(std::string_view path) const;

 private:
  const Result& result_;
  std::set<std::string, std::less<>> seen_;
};

// Collects what has no value, to say why once: "– full, causal, hfu: needs batch.sequence".
class Absences {
 public:
  void add(std::string label, const std::string& reason);
  void append_to(std::vector<std::string>& notes) const;

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason_;
};

// The lines of a text without their ends.
std::vector<std::string> lines_of(std::string_view text);

// Names with their values, the values wrapped in a column of their own.
class KeyValues {
 public:
  explicit KeyValues(const Canvas& canvas) : canvas_(canvas) {}
  void add(std::string key, std::string value) { rows_.emplace_back(key, value); }
  Table table() const;

 private:
  const Canvas& canvas_;
  std::vector<std::pair<std::string, std::string>> rows_;
};

}  // namespace reckon
