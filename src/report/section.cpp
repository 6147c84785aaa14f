#include "reckon/report/section.hpp"

#include <algorithm>

#include "paint.hpp"
#include "reckon/base/text.hpp"

namespace reckon {
namespace {

constexpr std::string_view kIndent = "  ";

std::string indented(const std::string& text) {
  std::string out(kIndent);
  for (const char c : text) {
    out += c;
    if (c == '\n') out += kIndent;
  }
  return out + '\n';
}

}  // namespace

std::string table_text(const Table& table, const TextStyle& style, std::string_view indent) {
  if (!style.fit) return table.text(indent);
  std::vector<std::string> left_out;
  const std::size_t room = style.usable_width() - indent.size();
  std::string out = table.narrowed(room, left_out).text(indent);
  if (!left_out.empty())
    out += indented(
        wrap("Left out at this width: " + join(left_out, ", ") + " (--wide shows all).", room));
  return out;
}

std::string sections_text(const std::vector<Section>& sections, const TextStyle& style) {
  const std::size_t width = style.usable_width();
  const Paint paint{style.colour};
  std::string out;
  for (const Section& s : sections) {
    if (s.empty()) continue;
    if (!out.empty()) out += '\n';
    if (!s.title.empty()) out += paint.bold(s.title) + '\n';
    out += table_text(s.table, style, kIndent);
    for (const std::string& note : s.notes)
      out += s.title.empty() ? wrap(note, width, kIndent) + '\n'
                             : indented(wrap(note, width - kIndent.size()));
    for (const std::string& w : s.warnings)
      out += paint.caution("warning: ") + wrap(w, width - 9, kIndent) + '\n';
  }
  return out;
}

std::string sections_markdown(const std::vector<Section>& sections) {
  std::string out;
  for (const Section& s : sections) {
    if (s.empty()) continue;
    if (!out.empty()) out += '\n';
    if (!s.title.empty()) out += "## " + markdown_text(s.title) + "\n\n";
    if (!s.table.empty()) out += s.table.markdown();
    const auto paragraph = [&out](const char* lead, const std::string& text) {
      out +=
          (out.ends_with("\n\n") || out.empty() ? "" : "\n") + (lead + markdown_text(text)) + '\n';
    };
    for (const std::string& note : s.notes) paragraph("", note);
    for (const std::string& w : s.warnings) paragraph("**Warning:** ", w);
  }
  return out;
}

}  // namespace reckon
