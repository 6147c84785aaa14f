#include "sample.hpp"

using namespace reckon;
using sample::Parsed;

namespace {

Parsed json(std::string text) { return Parsed(std::move(text), "f.json"); }
std::string faults(std::string text) { return json(std::move(text)).diagnostics.render(); }
std::string first_fault(std::string text) {
  const std::string all = faults(std::move(text));
  return all.substr(0, all.find('\n'));
}
std::string repeated(std::string_view what, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += what;
  return out;
}
std::string place(const doc::Value& v) {
  return std::to_string(v.span.line) + ":" + std::to_string(v.span.column) + "+" +
         std::to_string(v.span.length);
}

}  // namespace

TEST_CASE("JSON gives the tree that the same YAML gives") {
  const std::string text =
      R"({"a": 1, "b": [true, null, -1.5e-3, "x"], "c": {"d": {}, "e": []}, "µ": "8"})";
  const Parsed j = json(text), y(text);
  CHECK(j.diagnostics.render() == "");
  CHECK(doc::same(j.tree, y.tree));
  CHECK(j.tree.at("b.2")->text == "-1.5e-3");  // as it is written
  CHECK_FALSE(j.tree.at("b.0")->quoted);
  CHECK(j.tree.at("b.3")->quoted);
}

TEST_CASE("JSON keys and values know their place") {
  const Parsed p = json("{\r\n\t\"µé\": [1, \"x\\\"y\"],\r\n  \"b\" :\n 2.5}");
  CHECK(p.diagnostics.render() == "");
  CHECK(p.tree.entries[0].key_span.line == 2);
  CHECK(p.tree.entries[0].key_span.column == 2);
  CHECK(p.tree.entries[0].key_span.length == 4);
  CHECK(place(*p.tree.at("µé")) == "2:8+1");
  CHECK(place(*p.tree.at("µé.0")) == "2:9+1");
  CHECK(place(*p.tree.at("µé.1")) == "2:12+6");
  CHECK(place(*p.tree.at("b")) == "4:2+3");
  CHECK(json("\xEF\xBB\xBF[1]").tree.items.at(0).span.column == 2);
}

TEST_CASE("escapes, and a document that is one value") {
  CHECK(json(R"("a\n\u00b5\ud83d\ude80\\")").tree.text == "a\nµ🚀\\");
  CHECK(json(" 12 ").tree.text == "12");
  CHECK(json("null").tree.is_null());
}

TEST_CASE("lenient JSON has numbers that are none") {
  const std::string text = R"([NaN, Infinity, -Infinity, "NaN", {"a":NaN}, 1, "a NaN b"])";
  Sources sources;
  Diagnostics d;
  const doc::Value v = doc::parse_json(sources.add("f.json", text), d, true);
  CHECK(d.render() == "");
  CHECK(doc::write_yaml(v) ==
        "- NaN\n- Infinity\n- -Infinity\n- \"NaN\"\n- {a: NaN}\n- 1\n- \"a NaN b\"\n");
  CHECK(place(v.items[2]) == "1:17+9");
  CHECK_FALSE(v.items[1].quoted);
  CHECK(v.items[3].quoted);
  CHECK(first_fault(text) == "f.json:1:2: error: 'NaN' is no value");
  doc::parse_json(sources.add("g.json", "[NaNa, \"NaN"), d, true);
  CHECK(d.has_errors());
}

TEST_CASE("64 levels of JSON are read, 65 are not") {
  CHECK(faults(repeated("[", 64) + repeated("]", 64)) == "");
  CHECK(first_fault(repeated("[", 65) + repeated("]", 65)) ==
        "f.json:1:65: error: more than 64 levels of lists and mappings");
}

TEST_CASE("after a fault the tree holds what came before") {
  const Parsed p = json(R"({"a": 1, "b": [2, 3)");
  CHECK(p.diagnostics.error_count() == 1);
  CHECK(p.tree.at("a")->text == "1");
  CHECK(p.tree.at("b.1")->text == "3");
}

