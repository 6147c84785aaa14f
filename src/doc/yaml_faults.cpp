#include "yaml_faults.hpp"

#include <fmt/format.h>
#include <yaml-cpp/exceptions.h>

#include <algorithm>

#include "yaml_scan.hpp"

namespace reckon::doc {
namespace {

std::string_view trimmed(std::string_view line) {
  return line.substr(0, line.find_last_not_of(" \t\r") + 1);
}

// A part of a line as a message quotes it.
std::string shortened(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  text = trimmed(text);
  if (text.size() <= kLongest) return std::string(text);
  return std::string(trimmed(text.substr(0, text.rfind(' ', kLongest)))) + " …";
}

// Where the parser gave up, and the line of it.
struct Scene {
  std::string_view text;
  std::size_t at, line_start;

  Scene(std::string_view all, std::size_t where) : text(all), at(std::min(where, all.size())) {
    const std::size_t before = at == 0 ? kNowhere : text.rfind('\n', at - 1);
    line_start = before == kNowhere ? 0 : before + 1;
  }

  char character() const { return at < text.size() ? text[at] : '\0'; }
  bool at_end() const { return text.find_first_not_of(" \t\r\n", at) == kNowhere; }
  bool begins_line() const { return at == first(); }
  std::string_view line() const {
    return text.substr(line_start, std::min(text.find('\n', line_start), text.size()) - line_start);
  }
  std::size_t indentation() const {
    return std::min(line().find_first_not_of(" \t"), trimmed(line()).size());
  }
  std::size_t first() const { return line_start + indentation(); }  // what isn't indentation
  std::string_view content() const { return trimmed(line()).substr(indentation()); }
  std::string_view before() const { return text.substr(first(), std::max(at, first()) - first()); }
  std::size_t tab() const { return line().substr(0, indentation()).find('\t'); }
  bool has_tab() const { return tab() != kNowhere; }

