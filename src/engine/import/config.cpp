#include "config.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace reckon::importing {

const doc::Value* stated(const doc::Value& mapping, std::string_view path) {
  const doc::Value* at = &mapping;
  while (at && at->is_mapping()) {
    const std::size_t dot = path.find('.');
    at = at->find(path.substr(0, dot));
    if (dot == std::string_view::npos) return at && !at->is_null() ? at : nullptr;
    path.remove_prefix(dot + 1);
  }
  return nullptr;
}

const doc::Value* Config::find(std::string_view path) const {
  if (const doc::Value* here = stated(*part, path)) return here;
  if (part == top) return nullptr;
  const std::string first(path.substr(0, path.find('.')));
  const bool may_stay = std::find(shared.begin(), shared.end(), first) != shared.end();
  return may_stay ? stated(*top, path) : nullptr;
}

std::string place_of(const Span& span) {
  return span ? fmt::format("{}:{}", span.file->name, span.line) : "";
}

}  // namespace reckon::importing
