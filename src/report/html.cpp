#include "reckon/report/html.hpp"

#include <fmt/format.h>

#include <vector>

namespace reckon {
namespace {

// Quiet: a column of text, figures under each other, dark where the reader's screen is.
constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; } h3 { font-size: 1rem; }
table { border-collapse: collapse; margin: .5rem 0; font-variant-numeric: tabular-nums; }
table { display: block; overflow-x: auto; }
th, td { padding: .2rem .9rem .2rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
.r { text-align: right; }
pre { background: var(--soft); padding: .7rem 1rem; overflow-x: auto; line-height: 1.35; }
code { font-family: ui-monospace, monospace; }
@media print { body { max-width: none; margin: 0; } h2 { break-after: avoid; } table, pre { break-inside: avoid; } }
)";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

// `code`, **bold**, <br>; a sign behind a backslash stands for itself.
std::string inline_of(std::string_view text) {
  constexpr std::string_view kBold = "**", kBreak = "<br>";
  std::string out;
  bool bold = false;
  while (!text.empty()) {
    std::size_t used = 1;
    if (text[0] == '\\' && text.size() > 1) {
      out += escaped(text.substr(1, 1));
      used = 2;
    } else if (const std::size_t end = text.find('`', 1); text[0] == '`' && end != text.npos) {
      out += fmt::format("<code>{}</code>", escaped(text.substr(1, end - 1)));
      used = end + 1;
    } else if (text.starts_with(kBold) && (bold || text.find(kBold, kBold.size()) != text.npos)) {
      out += bold ? "</b>" : "<b>";
      bold = !bold;
      used = kBold.size();
    } else if (text.starts_with(kBreak)) {
      out += kBreak;
      used = kBreak.size();
    } else {
      out += escaped(text.substr(0, 1));
    }
    text.remove_prefix(used);
  }
  return out + (bold ? "</b>" : "");
}

// Cells of "| a | b |"; "\|" is a bar of the cell's own, "\\" no sign of one.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> out;
  std::string cell;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size()) {
      if (line[i + 1] != '|') cell += line[i];
      cell += line[++i];
    } else if (line[i] == '|') {
      const std::size_t from = cell.find_first_not_of(' '), to = cell.find_last_not_of(' ');
      out.push_back(from == cell.npos ? "" : cell.substr(from, to - from + 1));
      cell.clear();
    } else {
      cell += line[i];
    }
  }
  return out;
}

class Page {
 public:
  explicit Page(std::string_view markdown) {
    while (!markdown.empty()) {
      const std::size_t end = markdown.find('\n');
      lines_.push_back(markdown.substr(0, end));
      markdown.remove_prefix(end == markdown.npos ? markdown.size() : end + 1);
    }
  }

  std::string body() {
    while (at_ < lines_.size()) block();
    return std::move(out_);
  }
  const std::string& title() const { return title_; }

 private:
  bool begins(std::string_view mark) const {
    return at_ < lines_.size() && lines_[at_].starts_with(mark);
  }

  void block() {
    if (lines_[at_].empty())
      ++at_;
    else if (begins("```"))
      code();
    else if (begins("#"))
      heading();
    else if (begins("|"))
      table();
    else if (begins("- "))
      list();
    else
      paragraph();
  }

  void code() {
    out_ += "<pre><code>";
    for (++at_; at_ < lines_.size() && !begins("```"); ++at_) out_ += escaped(lines_[at_]) + '\n';
    ++at_;
    out_ += "</code></pre>\n";
  }

  void heading() {
    const std::size_t level = std::min<std::size_t>(lines_[at_].find_first_not_of('#'), 6);
    const std::string_view text = lines_[at_++].substr(level);
    const std::string set =
        inline_of(text.substr(std::min(text.find_first_not_of(' '), text.size())));
    if (title_.empty()) title_ = set;
    out_ += fmt::format("<h{0}>{1}</h{0}>\n", level, set);
  }

  void table() {
    const std::vector<std::string> titles = cells_of(lines_[at_++]);
    std::vector<bool> right;
    if (begins("|"))
      for (const std::string& cell : cells_of(lines_[at_++])) right.push_back(cell.ends_with(":"));
    const auto row = [&](const std::vector<std::string>& cells, const char* tag) {
      out_ += "<tr>";
      for (std::size_t i = 0; i < cells.size(); ++i)
        out_ +=
            fmt::format("<{0}{1}>{2}</{0}>", tag,
                        i < right.size() && right[i] ? " class=\"r\"" : "", inline_of(cells[i]));
      out_ += "</tr>\n";
    };
    out_ += "<table>\n";
    bool titled = false;
    for (const std::string& t : titles) titled = titled || !t.empty();
    if (titled) row(titles, "th");
    for (; begins("|"); ++at_) row(cells_of(lines_[at_]), "td");
    out_ += "</table>\n";
  }

  void list() {
    out_ += "<ul>\n";
    for (; begins("- "); ++at_)
      out_ += fmt::format("<li>{}</li>\n", inline_of(lines_[at_].substr(2)));
    out_ += "</ul>\n";
  }

  void paragraph() {
    std::string text;
    for (; at_ < lines_.size() && !lines_[at_].empty() && !begins("|") && !begins("#") &&
           !begins("```") && !begins("- ");
         ++at_)
      text += (text.empty() ? "" : "\n") + inline_of(lines_[at_]);
    out_ += fmt::format("<p>{}</p>\n", text);
  }

  std::vector<std::string_view> lines_;
  std::size_t at_ = 0;
  std::string out_, title_;
};

}  // namespace

std::string page_of_markdown(std::string_view markdown) {
  Page page(markdown);
  const std::string body = page.body();
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>{}</title>\n"
      "<style>{}</style>\n{}</html>\n",
      page.title().empty() ? "reckon" : page.title(), kStyle, body);
}

}  // namespace reckon
