// write_yaml: a tree as YAML text. What decides is whether a word can stand unquoted where it goes.
#include <fmt/format.h>

#include <algorithm>

#include "reckon/base/text.hpp"
#include "reckon/base/utf8.hpp"
#include "reckon/doc/value.hpp"

namespace reckon::doc {
namespace {

constexpr std::size_t kLineWidth = 100;          // up to which a collection stays on one line
constexpr std::size_t kLongestSimpleKey = 1000;  // a longer key is written `? key`

bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto u = static_cast<unsigned char>(c);
    return (u < 0x20 && c != '\t') || u == 0x7F;
  });
}

// A flow mark after - ? or : matters between brackets alone, where is_plain() refuses it anyway.
bool begins_plain(std::string_view text) {
  if (is_blank(text[0]) || is_one_of(text[0], ",[]{}#&*!|>'\"%@`")) return false;
  return !is_one_of(text[0], "-?:") || (text.size() > 1 && !is_blank(text[1]));
}

bool reads_as_null(std::string_view text) {
  return text == "~" || text == "null" || text == "Null" || text == "NULL";
}

// What means something else where it begins a line: the end of a document, or a byte order mark.
bool is_marker(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) return true;
  if (!text.starts_with("---") && !text.starts_with("...")) return false;
  return text.size() == 3 || is_blank(text[3]);
}

// A text that can stand unquoted and reads back as itself.
bool is_plain(std::string_view text, bool in_flow) {
  if (text.empty() || has_control(text) || reads_as_null(text) || !begins_plain(text)) return false;
  if (is_blank(text.back()) || text.back() == ':') return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : ' ';
    if (text[i] == ':' && is_blank(next)) return false;
    if (is_blank(text[i]) && next == '#') return false;
    if (in_flow && (is_one_of(text[i], ",?[]{}") || (text[i] == ':' && next == ':'))) return false;
  }
  return true;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const Character c = character_at(text, at);
    if (c.value == '"' || c.value == '\\')
      out += fmt::format("\\{}", text[at]);
    else if (c.value == '\n')
      out += "\\n";
    else if (c.value == '\t')
      out += "\\t";
    else if (c.is_control())
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(c.value));
    else
      out += text.substr(at, c.bytes);
    at += c.bytes;
  }
  return out + "\"";
}

std::string write_scalar(const Value& v, bool in_flow) {
  if (v.is_null()) return "null";
  return !v.quoted && is_plain(v.text, in_flow) ? v.text : quoted(v.text);
}

std::string write_key(const std::string& key, bool in_flow) {
  return is_plain(key, in_flow) && key != "<<" && !is_marker(key) ? key : quoted(key);
}

// A scalar that would have to be quoted only because of the brackets around it.
bool suffers_in_flow(const Value& v) {
  return v.is_scalar() && !v.quoted && is_plain(v.text, false) && !is_plain(v.text, true);
}

bool is_leaf(const Value& v) { return v.is_scalar() || v.is_null(); }

// A collection of scalars, on one line; "" if it isn't one.
std::string flow(const Value& v) {
  std::vector<std::string> parts;
  for (const Value& i : v.items) {
    if (!is_leaf(i) || suffers_in_flow(i)) return "";
    parts.push_back(write_scalar(i, true));
  }
  for (const Entry& e : v.entries) {
    if (!is_leaf(e.value) || suffers_in_flow(e.value) || e.key.size() > kLongestSimpleKey)
      return "";
    parts.push_back(write_key(e.key, true) + ": " + write_scalar(e.value, true));
  }
  const std::string inside = join(parts, ", ");
  return v.is_mapping() ? "{" + inside + "}" : "[" + inside + "]";
}

// The value in what is left of a line that is `used` columns long; "" if it needs lines of its own.
std::string inline_form(const Value& v, std::size_t used) {
  if (is_leaf(v)) return write_scalar(v, false);
  const std::string text = flow(v);
  const bool empty = v.items.empty() && v.entries.empty();
  return empty || used + columns(text) <= kLineWidth ? text : "";
}

std::string block(const Value& v, std::size_t indent);

// One entry, without the indentation of its first line.
std::string block_entry(const Entry& e, std::size_t indent) {
  const std::string margin(indent, ' ');
  std::string key = write_key(e.key, false);
  key = e.key.size() > kLongestSimpleKey ? "? " + key + "\n" + margin + ":" : key + ":";
  const std::string text = inline_form(e.value, indent + columns(key) + 1);
  if (!text.empty()) return key + " " + text + "\n";
  const std::size_t inner = e.value.is_mapping() ? indent + 2 : indent;
  return key + "\n" + std::string(inner, ' ') + block(e.value, inner);
}

std::string block_item(const Value& v, std::size_t indent) {
  const std::string text = inline_form(v, indent + 2);
  return "- " + (text.empty() ? block(v, indent + 2) : text + "\n");
}

// Lines that end in "\n"; the first one without its indentation.
std::string block(const Value& v, std::size_t indent) {
  std::string out;
  const auto add = [&](const std::string& lines) {
    if (!out.empty()) out.append(indent, ' ');
    out += lines;
  };
  for (const Value& i : v.items) add(block_item(i, indent));
  for (const Entry& e : v.entries) add(block_entry(e, indent));
  return out;
}

}  // namespace

std::string write_yaml(const Value& value, int indent) {
  const auto margin = static_cast<std::size_t>(std::max(indent, 0));
  if (value.is_scalar() && is_marker(value.text)) return " " + write_scalar(value, false) + "\n";
  const bool lines = !value.items.empty() || !value.entries.empty();
  const std::string text = lines ? block(value, margin) : inline_form(value, margin) + "\n";
  return std::string(margin, ' ') + text;
}

}  // namespace reckon::doc
