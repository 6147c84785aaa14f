#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "sample.hpp"

using namespace reckon;
using sample::Parsed;

namespace {

std::string written(std::string text, std::string name = "f.yaml") {
  const Parsed p(std::move(text), std::move(name));
  CHECK(p.diagnostics.render() == "");
  return doc::write_yaml(p.tree);
}

// What a tree made by the program reads back as: a text that can't stand unquoted is quoted.
bool same_texts(const doc::Value& made, const doc::Value& read) {
  if (made.kind != read.kind || made.text != read.text || (made.quoted && !read.quoted))
    return false;
  if (made.items.size() != read.items.size() || made.keys() != read.keys()) return false;
  for (std::size_t i = 0; i < made.items.size(); ++i)
    if (!same_texts(made.items[i], read.items[i])) return false;
  for (std::size_t i = 0; i < made.entries.size(); ++i)
    if (!same_texts(made.entries[i].value, read.entries[i].value)) return false;
  return true;
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine_); }

  // Made of what YAML gives a meaning to.
  std::string text() {
    static const std::vector<std::string> kPieces{"a",
                                                  "b2",
                                                  " ",
                                                  "  ",
                                                  ":",
                                                  ": ",
                                                  "#",
                                                  " #",
                                                  "-",
                                                  "- ",
                                                  "?",
                                                  "? ",
                                                  ",",
                                                  "[",
                                                  "]",
                                                  "{",
                                                  "}",
                                                  "&",
                                                  "*",
                                                  "!",
                                                  "|",
                                                  ">",
                                                  "'",
                                                  "\"",
                                                  "%",
                                                  "@",
                                                  "`",
                                                  "\\",
                                                  "\n",
                                                  "\t",
                                                  "~",
                                                  "null",
                                                  "true",
                                                  "<<",
                                                  "---",
                                                  "...",
                                                  "µ",
                                                  "数",
                                                  "=",
                                                  "\x01",
                                                  "\u0085",
                                                  "\u2028",
                                                  "\xEF\xBB\xBF",
                                                  "0",
                                                  "1.5",
                                                  "\r\n",
                                                  "://",
                                                  "e\u0301"};
    std::string out;
    for (int i = below(5); i > 0; --i)
      out += kPieces[static_cast<std::size_t>(below(static_cast<int>(kPieces.size())))];
    return out;
  }

  doc::Value tree(int depth) {
    const int kind = below(depth > 0 ? 6 : 4);
    if (kind == 0) return {};
    doc::Value v = kind < 4 ? doc::scalar(text()) : kind == 4 ? doc::sequence() : doc::mapping();
    if (v.is_scalar()) v.quoted = below(2) == 0;
    for (int i = v.is_scalar() ? 0 : below(5); i > 0; --i) {
      if (v.is_sequence())
        v.items.push_back(tree(depth - 1));
      else
        doc::set(v, text(), tree(depth - 1));
    }
    return v;
  }

 private:
  std::mt19937 engine_;
};

}  // namespace

TEST_CASE("how trees are laid out") {
  CHECK(written("{a: {b: 1, c: [x, y]}, d: [], e: {}, f: }") ==
        "a:\n  b: 1\n  c: [x, y]\nd: []\ne: {}\nf: null\n");
  CHECK(written("a: [{x: 1, y: 2}, [1, 2], {z: {w: 1}}]") ==
        "a:\n- {x: 1, y: 2}\n- [1, 2]\n- z: {w: 1}\n");
  CHECK(written("- a\n- - b\n  - [c]\n") == "- a\n- - b\n  - [c]\n");
  CHECK(written("x") == "x\n");
  CHECK(written("") == "null\n");
  CHECK(written("{}") == "{}\n");
  const Parsed p("a: {b: {c: 1}}\n");
  CHECK(doc::write_yaml(p.tree, 2) == "  a:\n    b: {c: 1}\n");
}

TEST_CASE("a long list takes a line for each item") {
  std::string text = "a: [";
  for (int i = 0; i < 30; ++i) text += "item" + std::to_string(i) + ", ";
  const std::string out = written(text + "x]");
  CHECK(out.starts_with("a:\n- item0\n- item1\n"));
}

