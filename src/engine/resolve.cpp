// Names looked up and shorthands written out: trees in, trees out.
#include "reckon/engine/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "check_law.hpp"
#include "file_forms.hpp"
#include "overlay.hpp"
#include "parts.hpp"
#include "reckon/base/text.hpp"
#include "reckon/engine/import.hpp"
#include "reckon/units/parse.hpp"
#include "resolve_stack.hpp"

namespace reckon {
namespace {

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

// A name, or {base: NAME, what differs}, or everything written out. `complete` looks up what the named thing refers to,
// before and after what differs is laid over it: so one field deep inside can be overridden.
template <class Complete>
Value named(Workspace& work, Shelf shelf, const Value& said, Diagnostics& diagnostics,
            Complete complete, const std::string& assume = "") {
  if (said.is_scalar()) {
    Value out = load_named(work, shelf, said, assume, diagnostics);
    if (!out.is_mapping()) return out;
    complete(out);
    return out;
  }
  if (!said.is_mapping()) {
    diagnostics.error(said.span,
                      fmt::format("expected a name of one of the {} or a mapping, found {}",
                                  shelf_info(shelf).word, doc::kind_of(said)));
    return doc::faulty();
  }
  Value rest = said;
  const Value* base = said.find("base");
  Value out = doc::mapping(said.span);
  if (base) {
    if (!base->is_scalar()) {
      diagnostics.error(base->span, fmt::format("base: expected a name of one of the {}",
                                                shelf_info(shelf).word));
      return doc::faulty();
    }
    const Value* family = said.find("assumed");
    out = named(work, shelf, *base, diagnostics, complete,
                family && family->is_scalar() ? family->text : "");
    if (!out.is_mapping()) return out;
    std::erase_if(rest.entries, [](const doc::Entry& e) { return e.key == "base"; });
  }
  if (shelf == Shelf::kNodes)
    lay_over_node(out, rest);
  else
    lay_over(out, rest);
  complete(out);
  return out;
}

// Replaces the value under `key`, if there is one, by what `make` turns it into.
template <class Make>
void rewrite(Value& mapping, std::string_view key, Make make) {
  if (Value* at = mapping.find(key); at && !at->is_null()) *at = make(*at);
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

// `64xh100-sxm` -> count and chip. False if the text has another form.
bool split_count(const Value& said, Value& count, std::string& chip) {
  const std::size_t x = said.text.find('x');
  if (x == std::string::npos || x == 0 || x + 1 == said.text.size()) return false;
  const std::string number = said.text.substr(0, x);
  if (number.find_first_not_of("0123456789.,_+-eEkKMGTi ") != std::string::npos) return false;
  if (number.find_first_of("0123456789") == std::string::npos) return false;
  count = doc::scalar(number, said.span);
  chip = said.text.substr(x + 1);
  return true;
}

}  // namespace

Value resolve_format(Workspace& work, const Value& said, Diagnostics& diagnostics) {
  return stored(work, said, diagnostics);
}

namespace {

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

Value resolve_chip(Workspace& work, const Value& said, Diagnostics& diagnostics) {
  return named(work, Shelf::kChips, said, diagnostics, [](Value&) {});
}

Value resolve_node(Workspace& work, const Value& said, Diagnostics& diagnostics) {
  const auto plain = [](Value&) {};
  return named(work, Shelf::kNodes, said, diagnostics, [&](Value& node) {
    rewrite(node, "chip",
            [&](const Value& v) { return named(work, Shelf::kChips, v, diagnostics, plain); });
    rewrite(node, "fabric", [&](const Value& v) {
      return is_none(v) ? Value{} : named(work, Shelf::kFabrics, v, diagnostics, plain);
    });
  });
}

namespace {

// `h100` is no chip, but h100-sxm and h100-pcie are.
bool names_several(Workspace& work, const std::string& name, Span said, Diagnostics& diagnostics) {
  std::vector<std::string> longer;
  for (const std::string& id : work.ids(Shelf::kChips)) {
    if (id == name) return false;
    if (id.starts_with(name + "-")) longer.push_back(id);
  }
  if (longer.empty()) return false;
  diagnostics.error(said, fmt::format("no chip called '{}'", name))
      .help(fmt::format("chips whose names begin so: {}", join(longer, ", ")));
  return true;
}

bool is_on(Workspace& work, Shelf shelf, std::string_view name) {
  const std::vector<std::string> ids = work.ids(shelf);
  return std::find(ids.begin(), ids.end(), name) != ids.end();
}

// 64xh100-sxm: that many GPUs in the usual node of that chip.
Value counted_chips(Workspace& work, Value gpus, const std::string& chip_name, const Value& said,
                    Diagnostics& diagnostics) {
  if (is_on(work, Shelf::kNodes, chip_name)) {
    diagnostics.error(said.span, fmt::format("'{}' is a node, not a chip", chip_name))
        .help(fmt::format("write cluster: {{node: {}, nodes: {}}}", chip_name, gpus.text));
    return doc::faulty();
  }
  if (names_several(work, chip_name, said.span, diagnostics)) return doc::faulty();
  const Value* chip = work.load(Shelf::kChips, chip_name, said.span, diagnostics);
  if (!chip) return doc::faulty();
  const Value* usual = chip->find("usual_node");
  if (!usual || !usual->is_scalar()) {
    diagnostics.error(said.span, fmt::format("chip '{}' names no usual node", chip_name))
        .help("write cluster: {node: NAME, nodes: N}");
    return doc::faulty();
  }
  Value out = doc::mapping(said.span);
  doc::set(out, "gpus", std::move(gpus));
  doc::set(out, "node", resolve_node(work, doc::scalar(usual->text, said.span), diagnostics));
  return out;
}

// 1xh100-sxm is a part of a node, and node.gpus says which: stated anew, it takes the count's place.
void restate_part(Value& cluster, double whole, const Value& node) {
  const double count = plain_count(cluster.find("gpus")), part = plain_count(node.find("gpus"));
  if (count < 1 || count >= whole || part < 1 || part > whole) return;
  doc::set(cluster, "gpus", *node.find("gpus"));
}

// What differs, over a cluster whose node has been looked up.
void lay_over_cluster(Value& cluster, Value rest) {
  Value* node = cluster.find("node");
  const Value* over = rest.find("node");
  if (node && node->is_mapping() && over && over->is_mapping() && !over->find("base")) {
    const double whole = plain_count(node->find("gpus"));
    lay_over_node(*node, *over);
    restate_part(cluster, whole, *over);
    std::erase_if(rest.entries, [](const doc::Entry& e) { return e.key == "node"; });
  }
  lay_over(cluster, rest);
  const Value* nodes = rest.find("nodes");
  if (nodes && !nodes->is_null())
    std::erase_if(cluster.entries, [](const doc::Entry& e) { return e.key == "gpus"; });
}

bool states(const Value& v, std::string_view key) {
  const Value* at = v.find(key);
  return at && !at->is_null();
}

}  // namespace

Value open_cluster(Workspace& work, const Value& said, Diagnostics& diagnostics) {
  Value gpus;
  std::string chip_name;
  const auto look_up = [&](Value& c) {
    rewrite(c, "node", [&](const Value& v) { return resolve_node(work, v, diagnostics); });
  };
  const Value* name = said.is_mapping() ? said.find("base") : &said;
  if (name && name->is_scalar() && split_count(*name, gpus, chip_name)) {
    Value out = counted_chips(work, gpus, chip_name, *name, diagnostics);
    if (!out.is_mapping() || said.is_scalar()) return out;
    Value rest = said;
    std::erase_if(rest.entries, [](const doc::Entry& e) { return e.key == "base"; });
    lay_over_cluster(out, std::move(rest));
    look_up(out);
    return out;
  }
  if (name && name->is_scalar() && is_on(work, Shelf::kNodes, name->text)) {
    diagnostics.error(name->span, fmt::format("'{}' is a node, not a cluster", name->text))
        .help(fmt::format("write cluster: {{node: {}, nodes: 1}}", name->text));
    return doc::faulty();
  }
  if (said.is_mapping() && states(said, "gpus") && states(said, "nodes")) {
    diagnostics
        .error(said.find("gpus")->span, "cluster: its size is stated twice, by gpus and by nodes")
        .note(said.find("nodes")->span, "nodes are stated here")
        .help("leave one of them out");
    return doc::faulty();
  }
  Value out = named(work, Shelf::kClusters, said, diagnostics, look_up);
  if (out.is_mapping() && said.is_mapping() && states(said, "gpus"))  // over a cluster's own nodes
    std::erase_if(out.entries, [](const doc::Entry& e) { return e.key == "nodes"; });
  return out;
}

Value resolve_cluster(Workspace& work, const Value& said, Diagnostics& diagnostics) {
  return fill_nodes(open_cluster(work, said, diagnostics), diagnostics);
}

Value resolve_classes(Workspace& work, const Value& said, Diagnostics& diagnostics) {
  Value out = said;  // what is no mapping is told so when it is bound
  for (doc::Entry& e : out.entries)
    if (!e.value.is_null()) e.value = stored(work, e.value, diagnostics);
  return out;
}

Value resolve_recipe(Workspace& work, const Value& said, Diagnostics& diagnostics) {
  return named(work, Shelf::kRecipes, said, diagnostics, [&](Value& recipe) {
    for (const char* key : {"weights", "gradients", "activations", "reduce", "gather"})
      rewrite(recipe, key, [&](const Value& v) { return stored(work, v, diagnostics); });
    for (const char* key : {"master", "kv", "accumulation"})
      rewrite(recipe, key,
              [&](const Value& v) { return is_none(v) ? Value{} : stored(work, v, diagnostics); });
    for (const char* key : {"classes", "gradient_classes", "activation_classes"})
      rewrite(recipe, key, [&](const Value& v) { return resolve_classes(work, v, diagnostics); });
  });
}

// A recipe that is named, and whose file says nothing of gradients.
Value resolve_precision(Workspace& work, const Value& said, Diagnostics& diagnostics) {
  Value recipe = resolve_recipe(work, said, diagnostics);
  const Value* id = recipe.is_mapping() ? recipe.find("id") : nullptr;
  const auto lacks = [&recipe](const char* key) {
    const Value* at = recipe.find(key);
    return !at || at->is_null();
  };
  if (!id || !lacks("gradients")) return recipe;
  diagnostics
      .error(said.span, fmt::format("recipe '{}' states no gradients: it is for serving", id->text))
      .note(recipe.span, "this file")
      .help("recipes of training: bf16, bf16-fp32-grad, fp8 …; `reckon show` one to see it");
  for (const char* key : {"gradients", "reduce", "gather"})
    if (lacks(key)) doc::set(recipe, key, doc::faulty());
  return recipe;
}

Value resolve_optimizer(Workspace& work, const Value& said, Diagnostics& diagnostics) {
  return named(work, Shelf::kOptimizers, said, diagnostics, [&](Value& optimizer) {
    Value* states = optimizer.find("states");
    if (!states) return;
    for (Value& state : states->items) {
      if (state.is_mapping())
        rewrite(state, "format", [&](const Value& v) { return stored(work, v, diagnostics); });
    }
  });
}

// A stack's file may start from another: what it states is laid over that.
Value resolve_stack(Workspace& work, const Value& said, const Value* chip,
                    Diagnostics& diagnostics) {
  int depth = 0;
  const std::function<void(Value&)> complete = [&](Value& stack) {
    const Value* base = stack.find("base");
    if (base && base->is_scalar()) {
      const Value from = *base;
      if (++depth > 8) {
        diagnostics.error(from.span, "stack: each starts from the next, without end");
        stack = doc::faulty();
        return;
      }
      Value rest = stack;
      std::erase_if(rest.entries, [](const doc::Entry& e) { return e.key == "base"; });
      stack = named(work, Shelf::kStacks, from, diagnostics, complete);
      if (!stack.is_mapping()) return;
      doc::merge(stack, rest);
    }
  };
  const Value on_chip = stack_on_chip(work, said, chip, diagnostics);
  if (on_chip.faulty) return on_chip;
  Value stack = named(work, Shelf::kStacks, on_chip, diagnostics, complete);
  if (stack.is_mapping()) fill_collectives(work, stack, chip, diagnostics);
  return stack;
}

// An engine's file may start from another, as a stack's may.
Value resolve_engine(Workspace& work, const Value& said, Diagnostics& diagnostics) {
  int depth = 0;
  const std::function<void(Value&)> complete = [&](Value& engine) {
    const Value* base = engine.find("base");
    if (!base || !base->is_scalar()) return;
    const Value from = *base;
    if (++depth > 8) {
      diagnostics.error(from.span, "engine: each starts from the next, without end");
      engine = doc::faulty();
      return;
    }
    Value rest = engine;
    std::erase_if(rest.entries, [](const doc::Entry& e) { return e.key == "base"; });
    engine = named(work, Shelf::kEngines, from, diagnostics, complete);
    if (engine.is_mapping()) doc::merge(engine, rest);
  };
  return named(work, Shelf::kEngines, said, diagnostics, complete);
}

Value resolve_law(Workspace& work, const Value& said, Diagnostics& diagnostics) {
  return named(work, Shelf::kLaws, said, diagnostics, write_out_law);
}

Value resolve_assume(Workspace& work, const Value& said, Diagnostics& diagnostics) {
  Value overlay = said;
  if (said.is_scalar()) {
    overlay = doc::mapping(said.span);
    doc::set(overlay, "preset", said);
  }
  if (!overlay.is_mapping()) {
    diagnostics.error(said.span, "assume: expected a preset's name or a mapping")
        .help("write assume: textbook, or assume: {preset: textbook, train.mfu: 40%}");
    return doc::faulty();
  }
  if (const Value* stack = overlay.find("stack")) {
    diagnostics.error(stack->span, "assume: a software stack is no assumption of its own")
        .help(fmt::format("write stack: {} beside assume",
                          stack->is_scalar() ? stack->text : "NAME"));
    std::erase_if(overlay.entries, [](const doc::Entry& e) { return e.key == "stack"; });
  }
  rewrite(overlay, "overlap", [](const Value& v) { return v.is_scalar() ? overlap_of(v) : v; });
  const Value* preset = overlay.find("preset");
  const Value name = preset && !preset->is_null() ? *preset : doc::scalar("textbook", said.span);
  const Value* base = work.load(Shelf::kPresets, name.text, name.span, diagnostics);
  if (!base) return doc::faulty();
  Value out = *base;
  std::erase_if(out.entries, [](const doc::Entry& e) { return e.key == "id" || e.key == "name"; });
  doc::merge(out, overlay);
  doc::set(out, "preset", name);
  return out;
}

}  // namespace reckon
