#include "reckon/base/json.hpp"

#include <charconv>
#include <limits>

#include "catch.hpp"

using namespace reckon;

TEST_CASE("containers nest, on lines of their own or on one line") {
  JsonWriter json;
  json.object().key("none").object().close();
  json.key("list").array().number(1).array(JsonWriter::kOneLine).null().object();
  json.key("deep").boolean(true).close().close().close();
  json.key("last").text("x").close();
  CHECK(json.str() ==
        "{\n"
        "  \"none\": {},\n"
        "  \"list\": [\n"
        "    1,\n"
        "    [null, {\"deep\": true}]\n"
        "  ],\n"
        "  \"last\": \"x\"\n"
        "}\n");
}

TEST_CASE("numbers read back as they were") {
  for (const double v : {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -2.5, 6.02214076e23,
                         8030261248.0, 999999999999999.0, 1e15, 123456789012345680.0}) {
    const std::string text = shortest_number(v);
    double back = 0;
    std::from_chars(text.data(), text.data() + text.size(), back);
    CHECK(back == v);
  }
  CHECK(shortest_number(49e9) == "49000000000");
  CHECK(shortest_number(-80) == "-80");
  CHECK(shortest_number(-0.0) == "0");
  CHECK(shortest_number(0.1) == "0.1");
}

TEST_CASE("there is no NaN and no infinity in JSON") {
  JsonWriter json;
  json.array(JsonWriter::kOneLine).number(std::numeric_limits<double>::quiet_NaN());
  json.number(-std::numeric_limits<double>::infinity()).close();
  CHECK(json.str() == "[null, null]\n");
}
