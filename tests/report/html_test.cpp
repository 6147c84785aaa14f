// A page of HTML from a report's Markdown.
#include "reckon/report/html.hpp"

#include "catch.hpp"

using reckon::page_of_markdown;

namespace {

std::string body(const std::string& markdown) {
  const std::string page = page_of_markdown(markdown);
  const std::size_t from = page.find("</style>\n") + 9;
  return page.substr(from, page.rfind("</html>") - from);
}

}  // namespace

TEST_CASE("a page: headings, paragraphs, lists, code") {
  CHECK(body("# A & B\n\nfirst **bold** `x < y`\nsecond\n\n- one\n- two\n\n```\na | b <c>\n\n# "
             "d\n```\n") ==
        "<h1>A &amp; B</h1>\n<p>first <b>bold</b> <code>x &lt; y</code>\nsecond</p>\n"
        "<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n"
        "<pre><code>a | b &lt;c&gt;\n\n# d\n</code></pre>\n");
  CHECK(page_of_markdown("# A & B\n").find("<title>A &amp; B</title>") != std::string::npos);
}

TEST_CASE("tables: titles where there are any, figures to the right, bars of a cell's own") {
  CHECK(body("| part | size |\n| --- | ---: |\n| a \\| b | 2 GB |\n") ==
        "<table>\n<tr><th>part</th><th class=\"r\">size</th></tr>\n"
        "<tr><td>a | b</td><td class=\"r\">2 GB</td></tr>\n</table>\n");
  CHECK(body("|  |  |\n| --- | --- |\n| a | one<br>two |\n") ==
        "<table>\n<tr><td>a</td><td>one<br>two</td></tr>\n</table>\n");
}

TEST_CASE("what is not closed stays as it is, and nothing is no page's end") {
  CHECK(body("2 ** 3 and `x\n") == "<p>2 ** 3 and `x</p>\n");
  CHECK(body("```\nx") == "<pre><code>x\n</code></pre>\n");
  CHECK(body("") == "");
}

TEST_CASE("a sign behind a backslash stands for itself") {
  CHECK(body("# \\<b> \\*\\*x\\*\\* \\`\n") == "<h1>&lt;b&gt; **x** `</h1>\n");
  CHECK(body("| a\\\\\\|b | \\<i> |\n| --- | --- |\n") ==
        "<table>\n<tr><th>a\\|b</th><th>&lt;i&gt;</th></tr>\n</table>\n");
  CHECK(body("`a\\*b`\n") == "<p><code>a\\*b</code></p>\n");
}
