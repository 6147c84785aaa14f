#include "build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "layers.hpp"
#include "reckon/base/edit_distance.hpp"
#include "reckon/base/text.hpp"
#include "reckon/base/utf8.hpp"
#include "reckon/doc/describe.hpp"
#include "reckon/spec/compiled_once.hpp"
#include "reckon/spec/model.hpp"
#include "reckon/units/format.hpp"

namespace reckon::importing {
namespace {

using Kind = Description::Kind;
using doc::Value;

constexpr double kMostCount = 16777216;        // 2^24, as files of models/ are held to
constexpr double kMostLength = 1099511627776;  // 2^40

const std::vector<Description>& mixer_fields() {
  static const std::vector<Description> all = describe<Mixer<double>>().parts;
  return all;
}
const std::vector<Description>& mlp_fields() {
  static const std::vector<Description> all = describe<Mlp<double>>().parts;
  return all;
}
const std::vector<Description>& model_parts() {
  static const std::vector<Description> all = describe<Model<double>>().parts;
  return all;
}
const std::vector<Description>& vision_fields() {
  static const std::vector<Description> all = describe<VisionTower<double>>().parts;
  return all;
}
const std::vector<Description>& mtp_fields() {
  static const std::vector<Description> all = describe<Mtp<double>>().parts;
  return all;
}

const Description* field_called(const std::vector<Description>& fields, std::string_view key) {
  for (const Description& d : fields)
    if (d.key == key) return &d;
  return nullptr;
}

// What a field may hold, in words.
std::string form(const Description& d) {
  if (d.kind == Kind::kFlag) return "true or false";
  if (d.kind == Kind::kWord) return "one of " + join(d.words, ", ");
  if (d.kind == Kind::kText) return "a text";
  return fmt::format("a whole number of at least {}", d.limit == Limit::kAtLeastOne ? 1 : 0);
}

std::string shown(const Found& f) {
  switch (f.kind) {
    case Found::Kind::kNumber:
    case Found::Kind::kYesNo:
      return f.kind == Found::Kind::kYesNo ? (f.number != 0 ? "true" : "false") : written(f);
    case Found::Kind::kWord:
      return fmt::format("the text \"{}\"", shortened(f.word));
    case Found::Kind::kTree:
      return "a " + doc::kind_of(*f.tree);
    default:
      return "nothing";
  }
}

// Why what was found is nothing for the field; empty if it is.
std::string unfit(const Description& d, const Found& f) {
  if (d.kind == Kind::kFlag)
    return f.kind == Found::Kind::kYesNo ? "" : "expected true or false, found " + shown(f);
  if (d.kind == Kind::kWord) {
    const bool known = f.kind == Found::Kind::kWord &&
                       std::find(d.words.begin(), d.words.end(), f.word) != d.words.end();
    return known ? "" : fmt::format("expected {}, found {}", form(d), shown(f));
  }
  if (d.kind == Kind::kText)
    return f.kind == Found::Kind::kWord ? "" : "expected a text, found " + shown(f);
  const double least = d.limit == Limit::kAtLeastOne ? 1 : 0;
  if (!f.is_number() || f.number != std::floor(f.number) || f.number < least)
    return fmt::format("expected {}, found {}", form(d), shown(f));
  const double most = d.hint == Hint::kCount ? kMostCount : kMostLength;
  if (f.number > most)
    return fmt::format("expected a whole number of at most {}, found {}", grouped(most), shown(f));
  return "";
}

Value none_part() {
  Value out = doc::mapping();
  doc::set(out, "kind", doc::scalar("none"));
  return out;
}

}  // namespace

Builder::Builder(const Record& record, const Config& config, bool assumed, Diagnostics& diagnostics)
    : record_(record),
      config_(config),
      assumed_(assumed),
      diagnostics_(diagnostics),
      eval_(config, record.spec.values) {}

bool Builder::run() {
  const std::size_t before = diagnostics_.error_count();
  requirements();
  model_fields();
  read_layers();
  if (diagnostics_.error_count() > before) return false;
  mtp();
  vision();
  return diagnostics_.error_count() == before;
}

void Builder::fact(std::string field, const Found& f) {
  const bool supplied = f.from == From::kDefault && assumed_;
  const From from = supplied ? From::kAssumed : f.from;
  facts.push_back({std::move(field), written(f),
                   std::string(kFromWords[static_cast<std::size_t>(from)]), f.how,
                   f.from == From::kDefault ? "" : place_of(f.span)});
}

void Builder::requirements() {
  for (const Requirement& r : record_.spec.require) {
    const Found f = eval_.evaluate(r.that);
    if (f.absent() || (!f.fault() && f.is_yes())) continue;
    diagnostics_.error(place(f), f.fault() ? f.word : r.why)
        .help(f.fault() ? ""
                        : fmt::format("{} is written for configs where {}", record_.file, r.that));
  }
}

void Builder::missing(const Description& field, const std::string& expression,
                      const std::string& path) {
  std::set<std::string> words, keys;
  words_of(expression, words);
  for (int i = 0; i < 8; ++i) {  // names stand for names
    std::set<std::string> next;
    for (const std::string& w : words) {
      const Value* meant = record_.spec.values.is_mapping() ? record_.spec.values.find(w) : nullptr;
      if (meant && meant->is_scalar())
        words_of(meant->text, next);
      else
        keys.insert(w);
    }
    words = std::move(next);
  }
  for (const char* sign : {"or", "if", "else", "yes", "no", "none"}) keys.erase(sign);
  std::erase_if(keys, [&](const std::string& k) { return config_.find(k) != nullptr; });
  const bool said = std::any_of(keys.begin(), keys.end(),
                                [&](const std::string& k) { return missing_.contains(k); });
  if (said) return;
  missing_.insert(keys.begin(), keys.end());
  const std::vector<std::string> present = config_.part->keys();
  std::string near;
  for (const std::string& k : keys)
    if (near.empty()) near = closest(k, present);
  auto& fault = diagnostics_.error(
      config_.part->span, fmt::format("the config states no {} ({}), which the architecture needs",
                                      join({keys.begin(), keys.end()}, " or "), path));
  if (!near.empty())
    fault.help(fmt::format("it has '{}'", near));
  else
    fault.help(fmt::format("expected: {}", form(field)));
}

// A value that several fields go back to is one fault.
bool Builder::is_new(const Span& at) { return !at || faulty_.insert({at.line, at.column}).second; }

bool Builder::set_field(Value& out, const Description& field, const std::string& expression,
                        Span record, const std::string& path, const Evaluator& eval) {
  const Found f = eval.evaluate(expression, field.words);
  if (f.fault()) {
    if (is_new(f.span)) diagnostics_.error(f.span ? f.span : record, f.word).help(f.help);
    return false;
  }
  if (f.absent()) {
    missing(field, expression, path);
    return false;
  }
  const bool left_out =
      f.kind == Found::Kind::kWord && f.word == "none" && field.kind != Kind::kWord;
  if (left_out) return true;
  if (const std::string why = unfit(field, f); !why.empty()) {
    if (!is_new(f.span)) return false;
    diagnostics_.error(f.span ? f.span : record,
                       fmt::format("{}: {}", f.how.empty() ? path : f.how, why));
    return false;
  }
  doc::set(out, std::string(field.key), doc::scalar(written(f), f.span ? f.span : record));
  fact(path, f);
  return true;
}

void Builder::set_fields(Value& out, const Value& said, const std::vector<Description>& fields,
                         const std::string& path, const Evaluator& eval) {
  for (const doc::Entry& e : said.entries) {
    const Description* field = field_called(fields, e.key);
    if (!field || !e.value.is_scalar()) {
      diagnostics_.error(e.key_span,
                         fmt::format("{}: no field '{}' with an expression", path, e.key));
      continue;
    }
    set_field(out, *field, e.value.text, e.value.span, path.empty() ? e.key : path + "." + e.key,
              eval);
  }
}

void Builder::model_fields() { set_fields(model, record_.spec.model, model_parts(), "", eval_); }

// A part with what it takes from others by `like`.
Value Builder::opened(const Value& all, const std::string& name, int depth) {
  const Value* at = all.is_mapping() ? all.find(name) : nullptr;
  if (!at || !at->is_mapping() || depth > 8) {
    diagnostics_.error(all.span,
                       fmt::format("{}: the record has no part called '{}'", record_.file, name));
    return doc::faulty();
  }
  const Value* like = at->find("like");
  if (!like) return *at;
  Value out = opened(all, like->text, depth + 1);
  if (!out.is_mapping()) return out;
  Value rest = *at;
  doc::take(rest, "like");
  doc::merge(out, rest);
  return out;
}

Value Builder::make_part(const std::string& kind, const std::string& name) {
  if (name == "none") return none_part();
  const bool mixer = kind == "mixers";
  Value said = opened(mixer ? record_.spec.mixers : record_.spec.mlps, name, 0);
  Value out = doc::mapping(said.span);
  if (!said.is_mapping()) return out;
  const Value part_kind = doc::take(said, "kind");
  doc::set(out, "kind", doc::scalar(part_kind.text, part_kind.span));
  set_fields(out, said, mixer ? mixer_fields() : mlp_fields(),
             fmt::format("{} {}", mixer ? "mixer" : "mlp", name), eval_);
  return out;
}

const Value& Builder::part(const std::string& kind, const std::string& name) {
  const std::string key = kind + "." + name;
  const auto at = parts_.find(key);
  if (at != parts_.end()) return at->second;
  return parts_.emplace(key, make_part(kind, name)).first->second;
}

void Builder::read_layers() {
  static const Description field = [] {
    Description d;
    d.key = "layers";
    d.kind = Kind::kQuantity;
    d.hint = Hint::kLength;
    d.limit = Limit::kAtLeastOne;
    return d;
  }();
  Value count = doc::mapping();
  if (!set_field(count, field, record_.spec.layers.count, config_.part->span, "layers", eval_))
    return;
  const double layers_said = std::strtod(count.find("layers")->text.c_str(), nullptr);
  if (layers_said > kMostLayers) {
    diagnostics_.error(count.find("layers")->span,
                       fmt::format("{} layers are more than the {} that are taken for a model",
                                   grouped(layers_said), grouped(kMostLayers)));
    return;
  }
  const auto n = static_cast<std::size_t>(layers_said);
  const LayerRules& rules = record_.spec.layers;
  const LayerKinds mixers =
      layer_kinds(rules.mixer, "mixer", n, eval_, config_.part->span, diagnostics_);
  const LayerKinds mlps = layer_kinds(rules.mlp, "mlp", n, eval_, config_.part->span, diagnostics_);
  if (mixers.names.size() != n || mlps.names.size() != n) return;
  for (const auto& [what, kinds] : {std::pair{"mixers", &mixers}, std::pair{"mlps", &mlps}}) {
    Found f;
    f.kind = Found::Kind::kWord;
    f.from = kinds->from;
    f.span = kinds->span;
    f.how = kinds->rule;
    std::vector<std::pair<std::string, int>> runs;
    for (const std::string& name : kinds->names) {
      const auto at =
          std::find_if(runs.begin(), runs.end(), [&](const auto& r) { return r.first == name; });
      if (at == runs.end())
        runs.emplace_back(name, 1);
      else
        ++at->second;
    }
    for (const auto& [name, times] : runs)
      f.word += fmt::format("{}{} × {}", f.word.empty() ? "" : ", ", times, name);
    fact(fmt::format("layers: {}", what), f);
  }
  for (std::size_t i = 0; i < n; ++i) {
    layers.push_back({mixers.names[i], mlps.names[i]});
    part("mixers", mixers.names[i]);
    part("mlps", mlps.names[i]);
  }
}

void Builder::mtp() {
  const Value& said = record_.spec.mtp;
  if (!said.is_mapping()) return;
  const Value* modules = said.find("modules");
  if (!modules) return;
  const Found f = eval_.evaluate(modules->text);
  if (f.absent() || (f.is_number() && f.number == 0)) return;
  if (f.fault() || !f.is_number() || f.number < 0 || f.number > 100 ||
      f.number != std::floor(f.number)) {
    diagnostics_.error(place(f), f.fault() ? f.word
                                           : fmt::format("{}: expected a whole number of modules, "
                                                         "found {}",
                                                         f.how, shown(f)));
    return;
  }
  Value out = doc::mapping(f.span);
  Value rest = said;
  const Value mixer = doc::take(rest, "mixer"), mlp = doc::take(rest, "mlp");
  doc::set(out, "mixer", part("mixers", mixer.text));
  doc::set(out, "mlp", part("mlps", mlp.text));
  set_fields(out, rest, mtp_fields(), "mtp", eval_);
  doc::set(model, "mtp", std::move(out));
  has_mtp = true;
}

void Builder::vision() {
  const std::string& inside = record_.spec.vision_inside;
  const Value* keys = inside.empty() ? nullptr : stated(*config_.top, inside);
  if (!keys || !keys->is_mapping() || !record_.spec.vision.is_mapping()) return;
  const Config part{config_.top, keys, {}};
  const Evaluator eval = eval_.over(part);
  Value out = doc::mapping(keys->span);
  set_fields(out, record_.spec.vision, vision_fields(), "vision", eval);
  Value projector = doc::sequence(keys->span);
  const Description* field = field_called(vision_fields(), "projector");
  for (const std::string& expression : record_.spec.projector) {
    Value one = doc::mapping();
    if (set_field(
            one,
            [&] {
              Description d = field->parts.at(0);
              d.key = "elements";
              d.hint = Hint::kParams;
              return d;
            }(),
            expression, keys->span, "vision.projector", eval))
      projector.items.push_back(*one.find("elements"));
  }
  if (!projector.items.empty()) doc::set(out, "projector", std::move(projector));
  doc::set(model, "vision", std::move(out));
  has_vision = true;
}

}  // namespace reckon::importing
