// Models looked up: formats of their files, an abstract model's one layer group.
#include <fmt/format.h>

#include <algorithm>

#include "file_forms.hpp"
#include "parts.hpp"
#include "reckon/engine/resolve.hpp"
#include "reckon/units/parse.hpp"
#include "resolve_named.hpp"

namespace reckon {
namespace {

using doc::Value;

// The same, with the blocks whose scales files hold beside the codes.
Value stored_in_blocks(Workspace& work, const Value& said, Diagnostics& diagnostics) {
  Value out = stored(work, said, diagnostics);
  if (!said.is_scalar() || !out.is_mapping()) return out;
  const Value* format = work.load(Shelf::kFormats, said.text, said.span, diagnostics);
  const Value* element = format ? format->find("element") : nullptr;
  const double bits = element && element->is_mapping() ? plain_count(element->find("bits")) : 0;
  const double block = format ? plain_count(format->find("block")) : 0;
  const double scale = format ? plain_count(format->find("scale_bits_per_block")) : 0;
  if (bits <= 0 || block <= 0 || scale <= 0) return out;
  const double rows = std::max(plain_count(format->find("block_rows")), 1.0);
  Value scales = doc::mapping(said.span);
  const auto set = [&](const char* key, const std::string& text) {
    doc::set(scales, key, doc::scalar(text, said.span));
  };
  if (const Value* name = scalar_in(format->find("scale_format"))) set("format", name->text);
  set("element", fmt::format("{} B", bits / 8));
  set("size", fmt::format("{} B", scale / 8));
  set("columns", fmt::format("{}", block / rows));
  set("rows", fmt::format("{}", rows));
  doc::set(out, "scales", std::move(scales));
  return out;
}

// The formats of a model's files.
void resolve_files(Workspace& work, Value& model, Diagnostics& diagnostics) {
  const auto format = [&](const Value& v) { return stored_in_blocks(work, v, diagnostics); };
  const auto classes = [&](const Value& said) {
    Value out = said;
    for (doc::Entry& e : out.entries) e.value = format(e.value);
    return out;
  };
  if (Value* files = model.find("files"); files && files->is_mapping()) {
    rewrite(*files, "base", format);
    rewrite(*files, "formats", classes);
    if (Value* buffers = files->find("buffers"))
      for (Value& b : buffers->items) rewrite(b, "format", format);
  }
  if (Value* layers = model.find("layers"))
    for (Value& g : layers->items) rewrite(g, "stored", classes);
}

// The keys of an abstract model's one layer group.
Value abstract_group(Value& model) {
  Value group = doc::mapping(model.span), mixer = doc::mapping(model.span),
        mlp = doc::mapping(model.span);
  doc::set(mixer, "kind", doc::scalar("abstract"));
  doc::set(mlp, "kind", doc::scalar("abstract"));
  for (const AbstractKey& k : kAbstractKeys) {
    const Value v = doc::take(model, k.key);
    if (v.is_null()) continue;
    doc::set(k.part == "mixer" ? mixer : k.part == "mlp" ? mlp : group, std::string(k.field), v);
  }
  doc::set(group, "mixer", std::move(mixer));
  doc::set(group, "mlp", std::move(mlp));
  return group;
}

bool is_params(const Value& said) {
  if (!said.is_scalar() || said.quoted) return false;
  const auto parsed = parse_quantity(said.text, kOne, Hint::kParams);
  return std::holds_alternative<double>(parsed);
}

// {5: {…}} over a list of five: the merge left the mapping in the list's place.
bool names_no_item(Workspace& work, const Value& said, const Value& layers,
                   Diagnostics& diagnostics) {
  const bool numbers =
      layers.is_mapping() && !layers.entries.empty() &&
      std::all_of(layers.entries.begin(), layers.entries.end(), [](const doc::Entry& e) {
        return e.key.find_first_not_of("0123456789") == std::string::npos;
      });
  const Value* base = said.is_mapping() ? said.find("base") : nullptr;
  if (!numbers || !base || !base->is_scalar()) return false;
  const Value named_model = load_named(work, Shelf::kModels, *base, "", diagnostics);
  const Value* list = named_model.is_mapping() ? named_model.find("layers") : nullptr;
  if (!list || !list->is_sequence() || list->items.empty()) return false;
  for (const doc::Entry& e : layers.entries) {
    if (e.key.size() < 9 && std::stoul(e.key) < list->items.size()) continue;
    diagnostics.error(e.key_span, fmt::format("model.layers has no item '{}'", e.key))
        .note(list->span, "the layers are stated here")
        .help(list->items.size() == 1
                  ? "the list has one item, 0"
                  : fmt::format("the list has the items 0 to {}", list->items.size() - 1));
  }
  return true;
}

}  // namespace

Value resolve_model(Workspace& work, const Value& said, Diagnostics& diagnostics) {
  if (is_params(said)) {
    diagnostics.error(said.span, fmt::format("model: '{}' is a number of parameters", said.text))
        .help(fmt::format("write model: {{params: {}}}, with layers and hidden where they matter",
                          said.text));
    return doc::faulty();
  }
  Value model = named(work, Shelf::kModels, said, diagnostics, [](Value&) {});
  if (!model.is_mapping()) return model;
  resolve_files(work, model, diagnostics);
  const Value* layers = model.find("layers");
  if (layers && names_no_item(work, said, *layers, diagnostics)) return doc::faulty();
  if (!model.find("params")) {
    if (layers && layers->is_scalar())
      diagnostics
          .error(layers->span,
                 "layers: a number of layers belongs to an abstract model, which states params")
          .help("add params: 7B, or write layers as a list of {count, mixer, mlp}");
    if (!layers)
      diagnostics
          .error(model.span ? model.span : said.span, "the model states neither params nor layers")
          .help(
              "write {params: 7B, layers: 32, hidden: 4096}, or name a model: `reckon list "
              "models`");
    return layers && !layers->is_scalar() ? model : doc::faulty();
  }
  if (layers && !layers->is_scalar()) {
    diagnostics
        .error(model.find("params")->span,
               "params belongs to an abstract model, whose layers are a number")
        .note(layers->span, "here layers are written out, so parameters are counted");
    return doc::faulty();
  }
  if (layers) {
    Value group = abstract_group(model);
    Value list = doc::sequence(model.span);
    list.items.push_back(std::move(group));
    doc::set(model, "layers", std::move(list));
  }
  return model;
}

}  // namespace reckon
