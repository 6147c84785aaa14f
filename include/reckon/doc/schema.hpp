// A JSON Schema (draft 2020-12, without its head) for files that hold a described struct: editors complete and check
// with it.
//
//   doc::Value schema = schema_node(describe<Chip<double>>());
//   doc::write_json(schema)
//
// It accepts what binding accepts: a schema knows units as texts alone, keys with dots (`peak.bf16: 1`) by their names
// alone. A group that a name may stand for needs no fields: they may be the named one's. What else a file may say than
// what is bound: engine/file_kinds.hpp.
#pragma once

#include <string>
#include <string_view>

#include "reckon/doc/describe.hpp"

namespace reckon {

// Whether a file states all of it, or what differs from what lies below: then nothing is required, and an item of a
// list may be changed by its number.
enum class Stating { kWhole, kWhatDiffers };

// The node of one description: to be placed under "properties", "items" or "$defs".
doc::Value schema_node(const Description& d, Stating stating = Stating::kWhole);

// Keys with dots that a group may hold, as a regular expression; "" if none.
std::string dotted_keys(const Description& group);

}  // namespace reckon
