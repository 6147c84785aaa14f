// Patterns that quantization lists name modules by.
//
//   ModulePattern p("model.layers.*.self_attn", …)      // glob: the module and what is below it
//   ModulePattern p("lm_head", …)                       // whole parts of a dotted name
//   ModulePattern p("re:.*mlp\\.(gate|up)_proj.*", …)   // a regular expression, from the name's beginning
//   p.matches("model.layers.3.self_attn.q_proj")
//
// Matching takes time in proportion to pattern × name, whatever the pattern.
#pragma once

#include <bitset>
#include <string>
#include <string_view>
#include <vector>

namespace reckon::importing {

// Alternatives, groups, classes, . * + ? and escapes; no look-around, counts or references.
class Regex {
 public:
  explicit Regex(std::string_view pattern);
  bool good() const { return good_; }
  bool matches_start(std::string_view text) const;

 private:
  struct Node {
    enum class Kind { kCharacter, kSplit, kEnd } kind = Kind::kEnd;
    std::bitset<256> set = {};
    int next = -1, other = -1;  // -1: to be joined to what follows
  };
  friend class RegexReader;

  std::vector<Node> nodes_;
  int start_ = -1;
  bool good_ = false, anchored_ = false;  // anchored: the text must end where the pattern does
};

class ModulePattern {
 public:
  explicit ModulePattern(std::string text);
  bool good() const { return !is_regex_ || regex_.good(); }
  bool matches(std::string_view module) const;
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool is_regex_, is_glob_;
  Regex regex_;
};

}  // namespace reckon::importing
