// A model as a person says it on the command line: a name, a path, or a bare count such as 7B.
#pragma once

#include <string>

#include "reckon/doc/value.hpp"
#include "reckon/units/parse.hpp"

namespace reckon {

// A bare count has no dimensions: it is an abstract model.
inline bool is_bare_count(const std::string& word) {
  return std::holds_alternative<double>(parse_quantity(word, kOne, Hint::kParams));
}

// What resolve_model() takes: the name, or {params: 7B}.
inline doc::Value said_model(const std::string& word, Span span = {}) {
  doc::Value said = doc::scalar(word, span);
  if (!is_bare_count(word)) return said;
  doc::Value abstract = doc::mapping(span);
  doc::set(abstract, "params", std::move(said));
  return abstract;
}

}  // namespace reckon
