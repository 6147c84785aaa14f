#include "reckon/base/diagnostic.hpp"

#include "catch.hpp"

using namespace reckon;

TEST_CASE("lines of a source") {
  Sources sources;
  const SourceFile* file = sources.add("f",
                                       "\xEF\xBB\xBF"
                                       "one\r\ntwo\n\nlast");
  CHECK(file->line(1) == "one");
  CHECK(file->line(2) == "two");
  CHECK(file->line(3) == "");
  CHECK(file->line(4) == "last");
  CHECK(file->line(5) == "");
  CHECK(file->line(0) == "");
  CHECK(file->line_at(0) == 1);
  CHECK(file->line_at(3) == 1);
  CHECK(file->line_at(8) == 2);
  CHECK(file->line_at(999) == 4);
  CHECK(sources.add("empty", "")->line(1) == "");
}

TEST_CASE("a fault with a note and help") {
  Sources sources;
  const SourceFile* plan = sources.add("plan.yaml", "kind: training\nmesh: {tensor: 6}\n");
  const SourceFile* model = sources.add("model.yaml", "heads: 64\n");
  Diagnostics d;
  d.error({plan, 2, 16, 1}, "tensor = 6 does not divide heads = 64")
      .note({model, 1, 8, 2}, "heads is stated here")
      .help("nearest degrees that work: 4, 8");
  CHECK(d.has_errors());
  CHECK(d.render() ==
        "plan.yaml:2:16: error: tensor = 6 does not divide heads = 64\n"
        "    2 | mesh: {tensor: 6}\n"
        "      |                ^\n"
        "model.yaml:1:8: note: heads is stated here\n"
        "    1 | heads: 64\n"
        "      |        ^~\n"
        "help: nearest degrees that work: 4, 8\n");
}

TEST_CASE("no place first, then by file, line and column; the same once") {
  Sources sources;
  const SourceFile* b = sources.add("b.yaml", "x: 1\ny: 2\n");
  const SourceFile* a = sources.add("a.yaml", "z: 3\n");
  Diagnostics d;
  d.error({b, 2, 4}, "second");
  d.warning({a, 1, 4}, "other file");
  d.error({b, 1, 4}, "first");
  d.error({b, 2, 4}, "second");
  d.error({}, "no such file: plan.yaml");
  d.error({b, 0, 0}, "the file is empty");
  CHECK(d.error_count() == 5);
  CHECK(d.render() ==
        "error: no such file: plan.yaml\n"
        "b.yaml: error: the file is empty\n"
        "b.yaml:1:4: error: first\n"
        "    1 | x: 1\n"
        "      |    ^\n"
        "b.yaml:2:4: error: second\n"
        "    2 | y: 2\n"
        "      |    ^\n"
        "a.yaml:1:4: warning: other file\n"
        "    1 | z: 3\n"
        "      |    ^\n");
}

TEST_CASE("only warnings are no errors") {
  Diagnostics d;
  CHECK(d.render() == "");
  d.warning({}, "odd");
  CHECK_FALSE(d.has_errors());
  CHECK(d.all().size() == 1);
}

TEST_CASE("the caret stands under the character, whatever its bytes") {
  Sources sources;
  const SourceFile* f = sources.add("f", "\tµs: 数据x \u00A0\x1b[1m\r\nend");
  Diagnostics d;
  d.error({f, 1, 6, 2}, "wide");
  d.error({f, 1, 8, 1}, "after wide");
  d.error({f, 2, 4, 1}, "past the end");
  d.error({f, 2, 2, 50}, "longer than the line");
  CHECK(d.render() ==
        "f:1:6: error: wide\n"
        "    1 | ·µs: 数据x ··[1m\n"
        "      |      ^~~~\n"
        "f:1:8: error: after wide\n"
        "    1 | ·µs: 数据x ··[1m\n"
        "      |          ^\n"
        "f:2:2: error: longer than the line\n"
        "    2 | end\n"
        "      |  ^~\n"
        "f:2:4: error: past the end\n"
        "    2 | end\n"
        "      |    ^\n");
}

TEST_CASE("a long line is cut around the caret") {
  Sources sources;
  std::string text = std::string(200, 'a') + "X" + std::string(200, 'b');
  const SourceFile* f = sources.add("f", text);
  Diagnostics d;
  d.error({f, 1, 1, 1}, "start");
  d.error({f, 1, 201, 1}, "middle");
  d.error({f, 1, 402, 1}, "end");
  CHECK(d.render() ==
        "f:1:1: error: start\n"
        "    1 | " +
            std::string(98, 'a') +
            "…\n"
            "      | ^\n"
            "f:1:201: error: middle\n"
            "    1 | …" +
            std::string(30, 'a') + "X" + std::string(67, 'b') +
            "…\n"
            "      | " +
            std::string(31, ' ') +
            "^\n"
            "f:1:402: error: end\n"
            "    1 | …" +
            std::string(98, 'b') +
            "\n"
            "      | " +
            std::string(98, ' ') + " ^\n");
}

TEST_CASE("messages can't speak to the terminal, and further lines are indented") {
  Diagnostics d;
  d.error({}, "unknown key 'a\x1b]0;x\x07'").help("first\nsecond");
  CHECK(d.render() == "error: unknown key 'a·]0;x·'\nhelp: first\n      second\n");
}

TEST_CASE("colour only if asked") {
  Sources sources;
  const SourceFile* f = sources.add("f", "x");
  Diagnostics d;
  d.error({f, 1, 1}, "m");
  CHECK(d.render().find('\033') == std::string::npos);
  CHECK(d.render(true) ==
        "\033[1mf:1:1:\033[0m \033[1;31merror:\033[0m m\n"
        "    1 | x\n"
        "      | \033[1;31m^\033[0m\n");
}

TEST_CASE("of very many faults the first hundred are shown") {
  Diagnostics d;
  for (int i = 0; i < 130; ++i) d.error({}, "fault " + std::to_string(i));
  const std::string text = d.render();
  CHECK(text.find("fault 99\n") != std::string::npos);
  CHECK(text.find("fault 100\n") == std::string::npos);
  CHECK(text.find("… and 30 more\n") != std::string::npos);
}
