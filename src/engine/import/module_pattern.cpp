#include "module_pattern.hpp"

#include <algorithm>

#include "reckon/base/text.hpp"

namespace reckon::importing {
namespace {

constexpr std::size_t kLongest = 1000;  // characters of a pattern
constexpr int kDeepest = 32;            // groups in groups

std::bitset<256> range(char from, char to) {
  std::bitset<256> out;
  for (int c = static_cast<unsigned char>(from); c <= static_cast<unsigned char>(to); ++c)
    out.set(static_cast<std::size_t>(c));
  return out;
}
std::bitset<256> one(char c) { return range(c, c); }

}  // namespace

// Thompson's construction: a state a character, and states that go two ways. Nodes refer to each other by number, and
// what a part leaves open is a list of (node, which way).
class RegexReader {
 public:
  RegexReader(std::string_view text, std::vector<Regex::Node>& nodes)
      : text_(text), nodes_(nodes) {}

  bool run(int& start) {
    if (text_.size() > kLongest) return false;
    const Piece whole = alternatives(0);
    if (failed_ || at_ < text_.size()) return false;
    const int end = add({Regex::Node::Kind::kEnd});
    join(whole, end);
    start = whole.start;
    return true;
  }

 private:
  struct Way {
    int node;
    bool other;
  };
  struct Piece {
    int start = -1;
    std::vector<Way> open = {};
  };

  int add(Regex::Node node) {
    nodes_.push_back(node);
    return static_cast<int>(nodes_.size()) - 1;
  }
  Regex::Node& node(int i) { return nodes_[static_cast<std::size_t>(i)]; }
  void join(const Piece& piece, int to) {
    for (const Way& w : piece.open) (w.other ? node(w.node).other : node(w.node).next) = to;
  }
  bool more() const { return !failed_ && at_ < text_.size(); }
  Piece fail() {
    failed_ = true;
    return {};
  }
  Piece nothing() {
    const int s = add({Regex::Node::Kind::kSplit});
    return {s, {{s, false}, {s, true}}};
  }

  Piece alternatives(int depth) {
    if (depth > kDeepest) return fail();
    Piece out = sequence(depth);
    while (more() && text_[at_] == '|') {
      ++at_;
      const Piece b = sequence(depth);
      const int s = add({Regex::Node::Kind::kSplit, {}, out.start, b.start});
      out.start = s;
      out.open.insert(out.open.end(), b.open.begin(), b.open.end());
    }
    return out;
  }

  Piece sequence(int depth) {
    Piece out = nothing();
    while (more() && text_[at_] != '|' && text_[at_] != ')') {
      Piece next = repeated(depth);
      if (failed_) return {};
      join(out, next.start);
      out.open = std::move(next.open);
    }
    return out;
  }

  Piece repeated(int depth) {
    Piece a = atom(depth);
    while (more() && (text_[at_] == '*' || text_[at_] == '+' || text_[at_] == '?')) {
      const char sign = text_[at_++];
      const int s = add({Regex::Node::Kind::kSplit, {}, a.start, -1});
      if (sign == '?') {
        a.start = s;
        a.open.push_back({s, true});
        continue;
      }
      join(a, s);
      a = {sign == '*' ? s : a.start, {{s, true}}};
    }
    return a;
  }

  Piece atom(int depth) {
    const char c = text_[at_++];
    if (c == '(') {
      if (text_.substr(at_).starts_with("?:")) at_ += 2;
      Piece inside = alternatives(depth + 1);
      if (!more() || text_[at_] != ')') return fail();
      ++at_;
      return inside;
    }
    if (c == '^' && at_ == 1) return nothing();
    if (c == '[') return character(bracket());
    if (c == '.') return character(std::bitset<256>().set());
    if (c == '\\') return character(escape());
    if (std::string_view("*+?{}$^)").find(c) != std::string_view::npos) return fail();
    return character(one(c));
  }

  Piece character(const std::bitset<256>& set) {
    const int n = add({Regex::Node::Kind::kCharacter, set});
    return {n, {{n, false}}};
  }

  std::bitset<256> escape() {
    if (!more()) return failed_ = true, std::bitset<256>{};
    const char c = text_[at_++];
    const auto digits = range('0', '9');
    const auto words = digits | range('a', 'z') | range('A', 'Z') | one('_');
    if (c == 'd') return digits;
    if (c == 'w') return words;
    if (range('a', 'z').test(static_cast<unsigned char>(c)) ||
        range('A', 'Z').test(static_cast<unsigned char>(c)) ||
        digits.test(static_cast<unsigned char>(c)))
      failed_ = true;
    return one(c);
  }

  std::bitset<256> bracket() {
    std::bitset<256> out;
    const bool inverted = more() && text_[at_] == '^';
    if (inverted) ++at_;
    while (more() && text_[at_] != ']') {
      const char c = text_[at_++];
      if (c == '\\') {
        out |= escape();
      } else if (at_ + 1 < text_.size() && text_[at_] == '-' && text_[at_ + 1] != ']') {
        out |= range(c, text_[at_ + 1]);
        at_ += 2;
      } else {
        out |= one(c);
      }
    }
    if (!more()) failed_ = true;
    ++at_;
    return inverted ? ~out : out;
  }

  std::string_view text_;
  std::vector<Regex::Node>& nodes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

Regex::Regex(std::string_view pattern) {
  anchored_ = pattern.ends_with('$') && !pattern.ends_with("\\$");
  if (anchored_) pattern.remove_suffix(1);
  good_ = RegexReader(pattern, nodes_).run(start_);
}

bool Regex::matches_start(std::string_view text) const {
  if (!good_) return false;
  std::vector<int> now, next;
  std::vector<bool> seen(nodes_.size());
  bool reached = false;
  const auto visit = [&](std::vector<int>& to,
                         int from) {  // through the states that take no character
    std::vector<int> stack{from};
    while (!stack.empty()) {
      const int i = stack.back();
      stack.pop_back();
      if (i < 0 || seen[static_cast<std::size_t>(i)]) continue;
      seen[static_cast<std::size_t>(i)] = true;
      const Node& n = nodes_[static_cast<std::size_t>(i)];
      if (n.kind == Node::Kind::kEnd) reached = true;
      if (n.kind == Node::Kind::kCharacter) to.push_back(i);
      if (n.kind == Node::Kind::kSplit) stack.insert(stack.end(), {n.other, n.next});
    }
  };
  visit(now, start_);
  for (const char c : text) {
    if (reached && !anchored_) return true;
    reached = false;
    next.clear();
    std::fill(seen.begin(), seen.end(), false);
    for (const int i : now) {
      const Node& n = nodes_[static_cast<std::size_t>(i)];
      if (n.set.test(static_cast<unsigned char>(c))) visit(next, n.next);
    }
    now.swap(next);
  }
  return reached;
}

ModulePattern::ModulePattern(std::string text)
    : text_(std::move(text)),
      is_regex_(text_.starts_with("re:")),
      is_glob_(!is_regex_ && text_.find('*') != std::string::npos),
      regex_(is_regex_ ? std::string_view(text_).substr(3) : std::string_view{}) {}

bool ModulePattern::matches(std::string_view module) const {
  if (is_regex_) return regex_.matches_start(module);
  if (is_glob_) return matches_pattern(module, text_) || matches_pattern(module, text_ + ".*");
  const std::string padded = "." + std::string(module) + ".";
  return padded.find("." + text_ + ".") != std::string::npos;
}

}  // namespace reckon::importing
