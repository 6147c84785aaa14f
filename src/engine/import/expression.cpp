#include "expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reckon/base/json.hpp"
#include "reckon/base/utf8.hpp"

namespace reckon::importing {
namespace {

constexpr int kDeepest = 32;  // names that stand for names

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

Found fault(std::string message, Span span = {}, std::string help = "") {
  Found f;
  f.kind = Found::Kind::kFault;
  f.word = std::move(message);
  f.span = span;
  f.help = std::move(help);
  return f;
}

Found number(double x) {
  Found f;
  f.kind = Found::Kind::kNumber;
  f.number = x;
  return f;
}

Found yes_no(bool x) {
  Found f;
  f.kind = Found::Kind::kYesNo;
  f.number = x ? 1 : 0;
  return f;
}

Found literal(std::string word) {
  Found f;
  f.kind = Found::Kind::kWord;
  f.word = std::move(word);
  return f;
}

// What was computed from two: derived, if either goes back to the file.
void inherit(Found& out, const Found& a, const Found& b) {
  const bool of_file = a.from != From::kDefault || b.from != From::kDefault;
  out.from = of_file ? From::kDerived : From::kDefault;
  out.span = a.span ? a.span : b.span;
}

bool is_json_number(const std::string& text) {
  return !text.empty() && (is_digit(text[0]) || (text[0] == '-' && text.size() > 1));
}

}  // namespace

Found found(const doc::Value& v, std::string_view key) {
  Found f;
  f.span = v.span;
  f.from = From::kStated;
  f.how = key;
  if (!v.is_scalar()) {
    f.kind = Found::Kind::kTree;
    f.tree = &v;
  } else if (v.quoted) {
    f.kind = Found::Kind::kWord;
    f.word = v.text;
  } else if (v.text == "true" || v.text == "false") {
    f.kind = Found::Kind::kYesNo;
    f.number = v.text == "true" ? 1 : 0;
  } else if (is_json_number(v.text)) {
    f.kind = Found::Kind::kNumber;
    f.number = std::strtod(v.text.c_str(), nullptr);
  } else {  // Infinity, NaN
    f.kind = Found::Kind::kWord;
    f.word = v.text;
  }
  return f;
}

std::string written(const Found& f) {
  if (f.is_number()) return shortest_number(f.number);
  if (f.kind == Found::Kind::kYesNo) return f.number != 0 ? "yes" : "no";
  return f.word;
}

// Recursive descent; evaluates as it reads. A fault or absence is a value like others, so that a
// branch that is not taken may hold one.
class Reader {
 public:
  Reader(const Evaluator& of, std::string_view text, const Words& words, int depth)
      : of_(of), text_(text), words_(words), depth_(depth) {}

  Found whole() {
    Found f = conditional();
    skip();
    if (at_ < text_.size()) return bad();
    return f;
  }

 private:
  Found bad() const {
    return fault(fmt::format("the record's expression '{}' can't be read at '{}'", text_,
                             text_.substr(std::min(at_, text_.size()))));
  }

  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  std::string_view peek_word() {
    skip();
    std::size_t to = at_;
    if (to >= text_.size() || !is_letter(text_[to])) return {};
    while (to < text_.size() && (is_letter(text_[to]) || is_digit(text_[to]) || text_[to] == '.'))
      ++to;
    return text_.substr(at_, to - at_);
  }
  bool take_word(std::string_view word) {
    if (peek_word() != word) return false;
    at_ += word.size();
    return true;
  }
  bool take(std::string_view sign) {
    skip();
    if (text_.substr(at_, sign.size()) != sign) return false;
    at_ += sign.size();
    return true;
  }

  Found conditional() {
    if (++nested_ > kDeepest) return at_ = text_.size(), bad();
    Found out = branches();
    --nested_;
    return out;
  }

  Found branches() {
    Found yes = comparison();
    if (!take_word("if")) return yes;
    const Found which = comparison();
    if (!take_word("else")) return bad();
    const Found no = conditional();
    if (which.fault() || which.absent()) return which;
    Found out = which.is_yes() ? yes : no;
    if (out.from == From::kDefault && which.from != From::kDefault) {
      out.from = From::kDerived;
      if (!out.span) out.span = which.span;
      if (out.how.empty()) out.how = which.how;
    }
    return out;
  }

  Found alternatives() {
    Found out = sum();
    while (take_word("or")) {
      Found next = sum();
      if (out.absent()) out = std::move(next);
    }
    return out;
  }

