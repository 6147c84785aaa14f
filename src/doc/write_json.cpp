// write_json: a tree as JSON text.
#include <charconv>
#include <optional>

#include "reckon/base/json.hpp"
#include "reckon/doc/value.hpp"

namespace reckon::doc {
namespace {

constexpr std::size_t kLineWidth = 80;

// A number that JSON can hold: "nan" and "inf" are none.
std::optional<double> number(const std::string& text) {
  const std::size_t digit = text.starts_with('-') ? 1 : 0;
  if (digit >= text.size() || text[digit] < '0' || text[digit] > '9') return std::nullopt;
  double x = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, x);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return x;
}

void write_scalar(const Value& v, JsonWriter& out) {
  const auto x = v.quoted ? std::nullopt : number(v.text);
  if (x)
    out.number(*x);
  else if (!v.quoted && (v.text == "true" || v.text == "false"))
    out.boolean(v.text == "true");
  else
    out.text(v.text);
}

bool is_leaf(const Value& v) { return v.is_scalar() || v.is_null(); }

// Whether a collection holds scalars alone, and few.
JsonWriter::Layout layout_of(const Value& v) {
  std::size_t width = 0;
  for (const Value& i : v.items) {
    if (!is_leaf(i)) return JsonWriter::kLines;
    width += i.text.size() + 4;
  }
  for (const Entry& e : v.entries) {
    if (!is_leaf(e.value)) return JsonWriter::kLines;
    width += e.key.size() + e.value.text.size() + 8;
  }
  return width <= kLineWidth ? JsonWriter::kOneLine : JsonWriter::kLines;
}

void write(const Value& v, JsonWriter& out) {
  switch (v.kind) {
    case Kind::kNull:
      out.null();
      return;
    case Kind::kScalar:
      write_scalar(v, out);
      return;
    case Kind::kSequence:
      out.array(layout_of(v));
      for (const Value& i : v.items) write(i, out);
      break;
    case Kind::kMapping:
      out.object(layout_of(v));
      for (const Entry& e : v.entries) write(e.value, out.key(e.key));
      break;
  }
  out.close();
}

}  // namespace

std::string write_json(const Value& value) {
  JsonWriter out;
  write(value, out);
  return out.str() + (out.str().ends_with('\n') ? "" : "\n");
}

}  // namespace reckon::doc
