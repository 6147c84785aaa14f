#include <chrono>

#include "sample.hpp"

using namespace reckon;
using sample::Parsed;

namespace {

// "line:column+length text" of every key and scalar, in order.
std::string places(const doc::Value& v) {
  std::string out;
  const auto add = [&](const Span& s, const std::string& what) {
    out += std::to_string(s.line) + ":" + std::to_string(s.column) + "+" +
           std::to_string(s.length) + " " + what + "\n";
  };
  if (v.is_scalar()) add(v.span, v.text);
  if (v.is_null()) add(v.span, "~");
  for (const doc::Value& i : v.items) out += places(i);
  for (const doc::Entry& e : v.entries) {
    add(e.key_span, e.key);
    out += places(e.value);
  }
  return out;
}

std::string faults(std::string text) { return Parsed(std::move(text)).diagnostics.render(); }
std::string first_fault(std::string text) {
  const std::string all = faults(std::move(text));
  return all.substr(0, all.find('\n'));
}

std::string repeated(std::string_view what, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += what;
  return out;
}

}  // namespace

TEST_CASE("keys and values know their place") {
  CHECK(places(Parsed("a: 1\nb: [x, \"y z\", 'it''s']\nc:\n  d: 80 GB  # note\n").tree) ==
        "1:1+1 a\n1:4+1 1\n2:1+1 b\n2:5+1 x\n2:8+5 y z\n2:15+7 it's\n3:1+1 c\n4:3+1 d\n"
        "4:6+5 80 GB\n");
}

TEST_CASE("columns count characters") {
  CHECK(places(Parsed("µé: {数据: \"ß\", b: 2}\n").tree) ==
        "1:1+2 µé\n1:6+2 数据\n1:10+3 ß\n1:15+1 b\n1:18+1 2\n");
}

TEST_CASE("a byte order mark, CRLF and tabs between words") {
  CHECK(places(Parsed("\xEF\xBB\xBF"
                      "a: 1\r\nb:\tx y\r\n")
                   .tree) == "1:1+1 a\n1:4+1 1\n2:1+1 b\n2:4+3 x y\n");
}

TEST_CASE("what is quoted is marked") {
  const Parsed p("[8, '8', \"8\"]");
  CHECK_FALSE(p.tree.items[0].quoted);
  CHECK(p.tree.items[1].quoted);
  CHECK(p.tree.items[2].quoted);
  CHECK(Parsed("a: |\n  x\n").tree.at("a")->quoted);
  CHECK_FALSE(Parsed("a: &x 8\n").tree.at("a")->quoted);
}

TEST_CASE("texts over several lines point at their first") {
  const Parsed p("a: |\n  x\n  y\nb: one\n  two\nc: \"p\n  q\"\n");
  CHECK(p.diagnostics.render() == "");
  CHECK(p.tree.at("a")->text == "x\ny\n");
  CHECK(p.tree.at("b")->text == "one two");
  CHECK(p.tree.at("c")->text == "p q");
  CHECK(p.tree.at("a")->span.length == 1);
  CHECK(p.tree.at("b")->span.length == 3);
  CHECK(p.tree.at("c")->span.length == 2);
}

TEST_CASE("nothing is null, at its key if it isn't written") {
  CHECK(places(Parsed("a:\nb: ~\nc: null\nd: ''\n").tree) ==
        "1:1+1 a\n1:1+1 ~\n2:1+1 b\n2:4+1 ~\n3:1+1 c\n3:4+4 ~\n4:1+1 d\n4:4+2 \n");
  CHECK(places(Parsed("- 1\n-\n- 2\n").tree) == "1:3+1 1\n2:1+1 ~\n3:3+1 2\n");
  for (const char* text : {"", "\n", "# only a comment\n", "---\n", "\xEF\xBB\xBF"}) {
    const Parsed p(text);
    CHECK(p.tree.is_null());
    CHECK(p.tree.span.file != nullptr);
    CHECK(p.diagnostics.render() == "");
  }
}

