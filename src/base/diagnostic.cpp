#include "reckon/base/diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "reckon/base/text.hpp"
#include "reckon/base/utf8.hpp"

namespace reckon {
namespace {

constexpr std::size_t kMostShown = 100;        // of the diagnostics of one run
constexpr std::size_t kLongestLine = 100;      // of a source line, in characters
constexpr std::size_t kShownBeforeCaret = 30;  // of a longer one

struct Style {
  std::string_view location, error, warning, note, help, end;
};
constexpr Style kPlain{};
constexpr Style kColoured{"\033[1m",    "\033[1;31m", "\033[1;35m",
                          "\033[1;36m", "\033[1;32m", "\033[0m"};

std::string coloured(std::string_view text, std::string_view colour, const Style& style) {
  return fmt::format("{}{}{}", colour, text, colour.empty() ? "" : style.end);
}

std::string location(const Span& span) {
  const std::string name = printable(span.file->name);
  return span.line > 0 ? fmt::format("{}:{}:{}", name, span.line, span.column) : name;
}

// The part of a line that is shown, and the characters of it (from 0) that are underlined.
struct Excerpt {
  std::string_view text;
  std::size_t mark = 0, mark_length = 1;
  bool cut_left = false, cut_right = false;
};

Excerpt excerpt(const Span& span) {
  Excerpt e;
  e.text = span.file->line(span.line);
  const std::size_t total = character_count(e.text);
  e.mark = std::min(static_cast<std::size_t>(std::max(span.column, 1) - 1), total);
  e.mark_length = static_cast<std::size_t>(std::max(span.length, 1));
  if (total > kLongestLine) {
    const std::size_t width = kLongestLine - 2;  // room for the two …
    const std::size_t wanted = e.mark > kShownBeforeCaret ? e.mark - kShownBeforeCaret : 0;
    const std::size_t first = std::min(wanted, total - width);
    e.text.remove_prefix(byte_of_character(e.text, first));
    e.text = e.text.substr(0, byte_of_character(e.text, width));
    e.mark -= first;
    e.cut_left = first > 0;
    e.cut_right = first + width < total;
  }
  return e;
}

// The source line and the line beneath it that points at the place.
std::string quote_source(const Span& span, std::string_view colour, const Style& style) {
  const Excerpt e = excerpt(span);
  const std::size_t from = byte_of_character(e.text, e.mark);
  const std::size_t to = from + byte_of_character(e.text.substr(from), e.mark_length);
  const std::string before = (e.cut_left ? "…" : "") + printable(e.text.substr(0, from));
  const std::string marked = printable(e.text.substr(from, to - from));
  std::string line = before + marked + printable(e.text.substr(to)) + (e.cut_right ? "…" : "");
  line.erase(line.find_last_not_of(' ') + 1);
  const std::string underline =
      "^" + std::string(std::max<std::size_t>(columns(marked), 1) - 1, '~');
  return fmt::format("{:>5} |{}{}\n      | {}{}\n", span.line, line.empty() ? "" : " ", line,
                     std::string(columns(before), ' '), coloured(underline, colour, style));
}

// Lines after the first are indented, so that a message stays one block.
std::string block(std::string_view text) {
  std::string out;
  for (;;) {
    const std::size_t end = text.find('\n');
    out += printable(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    out += "\n      ";
    text.remove_prefix(end + 1);
  }
}

std::string statement(const Span& span, std::string_view kind, std::string_view text,
                      std::string_view colour, const Style& style) {
  std::string out;
  if (span) out = coloured(location(span) + ":", style.location, style) + " ";
  out += coloured(fmt::format("{}:", kind), colour, style) + " " + block(text) + "\n";
  if (span && span.line > 0) out += quote_source(span, colour, style);
  return out;
}

std::string render_one(const Diagnostic& d, const Style& style) {
  const bool error = d.severity == Severity::kError;
  std::string out = statement(d.span, error ? "error" : "warning", d.message,
                              error ? style.error : style.warning, style);
  for (const auto& note : d.notes)
    out += statement(note.span, "note", note.text, style.note, style);
  if (!d.help_text.empty())
    out += coloured("help:", style.help, style) + " " + block(d.help_text) + "\n";
  return out;
}

auto place(const Span& s) { return std::tuple(s.line, s.column); }

// By file in order of first appearance, then by place; what has no place comes first.
std::vector<const Diagnostic*> in_order(const std::vector<Diagnostic>& all) {
  std::vector<const SourceFile*> files;
  for (const Diagnostic& d : all)
    if (d.span && std::find(files.begin(), files.end(), d.span.file) == files.end())
      files.push_back(d.span.file);
  const auto rank = [&](const Diagnostic* d) {
    if (!d->span) return std::ptrdiff_t{-1};
    return std::find(files.begin(), files.end(), d->span.file) - files.begin();
  };
  std::vector<const Diagnostic*> out;
  for (const Diagnostic& d : all) out.push_back(&d);
  std::stable_sort(out.begin(), out.end(), [&](const Diagnostic* a, const Diagnostic* b) {
    return std::tuple(rank(a), place(a->span)) < std::tuple(rank(b), place(b->span));
  });
  const auto same = [](const Diagnostic* a, const Diagnostic* b) {
    return a->span.file == b->span.file && place(a->span) == place(b->span) &&
           a->severity == b->severity && a->message == b->message;
  };
  out.erase(std::unique(out.begin(), out.end(), same), out.end());
  return out;
}

}  // namespace

Diagnostic& Diagnostics::error(Span at, std::string message) {
  ++errors_;
  return all_.emplace_back(Diagnostic{Severity::kError, at, std::move(message), {}, {}});
}

Diagnostic& Diagnostics::warning(Span at, std::string message) {
  return all_.emplace_back(Diagnostic{Severity::kWarning, at, std::move(message), {}, {}});
}

void Diagnostics::add(Diagnostic found) {
  if (found.severity == Severity::kError) ++errors_;
  all_.push_back(std::move(found));
}

bool Diagnostics::has_errors() const { return errors_ > 0; }
std::size_t Diagnostics::error_count() const { return errors_; }

std::string Diagnostics::render(bool colour) const {
  const std::vector<const Diagnostic*> shown = in_order(all_);
  std::string out;
  for (std::size_t i = 0; i < std::min(shown.size(), kMostShown); ++i)
    out += render_one(*shown[i], colour ? kColoured : kPlain);
  if (shown.size() > kMostShown) out += fmt::format("… and {} more\n", shown.size() - kMostShown);
  return out;
}

}  // namespace reckon
