#include "write_out_policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "reckon/base/edit_distance.hpp"

namespace reckon {

using doc::Value;

void write_out_recompute(Value& tree, Diagnostics& diagnostics) {
  Value* said = tree.is_mapping() ? tree.find("recompute") : nullptr;
  if (!said || said->is_scalar() || said->is_null()) return;
  Value modules = *said;
  if (said->is_mapping()) {
    const Value* named = said->find("modules");
    for (const doc::Entry& e : said->entries) {
      if (e.key == "modules") continue;
      diagnostics.error(e.key_span, fmt::format("recompute: unknown key '{}'", e.key))
          .help("write recompute: {modules: [layernorm, mla_up_proj]}");
    }
    modules = named ? *named : Value{};
    if (modules.is_scalar()) {
      Value list = doc::sequence(modules.span);
      list.items.push_back(modules);
      modules = std::move(list);
    }
  }
  if (const Value* twice = tree.find("recompute_modules"); twice && !twice->is_null())
    diagnostics.error(twice->span, "recompute_modules: modules are named twice")
        .note(said->span, "recompute names them here")
        .help("leave recompute_modules out");
  const Span at = said->span;
  *said = doc::scalar("modules", at);
  if (!modules.is_null()) doc::set(tree, "recompute_modules", std::move(modules));
}

namespace {

constexpr const char* kHow =
    "write offload: none, optimizer, or [optimizer, gradients, weights, activations]";

// One thing that lies on the host, with yes or a share.
void put_on_host(const std::string& word, const Span& at, const Value& how, bool& optimizer,
                 Value& others, Diagnostics& diagnostics) {
  static const std::vector<std::string> kWords{"optimizer", "activations", "weights", "gradients"};
  if (std::find(kWords.begin(), kWords.end(), word) == kWords.end()) {
    auto& fault = diagnostics.error(at, fmt::format("offload: '{}' is not known", word));
    const std::string near = closest(word, kWords);
    fault.help(near.empty() ? std::string(kHow) : fmt::format("did you mean '{}'?", near));
    return;
  }
  if (word == "optimizer") {
    const std::string said = how.is_scalar() ? how.text : "";
    optimizer = said == "yes" || said == "true" || said == "100%";
    if (!optimizer && said != "no" && said != "false" && said != "0%")
      diagnostics.error(how.span, "offload: the optimizer's states go to the host whole, or stay")
          .help("write optimizer: yes, or no; activations take a share");
    return;
  }
  Value amount = how;
  if (word == "activations" && how.is_scalar() && (how.text == "yes" || how.text == "true"))
    amount.text = "100%";
  if (word == "activations" && how.is_scalar() && (how.text == "no" || how.text == "false"))
    amount.text = "0%";
  doc::set(others, word, std::move(amount));
}

}  // namespace

void write_out_offload(Value& tree, Diagnostics& diagnostics) {
  Value* said = tree.is_mapping() ? tree.find("offload") : nullptr;
  if (!said || said->is_null()) return;
  if (said->is_scalar() && (said->text == "none" || said->text == "optimizer")) return;
  const Span at = said->span;
  bool optimizer = false;
  Value others = doc::mapping(at);
  if (const Value* stated = tree.find("offloaded"); stated && stated->is_mapping())
    others = *stated;
  const auto put = [&](const Value& word) {
    if (word.is_scalar())
      put_on_host(word.text, word.span, doc::scalar("yes", word.span), optimizer, others,
                  diagnostics);
    else
      diagnostics.error(word.span, "offload: expected a word").help(kHow);
  };
  if (said->is_scalar()) put(*said);
  for (const Value& item : said->items) put(item);
  for (const doc::Entry& e : said->entries)
    put_on_host(e.key, e.key_span, e.value, optimizer, others, diagnostics);
  *said = doc::scalar(optimizer ? "optimizer" : "none", at);
  if (!others.entries.empty()) doc::set(tree, "offloaded", std::move(others));
}

}  // namespace reckon