TEST_CASE("an alias stands for its anchor's value, at the anchor's place") {
  const Parsed p("a: &x {k: 80 GB}\nb: *x\nc: [*x, *x]\n&k d: 1\n*k : 2\n");
  CHECK(p.tree.at("b.k")->text == "80 GB");
  CHECK(p.tree.at("c.1.k")->span.line == 1);
  CHECK(first_fault("&k d: 1\n*k : 2\n") == "f.yaml:2:1: error: the key 'd' occurs twice");
}

TEST_CASE("on a syntax error the tree holds what came before") {
  const Parsed p("a: 1\nb: [2, 3\n");
  CHECK(p.diagnostics.error_count() == 1);
  CHECK(p.tree.at("a")->text == "1");
  CHECK(p.tree.at("b.0")->text == "2");
}

TEST_CASE("all faults of a file are reported, not the first alone") {
  CHECK(Parsed("a: 1\na: 2\n<<: x\nb: !!str 3\n[c]: 4\n").diagnostics.error_count() == 4);
}

TEST_CASE("anchors can't expand without bound") {
  std::string laughs = "a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" +
              repeated(before + ", ", 10) + "]\n";
  }
  CHECK(faults(laughs).find("error: anchors stand for more than 10000 values") !=
        std::string::npos);
  CHECK(first_fault("a: &x [*x]\n") ==
        "f.yaml:1:8: error: this stands for a value that contains it");
  std::string chain = "a0: &a0 [1]\n";
  for (int i = 1; i < 70; ++i)
    chain += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) +
             "]\n";
  CHECK(first_fault(chain) == "f.yaml:63:12: error: more than 64 levels of lists and mappings");
}

TEST_CASE("64 levels are read, 65 are not") {
  CHECK(faults(repeated("[", 64) + repeated("]", 64)) == "");
  CHECK(first_fault(repeated("[", 65) + repeated("]", 65)) ==
        "f.yaml:1:65: error: more than 64 levels of lists and mappings");
  CHECK(first_fault(repeated("- ", 65) + "x").find("more than 64") != std::string::npos);
}

TEST_CASE("hostile texts end in a report, and soon") {
  const int n = 200'000;
  const std::vector<std::string> texts{repeated("[", n),
                                       repeated("{", n),
                                       repeated("- ", n),
                                       repeated("? ", n),
                                       repeated("a: {", n),
                                       repeated("[a: ", n),
                                       repeated("[,", n),
                                       repeated("[\"a\",", n),
                                       "a: \"" + repeated("x", n),
                                       "a: '" + repeated("x\n", n),
                                       repeated(":", n),
                                       repeated(": ", n),
                                       repeated("&a ", n),
                                       repeated("!a ", n),
                                       repeated("*a ", n),
                                       repeated("%\n", n),
                                       repeated("---\n", n),
                                       "a: 1\n" + repeated("}", n),
                                       "{" + repeated("a: 1, ", n) + "}",
                                       repeated("x", n) + ": 1",
                                       "a: !!str # x",
                                       "a: !",
                                       "a: &x !t",
                                       "? !t",
                                       std::string("a: \0b\n", 6),
                                       std::string("\0", 1),
                                       "a: \x04\n",
                                       "a: \xFF\n",
                                       "\xFF\xFE"
                                       "a\0",
                                       "a: \xED\xA0\x80\n",
                                       "a: 1\rb: 2\n"};
  const auto start = std::chrono::steady_clock::now();
  for (const std::string& text : texts) {
    INFO(text.substr(0, 20));
    CHECK(Parsed(text).diagnostics.has_errors());
  }
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
}

TEST_CASE("a megabyte in one line, and in very many") {
  const Parsed line("a: [" + repeated("12, ", 100'000) + "]\nb: " + repeated("µ", 500'000) + "\n");
  CHECK(line.diagnostics.render() == "");
  CHECK(line.tree.at("a")->items.size() == 100'000);
  CHECK(line.tree.at("a")->items.back().span.column == 5 + 4 * 99'999);
  CHECK(line.tree.at("b")->span.length == 500'000);
  std::string many;
  for (int i = 0; i < 50'000; ++i) many += "k" + std::to_string(i) + ": 1\n";
  CHECK(Parsed(many).tree.entries.size() == 50'000);
}
