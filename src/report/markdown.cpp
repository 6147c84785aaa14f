#include "reckon/report/markdown.hpp"

#include "eval_sections.hpp"
#include "printable_result.hpp"
#include "reckon/base/text.hpp"

namespace reckon {
namespace {

std::string markdown_of(const Result& original) {
  const Result result = printable_result(original);
  Reader reader(result);
  const Canvas canvas = Canvas::for_markdown();
  Section head = headline_section(reader, canvas);
  head.notes = answer(reader);
  head.warnings = result.warnings;
  std::vector<Section> sections = eval_sections(reader, canvas);
  sections.insert(sections.begin(), std::move(head));
  return "# " + markdown_text(title_of(result)) + "\n\n" + sections_markdown(sections);
}

}  // namespace

std::string eval_markdown(const std::vector<Result>& results) {
  std::string out;
  for (const Result& r : results) out += (out.empty() ? "" : "\n") + markdown_of(r);
  return out;
}

}  // namespace reckon
