// Names looked up and shorthands written out: precision, optimizers, stacks, engines, laws, conventions.
#include "reckon/engine/resolve.hpp"

#include <fmt/format.h>

#include <functional>

#include "check_law.hpp"
#include "overlay.hpp"
#include "resolve_named.hpp"
#include "resolve_stack.hpp"

namespace reckon {

using doc::Value;

Value resolve_format(Workspace& work, const Value& said, Diagnostics& diagnostics) {
  return stored(work, said, diagnostics);
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

namespace {

// A file that may start from another (`base:`): what it states is laid over that.
Value named_on_base(Workspace& work, Shelf shelf, const char* key, const Value& said,
                    Diagnostics& diagnostics) {
  constexpr int kMostBases = 8;
  int depth = 0;
  const std::function<void(Value&)> complete = [&](Value& file) {
    const Value* base = file.find("base");
    if (!base || !base->is_scalar()) return;
    const Value from = *base;
    if (++depth > kMostBases) {
      diagnostics.error(from.span, fmt::format("{}: each starts from the next, without end", key));
      file = doc::faulty();
      return;
    }
    Value rest = file;
    doc::take(rest, "base");
    file = named(work, shelf, from, diagnostics, complete);
    if (file.is_mapping()) doc::merge(file, rest);
  };
  return named(work, shelf, said, diagnostics, complete);
}

}  // namespace

Value resolve_stack(Workspace& work, const Value& said, const Value* chip,
                    Diagnostics& diagnostics) {
  const Value on_chip = stack_on_chip(work, said, chip, diagnostics);
  if (on_chip.faulty) return on_chip;
  Value stack = named_on_base(work, Shelf::kStacks, "stack", on_chip, diagnostics);
  if (stack.is_mapping()) fill_collectives(work, stack, chip, diagnostics);
  return stack;
}

Value resolve_engine(Workspace& work, const Value& said, Diagnostics& diagnostics) {
  return named_on_base(work, Shelf::kEngines, "engine", said, diagnostics);
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