TEST_CASE("texts are quoted where they would read differently, and only there") {
  CHECK(written(R"({"a": ["8", "a: b", "x # y", "- z", "", "null", "it's", "tab\t", "ü"]})",
                "f.json") == R"(a: ["8", "a: b", "x # y", "- z", "", "null", "it's", "tab\t", "ü"])"
                             "\n");
  doc::Value v = doc::sequence();
  for (const char* text : {"8", "80 GB", "it's", "https://a.b/c?d=e", "a:b", "x#y", "-1", "?x"})
    v.items.push_back(doc::scalar(text));
  CHECK(doc::write_yaml(v) ==
        "- 8\n- 80 GB\n- it's\n- https://a.b/c?d=e\n- a:b\n- x#y\n- -1\n- ?x\n");
  doc::Value w = doc::sequence();
  for (const char* text : {"", "null", "~", "a: b", "x #y", "- z", "*a", "a:", " a", "two\nlines"})
    w.items.push_back(doc::scalar(text));
  doc::Value a = doc::mapping();
  doc::set(a, "a", w);
  CHECK(doc::write_yaml(a) ==
        R"(a: ["", "null", "~", "a: b", "x #y", "- z", "*a", "a:", " a", "two\nlines"])"
        "\n");
}

TEST_CASE("what is written reads back as the same tree") {
  for (const char* text :
       {"a: 1\nb: [x, 'y', \"z\\n\"]\nc: {d: , e: ~}\n", "- - - 1\n- {}\n- []\n- ''\n",
        "'a: b': 1\n\"<<\": 2\n'': 3\n'- x': 4\n? long\n: 5\n",
        "a: |\n  two\n  lines\nb: >-\n  x\n  y\n", "a: x, y\nb: [x]\nc: what?\nd: a{b}\n",
        "url: https://a.b/c#d\nt: 12:30\n", "a: x\ty\n", "\"\\x01\": \"\\0\\e\\u2028\\\\\"\n",
        "数据: µs\n", "---\na: ---b\nb: --- c\n\"---\": d\n", "'---'"}) {
    INFO(text);
    const Parsed p(text);
    CHECK(p.diagnostics.render() == "");
    const std::string out = doc::write_yaml(p.tree);
    const Parsed again(out);
    INFO(out);
    CHECK(again.diagnostics.render() == "");
    CHECK(doc::same(p.tree, again.tree));
  }
}

TEST_CASE("a key longer than the parser looks ahead is written with a question mark") {
  doc::Value v = doc::mapping();
  doc::set(v, std::string(5000, 'k'), doc::scalar("1"));
  doc::Value outer = doc::mapping();
  doc::set(outer, "a", v);
  const Parsed p(doc::write_yaml(outer));
  CHECK(p.diagnostics.render() == "");
  CHECK(doc::same(p.tree, outer));
}

TEST_CASE("whatever a tree holds, it reads back") {
  for (unsigned seed = 0; seed < 4000; ++seed) {
    Random random(seed);
    const doc::Value made = random.tree(4);
    const std::string out = doc::write_yaml(made);
    const Parsed read(out);
    INFO("seed " << seed << "\n" << out);
    REQUIRE(read.diagnostics.render() == "");
    REQUIRE(same_texts(made, read.tree));
    const std::string again = doc::write_yaml(read.tree);
    REQUIRE(doc::same(read.tree, Parsed(again).tree));
  }
}

TEST_CASE("the files of this repository read back") {
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(RECKON_SOURCE_DIR)) {
    const std::string path = entry.path().string();
    if (path.find("/build/") != std::string::npos || path.find("/golden/") != std::string::npos)
      continue;
    if (entry.path().extension() != ".yaml") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const Parsed p({std::istreambuf_iterator<char>(in), {}}, path);
    CHECK(p.diagnostics.render() == "");
    CHECK(doc::same(p.tree, Parsed(doc::write_yaml(p.tree)).tree));
    ++files;
  }
  CHECK(files > 50);
}
