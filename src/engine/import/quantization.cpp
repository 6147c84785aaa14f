#include "quantization.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "module_pattern.hpp"
#include "reckon/base/text.hpp"
#include "reckon/base/utf8.hpp"

namespace reckon::importing {
namespace {

using doc::Value;

// Equal as what they say: [128, 128] of JSON and of YAML.
bool says_same(const Value& a, const Value& b) {
  if (a.is_scalar() && b.is_scalar())
    return a.text == b.text || (a.text == "yes" && b.text == "true") ||
           (a.text == "no" && b.text == "false");
  if (a.kind != b.kind || a.items.size() != b.items.size()) return false;
  for (std::size_t i = 0; i < a.items.size(); ++i)
    if (!says_same(a.items[i], b.items[i])) return false;
  return true;
}

bool fits(const QuantizationRule& rule, const std::string& method, const Value& said) {
  if (rule.method != method) return false;
  if (!rule.where.is_mapping()) return true;
  return std::all_of(rule.where.entries.begin(), rule.where.entries.end(),
                     [&](const doc::Entry& e) {
                       const Value* at = stated(said, e.key);
                       if (e.value.is_scalar() && e.value.text == "none") return !at;
                       return at && says_same(e.value, *at);
                     });
}

std::string text_of(const Value& said, std::string_view key) {
  const Value* at = stated(said, key);
  return at && at->is_scalar() ? at->text : "";
}

// Modules are called by their class and the layer they are in.
struct Module {
  std::string name, class_name;
};

class Reader {
 public:
  Reader(const Record& record, const QuantizationRules& rules, const LayerClasses& layers,
         Diagnostics& d)
      : record_(record), rules_(rules), classes_(layers), d_(d) {}

  std::optional<Quantization> run(const Value& said, const std::string& method) {
    const std::size_t before = d_.error_count();
    out_.span = said.span;
    out_.how = fmt::format("{} ({})", method, place_of(said.span));
    out_.layers.resize(classes_.size());
    if (method == "compressed-tensors")
      groups(said);
    else if (const QuantizationRule* rule = rule_for(method, said, said.span))
      apply(*rule, {});
    if (d_.error_count() == before) leave_out(said);
    if (d_.error_count() > before) return std::nullopt;
    if (const std::string kv = text_of(said, "kv_cache_quant_algo"); !kv.empty())
      out_.notes.push_back(fmt::format("the cache is meant to be kept in {}", shortened(kv)));
    return std::move(out_);
  }

 private:
  const QuantizationRule* rule_for(const std::string& method, const Value& said, Span at) {
    for (const QuantizationRule& rule : rules_.rules)
      if (fits(rule, method, said)) return &rule;
    std::set<std::string> known;
    for (const QuantizationRule& rule : rules_.rules) known.insert(rule.method);
    const bool is_known = known.contains(method);
    auto& fault = d_.error(
        at, is_known
                ? fmt::format("quantization '{}' with these settings has no format here", method)
                : fmt::format("quantization '{}' is not known", shortened(method)));
    if (is_known) {
      std::vector<std::string> forms;
      for (const QuantizationRule& rule : rules_.rules)
        if (rule.method == method && rule.where.is_mapping()) forms.push_back(wheres(rule.where));
      fault.help(fmt::format("known: {}", join(forms, "; ")));
    } else {
      fault.help(fmt::format("known: {}; presets/quantization.yaml holds the rules",
                             join({known.begin(), known.end()}, ", ")));
    }
    return nullptr;
  }

  static std::string wheres(const Value& where) {
    std::vector<std::string> out;
    for (const doc::Entry& e : where.entries) {
      std::string value = e.value.text;
      if (e.value.is_sequence()) {
        std::vector<std::string> items;
        for (const Value& i : e.value.items) items.push_back(i.text);
        value = "[" + join(items, ", ") + "]";
      }
      out.push_back(e.key + " " + value);
    }
    return join(out, ", ");
  }

  // Names of the modules of one class in one layer.
  std::vector<std::string> modules(const std::string& class_name, std::size_t layer) const {
    std::vector<std::string> out;
    const Value* list =
        record_.spec.modules.is_mapping() ? record_.spec.modules.find(class_name) : nullptr;
    if (!list) return out;
    for (const Value& item : list->items) {
      std::string name = item.text;
      for (const auto& [mark, number] : {std::pair{std::string("{layer}"), std::to_string(layer)},
                                         std::pair{std::string("{expert}"), std::string("0")}})
        if (const std::size_t at = name.find(mark); at != std::string::npos)
          name.replace(at, mark.size(), number);
      out.push_back(std::move(name));
    }
    return out;
  }

  // Sets the format of classes whose modules `patterns` name; of all, where there are none.
  void apply(const QuantizationRule& rule, const std::vector<ModulePattern>& patterns) {
    const std::vector<std::string>& among = rule.classes.empty() ? rules_.classes : rule.classes;
    for (std::size_t i = 0; i < classes_.size(); ++i)
      for (const std::string& c : classes_[i]) {
        if (std::find(among.begin(), among.end(), c) == among.end()) continue;
        if (patterns.empty() || covered(c, i, patterns, out_.span)) out_.layers[i][c] = rule.format;
      }
  }

  // Whether the patterns name all modules of a class in a layer. Some but not all is a fault.
  bool covered(const std::string& c, std::size_t layer, const std::vector<ModulePattern>& patterns,
               Span at) {
    const std::vector<std::string> names = modules(c, layer);
    std::string in, outside;
    for (const std::string& name : names) {
      bool hit = false;
      for (std::size_t p = 0; p < patterns.size(); ++p) {
        if (!patterns[p].matches(name)) continue;
        hit = true;
        if (p < used_.size()) used_[p] = true;
      }
      (hit ? in : outside) = name;
    }
    if (in.empty()) return false;
    if (outside.empty()) return true;
    if (!split_said_)
      d_.error(at,
               fmt::format("layer {}: {} is quantized and {} is not, and formats go by class of "
                           "tensor ('{}')",
                           layer, outside, in, c))
          .help(
              "state the formats in a model file of your own: `reckon import` without the "
              "quantization, then files: formats:");
    split_said_ = true;
    return false;
  }

