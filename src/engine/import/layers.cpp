#include "layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reckon/base/text.hpp"
#include "reckon/base/utf8.hpp"

namespace reckon::importing {
namespace {

using Kind = Found::Kind;

class Rules {
 public:
  Rules(std::string_view what, std::size_t layers, const Evaluator& eval, Span config,
        Diagnostics& diagnostics)
      : what_(what), layers_(layers), eval_(eval), config_(config), diagnostics_(diagnostics) {}

  LayerKinds run(const std::vector<LayerRule>& rules) {
    for (const LayerRule& rule : rules) {
      const std::size_t before = diagnostics_.error_count();
      if (applies(rule)) return std::move(out_);
      if (diagnostics_.error_count() > before) return {};
    }
    std::set<std::string> keys;
    for (const LayerRule& r : rules)
      for (const std::string* e : {&r.list, &r.text, &r.every, &r.from}) words_of(*e, keys);
    diagnostics_
        .error(config_, fmt::format("the config doesn't say which layers have which {}", what_))
        .help(fmt::format("it is read from {}", join({keys.begin(), keys.end()}, ", ")));
    return {};
  }

 private:
  // What an expression gives; faults are reported here.
  Found asked(const std::string& expression) {
    if (expression.empty()) return {};
    Found f = eval_.evaluate(expression);
    if (f.fault()) diagnostics_.error(f.span ? f.span : config_, f.word).help(f.help);
    return f;
  }

  bool applies(const LayerRule& rule) {
    out_ = {};
    if (!rule.only_if.empty()) {
      const Found f = asked(rule.only_if);
      if (!f.is_yes()) return false;
      note(f);
    }
    if (!rule.list.empty()) return by_list(rule);
    if (!rule.text.empty()) return by_text(rule);
    return by_number(rule);
  }

  void note(const Found& f) {
    if (f.absent() || f.from == From::kDefault) return;
    out_.rule += (out_.rule.empty() ? "" : ", ") + f.how;
    if (!out_.span) out_.span = f.span;
    out_.from = f.from;
  }

  // What a list's or text's entry stands for.
  bool entry(const LayerRule& rule, const std::string& said, Span at) {
    const doc::Value* name = rule.words.is_mapping() ? rule.words.find(said) : nullptr;
    if (name && name->is_scalar()) {
      out_.names.push_back(name->text);
      return true;
    }
    diagnostics_
        .error(at, fmt::format("'{}' is no kind of layer that this architecture is known to have",
                               shortened(said)))
        .help(fmt::format("known: {}", join(rule.words.keys(), ", ")));
    return false;
  }

  bool one_each(std::size_t found, const Found& f) {
    if (found == layers_) return true;
    diagnostics_.error(
        f.span, fmt::format("{} has {} entries, and the model {} layers", f.how, found, layers_));
    return false;
  }

  bool by_list(const LayerRule& rule) {
    const Found f = asked(rule.list);
    if (f.kind != Kind::kTree || !f.tree->is_sequence() || f.tree->items.empty()) return false;
    note(f);
    if (!one_each(f.tree->items.size(), f)) return false;
    for (const doc::Value& item : f.tree->items) {
      if (!item.is_scalar()) {
        diagnostics_.error(item.span, fmt::format("{}: expected a word or a number, found a {}",
                                                  f.how, doc::kind_of(item)));
        return false;
      }
      if (!entry(rule, item.text, item.span)) return false;
    }
    return true;
  }

  bool by_text(const LayerRule& rule) {
    const Found f = asked(rule.text);
    if (f.kind != Kind::kWord) return false;
    note(f);
    if (!one_each(f.word.size(), f)) return false;
    return std::all_of(f.word.begin(), f.word.end(),
                       [&](char c) { return entry(rule, std::string(1, c), f.span); });
  }

  // A number of a rule; false where the rule can't be taken.
  bool number(const std::string& expression, double& out) {
    if (expression.empty()) return true;
    const Found f = asked(expression);
    if (!f.is_number()) return false;
    if (f.number < 0 || f.number > kMostLayers || f.number != std::floor(f.number)) {
      diagnostics_.error(
          f.span ? f.span : config_,
          fmt::format("{}: expected a whole number of layers, found {}", f.how, written(f)));
      return false;
    }
    note(f);
    out = f.number;
    return true;
  }

  bool excepted(const std::string& expression, std::vector<std::size_t>& out) {
    const Found f = asked(expression);
    if (f.absent() || (f.kind == Kind::kWord && f.word == "none")) return true;
    if (f.kind != Kind::kTree || !f.tree->is_sequence()) {
      diagnostics_.error(f.span, fmt::format("{}: expected a list of layers", f.how));
      return false;
    }
    for (const doc::Value& item : f.tree->items) {
      const Found at = item.is_scalar() ? found(item, f.how) : Found{};
      if (!at.is_number() || at.number < 0 || at.number >= static_cast<double>(layers_) ||
          at.number != std::floor(at.number)) {
        diagnostics_.error(item.span,
                           fmt::format("{}: expected layers from 0 to {}", f.how, layers_ - 1));
        return false;
      }
      out.push_back(static_cast<std::size_t>(at.number));
    }
    if (!out.empty()) note(f);
    return true;
  }

  bool by_number(const LayerRule& rule) {
    double every = 1, from = 0, until = static_cast<double>(layers_);
    std::vector<std::size_t> except;
    if (!number(rule.every, every) || !number(rule.from, from) || !number(rule.until, until) ||
        !excepted(rule.except, except))
      return false;
    double at = every - 1;
    if (every < 1) {
      diagnostics_.error(out_.span ? out_.span : config_,
                         fmt::format("{}: expected at least 1, found 0", out_.rule));
      return false;
    }
    if (!number(rule.at, at)) return false;
    for (std::size_t i = 0; i < layers_; ++i) {
      const auto x = static_cast<double>(i);
      const bool hit = x >= from && x < until && std::fmod(x, every) == std::fmod(at, every) &&
                       std::find(except.begin(), except.end(), i) == except.end();
      out_.names.push_back(hit || rule.otherwise.empty() ? rule.is : rule.otherwise);
    }
    return true;
  }

  std::string_view what_;
  std::size_t layers_;
  const Evaluator& eval_;
  Span config_;
  Diagnostics& diagnostics_;
  LayerKinds out_;
};

}  // namespace

LayerKinds layer_kinds(const std::vector<LayerRule>& rules, std::string_view what,
                       std::size_t layers, const Evaluator& eval, Span config,
                       Diagnostics& diagnostics) {
  return Rules(what, layers, eval, config, diagnostics).run(rules);
}

}  // namespace reckon::importing
