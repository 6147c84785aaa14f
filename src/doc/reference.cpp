#include "reckon/doc/reference.hpp"

#include <fmt/format.h>

#include "reckon/base/table.hpp"
#include "reckon/units/parse.hpp"

namespace reckon {
namespace {

using Kind = Description::Kind;

std::string code(std::string_view text) { return fmt::format("`{}`", text); }

std::string one_of(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const std::string& w : words) quoted.push_back(code(w));
  return listed(quoted, "or");
}

std::string form(const Description& d) {
  switch (d.kind) {
    case Kind::kQuantity:
      return expected_form(d.dim, d.hint);
    case Kind::kFlag:
      return "true or false";
    case Kind::kText:
      return "a text";
    case Kind::kWord:
      return one_of(d.words);
    case Kind::kList:
      return "a list, each " + form(d.parts.at(0));
    case Kind::kGroup:
      return d.by_name ? "a name, or a mapping" : d.one_word ? "a word, or a mapping" : "a mapping";
    case Kind::kAny:
      break;
  }
  return "";
}

std::string limits(const Description& d) {
  if (d.kind == Kind::kList) return limits(d.parts.at(0));
  if (d.kind != Kind::kQuantity || d.hint == Hint::kYesNo) return "";
  switch (d.limit) {
    case Limit::kNonNegative:
      return "";
    case Limit::kPositive:
      return "more than 0";
    case Limit::kAtLeastOne:
      return "at least 1";
    case Limit::kShare:
      return "0 to 1";
    case Limit::kEfficiency:
      return "more than 0, at most 1";
  }
  return "";
}

std::string initial(const Description& d) {
  if (d.required) return "required";
  const bool nothing = d.initial.is_null() || (d.initial.is_scalar() && d.initial.text.empty()) ||
                       (d.initial.is_sequence() && d.initial.items.empty());
  if (nothing) return "";
  std::string text = doc::write_yaml(d.initial);
  if (text.find('\n') + 1 != text.size()) return "";  // too long for a cell
  text.pop_back();
  return code(text);
}

std::string meaning(const Description& d) {
  return d.symbol.empty() ? std::string(d.meaning) : fmt::format("{} ({})", d.meaning, d.symbol);
}

void add_rows(const Description& group, const std::string& prefix, Table& table) {
  for (const Description& d : group.parts) {
    const std::string key = prefix + std::string(d.key);
    table.row({code(key), meaning(d), form(d), initial(d), limits(d)});
    const bool list = d.kind == Kind::kList && d.parts.at(0).kind == Kind::kGroup;
    if (list) add_rows(d.parts[0], key + "[].", table);
    if (d.kind == Kind::kGroup && !d.by_name) add_rows(d, key + ".", table);
  }
}

}  // namespace

std::string reference_table(const Description& d) {
  Table table({{"key"}, {"meaning"}, {"form"}, {"default"}, {"limits"}});
  add_rows(d, "", table);
  return table.markdown();
}

}  // namespace reckon
