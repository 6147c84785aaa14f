// parse_yaml: the parser's events -> a tree whose every key and value knows its place.
#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <unordered_map>

#include "places.hpp"
#include "reckon/doc/value.hpp"
#include "text_check.hpp"
#include "yaml_faults.hpp"
#include "yaml_scan.hpp"

namespace reckon::doc {
namespace {

constexpr std::size_t kMostFaults = 1000;       // then the rest of the file is not read
constexpr std::size_t kMostByAnchors = 10'000;  // values held by anchors and made by aliases

struct Stop {};  // a fault after which nothing more can be said
struct SecondDocument {
  std::size_t at;
};  // byte

std::size_t count(const Value& v) {
  std::size_t n = 1;
  for (const Value& i : v.items) n += count(i);
  for (const Entry& e : v.entries) n += count(e.value);
  return n;
}

std::size_t height(const Value& v) {
  std::size_t inner = 0;
  for (const Value& i : v.items) inner = std::max(inner, height(i));
  for (const Entry& e : v.entries) inner = std::max(inner, height(e.value));
  return 1 + inner;
}

// A collection whose end has not come yet.
struct Open {
  Value value;
  std::size_t at = 0;  // byte
  YAML::anchor_t anchor = 0;
  bool flow = false;
  std::optional<Entry> key = {};  // read, its value is next
  bool key_refused = false;       // the next value is dropped
  std::size_t key_end = 0;        // byte
  std::unordered_map<std::string, Span> seen = {};

  bool expects_key() const { return value.is_mapping() && !key && !key_refused; }
};

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const SourceFile* file, Diagnostics& diagnostics)
      : places_(file),
        diagnostics_(diagnostics),
        text_(places_.text()),
        most_errors_(diagnostics.error_count() + kMostFaults) {}

  std::string_view text() const { return text_; }
  std::size_t root_at() const { return root_at_; }
  std::size_t offset(const YAML::Mark& mark) const {
    return std::min(static_cast<std::size_t>(std::max(mark.pos, 0)), text_.size());
  }
  void report(const SyntaxFault& fault) { places_.report(fault, diagnostics_); }

