#include "reckon/base/json.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "reckon/base/text.hpp"

namespace reckon {
std::string shortest_number(double value) {
  constexpr double kWholeBelow = 1e15;  // all of them are exact
  if (!std::isfinite(value)) return "";
  if (value == 0) return "0";
  if (value == std::floor(value) && std::abs(value) < kWholeBelow)
    return fmt::format("{:.0f}", value);
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, end};
}

JsonWriter& JsonWriter::open(char bracket, Layout layout) {
  const bool inside_line = !containers_.empty() && containers_.back().one_line;
  put(std::string_view(&bracket, 1));
  containers_.push_back({bracket == '{' ? '}' : ']', layout == kOneLine || inside_line});
  return *this;
}

JsonWriter& JsonWriter::close() {
  const Container done = containers_.back();
  containers_.pop_back();
  if (!done.empty && !done.one_line) new_line();
  out_ += done.closing;
  if (containers_.empty()) out_ += '\n';
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  begin_item();
  out_ += json_quoted(name) + ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) { return put(json_quoted(value)); }

JsonWriter& JsonWriter::number(double value) {
  const std::string digits = shortest_number(value);
  return digits.empty() ? null() : put(digits);
}

JsonWriter& JsonWriter::boolean(bool value) { return put(value ? "true" : "false"); }

JsonWriter& JsonWriter::null() { return put("null"); }

JsonWriter& JsonWriter::put(std::string_view token) {
  if (!after_key_) begin_item();
  after_key_ = false;
  out_ += token;
  return *this;
}

void JsonWriter::begin_item() {
  if (containers_.empty()) return;
  Container& in = containers_.back();
  if (!in.empty) out_ += in.one_line ? ", " : ",";
  if (!in.one_line) new_line();
  in.empty = false;
}

void JsonWriter::new_line() { out_ += '\n' + std::string(2 * containers_.size(), ' '); }

}  // namespace reckon
