// A report as a page of HTML: what `--format md` prints, set for reading and for print, nothing loaded from elsewhere.
//
//   page_of_markdown("# 7B on 8 H100\n\n| part | size |\n| --- | ---: |\n| weights | 2 GB |\n")
//
// Of Markdown it knows what the reports use: headings, tables, lists, code between fences, paragraphs, **bold** and
// `code`.
#pragma once

#include <string>
#include <string_view>

namespace reckon {

std::string page_of_markdown(std::string_view markdown);

}  // namespace reckon
