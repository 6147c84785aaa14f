#include "reckon/base/table.hpp"

#include "catch.hpp"

using namespace reckon;

TEST_CASE("columns are aligned by what a terminal shows") {
  Table t({{"operation", Align::kLeft}, {"time", Align::kRight}, {"bound by", Align::kLeft}});
  t.row({"all-gather", "12.5 µs", "link"});
  t.row({"gemm", "1.25 ms"});
  CHECK(t.text("  ") ==
        "  operation      time  bound by\n"
        "  all-gather  12.5 µs  link\n"
        "  gemm        1.25 ms\n");
}

TEST_CASE("without titles there is no title line") {
  Table t({{"", Align::kLeft}, {"", Align::kRight}});
  CHECK(t.empty());
  CHECK(t.text() == "");
  t.row({"weights", "14 GB"});
  t.row({"two\nlines", "1 GB"});
  CHECK_FALSE(t.empty());
  CHECK(t.text() ==
        "weights    14 GB\n"
        "two lines   1 GB\n");
  CHECK(t.csv() == "weights,14 GB\n\"two\nlines\",1 GB\n");
}

TEST_CASE("Markdown and CSV escape what would break them") {
  Table t({{"id", Align::kLeft}, {"value", Align::kRight}});
  t.row({"a|b", "1"});
  t.row({"said \"so\"", "1,5"});
  CHECK(t.markdown() ==
        "| id | value |\n"
        "| --- | ---: |\n"
        "| a\\|b | 1 |\n"
        "| said \"so\" | 1,5 |\n");
  CHECK(t.csv() ==
        "id,value\n"
        "a|b,1\n"
        "\"said \"\"so\"\"\",\"1,5\"\n");
}

TEST_CASE("a narrow table wraps long texts, then leaves columns out and says which") {
  Table t({{"plan"}, {"zero"}, {"time", Align::kRight, true}, {"rate"}, {"note"}});
  t.row({"first", "1", "10 s", "fast", "a long text that goes on and on, and says little"});
  t.row({"second", "1", "12 s", "slow", "short"});
  std::vector<std::string> left_out;
  CHECK(t.narrowed(200, left_out).text() == t.text());
  CHECK(t.narrowed(52, left_out).text() ==
        "plan    zero  time  rate  note\n"
        "first   1     10 s  fast  a long text that goes on\n"
        "                          and on, and says little\n"
        "second  1     12 s  slow  short\n");
  CHECK(left_out.empty());
  CHECK(t.narrowed(40, left_out).text() ==
        "plan    time  rate\n"
        "first   10 s  fast\n"
        "second  12 s  slow\n");
  CHECK(left_out == std::vector<std::string>{"note", "zero (1 in all)"});
  left_out.clear();
  CHECK(t.narrowed(13, left_out).text() ==
        "plan    time\n"
        "first   10 s\n"
        "second  12 s\n");
  CHECK(left_out == std::vector<std::string>{"rate", "note", "zero (1 in all)"});
}
