// A table of a struct's fields for people: docs/file-formats.md is made of these.
//
//   reference_table(describe<Mesh<double>>())
//
//   | key | meaning | form | default | limits |
//   | --- | --- | --- | --- | --- |
//   | `tensor` | tensor parallel (t) | a whole number such as 8 | `1` | at least 1 |
//
// The fields of inner groups follow as `memory.capacity`, those of a list's items as
// `layers[].count`. A group that a name may stand for is one row: it has files, and a table, of its
// own.
#pragma once

#include <string>

#include "reckon/doc/describe.hpp"

namespace reckon {

std::string reference_table(const Description& d);

}  // namespace reckon