TEST_CASE("hostile JSON ends in a report") {
  const int n = 200'000;
  for (const std::string& text :
       {repeated("[", n), repeated("{\"a\":", n), repeated("[{\"a\":", n), "\"" + repeated("x", n),
        "[" + repeated("1,", n), "{" + repeated("\"a\": 1, ", n) + "\"b\": 2}", repeated("1", n),
        repeated(" ", n), repeated("\\", n), std::string("[\0]", 3), std::string("\xFF\xFE[\0]", 5),
        std::string("[\"\xC3\"]"), std::string("[\"\x01\"]"), std::string()}) {
    INFO(text.substr(0, 20));
    CHECK(json(text).diagnostics.has_errors());
  }
}

TEST_CASE("each fault of JSON is told in words") {
  const auto fault = [](std::string text) {
    const std::string all = first_fault(std::move(text));
    return all.substr(std::min<std::size_t>(7, all.size()));
  };
  CHECK(fault("") == "1:1: error: the file holds no value");
  CHECK(fault("{") == "1:1: error: this '{' is never closed");
  CHECK(fault("[1, 2") == "1:1: error: this '[' is never closed");
  CHECK(fault("{\"a\": [1, {\"b\"") == "1:11: error: this '{' is never closed");
  CHECK(fault("[1, 2,]") == "1:6: error: a ',' with nothing between it and ']'");
  CHECK(fault("{\"a\": 1,}") == "1:8: error: a ',' with nothing between it and '}'");
  CHECK(fault("[1 2]") == "1:4: error: a ',' or ']' is missing before here");
  CHECK(fault("{\"a\": 1 \"b\": 2}") == "1:9: error: a ',' or '}' is missing before here");
  CHECK(fault("[1}") == "1:3: error: '}' where ']' should close the '['");
  CHECK(fault("{a: 1}") == "1:2: error: a key is written between double quotes");
  CHECK(fault("{'a': 1}") == "1:2: error: a key is written between double quotes");
  CHECK(fault("{\"a\" 1}") == "1:6: error: a ':' is missing before here");
  CHECK(fault("{\"a\": }") == "1:7: error: a value is missing before this '}'");
  CHECK(fault("{\"a\": 1, , }") == "1:10: error: a key is missing before this ','");
  CHECK(fault("['a']") == "1:2: error: a text is written between double quotes");
  CHECK(fault("[True]") == "1:2: error: 'True' is no value");
  CHECK(fault("[1, // x\n2]") == "1:5: error: JSON has no comments");
  CHECK(fault("[1 # x\n]") == "1:4: error: JSON has no comments");
  CHECK(fault("{ // x\n}") == "1:3: error: JSON has no comments");
  CHECK(fault("[01]") == "1:2: error: '01' is no number that JSON can hold");
  CHECK(fault("[+1]") == "1:2: error: '+1' is no number that JSON can hold");
  CHECK(fault("[1e999]") == "1:2: error: '1e999' is no number that JSON can hold");
  CHECK(fault("[\"a\\q\"]") == "1:4: error: '\\q' is no escape");
  CHECK(fault("[\"a\\u12g4\"]") == "1:4: error: '\\u12g4' is no escape");
  CHECK(fault("[\"\\ud800\"]") == "1:3: error: '\\ud800' is no character");
  CHECK(fault("[\"a\nb\"]") == "1:2: error: this quote is never closed in its line");
  CHECK(fault("[\"a\tb\"]") == "1:4: error: a tab inside a text");
  CHECK(fault("[1] [2]") == "1:5: error: text after the end of the document");
  CHECK(fault("{}x") == "1:3: error: text after the end of the document");
  CHECK(fault("{\"a\": 1, \"a\": 2}") == "1:10: error: the key 'a' occurs twice");
}

TEST_CASE("a tree as JSON") {
  const Parsed p(
      "{a: 1, b: [x, '8', true, ~, 1.50, nan, -], c: {d: {}}, µ: \"q\\\"\\n\", e: 8030261248}");
  CHECK(doc::write_json(p.tree) ==
        "{\n"
        "  \"a\": 1,\n"
        "  \"b\": [\"x\", \"8\", true, null, 1.5, \"nan\", \"-\"],\n"
        "  \"c\": {\n"
        "    \"d\": {}\n"
        "  },\n"
        "  \"µ\": \"q\\\"\\n\",\n"
        "  \"e\": 8030261248\n"
        "}\n");
  CHECK(doc::write_json(doc::scalar("x")) == "\"x\"\n");
  CHECK(doc::write_json({}) == "null\n");
}