  // The tree so far; after a fault, what is open is taken as it stands.
  Value take() {
    for (; !open_.empty(); open_.pop_back()) {
      Open& last = open_.back();
      if (last.key) last.value.entries.push_back(std::move(*last.key));
      Open* outer = open_.size() > 1 ? &open_[open_.size() - 2] : nullptr;
      if (!outer)
        root_ = std::move(last.value);
      else if (outer->value.is_sequence())
        outer->value.items.push_back(std::move(last.value));
      else if (outer->key)
        outer->key->value = std::move(last.value);
    }
    return std::move(root_);
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (started_) throw SecondDocument{offset(mark)};
    started_ = true;
    check_directives(offset(mark));
  }
  void OnDocumentEnd() override {}
  void finish() {
    if (!started_) check_directives(text_.size());
  }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const std::size_t at = content(mark);
    Value v;
    v.span = span_of_null(at);
    add(std::move(v), anchor, at, at);
  }

  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string& text) override {
    const std::size_t at = content(mark);
    const std::size_t end = end_of_scalar(text_, at, text);
    if (end == kNowhere) stop(explain_syntax(text_, YAML::ErrorMsg::EOF_IN_SCALAR, text_.size()));
    Value v = scalar(text, span(at, end));
    v.quoted = at < text_.size() && std::string_view("\"'|>").find(text_[at]) != kNowhere;
    add(std::move(v), anchor, at, end);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    start(sequence(), mark, tag, anchor, style);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    start(mapping(), mark, tag, anchor, style);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const std::size_t at = offset(mark);
    const auto named = anchored_.find(anchor);
    if (named == anchored_.end())
      stop({at, end_of_word(at) - at, "this stands for a value that contains it",
            "write the value out"});
    spend(count(named->second), at);
    check_depth(open_.size() + height(named->second), at);
    Value v = named->second;
    if (!open_.empty() && open_.back().expects_key()) v.span = span(at, end_of_word(at));
    add(std::move(v), 0, at, end_of_word(at));
  }

 private:
  Span span(std::size_t from, std::size_t to) { return places_.at(from, to); }
  Span span(std::size_t at) { return places_.at(at); }

  std::size_t end_of_word(std::size_t at) const {
    return std::min(text_.find_first_of(" \t\r\n,[]{}", at), text_.size());
  }

  [[noreturn]] void stop(const SyntaxFault& fault) {
    report(fault);
    throw Stop{};
  }

  // A line of the head that begins with % is silently skipped by the parser.
  void check_directives(std::size_t end) {
    for (std::size_t at = 0; at < end; at = std::min(text_.find('\n', at), end - 1) + 1)
      if (text_[at] == '%' && text_.substr(at, 6) != "%YAML ")
        report({at, 1, "a line that begins with % is a directive to the parser",
                "begin a comment with '#'"});
  }

  // Where a value begins behind its anchor; a tag is refused on the way.
  std::size_t content(const YAML::Mark& mark) {
    const Properties p = skip_properties(text_, offset(mark));
    if (p.tag != kNowhere)
      report({p.tag, end_of_word(p.tag) - p.tag, "tags are not used here",
              "leave it out: what a value is follows from its key"});
    return p.content;
  }

  void check_depth(std::size_t depth, std::size_t at) {
    if (depth > kDeepest)
      stop({at, 1, fmt::format("more than {} levels of lists and mappings", kDeepest)});
  }

  void spend(std::size_t values, std::size_t at) {
    by_anchors_ += values;
    if (by_anchors_ > kMostByAnchors)
      stop({at, end_of_word(at) - at,
            fmt::format("anchors stand for more than {} values", kMostByAnchors),
            "write the values out, or in files of their own"});
  }

  void start(Value v, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
             YAML::EmitterStyle::value style) {
    // The mark of a mapping without properties is its first key's, whose properties are not its.
    const std::size_t at = anchor || tag != "?" ? content(mark) : offset(mark);
    check_depth(open_.size() + 1, at);
    v.span = span(at);
    open_.push_back({std::move(v), at, anchor, style == YAML::EmitterStyle::Flow});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    add(std::move(done.value), done.anchor, done.at, done.at + 1);
  }

  // What is written for nothing: `~`, `null`, or nothing at all, which is shown at its key.
  Span span_of_null(std::size_t at) {
    for (std::string_view word : {"~", "null", "Null", "NULL"}) {
      const std::size_t end = at + word.size();
      const bool ends = end >= text_.size() ||
                        std::string_view(" \t\r\n,]}").find(text_[end]) != std::string_view::npos;
      if (text_.substr(at, word.size()) == word && ends) return span(at, end);
    }
    if (open_.empty()) return span(at);
    const Open& top = open_.back();
    if (top.key) return top.key->key_span;
    return top.value.is_mapping() || top.flow ? span(at) : span_of_dash(at);
  }

  Span span_of_dash(std::size_t next) {
    const std::size_t before = next == 0 ? kNowhere : text_.find_last_not_of(" \t\r\n", next - 1);
    const bool dash = before != kNowhere && text_[before] == '-';
    return dash ? span(before) : open_.back().value.span;
  }

  // A finished value goes where it belongs; it was written from byte `at` to, if a scalar, `end`.
  void add(Value v, YAML::anchor_t anchor, std::size_t at, std::size_t end) {
    if (diagnostics_.error_count() > most_errors_) throw Stop{};
    if (anchor) {
      spend(count(v), at);
      anchored_[anchor] = v;
    }
    if (open_.empty()) {
      root_at_ = at;
      root_ = std::move(v);
    } else if (Open& top = open_.back(); top.value.is_sequence()) {
      if (v.is_null() && top.flow) refuse_gap(v, at);
      top.value.items.push_back(std::move(v));
    } else if (top.expects_key()) {
      add_key(top, v, end);
    } else {
      add_value(top, std::move(v));
    }
  }

  void refuse_gap(const Value& v, std::size_t at) {
    if (at < text_.size() && text_[at] == ',')
      diagnostics_.error(v.span, "an item is missing before this ','");
  }

  void add_key(Open& top, const Value& v, std::size_t end) {
    top.key_end = end;
    top.key_refused = true;  // until it is known to be good
    if (v.is_null()) {
      diagnostics_.error(v.span, "a value without a key").help("write 'key: value'");
    } else if (!v.is_scalar()) {
      diagnostics_.error(v.span, fmt::format("a {} can't be a key", kind_of(v)))
          .help("a key is one word; quote a text that begins with [ or {");
    } else if (v.text == "<<" && !v.quoted) {
      diagnostics_.error(v.span, "merge keys are not used here")
          .help("write the keys out, or name the file they come from");
    } else if (const auto [at, is_new] = top.seen.emplace(v.text, v.span); !is_new) {
      diagnostics_.error(v.span, fmt::format("the key '{}' occurs twice", v.text))
          .note(at->second, "first stated here");
    } else {
      top.key_refused = false;
      top.key = Entry{v.text, v.span, {}};
    }
  }

  void add_value(Open& top, Value v) {
    if (top.key && v.is_null() && top.flow) refuse_bare_key(top);
    if (top.key) {
      top.key->value = std::move(v);
      top.value.entries.push_back(std::move(*top.key));
    }
    top.key.reset();
    top.key_refused = false;
  }

  // `{tensor:8}` is a key named "tensor:8", and never meant so.
  void refuse_bare_key(const Open& top) {
    if (text_[top.at] != '{') return;  // a list that is never closed ends in such a mapping
    const std::size_t next = text_.find_first_not_of(" \t\r\n", top.key_end);
    if (next != kNowhere && text_[next] == ':') return;
    Diagnostic& d =
        diagnostics_.error(top.key->key_span, fmt::format("'{}' has no value", top.key->key));
    const std::size_t colon = top.key->key.find(':');
    if (colon != std::string::npos)
      d.help(fmt::format("write '{}: {}', with a space after the ':'",
                         top.key->key.substr(0, colon), top.key->key.substr(colon + 1)));
  }

  Places places_;
  Diagnostics& diagnostics_;
  std::string_view text_;
  std::size_t root_at_ = 0;
  bool started_ = false;
  Value root_;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, Value> anchored_;
  std::size_t by_anchors_ = 0, most_errors_;
};

void read_documents(TreeBuilder& tree) {
  std::istringstream in{std::string(tree.text())};
  YAML::Parser parser(in);
  while (parser.HandleNextDocument(tree)) {
  }
  tree.finish();
}

}  // namespace

Value parse_yaml(const SourceFile* file, Diagnostics& diagnostics) {
  if (!check_text(file, diagnostics)) return {};
  TreeBuilder tree(file, diagnostics);
  try {
    read_documents(tree);
  } catch (const Stop&) {
  } catch (const SecondDocument& second) {
    tree.report(explain_second_document(tree.text(), tree.root_at(), second.at));
  } catch (const YAML::ParserException& e) {
    tree.report(explain_syntax(tree.text(), e.msg, tree.offset(e.mark)));
  }
  Value root = tree.take();
  if (!root.span) root.span = {file, 0, 0};
  return root;
}

}  // namespace reckon::doc
