// Which keys of a config the record reads, which change no cost, and which nobody knows.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "record.hpp"

namespace reckon::importing {

struct Keys {
  std::vector<std::string> read, ignored, unknown;
  std::vector<const doc::Entry*> bearing;  // unknown, and by their name they change the cost
};

// The keys of one part of the config.
Keys sort_keys(const doc::Value& part, const std::set<std::string>& words,
               const Architecture& record, const ImportRules& rules);

// Keys that stop the import, each a fault at its place.
void refuse_bearing(const Keys& keys, const Record& record, Diagnostics& diagnostics);

}  // namespace reckon::importing
