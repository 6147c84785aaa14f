#include "reckon/engine/load.hpp"

#include <fmt/format.h>

#include "overlay.hpp"
#include "reckon/base/edit_distance.hpp"
#include "reckon/engine/legal.hpp"

namespace reckon {
namespace {

using doc::Value;

Value take(Value& mapping, std::string_view key) {
  for (auto e = mapping.entries.begin(); e != mapping.entries.end(); ++e) {
    if (e->key != key) continue;
    Value out = std::move(e->value);
    mapping.entries.erase(e);
    return out;
  }
  return {};
}

std::vector<Expectation> expectations(const Value& list, Diagnostics& diagnostics) {
  std::vector<Expectation> out;
  if (list.is_null()) return out;
  if (!list.is_sequence()) {
    diagnostics.error(list.span, "expect: expected a list of lines")
        .help("write - {id: E03, metric: memory.states, exact: 112 GB}");
    return out;
  }
  Origins unused;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    Expectation& e = out.emplace_back();
    e.span = list.items[i].span;
    bind(list.items[i], e, {diagnostics, unused, fmt::format("expect.{}", i)});
    if (!e.fits.is_null()) {
      e.metric = "fits";
      e.exact = e.fits.text;
    }
    if (e.metric.empty()) diagnostics.error(e.span, "expect: the line names no metric");
    if (e.exact.empty() && e.printed.empty())
      diagnostics.error(e.span, "expect: the line states no value")
          .help("write exact: 112 GB, or printed: 112 GB with within: 1%");
  }
  return out;
}

PlanFile::Case read_case(Value item, Diagnostics& diagnostics) {
  PlanFile::Case c;
  c.span = item.span;
  if (!item.is_mapping()) {
    diagnostics.error(item.span, "cases: expected {name: …, the fields that differ}");
    return c;
  }
  doc::expand_dotted_keys(item, diagnostics, {"expect"});
  const Value name = take(item, "name");
  if (!name.is_scalar()) diagnostics.error(item.span, "cases: a case has no name");
  c.name = name.text;
  c.expect = expectations(take(item, "expect"), diagnostics);
  take(item, "measured");
  c.overlay = std::move(item);
  return c;
}

void place_in(const SourceFile* file, Value& v) {
  v.span.file = file;
  for (Value& item : v.items) place_in(file, item);
  for (doc::Entry& e : v.entries) {
    e.key_span.file = file;
    place_in(file, e.value);
  }
}

// mesh.tensor=8: the value is parsed where it stands in the word, so that a fault points into the whole.
void apply_sets(Workspace& work, Value& tree, const Sets& sets, Diagnostics& diagnostics) {
  for (const auto& [path, text] : sets) {
    const std::size_t before = diagnostics.error_count();
    const SourceFile* word = work.sources().add("--set", path + "=" + text);
    Value value = work.read_text("--set", std::string(path.size() + 1, ' ') + text, diagnostics);
    place_in(word, value);
    if (diagnostics.error_count() > before) continue;
    open_names_along(tree, path);
    doc::set_path(tree, path, std::move(value), diagnostics);
  }
}

// chip:, node: and fabric: at the plan's top override parts of the cluster.
void override_hardware(Workspace& work, Value& tree, Diagnostics& diagnostics) {
  const Value node = take(tree, "node"), chip = take(tree, "chip"), fabric = take(tree, "fabric");
  Value* cluster = tree.find("cluster");
  const auto into = [&](Value* at, const Value& overlay, const char* what, Shelf shelf) {
    if (overlay.is_null() || !at) return;
    if (overlay.is_scalar() || overlay.find("base")) {  // another chip altogether
      Value other = overlay;
      if (shelf == Shelf::kNodes) other = resolve_node(work, overlay, diagnostics);
      if (shelf == Shelf::kChips || shelf == Shelf::kFabrics) {
        const Value* base = overlay.is_scalar() ? &overlay : overlay.find("base");
        const Value* found = work.load(shelf, base->text, base->span, diagnostics);
        if (!found) return;
        other = *found;
        if (overlay.is_mapping()) {
          Value rest = overlay;
          take(rest, "base");
          doc::merge(other, rest);
        }
      }
      *at = std::move(other);
      return;
    }
    if (!overlay.is_mapping()) {
      diagnostics.error(overlay.span,
                        fmt::format("{}: expected a name or the fields that differ", what));
      return;
    }
    doc::merge(*at, overlay);
  };
  Value* at_node = cluster && cluster->is_mapping() ? cluster->find("node") : nullptr;
  into(at_node, node, "node", Shelf::kNodes);
  if (!at_node || !at_node->is_mapping()) return;
  into(at_node->find("chip"), chip, "chip", Shelf::kChips);
  if (!fabric.is_null() && !at_node->find("fabric"))
    doc::set(*at_node, "fabric", doc::mapping(fabric.span));
  into(at_node->find("fabric"), fabric, "fabric", Shelf::kFabrics);
}

// price: {h100-sxm: 2.50 USD/h, as_of: 2026-01}, or a file that says so -> run.price of the plan's chip.
void apply_price(Workspace& work, Value& tree, Diagnostics& diagnostics) {
  Value price = take(tree, "price");
  if (price.is_null()) return;
  if (price.is_scalar() &&
      (price.text.ends_with(".yaml") || price.text.find('/') != std::string::npos)) {
    const auto file =
        work.find(Shelf::kPresets, price.text, price.span.file ? price.span.file->name : "");
    price =
        work.read(file.empty() ? std::filesystem::path(price.text) : file, price.span, diagnostics);
    take(price, "kind");
  }
  if (price.is_null()) return;
  Value run = take(tree, "run");
  if (run.is_null()) run = doc::mapping(price.span);
  if (price.is_scalar()) {  // price: 2.50 USD/h
    doc::set(run, "price", price);
  } else if (price.is_mapping()) {
    const Value* id = tree.at("cluster.node.chip.id");
    const Value* stated = id ? price.find(id->text) : nullptr;
    if (stated) {
      doc::set(run, "price", *stated);
      if (const Value* date = price.find("as_of")) doc::set(run, "as_of", *date);
    } else {
      std::vector<std::string> keys = price.keys();
      diagnostics.warning(price.span, fmt::format("price: no price for the plan's chip '{}'",
                                                  id ? id->text : "unnamed"));
    }
  } else {
    diagnostics.error(price.span, "price: expected 2.50 USD/h or {h100-sxm: 2.50 USD/h}");
  }
  doc::set(tree, "run", std::move(run));
}

// sharding: fsdp | hsdp | ddp | zero-1 … -> {zero, within}
void write_out_sharding(Value& tree, Diagnostics& diagnostics) {
  Value* s = tree.find("sharding");
  if (!s || !s->is_scalar()) return;
  static const std::pair<const char*, std::pair<const char*, const char*>> kWords[] = {
      {"ddp", {"0", "all"}},    {"none", {"0", "all"}},   {"zero-1", {"1", "all"}},
      {"zero-2", {"2", "all"}}, {"zero-3", {"3", "all"}}, {"fsdp", {"3", "all"}},
      {"hsdp", {"3", "node"}}};
  std::vector<std::string> words;
  for (const auto& [word, meaning] : kWords) {
    words.emplace_back(word);
    if (s->text != word) continue;
    Value out = doc::mapping(s->span);
    doc::set(out, "zero", doc::scalar(meaning.first, s->span));
    doc::set(out, "within", doc::scalar(meaning.second, s->span));
    *s = std::move(out);
    return;
  }
  auto& fault = diagnostics.error(s->span, fmt::format("sharding: '{}' is not known", s->text));
  const std::string near = closest(s->text, words);
  fault.help(near.empty()
                 ? "write ddp, zero-1, zero-2, fsdp (= zero-3), hsdp, or {zero: 3, within: node}"
                 : fmt::format("did you mean '{}'?", near));
  *s = doc::faulty();
}

void write_out_trainable(Workspace& work, Value& tree, Diagnostics& diagnostics) {
  Value* t = tree.find("trainable");
  if (!t) return;
  if (t->is_scalar() && t->text == "all") {
    *t = Value{};
    return;
  }
  if (Value* base =
          t->is_mapping() && t->find("adapters") ? t->find("adapters")->find("base") : nullptr;
      base && base->is_scalar()) {
    Value precision = doc::mapping(base->span);
    doc::set(precision, "weights", *base);
    const Value resolved = resolve_precision(work, precision, diagnostics);
    *base = resolved.find("weights") ? *resolved.find("weights") : doc::faulty();
  }
}

// With the plan's own keys on top of presets/defaults.yaml.
Value with_defaults(Workspace& work, Value tree, Diagnostics& diagnostics) {
  const auto file = work.find(Shelf::kPresets, "defaults");
  if (file.empty()) {
    diagnostics.error({}, "the data folder holds no presets/defaults.yaml")
        .help("give the data's place: --data DIR or RECKON_DATA");
    return tree;
  }
  Value out = work.read_data(file, {}, diagnostics);
  take(out, "kind");
  take(out, "source");
  lay_over(out, tree);
  return out;
}

Value resolve_training(Workspace& work, Value tree, Diagnostics& diagnostics) {
  const Span place = tree.span;
  tree = with_defaults(work, std::move(tree), diagnostics);
  tree.span = place;
  const auto rewrite = [&](const char* key, auto resolve) {
    if (Value* at = tree.find(key); at && !at->is_null()) *at = resolve(work, *at, diagnostics);
  };
  rewrite("model", resolve_model);
  rewrite("cluster", resolve_cluster);
  override_hardware(work, tree, diagnostics);
  apply_price(work, tree, diagnostics);
  rewrite("precision", resolve_precision);
  rewrite("optimizer", resolve_optimizer);
  rewrite("assume", resolve_assume);
  write_out_sharding(tree, diagnostics);
  write_out_trainable(work, tree, diagnostics);
  return tree;
}

}  // namespace

