// A document as a tree in which every key and value knows its place in the source.
//
//   doc::Value plan = doc::parse_yaml(sources.add("plan.yaml", text), diagnostics);
//   const doc::Value* tp = plan.at("mesh.tensor");       // nullptr if absent
//   diagnostics.error(tp->span, "…");
//
// YAML and JSON give the same tree. Scalars stay text until a field gives them a type, so that a
// fault can point at what was written. Files overlay each other as trees (merge), so a value keeps
// the file and line that stated it, however many files were stacked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reckon/base/diagnostic.hpp"

namespace reckon::doc {

inline constexpr std::size_t kDeepest = 64;  // levels of a document, parts of a path

enum class Kind { kNull, kScalar, kSequence, kMapping };

struct Entry;

struct Value {
  Kind kind = Kind::kNull;
  Span span;            // of a scalar: its text with quotes; of a collection: its first character
  std::string text;     // scalars only
  bool quoted = false;  // "8" is text, 8 is a number
  std::vector<Value> items;    // sequences
  std::vector<Entry> entries;  // mappings, in order of the file
  bool faulty = false;         // a fault here has been reported: binding says no more about it
  Span replaced;               // the place of the value this one overrode, if any

  bool is_scalar() const { return kind == Kind::kScalar; }
  bool is_sequence() const { return kind == Kind::kSequence; }
  bool is_mapping() const { return kind == Kind::kMapping; }
  bool is_null() const { return kind == Kind::kNull; }

  const Value* find(std::string_view key) const;  // of a mapping
  Value* find(std::string_view key);
  const Entry* entry(std::string_view key) const;
  const Value* at(std::string_view path) const;  // "memory.capacity", "layers.0.count"
  std::vector<std::string> keys() const;
};

struct Entry {
  std::string key;
  Span key_span;
  Value value;
};

// Trees made by the program (a shorthand written out, a --set): scalars borrow a place to point at.
Value scalar(std::string text, Span span = {});
Value mapping(Span span = {});
Value sequence(Span span = {});
Value faulty();                                          // nothing, after a fault has been reported
void set(Value& mapping, std::string key, Value value);  // replaces or appends
Value take(Value& mapping, std::string_view key);        // removes it; null if it is not there

// Equal but for the places.
bool same(const Value& a, const Value& b);

// `peak.bf16: 1` in a mapping is the same as `peak: {bf16: 1}`; a key stated both ways is a fault.
// Keys with a part that doesn't begin with a letter ("qwen2.5-7b", "0.5") stay as they are, and so
// does what is under any of `opaque` (dotted metric ids in `expect:`).
void expand_dotted_keys(Value& root, Diagnostics& diagnostics,
                        const std::vector<std::string>& opaque = {});

// What `overlay` says wins; mappings merge key by key, everything else is replaced and remembers
// what it replaced. A key without a value (`mesh:`) says nothing: what lies below stays.
// A mapping whose keys are all items of a list (`0:`, `2:`) changes those items; one that
// `starts_anew` (called with its key, what lies below and itself) replaces all of it.
using StartsAnew = bool (*)(std::string_view key, const Value& below, const Value& overlay);
void merge(Value& base, const Value& overlay, StartsAnew starts_anew = nullptr);

// Sets a value by its path, creating mappings on the way; false and an error if the path runs
// through a scalar or past the end of a sequence.
bool set_path(Value& root, std::string_view path, Value value, Diagnostics& diagnostics);

// "mapping", "list", "number", "text", "nothing": what a value is, for messages.
std::string kind_of(const Value& value);

// One YAML document. All faults go to `diagnostics`: syntax, duplicate keys, a second document,
// text after the document, unterminated quotes, tabs, undefined or endlessly expanding anchors (at
// most 10,000 values and 64 levels), merge keys (`<<`), tags, non-scalar keys. On a syntax error
// the tree holds what came before it. An empty file gives kNull.
Value parse_yaml(const SourceFile* file, Diagnostics& diagnostics);

// The same from JSON (RFC 8259; with `lenient`, bare Infinity, -Infinity and NaN become text).
Value parse_json(const SourceFile* file, Diagnostics& diagnostics, bool lenient = false);

// YAML text that parses back to the same tree; a text that can't stand unquoted comes back quoted.
// Short mappings and sequences of scalars go on one line.
std::string write_yaml(const Value& value, int indent = 0);

// JSON text: unquoted numbers, true and false as such (numbers as doubles), all else as texts.
std::string write_json(const Value& value);

}  // namespace reckon::doc
