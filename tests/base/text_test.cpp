#include "reckon/base/text.hpp"

#include "catch.hpp"
#include "reckon/base/utf8.hpp"

using namespace reckon;

TEST_CASE("characters of UTF-8 text, valid or not") {
  CHECK(character_count("") == 0);
  CHECK(character_count("naïve µs 数 🚀") == 12);
  CHECK(character_count("\xFF\xFE") == 2);                 // stray bytes stand for themselves
  CHECK(character_count("\xE6\x95") == 2);                 // cut off in the middle
  CHECK_FALSE(character_at("\xC0\xAF", 0).valid);          // overlong "/"
  CHECK_FALSE(character_at("\xED\xA0\x80", 0).valid);      // a surrogate
  CHECK_FALSE(character_at("\xF4\x90\x80\x80", 0).valid);  // past U+10FFFF
  CHECK(character_at("\xF4\x8F\xBF\xBF", 0).value == 0x10FFFF);
  CHECK(byte_of_character("µs", 1) == 2);
  CHECK(byte_of_character("µs", 9) == 3);
}

TEST_CASE("a code point survives encoding and decoding") {
  for (char32_t c : {U'a', U'\u007F', U'\u0080', U'\u07FF', U'\u0800', U'\uFFFD', U'\U00010000',
                     U'\U0010FFFF'}) {
    const std::string text = to_utf8(c);
    CHECK(character_at(text, 0).value == c);
    CHECK(character_at(text, 0).bytes == text.size());
  }
}

TEST_CASE("columns on a terminal") {
  CHECK(columns("abc") == 3);
  CHECK(columns("µs") == 2);
  CHECK(columns("e\u0301") == 1);  // combining accent
  CHECK(columns("数据") == 4);
  CHECK(column_of("µ: 数 x", 3) == 3);
  CHECK(column_of("µ: 数 x", 8) == 6);
  CHECK(column_of("ab", 99) == 3);
  CHECK(pad_right("µs", 4) == "µs  ");
  CHECK(pad_left("数", 4) == "  数");
  CHECK(pad_left("long", 2) == "long");
}

TEST_CASE("wrapping at spaces") {
  CHECK(wrap("aa bb cc dd", 5) == "aa bb\ncc dd");
  CHECK(wrap("aa bb cc dd", 5, "  ") == "aa bb\n  cc\n  dd");
  CHECK(wrap("unbreakable", 4) == "unbreakable");
  CHECK(wrap("a unbreakable b", 4) == "a\nunbreakable\nb");
  CHECK(wrap("µµ µµ", 5) == "µµ µµ");
  CHECK(wrap("one\n\ntwo three", 5, "  ") == "one\n\n  two\n  three");
  CHECK(wrap("", 5) == "");
}

TEST_CASE("lists of words") {
  CHECK(join({}, ", ") == "");
  CHECK(join({"a", "b"}, "/") == "a/b");
  CHECK(listed({}) == "");
  CHECK(listed({"a"}) == "a");
  CHECK(listed({"a", "b", "c"}) == "a, b and c");
  CHECK(listed({"a", "b"}, "or") == "a or b");
}

TEST_CASE("control and invisible characters are made visible") {
  CHECK(printable("a\tb\x1b[31m") == "a·b·[31m");
  CHECK(printable("80\u00A0GB") == "80·GB");
  CHECK(printable("\xFFµ\u202E") == "·µ·");
}

TEST_CASE("what somebody wrote, at most so long") {
  CHECK(shortened("µµµ", 3) == "µµµ");
  CHECK(shortened("µµµµ", 3) == "µµ…");
  CHECK(shortened("") == "");
}

TEST_CASE("small letters, of A to Z alone") {
  CHECK(lowered("Llama-3 8B µÄ [\\]^_`") == "llama-3 8b µÄ [\\]^_`");
  CHECK(lowered("") == "");
}

TEST_CASE("text in a Markdown page is text: signs of markup stand for themselves") {
  CHECK(markdown_text("<script>alert(1)</script>") == "\\<script>alert(1)\\</script>");
  CHECK(markdown_text("a **bold** plan, *two*") == "a \\*\\*bold\\*\\* plan, \\*two\\*");
  CHECK(markdown_text("[x](http://y)") == "[x\\](http://y)");
  CHECK(markdown_text("_private_ ~old~ \\ & &lt;") == "\\_private\\_ \\~old\\~ \\\\ & \\&lt;");
  CHECK(markdown_text("a lone ` tick") == "a lone \\` tick");
  // What reads as it is written stays so, and code is code.
  CHECK(markdown_text("ring_factor, a < b, 2 * 3, [0, 1]") == "ring_factor, a < b, 2 * 3, [0, 1]");
  CHECK(markdown_text("`memory.*` and memory.*") == "`memory.*` and memory.\\*");
}

TEST_CASE("patterns") {
  CHECK(matches_pattern("comm.all_gather.time", "comm.*.time"));
  CHECK(matches_pattern("memory", "memory"));
  CHECK(matches_pattern("", "*"));
  CHECK(matches_pattern("", ""));
  CHECK(matches_pattern("abcabc", "*abc"));
  CHECK(matches_pattern("aXbXc", "a*X*c"));
  CHECK_FALSE(matches_pattern("memory.total", "memory"));
  CHECK_FALSE(matches_pattern("", "a"));
  CHECK_FALSE(matches_pattern("ab", "*a"));
  CHECK_FALSE(matches_pattern(std::string(4000, 'a'), "*a*a*a*a*a*a*a*b"));  // no blow-up
}
