#include "reckon/doc/value.hpp"

#include <charconv>

namespace reckon::doc {
namespace {

bool reads_as_number(const std::string& text) {
  double ignored = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, ignored);
  return result.ec == std::errc() && result.ptr == end;
}

const Value* item(const Value& sequence, std::string_view index) {
  std::size_t i = 0;
  const char* end = index.data() + index.size();
  const auto result = std::from_chars(index.data(), end, i);
  const bool ok = result.ec == std::errc() && result.ptr == end && i < sequence.items.size();
  return ok ? &sequence.items[i] : nullptr;
}

}  // namespace

const Entry* Value::entry(std::string_view key) const {
  for (const Entry& e : entries)
    if (e.key == key) return &e;
  return nullptr;
}

const Value* Value::find(std::string_view key) const {
  const Entry* e = entry(key);
  return e ? &e->value : nullptr;
}

Value* Value::find(std::string_view key) {
  for (Entry& e : entries)
    if (e.key == key) return &e.value;
  return nullptr;
}

const Value* Value::at(std::string_view path) const {
  const Value* v = this;
  for (std::size_t from = 0; v && from <= path.size();) {
    const std::string_view part = path.substr(from, path.find('.', from) - from);
    v = v->is_sequence() ? item(*v, part) : v->find(part);
    from += part.size() + 1;
  }
  return v;
}

std::vector<std::string> Value::keys() const {
  std::vector<std::string> out;
  for (const Entry& e : entries) out.push_back(e.key);
  return out;
}

Value scalar(std::string text, Span span) {
  Value v;
  v.kind = Kind::kScalar;
  v.span = span;
  v.text = std::move(text);
  return v;
}

Value mapping(Span span) {
  Value v;
  v.kind = Kind::kMapping;
  v.span = span;
  return v;
}

Value sequence(Span span) {
  Value v;
  v.kind = Kind::kSequence;
  v.span = span;
  return v;
}

Value faulty() {
  Value v;
  v.faulty = true;
  return v;
}

Value take(Value& mapping, std::string_view key) {
  for (auto e = mapping.entries.begin(); e != mapping.entries.end(); ++e) {
    if (e->key != key) continue;
    Value out = std::move(e->value);
    mapping.entries.erase(e);
    return out;
  }
  return {};
}

void set(Value& mapping, std::string key, Value value) {
  if (Value* old = mapping.find(key)) {
    *old = std::move(value);
  } else {
    const Span at = value.span;
    mapping.entries.push_back({std::move(key), at, std::move(value)});
  }
}

bool same(const Value& a, const Value& b) {
  if (a.kind != b.kind || a.text != b.text || a.quoted != b.quoted) return false;
  if (a.items.size() != b.items.size() || a.entries.size() != b.entries.size()) return false;
  for (std::size_t i = 0; i < a.items.size(); ++i)
    if (!same(a.items[i], b.items[i])) return false;
  for (std::size_t i = 0; i < a.entries.size(); ++i) {
    const Entry &x = a.entries[i], &y = b.entries[i];
    if (x.key != y.key || !same(x.value, y.value)) return false;
  }
  return true;
}

std::string kind_of(const Value& value) {
  switch (value.kind) {
    case Kind::kNull:
      return "nothing";
    case Kind::kScalar:
      return !value.quoted && reads_as_number(value.text) ? "number" : "text";
    case Kind::kSequence:
      return "list";
    case Kind::kMapping:
      return "mapping";
  }
  return "";
}

}  // namespace reckon::doc
