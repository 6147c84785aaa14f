#include "reckon/engine/field_at.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "reckon/units/format.hpp"
#include "reckon/units/parse.hpp"

namespace reckon {

std::string bound_path(const std::string& path) {
  for (const char* part : {"chip.", "fabric."})
    if (path.starts_with(part)) return "cluster.node." + path;
  if (path.starts_with("offload.")) return "offloaded." + path.substr(8);
  if (path.starts_with("price.")) return "run.price";  // {price: {h100-sxm: 2 USD/h}}
  return path.starts_with("node.") ? "cluster." + path : path;
}

bool is_within(const std::string& path, const std::string& group) {
  const auto whole = [](const std::string& p) {
    return p == "chip" || p == "fabric" ? "cluster.node." + p
           : p == "node"                ? "cluster.node"
                                        : bound_path(p);
  };
  const std::string own = whole(path), other = whole(group);
  return own == other || (own.starts_with(other) && own[other.size()] == '.');
}

const Description* field_at(const Description& plan, std::string_view path) {
  const std::size_t dot = path.find('.');
  const std::string_view name = path.substr(0, dot);
  const Description* found = nullptr;
  if (plan.kind == Description::Kind::kList) {
    const bool index = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
      return std::isdigit(static_cast<unsigned char>(c)) != 0;
    });
    found = index && !plan.parts.empty() ? &plan.parts.front() : nullptr;
  } else {
    for (const Description& d : plan.parts)
      if (d.key == name) found = &d;
  }
  if (!found || dot == path.npos) return found;
  return field_at(*found, path.substr(dot + 1));
}

bool is_whole(const Description& field) {
  return field.hint == Hint::kCount || field.hint == Hint::kLength;
}

bool read_number(const Description& field, const std::string& text, double& out) {
  const auto parsed = parse_quantity(text, field.dim, field.hint);
  if (const double* x = std::get_if<double>(&parsed)) out = *x;
  return std::holds_alternative<double>(parsed);
}

std::string written_number(const Description& field, double x) {
  return is_whole(field) ? fmt::format("{:.0f}", x) : write_quantity(x, field.dim, field.hint);
}

}  // namespace reckon
