#include "resolve_named.hpp"

#include "parts.hpp"
#include "reckon/engine/import.hpp"
#include "reckon/units/parse.hpp"

namespace reckon {

using doc::Value;

bool is_none(const Value& v) {
  return v.is_null() || (v.is_scalar() && !v.quoted && v.text == "none");
}

// The file behind a name, or a model imported from somebody's config.json.
Value load_named(Workspace& work, Shelf shelf, const Value& said, const std::string& assume,
                 Diagnostics& diagnostics) {
  if (shelf == Shelf::kModels) {
    const auto config = config_called(work, said.text, said.span.file ? said.span.file->name : "");
    if (!config.empty()) {
      Imported in = import_model(work, config.string(), said.span, {.assume = assume}, diagnostics);
      return in.model.is_mapping() ? std::move(in.model) : doc::faulty();
    }
  }
  const Value* found = work.load(shelf, said.text, said.span, diagnostics);
  if (found && !assume.empty()) {
    diagnostics
        .error(said.span, fmt::format("'{}' states its own facts, so none of '{}' can be assumed",
                                      said.text, assume))
        .help("a family is assumed for a config.json whose architecture has no record");
    return doc::faulty();
  }
  return found ? *found : doc::faulty();
}

// A format's name -> {name, size}: bits per weight as bytes.
Value stored(Workspace& work, const Value& said, Diagnostics& diagnostics) {
  if (!said.is_scalar()) return said;  // {name, size} written out
  const Value* format = work.load(Shelf::kFormats, said.text, said.span, diagnostics);
  if (!format) return doc::faulty();
  const Value* bits = scalar_in(format->find("bits_per_weight"));
  double value = 0;
  const auto parsed = bits ? parse_quantity(bits->text, kOne, Hint::kRatio)
                           : std::variant<double, ParseError>(ParseError{});
  if (const double* x = std::get_if<double>(&parsed)) value = *x;
  if (value <= 0) {
    diagnostics.error(said.span, fmt::format("format '{}' states no bits_per_weight", said.text))
        .note(format->span, "this file");
    return doc::faulty();
  }
  Value out = doc::mapping(said.span);
  doc::set(out, "name", said);
  doc::set(out, "size", doc::scalar(fmt::format("{} B", value / 8), said.span));
  return out;
}

}  // namespace reckon
