#include "record.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "../text_list.hpp"
#include "expression.hpp"
#include "reckon/doc/bind.hpp"
#include "reckon/spec/compiled_once.hpp"

namespace reckon::importing {
namespace {

constexpr int kMostBases = 8;

// A record's tree over those of its bases. What names an architecture isn't handed down.
doc::Value complete(Workspace& work, const doc::Value& tree, int depth, Diagnostics& diagnostics) {
  const doc::Value* base = tree.find("base");
  if (!base) return tree;
  if (!base->is_scalar() || depth > kMostBases) {
    diagnostics.error(base->span,
                      "base: expected the name of a record that isn't based on this one");
    return doc::faulty();
  }
  const doc::Value* found = work.load(Shelf::kArchitectures, base->text, base->span, diagnostics);
  if (!found) return doc::faulty();
  doc::Value out = complete(work, *found, depth + 1, diagnostics);
  if (!out.is_mapping()) return out;
  for (const char* own : {"architectures", "model_types", "id", "name", "source"})
    doc::take(out, own);
  doc::Value rest = tree;
  doc::take(rest, "base");
  doc::merge(out, rest);
  return out;
}

std::optional<Record> bound(Workspace& work, const std::string& id, Span said,
                            Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.error_count();
  const doc::Value* found = work.load(Shelf::kArchitectures, id, said, diagnostics);
  if (!found) return std::nullopt;
  Record out;
  out.tree = complete(work, *found, 0, diagnostics);
  if (diagnostics.error_count() > before) return std::nullopt;
  Origins unused;
  bind(out.tree, out.spec, {diagnostics, unused, id});
  if (diagnostics.error_count() > before) return std::nullopt;
  out.file = found->span ? found->span.file->name : id;
  return out;
}

bool lists(const doc::Value& tree, const char* key, const std::string& word) {
  const doc::Value* list = tree.find(key);
  return list && std::any_of(list->items.begin(), list->items.end(),
                             [&](const doc::Value& v) { return v.text == word; });
}

// Files are read as text first: most don't hold the word, and need no parsing.
std::optional<Record> listing(Workspace& work, const char* key, const std::string& word,
                              Diagnostics& diagnostics) {
  if (word.empty()) return std::nullopt;
  for (const std::string& id : work.ids(Shelf::kArchitectures)) {
    std::string text;
    if (!read_file(work.find(Shelf::kArchitectures, id), text) ||
        text.find(word) == std::string::npos)
      continue;
    const doc::Value* tree = work.load(Shelf::kArchitectures, id, {}, diagnostics);
    if (!tree) return std::nullopt;
    if (!lists(*tree, key, word)) continue;
    std::optional<Record> out = bound(work, id, {}, diagnostics);
    if (out) out->chosen_by = fmt::format("{}: {}", key, word);
    return out;
  }
  return std::nullopt;
}

void scalars_of(const doc::Value& v, std::set<std::string>& out) {
  if (v.is_scalar()) words_of(v.text, out);
  for (const doc::Value& i : v.items) scalars_of(i, out);
  for (const doc::Entry& e : v.entries) scalars_of(e.value, out);
}

// A file of rules in presets/; `lists` are keys whose lists are blocks of text.
template <class Rules>
std::optional<Rules> preset(Workspace& work, const std::string& name,
                            const std::vector<const char*>& lists, Diagnostics& diagnostics) {
  const auto file = work.find(Shelf::kPresets, name);
  if (file.empty()) {
    diagnostics.error({}, fmt::format("the data folder holds no presets/{}.yaml", name))
        .help("give the data's place: --data DIR");
    return std::nullopt;
  }
  const std::size_t before = diagnostics.error_count();
  doc::Value tree = work.read_data(file, {}, diagnostics);
  doc::take(tree, "kind");
  for (const char* key : lists) write_out_list(tree, key, " \n");
  Rules out;
  Origins unused;
  bind(tree, out, {diagnostics, unused, name});
  if (diagnostics.error_count() > before) return std::nullopt;
  return out;
}

}  // namespace

Named name_of_config(const doc::Value& part) {
  Named out;
  const doc::Value* list = stated(part, "architectures");
  if (list && list->is_sequence() && !list->items.empty()) list = &list->items.front();
  if (list && list->is_scalar()) {
    out.architecture = list->text;
    out.span = list->span;
  }
  if (const doc::Value* type = stated(part, "model_type"); type && type->is_scalar()) {
    out.model_type = type->text;
    if (!out.span) out.span = type->span;
  }
  return out;
}

std::optional<Record> record_by_architecture(Workspace& work, const std::string& word,
                                             Diagnostics& diagnostics) {
  return listing(work, "architectures", word, diagnostics);
}

std::optional<Record> record_by_type(Workspace& work, const std::string& word,
                                     Diagnostics& diagnostics) {
  return listing(work, "model_types", word, diagnostics);
}

std::optional<Record> record_called(Workspace& work, const std::string& id, Span said,
                                    Diagnostics& diagnostics) {
  std::optional<Record> out = bound(work, id, said, diagnostics);
  if (out) out->chosen_by = fmt::format("assumed: {}", id);
  return out;
}

std::set<std::string> words_of_record(const Record& record) {
  std::set<std::string> out;
  for (const char* part : {"values", "require", "model", "mixers", "mlps", "layers", "mtp",
                           "vision", "projector", "buffers"})
    if (const doc::Value* v = record.tree.find(part)) scalars_of(*v, out);
  return out;
}

std::optional<ImportRules> import_rules(Workspace& work, Diagnostics& diagnostics) {
  return preset<ImportRules>(work, "import", {"bears", "ignore"}, diagnostics);
}

std::optional<QuantizationRules> quantization_rules(Workspace& work, Diagnostics& diagnostics) {
  return preset<QuantizationRules>(work, "quantization", {}, diagnostics);
}

}  // namespace reckon::importing