  Found comparison() {
    Found whole = alternatives();
    for (const std::string_view sign : {"==", "!="}) {
      if (!take(sign)) continue;
      const Found a = only_item(whole), b = only_item(alternatives());
      if (a.fault() || a.absent()) return a;
      if (b.fault() || b.absent()) return b;
      const auto is_plain = [](const Found& x) {
        return x.is_number() || x.kind == Found::Kind::kYesNo;
      };
      const bool same = is_plain(a) && is_plain(b)
                            ? a.number == b.number
                            : a.kind == Found::Kind::kWord && b.kind == a.kind && a.word == b.word;
      Found out = yes_no(same == (sign == "=="));
      inherit(out, a, b);
      out.how = a.how;
      return out;
    }
    return whole;
  }

  Found sum() {
    Found out = product();
    for (;;) {
      if (take("+"))
        out = combine(out, product(), '+');
      else if (take("-"))
        out = combine(out, product(), '-');
      else
        return out;
    }
  }

  Found product() {
    Found out = atom();
    for (;;) {
      if (take("*"))
        out = combine(out, atom(), '*');
      else if (take("/"))
        out = combine(out, atom(), '/');
      else
        return out;
    }
  }

  // Some files write 0 as [0].
  static Found only_item(const Found& f) {
    const bool one =
        f.kind == Found::Kind::kTree && f.tree->items.size() == 1 && f.tree->items[0].is_scalar();
    return one ? found(f.tree->items[0], f.how) : f;
  }

  static Found combine(const Found& a, const Found& b, char sign) {
    for (const Found* x : {&a, &b}) {
      if (x->fault() || x->absent()) return *x;
      if (!x->is_number())
        return fault(fmt::format("{}: expected a number, found {}", x->how,
                                 x->kind == Found::Kind::kTree
                                     ? "a " + doc::kind_of(*x->tree)
                                     : fmt::format("'{}'", shortened(written(*x)))),
                     x->span);
    }
    Found out = number(0);
    inherit(out, a, b);
    const auto text = [](const Found& x) { return x.how.empty() ? written(x) : x.how; };
    out.how = fmt::format("{} {} {}", text(a), sign, text(b));
    if (sign == '/' && (b.number == 0 || std::fmod(a.number, b.number) != 0))
      return fault(
          fmt::format("{} = {} does not divide {} = {}", text(b), written(b), text(a), written(a)),
          b.span ? b.span : a.span);
    out.number = sign == '+'   ? a.number + b.number
                 : sign == '-' ? a.number - b.number
                 : sign == '*' ? a.number * b.number
                               : a.number / b.number;
    return out;
  }

  Found atom() {
    skip();
    if (take("(")) {
      Found inside = conditional();
      return take(")") ? inside : bad();
    }
    if (take("'")) return quoted();
    if (at_ < text_.size() && is_digit(text_[at_])) {
      const std::size_t from = at_;
      while (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) ++at_;
      return number(std::strtod(std::string(text_.substr(from, at_ - from)).c_str(), nullptr));
    }
    const std::string_view word = peek_word();
    if (word.empty()) return bad();
    at_ += word.size();
    if (word == "yes" || word == "no") return yes_no(word == "yes");
    if (word == "none") return literal("none");
    if (std::find(words_.begin(), words_.end(), word) != words_.end())
      return literal(std::string(word));
    return of_.name(word, depth_ + 1);
  }

  Found quoted() {
    const std::size_t end = text_.find('\'', at_);
    if (end == std::string_view::npos) return bad();
    Found f = literal(std::string(text_.substr(at_, end - at_)));
    at_ = end + 1;
    return f;
  }

  const Evaluator& of_;
  std::string_view text_;
  const Words& words_;
  int depth_, nested_ = 0;
  std::size_t at_ = 0;
};

Found Evaluator::evaluate(std::string_view expression, const Words& words) const {
  return Reader(*this, expression, words, 0).whole();
}

Evaluator Evaluator::over(const Config& part) const {
  Evaluator out(part, values_);
  out.names_ = names_ ? names_ : this;
  return out;
}

Found Evaluator::name(std::string_view word, int depth) const {
  if (depth > kDeepest)
    return fault(fmt::format("the record's values: '{}' is defined by itself", word));
  const Evaluator& names = names_ ? *names_ : *this;
  const doc::Value* meant = values_.is_mapping() ? values_.find(word) : nullptr;
  if (meant && meant->is_scalar()) return Reader(names, meant->text, {}, depth).whole();
  const doc::Value* v = config_.find(word);
  if (v) return found(*v, word);
  return {};
}

void words_of(std::string_view text, std::set<std::string>& out) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] == '\'') {
      at = std::min(text.find('\'', at + 1), text.size() - 1) + 1;
      continue;
    }
    std::size_t to = at;
    while (to < text.size() &&
           (is_letter(text[to]) || (to > at && (is_digit(text[to]) || text[to] == '.'))))
      ++to;
    if (to > at) out.emplace(text.substr(at, to - at));
    at = std::max(to, at + 1);
  }
}

}  // namespace reckon::importing