PlanFile open_plan(Workspace& work, std::string name, Value tree, const Sets& sets,
                   Diagnostics& diagnostics) {
  PlanFile f;
  f.name = std::move(name);
  if (!tree.is_mapping()) {
    if (!diagnostics.has_errors())
      diagnostics
          .error(tree.span,
                 fmt::format("{}: expected a plan, found {}", f.name, doc::kind_of(tree)))
          .help(
              "`reckon new training --model llama-3-8b --gpus 8xh100-sxm` prints one to start "
              "from");
    return f;
  }
  const Value cases = take(tree, "cases");
  f.expect = expectations(take(tree, "expect"), diagnostics);
  take(tree, "measured");
  doc::expand_dotted_keys(tree, diagnostics);
  const Value kind = take(tree, "kind");
  f.kind = kind.is_scalar() ? kind.text : "";
  if (f.kind.empty()) {
    diagnostics.error(tree.span, "the file states no kind").help("write kind: training");
  } else if (f.kind != "training") {
    auto& fault =
        diagnostics.error(kind.span, fmt::format("kind: '{}' is not a kind of plan", f.kind));
    fault.help("kinds of plan: training");
  }
  apply_sets(work, tree, sets, diagnostics);
  f.tree = std::move(tree);
  if (!cases.is_null() && !cases.is_sequence())
    diagnostics.error(cases.span, "cases: expected a list of {name: …, the fields that differ}");
  for (const Value& item : cases.items) {
    PlanFile::Case& c = f.cases.emplace_back(read_case(item, diagnostics));
    apply_sets(work, c.overlay, sets, diagnostics);
  }
  return f;
}

Value case_tree(const PlanFile& file, const PlanFile::Case* which) {
  Value tree = file.tree;
  if (which) lay_over(tree, which->overlay);
  return tree;
}

LoadedTraining load_training(Workspace& work, Value tree, Diagnostics& diagnostics) {
  LoadedTraining out;
  const std::size_t before = diagnostics.error_count();
  out.resolved = resolve_training(work, std::move(tree), diagnostics);
  bind(out.resolved, out.plan, {diagnostics, out.origins});
  if (diagnostics.error_count() == before)
    check_legal(out.plan, out.origins, out.resolved, diagnostics);
  return out;
}

}  // namespace reckon
