// What a record says of a field, over a config's keys.
//
//   num_key_value_heads or heads          the first that the file states
//   4 * n_embd, max_position_embeddings + 2, hidden / heads     whole division only
//   1 if multi_query else heads           yes, no; a number that is not 0 counts as yes
//   mlp_type or 'default' == 'default'    the loosest but for if; a text stands in quotes
//   q_lora_rank or none                   none: the field is left out
//
// A word is a value of the record's `values`, or else a key. What is not stated anywhere makes the
// whole expression absent, past `or`.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config.hpp"

namespace reckon::importing {

// Where a value came from. Of an expression with several, the last in this order.
enum class From { kDefault, kStated, kDerived, kAssumed };
constexpr std::string_view kFromWords[] = {"class default", "stated", "derived", "assumed"};

struct Found {
  enum class Kind { kAbsent, kNumber, kYesNo, kWord, kTree, kFault };
  Kind kind = Kind::kAbsent;
  double number = 0;                 // kNumber; 1 and 0 of yes and no
  std::string word;                  // kWord; of a fault, its message
  const doc::Value* tree = nullptr;  // kTree: a list or mapping
  std::string help;                  // of a fault
  Span span;                         // of the key it goes back to
  From from = From::kDefault;
  std::string how;  // "num_key_value_heads", "4 * n_embd"

  bool absent() const { return kind == Kind::kAbsent; }
  bool fault() const { return kind == Kind::kFault; }
  bool is_number() const { return kind == Kind::kNumber; }
  bool is_yes() const { return (is_number() || kind == Kind::kYesNo) && number != 0; }
};

// The key's value as an expression sees it.
Found found(const doc::Value& value, std::string_view key);

// How a scalar is written in a model's file: 4096, yes, bf16.
std::string written(const Found& f);

using Words = std::vector<std::string>;  // that stand for themselves where an expression is read

class Evaluator {
 public:
  // `values`: the record's names; may be null.
  Evaluator(const Config& config, const doc::Value& values) : config_(config), values_(values) {}

  // `said`: where the record says it. `vision`: the part in which keys are looked up first.
  Found evaluate(std::string_view expression, const Words& words = {}) const;
  Found value(const std::string& name) const { return evaluate(name); }
  const Config& config() const { return config_; }
  const doc::Value& values() const { return values_; }
  // The same record over another part of the config; names keep their part.
  Evaluator over(const Config& part) const;

 private:
  friend class Reader;
  Found name(std::string_view word, int depth) const;

  const Config& config_;
  const doc::Value& values_;
  const Evaluator* names_ = nullptr;  // what evaluates `values`, if not this
};

// Every word that an expression may look up: keys and names.
void words_of(std::string_view expression, std::set<std::string>& out);

}  // namespace reckon::importing
