// A JSON Schema (draft 2020-12) for files that hold a described struct: editors complete and check
// with it.
//
//   doc::Value schema = schema_document("chip", describe<Chip<double>>());
//   doc::write_json(schema)
//
// It accepts what binding accepts and more: a schema knows units as texts alone, and keys with dots
// (`peak.bf16: 1`) by their first part. A group that a name may stand for needs no fields: they may
// be the named one's.
#pragma once

#include <string_view>

#include "reckon/doc/describe.hpp"

namespace reckon {

// The node of one description: to be placed under "properties", "items" or "$defs".
doc::Value schema_node(const Description& d);

// The whole: "$schema", title and node.
doc::Value schema_document(std::string_view title, const Description& d);

}  // namespace reckon