  // The nearest line above that says something; this line if there is none.
  Scene above() const {
    for (Scene s = *this; s.line_start > 0;) {
      s = Scene(text, s.line_start - 1);
      if (!s.content().empty() && s.content()[0] != '#') return s;
    }
    return *this;
  }
};

SyntaxFault at_tab(const Scene& s) {
  return {s.line_start + s.tab(), 1, "a tab indents this line", "indent by spaces alone"};
}

SyntaxFault at_quote(std::string_view text, std::size_t quote) {
  const std::size_t end = std::min(text.find_first_of("\r\n", quote), text.size());
  return {quote, end - quote, "this quote is never closed",
          fmt::format("end the text with {}", text[quote])};
}

// --- inside [ ] or { } ---

char closing(char bracket) { return bracket == '[' ? ']' : '}'; }

SyntaxFault in_brackets(const Scene& s, std::size_t bracket) {
  const char open = s.text[bracket], close = closing(open), found = s.character();
  if (s.at_end())
    return {bracket, 1, fmt::format("this '{}' is never closed", open),
            fmt::format("add a '{}'", close)};
  SyntaxFault f{s.at, 1, ""};
  if (found == ']' || found == '}')
    f.message = fmt::format("'{}' where '{}' should close the '{}'", found, close, open);
  else if (found == '-')
    f.message = fmt::format("a '-' between {} and {}: items are separated by commas", open, close);
  else
    f.message = fmt::format("a ',' or '{}' is missing before here", close);
  f.note_at = bracket;
  f.note = fmt::format("the '{}' is here", open);
  return f;
}

SyntaxFault stray_bracket(const Scene& s) {
  const char found = s.character();
  const char open = found == ']' ? '[' : '{';
  return {s.at, 1, fmt::format("'{}' without a '{}' before it", found, open),
          "quote a text that begins with it"};
}

// --- a ':' where none can stand ---

SyntaxFault second_colon(const Scene& s, std::size_t first_colon) {
  const std::string_view key = s.before().substr(0, first_colon);
  const std::size_t from = s.content().find_first_not_of(' ', first_colon + 1);
  const std::string value = shortened(s.content().substr(std::min(from, s.content().size())));
  return {s.at, 1, "a second ':' on one line",
          fmt::format("quote the text if it holds a ':' ({}: '{}'),\n"
                      "or begin a new, indented line for what is inside {}",
                      key, value, key)};
}

SyntaxFault misplaced_colon(const Scene& s) {
  const std::size_t first_colon = s.before().find(": ");
  if (first_colon != kNowhere) return second_colon(s, first_colon);
  const Scene above = s.above();
  if (above.line_start == s.line_start) return {s.at, 1, "a ':' can't stand here"};
  const std::string neighbour = shortened(above.content());
  if (above.content().find(": ") != kNowhere)
    return {s.first(), s.at - s.first(),
            "this line is indented more than the one above, which has a value already",
            fmt::format("begin it in the same column as '{}'", neighbour)};
  return {above.first(), above.content().size(), fmt::format("a ':' is missing in '{}'", neighbour),
          "a key and its value are written 'key: value', with a space after the ':'"};
}

// --- a block that ends too early ---

bool is_item(const Scene& s) { return s.content().substr(0, 2) == "- " || s.content() == "-"; }

SyntaxFault after_quote(const Scene& s, std::size_t quote) {
  SyntaxFault f{s.at, 1, "text after a closing quote",
                "quote the whole text, and write a quote inside it as \\\" or ''"};
  if (quote < s.line_start) {
    f.note_at = quote;
    f.note = "the quoted text begins here: is its end missing?";
  }
  return f;
}

// A line that fits none of the blocks that are open. What is wrong follows from the nearest line
// above it that begins in the same column.
SyntaxFault misplaced_line(const Scene& s) {
  const std::size_t length = s.content().size();
  Scene sibling = s.above();
  while (sibling.indentation() > s.indentation() && sibling.above().line_start < sibling.line_start)
    sibling = sibling.above();
  const bool item = is_item(s), same_column = sibling.indentation() == s.indentation();
  if (same_column && !item && is_item(sibling))
    return {s.at, length, "a key among the items of a list",
            "begin an item with '- ', or indent the line like the keys it belongs to"};
  if (same_column && item && !is_item(sibling))
    return {s.at, length, "a list item among the keys of a mapping",
            "write a key and its list beneath, or indent the item like the list it belongs to"};
  return {s.at, length, "this line is indented like none of the lines it could belong to",
          "begin it in the same column as its neighbours"};
}

SyntaxFault block_ends(const Scene& s, const OpenAt& open) {
  if (s.begins_line()) return misplaced_line(s);
  const std::string_view before = trimmed(s.before());
  const bool quoted = !before.empty() && (before.back() == '"' || before.back() == '\'');
  if (quoted && open.last_quote != kNowhere) return after_quote(s, open.last_quote);
  return {s.at, 1, "this can't stand here", "quote the text if it is one"};
}

SyntaxFault misplaced_item(const Scene& s, const OpenAt&) {
  if (s.begins_line()) return misplaced_line(s);
  return {s.at, 1, "a list can't begin on the line of its key",
          "write it as [1, 2], or each item on a line of its own beneath the key"};
}

// --- characters with a meaning of their own ---

SyntaxFault special(const Scene& s, std::size_t at, std::string_view message) {
  const std::string_view text = s.text.substr(at, s.line_start + trimmed(s.line()).size() - at);
  return {at, std::max<std::size_t>(text.size(), 1), std::string(message),
          fmt::format("quote it if it is a text: '{}'", shortened(text))};
}

SyntaxFault bad_start(const Scene& s, const OpenAt&) {
  return special(s, s.at, fmt::format("a text can't begin with '{}'", s.character()));
}

SyntaxFault undefined_anchor(const Scene& s, const OpenAt&) {
  const std::string_view rest = s.text.substr(s.at);
  const std::string_view alias = rest.substr(0, rest.find_first_of(" \t\r\n,[]{}"));
  return {s.at, alias.size(),
          fmt::format("'{}' stands for a value marked &{}, and there is none before it", alias,
                      alias.substr(std::min<std::size_t>(1, alias.size()))),
          fmt::format("quote it if it is a text: '{}'", alias)};
}

SyntaxFault nameless(const Scene& s, const OpenAt&) {
  const std::size_t mark = s.text.find_last_of("*&", s.at == 0 ? 0 : s.at - 1);
  const std::size_t at = mark == kNowhere || mark < s.line_start ? s.at : mark;
  return special(s, at,
                 s.text[at] == '*' ? "'*' begins a reference to an anchor, which needs a name"
                                   : "'&' begins an anchor, which needs a name");
}

SyntaxFault twice_marked(const Scene& s, const OpenAt&) {
  return {s.at, 1, "a value has one anchor or none", "leave one of them out"};
}

SyntaxFault bad_tag(const Scene& s, const OpenAt&) {
  const std::size_t mark = s.text.rfind('!', s.at);
  return special(s, mark == kNowhere || mark < s.line_start ? s.at : mark, "'!' begins a tag");
}

SyntaxFault bad_escape(const Scene& s, const OpenAt&) {
  const std::size_t slash = s.text.rfind('\\', s.at == 0 ? 0 : s.at - 1);
  const std::size_t at = slash == kNowhere || slash < s.line_start ? s.at : slash;
  const std::size_t end = std::max(s.at, at + 1);
  return {at, end - at, fmt::format("'{}' is no escape", s.text.substr(at, end - at)),
          "write \\\\ for a backslash, or put the text between single quotes"};
}

SyntaxFault bad_block_text(const Scene& s, const OpenAt&) {
  const std::size_t mark = s.text.find_last_of("|>", s.at == 0 ? 0 : s.at - 1);
  return special(s, mark == kNowhere || mark < s.line_start ? s.at : mark,
                 "a text introduced by | or > begins on the next line");
}

SyntaxFault bad_directive(const Scene& s, const OpenAt&) {
  return {s.first(), s.content().size(), "this directive can't be read",
          "leave it out; comments begin with '#'"};
}

struct Explanation {
  const char* parser_message;  // or its beginning
  SyntaxFault (*explain)(const Scene&, const OpenAt&);
};
namespace parser = YAML::ErrorMsg;
const Explanation kExplanations[] = {
    {parser::END_OF_MAP, block_ends},
    {parser::END_OF_SEQ, block_ends},
    {parser::BLOCK_ENTRY, misplaced_item},
    {parser::MAP_KEY, bad_start},
    {parser::UNKNOWN_TOKEN, bad_start},
    {parser::UNKNOWN_ANCHOR, undefined_anchor},
    {parser::ALIAS_NOT_FOUND, nameless},
    {parser::ANCHOR_NOT_FOUND, nameless},
    {parser::CHAR_IN_ALIAS, nameless},
    {parser::CHAR_IN_ANCHOR, nameless},
    {parser::MULTIPLE_ANCHORS, twice_marked},
    {parser::MULTIPLE_TAGS, bad_tag},
    {parser::CHAR_IN_TAG_HANDLE, bad_tag},
    {parser::TAG_WITH_NO_SUFFIX, bad_tag},
    {parser::END_OF_VERBATIM_TAG, bad_tag},
    {parser::INVALID_ESCAPE, bad_escape},
    {parser::INVALID_HEX, bad_escape},
    {parser::INVALID_UNICODE, bad_escape},
    {parser::ZERO_INDENT_IN_BLOCK, bad_block_text},
    {parser::CHAR_IN_BLOCK, bad_block_text},
    {parser::YAML_DIRECTIVE_ARGS, bad_directive},
    {parser::YAML_VERSION, bad_directive},
    {parser::YAML_MAJOR_VERSION, bad_directive},
    {parser::REPEATED_YAML_DIRECTIVE, bad_directive},
    {parser::TAG_DIRECTIVE_ARGS, bad_directive},
    {parser::REPEATED_TAG_DIRECTIVE, bad_directive},
};

}  // namespace

SyntaxFault explain_syntax(std::string_view text, std::string_view parser_message, std::size_t at) {
  const Scene s(text, at);
  const OpenAt open = open_at(text, s.at);
  if (open.quote != kNowhere && parser_message.find("scalar") != kNowhere)
    return at_quote(text, open.quote);
  if (!open.brackets.empty() && parser_message.find("flow") != kNowhere)
    return in_brackets(s, open.brackets.back());
  if (!open.brackets.empty() && parser_message == parser::BLOCK_ENTRY)
    return in_brackets(s, open.brackets.back());
  if (open.brackets.empty() && s.has_tab()) return at_tab(s);
  if (parser_message == parser::FLOW_END) return stray_bracket(s);
  if (parser_message == parser::MAP_VALUE) return misplaced_colon(s);
  for (const Explanation& e : kExplanations)
    if (parser_message.substr(0, std::string_view(e.parser_message).size()) == e.parser_message)
      return e.explain(s, open);
  return {s.at, 1, fmt::format("this can't be read as YAML ({})", parser_message)};
}

SyntaxFault explain_second_document(std::string_view text, std::size_t root, std::size_t at) {
  const Scene s(text, at), first(text, root);
  if (s.content().substr(0, 3) == "---")
    return {s.first(), 3, "a second document begins here",
            "a file holds one: put this one in a file of its own"};
  SyntaxFault f{s.at, 1,    "text after the end of the document",
                "",   root, "the document begins here"};
  if (s.indentation() < first.indentation())
    f.help = "this line is indented less than the first: begin both in the same column";
  else if (first.character() == '-')
    f.help = "the document is a list: begin the line with '- '";
  return f;
}

}  // namespace reckon::doc
