// parse_json: the parser's events -> a tree with places. The events carry none, so a second look at
// the text walks beside them: between two events there are blanks, commas and colons alone.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "json_faults.hpp"
#include "places.hpp"
#include "reckon/doc/value.hpp"
#include "text_check.hpp"
#include "yaml_scan.hpp"

namespace reckon::doc {
namespace {

using Sax = nlohmann::json_sax<nlohmann::json>;
constexpr std::size_t kMostFaults = 1000;  // then the rest of the file is not read

bool is_delimiter(char c) { return std::string_view(" \t\r\n,:[]{}\"").find(c) != kNowhere; }

struct Token {
  std::size_t from = 0, to = 0;
};

// A collection whose end has not come yet.
struct Open {
  Value value;
  std::size_t at;  // byte of its bracket
  std::unordered_map<std::string, Span> seen = {};
  bool key_refused = false;
};

class JsonBuilder : public Sax {
 public:
  JsonBuilder(const SourceFile* file, Diagnostics& diagnostics)
      : places_(file), diagnostics_(diagnostics), text_(places_.text()) {}

  std::string_view text() const { return text_; }
  Value take() {
    while (!open_.empty()) close();
    return std::move(root_);
  }

  bool null() override {
    Value v;
    const Token t = next();
    v.span = places_.at(t.from, t.to);
    return add(std::move(v));
  }
  bool boolean(bool) override { return add_word(); }
  bool number_integer(number_integer_t) override { return add_word(); }
  bool number_unsigned(number_unsigned_t) override { return add_word(); }
  bool number_float(number_float_t, const string_t&) override { return add_word(); }
  bool string(string_t& text) override {
    const bool disguised = text_[peek()] != '"';  // Infinity or NaN
    if (disguised) {
      add_word();
      word_ = {};
      return true;
    }
    const Token t = next();
    Value v = scalar(text, places_.at(t.from, t.to));
    v.quoted = true;
    return add(std::move(v));
  }
  bool binary(binary_t&) override { return false; }  // not in texts

  bool start_object(std::size_t) override { return start(mapping()); }
  bool start_array(std::size_t) override { return start(sequence()); }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }

  bool key(string_t& text) override {
    const Token t = next();
    const Span span = places_.at(t.from, t.to);
    Open& top = open_.back();
    state_ = JsonState::kKey;
    const auto [at, is_new] = top.seen.emplace(text, span);
    top.key_refused = !is_new;
    if (is_new) {
      top.value.entries.push_back({text, span, {}});
    } else {
      diagnostics_.error(span, fmt::format("the key '{}' occurs twice", text))
          .note(at->second, "first stated here");
      return ++faults_ < kMostFaults;
    }
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    if (const std::string_view word = text_.substr(word_.from, word_.to - word_.from);
        word_.to == at_ && !word.empty() && !nlohmann::json::accept(word)) {
      at_ = before_word_at_;  // the parser took its beginning, "0" of "01", for the whole
      state_ = before_word_;
    }
    const std::size_t bracket = open_.empty() ? kNowhere : open_.back().at;
    places_.report(explain_json(text_, at_, state_, bracket), diagnostics_);
    return false;
  }

 private:
  std::size_t peek() const {
    return std::min(text_.find_first_not_of(" \t\r\n,:", at_), text_.size());
  }

  Token next() {
    const std::size_t from = peek();
    std::size_t to = from + 1;
    if (text_[from] == '"')
      to = std::min(end_of_quoted(text_, from), text_.size());
    else if (!is_delimiter(text_[from]))
      while (to < text_.size() && !is_delimiter(text_[to])) ++to;
    at_ = to;
    return {from, to};
  }

  // A number, true or false, as it is written.
  bool add_word() {
    before_word_ = state_;
    before_word_at_ = at_;
    const Token t = word_ = next();
    return add(scalar(std::string(text_.substr(t.from, t.to - t.from)), places_.at(t.from, t.to)));
  }

  bool start(Value v) {
    const Token t = next();
    v.span = places_.at(t.from, t.to);
    if (open_.size() == kDeepest) {
      diagnostics_.error(v.span,
                         fmt::format("more than {} levels of lists and mappings", kDeepest));
      return false;
    }
    state_ = JsonState::kOpened;
    open_.push_back({std::move(v), t.from});
    return true;
  }

  bool end() {
    next();
    close();
    return true;
  }

  void close() {
    Value v = std::move(open_.back().value);
    open_.pop_back();
    add(std::move(v));
  }

  bool add(Value v) {
    state_ = open_.empty() ? JsonState::kEnd : JsonState::kValue;
    if (open_.empty())
      root_ = std::move(v);
    else if (open_.back().value.is_sequence())
      open_.back().value.items.push_back(std::move(v));
    else if (!open_.back().key_refused)
      open_.back().value.entries.back().value = std::move(v);
    return true;
  }

  Places places_;
  Diagnostics& diagnostics_;
  std::string_view text_;
  std::size_t at_ = 0, before_word_at_ = 0;  // the byte after what has been read
  JsonState state_ = JsonState::kStart, before_word_ = JsonState::kStart;
  Token word_ = {};  // the last number, true or false
  Value root_;
  std::vector<Open> open_;
  std::size_t faults_ = 0;
};

// Words that the parser refuses, as texts of the same length.
std::string disguise_words(std::string text) {
  struct Word {
    std::string_view written, disguise;
  };
  constexpr Word kWords[] = {
      {"-Infinity", "\"-Infini\""}, {"Infinity", "\"Infini\""}, {"NaN", "\"N\""}};
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') {
      const std::size_t end = end_of_quoted(text, at);
      if (end == kNowhere) return text;
      at = end - 1;
    } else if (at == 0 || is_delimiter(text[at - 1])) {
      for (const Word& w : kWords) {
        const std::size_t end = at + w.written.size();
        const bool whole = end >= text.size() || is_delimiter(text[end]);
        if (!whole || text.compare(at, w.written.size(), w.written) != 0) continue;
        text.replace(at, w.written.size(), w.disguise);
        at = end - 1;
        break;
      }
    }
  }
  return text;
}

}  // namespace

Value parse_json(const SourceFile* file, Diagnostics& diagnostics, bool lenient) {
  if (!check_text(file, diagnostics)) return {};
  JsonBuilder tree(file, diagnostics);
  std::string text(tree.text());
  if (lenient) text = disguise_words(std::move(text));
  nlohmann::json::sax_parse(text, &tree);
  return tree.take();
}

}  // namespace reckon::doc
