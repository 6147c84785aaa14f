// Names looked up and shorthands written out: trees in, trees out.
#include <fmt/format.h>

#include <charconv>

#include "overlay.hpp"
#include "reckon/engine/load.hpp"
#include "reckon/units/parse.hpp"

namespace reckon {
namespace {

using doc::Value;

bool is_none(const Value& v) {
  return v.is_null() || (v.is_scalar() && !v.quoted && v.text == "none");
}

// A name, or {base: NAME, what differs}, or everything written out. `complete` looks up what the named thing refers to,
// before and after what differs is laid over it: so one field deep inside can be overridden.
template <class Complete>
Value named(Workspace& work, Shelf shelf, const Value& said, Diagnostics& diagnostics,
            Complete complete) {
  if (said.is_scalar()) {
    const Value* found = work.load(shelf, said.text, said.span, diagnostics);
    if (!found) return doc::faulty();
    Value out = *found;
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
    out = named(work, shelf, *base, diagnostics, complete);
    if (!out.is_mapping()) return out;
    std::erase_if(rest.entries, [](const doc::Entry& e) { return e.key == "base"; });
  }
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
  const Value* bits = format->find("bits_per_weight");
  double value = 0;
  const auto parsed = bits && bits->is_scalar() ? parse_quantity(bits->text, kOne, Hint::kRatio)
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

// The keys of an abstract model's one layer group.
Value abstract_group(Value& model) {
  Value group = doc::mapping(model.span), mixer = doc::mapping(model.span),
        mlp = doc::mapping(model.span);
  doc::set(mixer, "kind", doc::scalar("abstract"));
  doc::set(mlp, "kind", doc::scalar("abstract"));
  const auto move = [&model](const char* from, Value& to, const char* key) {
    if (const Value* v = model.find(from)) doc::set(to, key, *v);
    std::erase_if(model.entries, [from](const doc::Entry& e) { return e.key == from; });
  };
  move("layers", group, "count");
  move("heads", mixer, "heads");
  move("kv_heads", mixer, "kv_heads");
  move("head_width", mixer, "head_width");
  move("mlp_width", mlp, "width");
  move("mlp_matrices", mlp, "matrices");
  doc::set(group, "mixer", std::move(mixer));
  doc::set(group, "mlp", std::move(mlp));
  return group;
}

// `64xh100-sxm` -> count and chip. False if the text has another form.
bool split_count(std::string_view text, long& count, std::string_view& chip) {
  const std::size_t x = text.find('x');
  if (x == text.npos || x == 0 || x + 1 == text.size()) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + x, count);
  if (error != std::errc() || end != text.data() + x) return false;
  chip = text.substr(x + 1);
  return true;
}

// So many GPUs in nodes of a kind. Fewer than a node: part of one.
Value nodes_for(long gpus, Value node, const Value& said, Diagnostics& diagnostics) {
  long per_node = 0;
  if (const Value* g = node.find("gpus"); g && g->is_scalar())
    std::from_chars(g->text.data(), g->text.data() + g->text.size(), per_node);
  if (gpus < 1 || per_node < 1) {
    diagnostics.error(said.span, fmt::format("'{}' asks for no GPU", said.text))
        .help("write 8xh100-sxm");
    return doc::faulty();
  }
  if (gpus > per_node && gpus % per_node != 0) {
    const long below = gpus / per_node * per_node;
    diagnostics.error(said.span, fmt::format("{} GPUs do not fill nodes of {}", gpus, per_node))
        .note(node.find("gpus")->span, "GPUs of a node are stated here")
        .help(fmt::format(
            "nearest counts that do: {} and {}; or write cluster: {{node: …, nodes: …}}", below,
            below + per_node));
    return doc::faulty();
  }
  Value out = doc::mapping(said.span);
  doc::set(out, "nodes", doc::scalar(std::to_string(std::max(1L, gpus / per_node)), said.span));
  if (gpus < per_node) {
    Value part = doc::scalar(std::to_string(gpus), said.span);
    part.replaced = node.find("gpus")->span;
    doc::set(node, "gpus", std::move(part));
  }
  doc::set(out, "node", std::move(node));
  return out;
}

}  // namespace

Value resolve_model(Workspace& work, const Value& said, Diagnostics& diagnostics) {
  Value model = named(work, Shelf::kModels, said, diagnostics, [](Value&) {});
  if (!model.is_mapping()) return model;
  const Value* layers = model.find("layers");
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

// 64xh100-sxm: the usual node of that chip, as often as it takes.
Value counted_chips(Workspace& work, long gpus, std::string_view chip_name, const Value& said,
                    Diagnostics& diagnostics) {
  const Value* chip = work.load(Shelf::kChips, chip_name, said.span, diagnostics);
  if (!chip) return doc::faulty();
  const Value* usual = chip->find("usual_node");
  if (!usual || !usual->is_scalar()) {
    diagnostics.error(said.span, fmt::format("chip '{}' names no usual node", chip_name))
        .help("write cluster: {node: NAME, nodes: N}");
    return doc::faulty();
  }
  Value node = resolve_node(work, doc::scalar(usual->text, said.span), diagnostics);
  return node.is_mapping() ? nodes_for(gpus, std::move(node), said, diagnostics) : doc::faulty();
}

}  // namespace

Value resolve_cluster(Workspace& work, const Value& said, Diagnostics& diagnostics) {
  long gpus = 0;
  std::string_view chip_name;
  const Value* name = said.is_mapping() ? said.find("base") : &said;
  if (name && name->is_scalar() && split_count(name->text, gpus, chip_name)) {
    Value out = counted_chips(work, gpus, chip_name, *name, diagnostics);
    if (!out.is_mapping() || said.is_scalar()) return out;
    Value rest = said;
    std::erase_if(rest.entries, [](const doc::Entry& e) { return e.key == "base"; });
    lay_over(out, rest);
    rewrite(out, "node", [&](const Value& v) { return resolve_node(work, v, diagnostics); });
    return out;
  }
  Value cluster = named(work, Shelf::kClusters, said, diagnostics, [&](Value& c) {
    rewrite(c, "node", [&](const Value& v) { return resolve_node(work, v, diagnostics); });
  });
  if (!cluster.is_mapping()) return cluster;
  const Value* count = cluster.find("gpus");
  if (count && cluster.find("node") && !cluster.find("nodes")) {  // {node: hgx-h100, gpus: 64}
    long n = 0;
    if (count->is_scalar())
      std::from_chars(count->text.data(), count->text.data() + count->text.size(), n);
    return nodes_for(n, *cluster.find("node"), *count, diagnostics);
  }
  return cluster;
}

Value resolve_precision(Workspace& work, const Value& said, Diagnostics& diagnostics) {
  return named(work, Shelf::kRecipes, said, diagnostics, [&](Value& recipe) {
    for (const char* key : {"weights", "gradients", "activations", "reduce", "gather"})
      rewrite(recipe, key, [&](const Value& v) { return stored(work, v, diagnostics); });
    rewrite(recipe, "master",
            [&](const Value& v) { return is_none(v) ? Value{} : stored(work, v, diagnostics); });
  });
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
    diagnostics
        .error(
            stack->span,
            "stack: the operator-level model is not built yet, so a software stack can't be priced")
        .help("state an efficiency instead: assume: {train.mfu: 40%}");
    std::erase_if(overlay.entries, [](const doc::Entry& e) { return e.key == "stack"; });
  }
  rewrite(overlay, "overlap", [](const Value& v) {
    if (!v.is_scalar()) return v;
    Value all = doc::mapping(v.span);
    Value share = v;
    if (v.text == "none") share.text = "0%";
    if (v.text == "full") share.text = "100%";
    for (const char* key : {"data", "tensor", "context", "expert", "pipeline"})
      doc::set(all, key, share);
    return all;
  });
  const Value* preset = overlay.find("preset");
  const Value name = preset ? *preset : doc::scalar("textbook", said.span);
  const Value* base = work.load(Shelf::kPresets, name.text, name.span, diagnostics);
  if (!base) return doc::faulty();
  Value out = *base;
  std::erase_if(out.entries, [](const doc::Entry& e) { return e.key == "id" || e.key == "name"; });
  doc::merge(out, overlay);
  doc::set(out, "preset", name);
  return out;
}

}  // namespace reckon
