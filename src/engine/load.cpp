#include "reckon/engine/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "assumed.hpp"
#include "overlay.hpp"
#include "parts.hpp"
#include "reckon/base/edit_distance.hpp"
#include "reckon/base/text.hpp"
#include "reckon/engine/evaluate.hpp"
#include "reckon/engine/field_at.hpp"
#include "reckon/engine/kinds.hpp"
#include "reckon/engine/legal.hpp"
#include "reckon/spec/compiled_once.hpp"
#include "resolve_stack.hpp"
#include "write_out_policy.hpp"

namespace reckon {
namespace {

using doc::Value;

using doc::take;

// What the fields of a line mean together.
void complete_line(const Value& line, Expectation& e, Diagnostics& diagnostics) {
  const auto place = [&](const char* key) {
    const Value* at = line.find(key);
    return at && at->span ? at->span : e.span;
  };
  if (!e.fits.is_null()) {
    if (!e.metric.empty() || e.states_value()) {
      diagnostics.error(place("fits"), "expect: fits is a line of its own")
          .help("write - {fits: yes}, and a second line for the metric");
      return;
    }
    e.metric = "fits";
    e.exact = e.fits.text;
  }
  e.exact_span = place(line.find("fits") ? "fits" : "exact");
  e.printed_span = place("printed");
  e.at_most_span = place("at_most");
  e.at_least_span = place("at_least");
  if (e.metric.empty()) diagnostics.error(e.span, "expect: the line names no metric");
  if (!e.states_value())
    diagnostics.error(e.span, "expect: the line states no value")
        .help(
            "write exact: 112 GB, printed: 112 GB (with within: 1% if need be), at_most: 80 GB or "
            "at_least: 5 GB");
  else if (e.within && e.printed.empty())
    diagnostics
        .error(place("within"), "expect: within belongs to printed, and exact is held to 1e-5")
        .help("write printed: 112 GB, within: 1%");
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
    if (list.items[i].is_null()) {
      diagnostics.error(e.span ? e.span : list.span, "expect: an empty line");
      continue;
    }
    const std::size_t before = diagnostics.error_count();
    bind(list.items[i], e, {diagnostics, unused, fmt::format("expect.{}", i)});
    if (diagnostics.error_count() == before) complete_line(list.items[i], e, diagnostics);
  }
  return out;
}

// A case is asked for by its name, and `all` asks for all of them.
void check_name(const PlanFile& file, const std::string& name, Span at, Diagnostics& diagnostics) {
  if (name.empty()) {
    diagnostics.error(at, "cases: a case needs a name").help("write - {name: no recompute, …}");
  } else if (name == "all") {
    diagnostics.error(at, "cases: --case all means all cases, so no case can be called 'all'");
  }
  for (const PlanFile::Case& other : file.cases) {
    if (other.name != name || name.empty()) continue;
    diagnostics.error(at, fmt::format("cases: two are called '{}'", name))
        .note(other.span, "the first one");
    return;
  }
}

PlanFile::Case read_case(Value item, const PlanFile& file, Diagnostics& diagnostics) {
  PlanFile::Case c;
  c.span = item.span;
  if (!item.is_mapping()) {
    diagnostics.error(item.span, "cases: expected {name: …, the fields that differ}");
    return c;
  }
  doc::expand_dotted_keys(item, diagnostics, {"expect", "measured"});
  const Value name = take(item, "name");
  if (name.is_scalar()) c.name = name.text;
  check_name(file, c.name, name.is_scalar() ? name.span : item.span, diagnostics);
  c.expect = expectations(take(item, "expect"), diagnostics);
  c.measured = take(item, "measured");
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

constexpr std::string_view kNotOfAPlan[] = {"kind", "cases", "expect", "measured"};

// mesh.tensor=8: the value is parsed where it stands in the word, so that a fault points into the whole.
void read_sets(Workspace& work, PlanFile& file, const Sets& sets, Diagnostics& diagnostics) {
  for (const auto& [path, text] : sets) {
    const std::size_t before = diagnostics.error_count();
    const SourceFile* word = work.sources().add("--set", path + "=" + text);
    const Span all{word, 1, 1, static_cast<int>(path.size() + 1 + text.size())};
    const std::string outermost = path.substr(0, path.find('.'));
    if (std::find(std::begin(kNotOfAPlan), std::end(kNotOfAPlan), outermost) !=
        std::end(kNotOfAPlan)) {
      diagnostics
          .error(all, fmt::format("--set changes fields of the plan, and {} is none", outermost))
          .help(fmt::format("change {} in the file", outermost));
      continue;
    }
    const auto before_it = std::find_if(
        file.sets.begin(), file.sets.end(),
        [&what = std::as_const(path)](const auto& s) { return is_within(s.first, what); });
    if (before_it != file.sets.end()) {
      diagnostics
          .error(all, before_it->first == path
                          ? fmt::format("--set {}: set twice", path)
                          : fmt::format("--set {}: --set {} before it would count for nothing",
                                        path, before_it->first))
          .note(before_it->second.span, "the first time")
          .help(before_it->first == path ? "leave one of them out"
                                         : "set the whole first, then what differs");
      continue;
    }
    Value value = doc::parse_yaml(
        work.sources().add("--set", std::string(path.size() + 1, ' ') + text), diagnostics);
    place_in(word, value);
    if (diagnostics.error_count() > before) continue;
    if (value.is_null()) {
      diagnostics.error(all, fmt::format("--set {}: no value after the '='", path))
          .help("write --set mesh.tensor=8");
      continue;
    }
    doc::expand_dotted_keys(value, diagnostics);
    file.sets.emplace_back(path, std::move(value));
  }
}

bool is_price(const Value& v) {
  const auto parsed = parse_quantity(v.text, detail::dim_of(Price<double>{}), Hint::kUsdPerHour);
  return std::holds_alternative<double>(parsed);
}

// Every line of {h100-sxm: 2.50 USD/h, as_of: 2026-01} but the date and the source is a price.
void check_prices(const Value& prices, Diagnostics& diagnostics) {
  Origins unused;
  for (const doc::Entry& e : prices.entries) {
    if (e.key == "as_of" || e.key == "source" || e.key == "name") continue;
    double price = 0;
    detail::read_number(e.value, detail::dim_of(Price<double>{}),
                        Field(e.key, "", "").hint(Hint::kUsdPerHour),
                        {diagnostics, unused, "price"}, price);
  }
}

void no_price(const Value& prices, const std::string& chip, Diagnostics& diagnostics) {
  std::vector<std::string> keys;
  for (const std::string& key : prices.keys())
    if (key != "as_of" && key != "source" && key != "name") keys.push_back(key);
  auto& warning = diagnostics.warning(
      prices.span, fmt::format("price: no price for the plan's chip '{}'", chip));
  const bool shorter = std::any_of(keys.begin(), keys.end(),
                                   [&](const std::string& k) { return chip.starts_with(k + "-"); });
  if (shorter || !closest(chip, keys).empty())
    warning.help(fmt::format("did you mean '{}'?", chip));
  else if (!keys.empty())
    warning.help(fmt::format("prices are stated for {}", join(keys, ", ")));
}

Value price_file(Workspace& work, const Value& said, Diagnostics& diagnostics) {
  const auto file =
      work.find(Shelf::kPresets, said.text, said.span.file ? said.span.file->name : "");
  Value prices =
      work.read(file.empty() ? std::filesystem::path(said.text) : file, said.span, diagnostics);
  take(prices, "kind");
  return prices;
}

// price: {h100-sxm: 2.50 USD/h, as_of: 2026-01}, or a file that says so -> run.price of the plan's chip.
void apply_price(Workspace& work, Value& tree, Diagnostics& diagnostics) {
  Value price = take(tree, "price");
  if (price.is_null()) return;
  if (price.is_scalar() && !is_price(price) &&
      (price.text.ends_with(".yaml") || price.text.find('/') != std::string::npos))
    price = price_file(work, price, diagnostics);
  if (price.is_null()) return;
  Value run = take(tree, "run");
  if (run.is_null()) run = doc::mapping(price.span);
  const Value* again = run.find("price");
  if (again && !again->is_null()) {
    diagnostics.error(price.span, "the price is stated twice: price, and run.price")
        .note(again->span, "run.price is stated here")
        .help("leave one of them out");
  } else if (price.is_scalar()) {  // price: 2.50 USD/h
    doc::set(run, "price", price);
  } else if (price.is_mapping()) {
    check_prices(price, diagnostics);
    const Value* id = tree.at("cluster.node.chip.id");
    const Value* stated = id ? price.find(id->text) : nullptr;
    if (stated && !stated->is_null()) {
      doc::set(run, "price", *stated);
      if (const Value* date = price.find("as_of")) doc::set(run, "as_of", *date);
    } else if (id || tree.at("cluster.node.chip")) {  // else the cluster has a fault of its own
      no_price(price, id ? id->text : "unnamed", diagnostics);
    }
  } else {
    diagnostics.error(price.span, "price: expected 2.50 USD/h or {h100-sxm: 2.50 USD/h}");
  }
  doc::set(tree, "run", std::move(run));
}

// schedule: dualpipe, as people say it: its kind, beside which chunks and the like stand.
void refuse_schedule_word(Value& tree, Diagnostics& diagnostics) {
  Value* s = tree.find("schedule");
  if (!s || !s->is_scalar() || s->text.empty() || s->faulty) return;
  const auto known = names(ScheduleKind{});
  const std::vector<std::string> words(known.begin(), known.end());
  const std::string near = closest(s->text, words);
  diagnostics.error(s->span, fmt::format("schedule: expected a mapping, found '{}'", s->text))
      .help(near.empty() ? "write schedule: {kind: …}, one of " + join(words, ", ")
                         : fmt::format("write schedule: {{kind: {}}}", near));
  *s = doc::faulty();
}

// sharding: fsdp | hsdp | ddp | zero-1 … -> {zero, within}
void write_out_sharding(Value& tree, Diagnostics& diagnostics) {
  Value* s = tree.find("sharding");
  if (!s || !s->is_scalar()) return;
  if (Value out = sharding_of(*s); !out.is_null()) {
    *s = std::move(out);
    return;
  }
  static const std::vector<std::string> kWords{"ddp",    "none", "zero-1", "zero-2",
                                               "zero-3", "fsdp", "hsdp"};
  auto& fault = diagnostics.error(s->span, fmt::format("sharding: '{}' is not known", s->text));
  const std::string near = closest(s->text, kWords);
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
    const Value resolved = resolve_recipe(work, precision, diagnostics);
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
  const Value* stack = tree.find("stack");
  const bool stacked = stack && !stack->is_null();
  const Value with_stack = take(out, "assume_with_stack");
  if (stacked && !with_stack.is_null()) doc::set(out, "assume", with_stack);
  const Value preset = out.find("assume") ? *out.find("assume") : Value{};
  lay_over(out, tree);
  // What a plan states of its conventions is laid onto a preset; where it names none, onto the usual one.
  if (Value* a = out.find("assume"); a && a->is_mapping() && preset.is_scalar())
    if (const Value* named = a->find("preset"); !named || named->is_null())
      doc::set(*a, "preset", preset);
  return out;
}

// Keys that a plan can have and that are no fields once it is resolved.
constexpr std::string_view kBesideFields[] = {"kind",  "cases", "expect", "measured",
                                              "price", "chip",  "node",   "fabric"};

// An unknown key near one of those, or near none at all; binding reports the rest.
void report_unknown(Value& tree, Diagnostics& diagnostics) {
  std::vector<std::string> fields;
  const TrainingPlan<double> plan;
  TrainingPlan<double>::fields([&](const Field& f, const auto&) { fields.emplace_back(f.name); },
                               plan);
  std::vector<std::string> all = fields;
  all.insert(all.end(), std::begin(kBesideFields), std::end(kBesideFields));
  Origins unused;
  std::erase_if(tree.entries, [&](const doc::Entry& e) {
    const auto is_in = [](const auto& words, const std::string& word) {
      return std::find(std::begin(words), std::end(words), word) != std::end(words);
    };
    if (is_in(all, e.key)) return false;
    const std::string near = closest(e.key, all);
    if (is_in(fields, near)) return false;
    detail::unknown_key(e, all, {diagnostics, unused});
    return true;
  });
}

Value resolve_training(Workspace& work, Value tree, Diagnostics& diagnostics) {
  report_unknown(tree, diagnostics);
  const Span place = tree.span;
  tree = with_defaults(work, std::move(tree), diagnostics);
  tree.span = place;
  const auto rewrite = [&](const char* key, auto resolve) {
    if (Value* at = tree.find(key); at && !at->is_null()) *at = resolve(work, *at, diagnostics);
  };
  rewrite("model", resolve_model);
  resolve_hardware(work, tree, diagnostics);
  apply_price(work, tree, diagnostics);
  rewrite("precision", resolve_precision);
  rewrite("optimizer", resolve_optimizer);
  if (Value* stack = tree.find("stack"); stack && !stack->is_null()) {
    // What a plan can't have of it is a fault of the plan, not of the stack's file.
    const Span named = stack->span;
    *stack = resolve_stack(work, *stack, tree.at("cluster.node.chip"), diagnostics);
    if (named && stack->is_mapping()) stack->span = named;
  }
  const Value said = tree.find("assume") ? *tree.find("assume") : Value{};
  rewrite("assume", resolve_assume);
  if (const Value* stack = tree.find("stack"); stack && stack->is_mapping() && tree.find("assume"))
    lay_memory(*tree.find("assume"), *stack, &said, diagnostics);
  rewrite("law", resolve_law);
  rewrite("batch_law", resolve_law);
  write_out_sharding(tree, diagnostics);
  refuse_schedule_word(tree, diagnostics);
  write_out_recompute(tree, diagnostics);
  write_out_offload(tree, diagnostics);
  write_out_trainable(work, tree, diagnostics);
  return tree;
}

void unknown_kind(const std::string& word, Span at, Diagnostics& diagnostics) {
  if (word == "space") {
    diagnostics.error(at, "a space of plans is no plan itself")
        .help("`reckon search FILE` ranks the plans in it; --as-plan prints the best one");
    return;
  }
  std::vector<std::string> known;
  for (const PlanKind* kind : plan_kinds()) known.emplace_back(kind->word());
  const std::string near = closest(word, known);
  diagnostics.error(at, fmt::format("kind: '{}' is not a kind of plan", word))
      .help(near.empty() ? fmt::format("kinds of plan: {}", join(known, ", "))
                         : fmt::format("did you mean '{}'?", near));
}

}  // namespace

PlanFile open_plan(Workspace& work, std::string name, Value tree, const Sets& sets,
                   Diagnostics& diagnostics) {
  PlanFile f;
  f.name = std::move(name);
  if (!tree.is_mapping()) {
    if (!tree.faulty)
      diagnostics.error(tree.span, fmt::format("expected a plan, found {}", doc::kind_of(tree)))
          .help(
              "`reckon new training --model llama-3-8b --gpus 8xh100-sxm` prints one to start "
              "from");
    return f;
  }
  const Value cases = take(tree, "cases");
  f.expect = expectations(take(tree, "expect"), diagnostics);
  f.measured = take(tree, "measured");
  doc::expand_dotted_keys(tree, diagnostics);
  const Value kind = take(tree, "kind");
  f.kind = kind.is_scalar() ? kind.text : "";
  if (f.kind.empty()) {
    diagnostics.error(tree.span, "the file states no kind").help("write kind: training");
  } else if (!plan_kind(f.kind)) {
    unknown_kind(f.kind, kind.span, diagnostics);
  }
  read_sets(work, f, sets, diagnostics);
  f.tree = std::move(tree);
  if (!cases.is_null() && !cases.is_sequence())
    diagnostics.error(cases.span, "cases: expected a list of {name: …, the fields that differ}");
  for (const Value& item : cases.items) f.cases.push_back(read_case(item, f, diagnostics));
  return f;
}

Value case_tree(const PlanFile& file, const PlanFile::Case* which, Diagnostics& diagnostics) {
  Value tree = file.tree;
  if (which) lay_over(tree, which->overlay);
  for (const auto& [path, value] : file.sets) {
    open_names_along(tree, path);
    doc::set_path(tree, path, value, diagnostics);
  }
  return tree;
}

LoadedTraining load_training(Workspace& work, Value tree, Diagnostics& diagnostics) {
  LoadedTraining out;
  const std::size_t before = diagnostics.error_count();
  out.resolved = resolve_training(work, std::move(tree), diagnostics);
  bind(out.resolved, out.plan, {diagnostics, out.origins});
  if (diagnostics.error_count() == before)
    check_legal(out.plan, out.origins, out.resolved, diagnostics);
  if (diagnostics.error_count() == before)
    refuse_idle_assumptions(out, out.plan.assume, training_assumptions(out.plan), "training",
                            diagnostics);
  return out;
}

}  // namespace reckon
