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
