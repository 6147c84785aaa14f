// Writes JSON text, in the order it is told to.
//
//   JsonWriter json;
//   json.object().key("results").object();
//   json.key("memory.total").object(JsonWriter::kOneLine);
//   json.key("value").number(49e9).key("unit").text("B").close();
//   json.close().close();
//
//   {
//     "results": {
//       "memory.total": {"value": 49000000000, "unit": "B"}
//     }
//   }
//
// Numbers are written so that they read back as the same double: whole ones below 1e15 in full, others in the fewest
// digits. JSON has no NaN and no infinity: they become null.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reckon {

class JsonWriter {
 public:
  // What is inside a container on one line is on that line too.
  enum Layout { kLines, kOneLine };

  JsonWriter& object(Layout layout = kLines) { return open('{', layout); }
  JsonWriter& array(Layout layout = kLines) { return open('[', layout); }
  JsonWriter& close();  // the innermost container

  JsonWriter& key(std::string_view name);
  JsonWriter& text(std::string_view value);
  JsonWriter& number(double value);
  JsonWriter& boolean(bool value);
  JsonWriter& null();

  const std::string& str() const { return out_; }

 private:
  struct Container {
    char closing;
    bool one_line, empty = true;
  };
  JsonWriter& open(char bracket, Layout layout);
  JsonWriter& put(std::string_view token);
  void begin_item();  // comma and line end before an item of a container
  void new_line();

  std::string out_;
  std::vector<Container> containers_;
  bool after_key_ = false;
};

// The shortest decimal text that reads back as the same double; whole numbers below 1e15 in full. NaN and infinities
// give "".
std::string shortest_number(double value);

}  // namespace reckon