  // `targets` of a group: a kind of module (Linear) or patterns.
  bool patterns_of(const Value& list, std::vector<ModulePattern>& out) {
    for (const Value& item : list.items) {
      if (!item.is_scalar()) {
        d_.error(item.span, "expected the name or pattern of a module");
        return false;
      }
      std::string text = item.text;
      for (const std::string& prefix : rules_.prefixes)
        if (text.starts_with(prefix)) {
          text.erase(0, prefix.size());
          break;
        }
      out.emplace_back(std::move(text));
      if (out.back().good()) continue;
      d_.error(item.span, fmt::format("'{}' is no pattern that can be read", shortened(item.text)))
          .help(
              "alternatives, groups, classes, . * + ? are; look-around, counts and references "
              "are not");
      return false;
    }
    return true;
  }

  void groups(const Value& said) {
    const Value* all = stated(said, "config_groups");
    if (!all || !all->is_mapping() || all->entries.empty()) {
      d_.error(said.span, "compressed-tensors states no config_groups");
      return;
    }
    for (const doc::Entry& e : all->entries) {
      const Value* targets = stated(e.value, "targets");
      if (!stated(e.value, "weights")) continue;  // activations alone: weights stay
      const QuantizationRule* rule = rule_for("compressed-tensors", e.value, e.value.span);
      if (!rule) return;
      const bool linear = targets && targets->is_sequence() && targets->items.size() == 1 &&
                          targets->items[0].text == "Linear";
      std::vector<ModulePattern> patterns;
      if (!linear && targets && !patterns_of(*targets, patterns)) return;
      used_.clear();
      apply(*rule, patterns);
    }
  }

  // What the lists of exclusions name keeps its format.
  void leave_out(const Value& said) {
    for (const std::string& key : rules_.exclude) {
      const Value* list = stated(said, key);
      if (!list) continue;
      if (!list->is_sequence()) {
        d_.error(list->span, fmt::format("{}: expected a list of modules, found a {}", key,
                                         doc::kind_of(*list)));
        return;
      }
      std::vector<ModulePattern> patterns;
      if (!patterns_of(*list, patterns)) return;
      used_.assign(patterns.size(), false);
      for (std::size_t i = 0; i < classes_.size(); ++i)
        for (const std::string& c : classes_[i])
          if (covered(c, i, patterns, list->span)) out_.layers[i].erase(c);
      say_unused(patterns, list->span);
    }
  }

  bool names_outside(const ModulePattern& p) const {
    for (const char* c : {"embedding", "head"})
      for (const std::string& name : modules(c, 0))
        if (p.matches(name)) return true;
    if (std::any_of(rules_.outside.begin(), rules_.outside.end(),
                    [&](const std::string& o) { return matches_pattern(p.text(), o); }))
      return true;
    return layer_beyond(p.text());
  }

  // A layer past the last: the module that predicts further tokens.
  bool layer_beyond(const std::string& text) const {
    const std::size_t at = text.find("layers.");
    if (at == std::string::npos) return false;
    const std::string digits = text.substr(at + 7, text.find('.', at + 7) - at - 7);
    return !digits.empty() && digits.size() < 7 &&
           digits.find_first_not_of("0123456789") == std::string::npos &&
           std::stoul(digits) >= classes_.size();
  }

  void say_unused(const std::vector<ModulePattern>& patterns, Span at) {
    std::vector<std::string> unused;
    for (std::size_t p = 0; p < patterns.size(); ++p)
      if (!used_[p] && !names_outside(patterns[p])) unused.push_back(shortened(patterns[p].text()));
    if (unused.empty()) return;
    const std::size_t all = unused.size();
    if (all > 3) unused.resize(3);
    d_.warning(at,
               fmt::format("excluded from quantization: {}{} name no module that {} knows; their "
                           "tensors are priced as quantized",
                           join(unused, ", "), all > 3 ? fmt::format(" and {} more", all - 3) : "",
                           record_.file));
  }

  const Record& record_;
  const QuantizationRules& rules_;
  const LayerClasses& classes_;
  Diagnostics& d_;
  Quantization out_;
  std::vector<bool> used_;  // of the patterns in force
  bool split_said_ = false;
};

}  // namespace

std::optional<Quantization> read_quantization(const Config& config, const Value& beside,
                                              const Record& record, Workspace& work,
                                              const LayerClasses& layers,
                                              Diagnostics& diagnostics) {
  const Value* said = config.find("quantization_config");
  if (!said && beside.is_mapping()) said = stated(beside, "quantization");
  if (!said) return std::nullopt;
  if (!said->is_mapping()) {
    diagnostics.error(said->span, fmt::format("quantization_config: expected a mapping, found {}",
                                              doc::kind_of(*said)));
    return std::nullopt;
  }
  if (said->entries.empty()) return std::nullopt;
  std::string method = text_of(*said, "quant_algo");
  if (method.empty()) method = text_of(*said, "quant_method");
  if (method.empty()) {
    diagnostics.error(said->span, "quantization_config states no quant_method");
    return std::nullopt;
  }
  const std::optional<QuantizationRules> rules = quantization_rules(work, diagnostics);
  if (!rules) return std::nullopt;
  return Reader(record, *rules, layers, diagnostics).run(*said, method);
}

}  // namespace reckon::importing
