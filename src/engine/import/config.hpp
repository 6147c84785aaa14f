// A config as scopes of keys: the text model's part, the vision tower's, and the top of the file,
// where some keys of a nested part may stay.
//
//   Config config{top, text, {"tie_word_embeddings"}};
//   config.find("attn_config.kv_n_heads")          // nullptr where it is absent or null
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reckon/doc/value.hpp"

namespace reckon::importing {

struct Config {
  const doc::Value* top = nullptr;   // the file
  const doc::Value* part = nullptr;  // the text model's keys; `top` where nothing is nested
  std::vector<std::string> shared;   // keys that may stay at the top

  // A key, or a path of keys; null counts as absent.
  const doc::Value* find(std::string_view path) const;
};

// The value at a dotted path whose keys may themselves hold no dots; nullptr if absent or null.
const doc::Value* stated(const doc::Value& mapping, std::string_view path);

// "config.json:12", of a place.
std::string place_of(const Span& span);

}  // namespace reckon::importing
