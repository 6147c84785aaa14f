#include "serving.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "../legal_classes.hpp"
#include "reckon/base/text.hpp"
#include "reckon/cost/questions/decode.hpp"
#include "reckon/units/format.hpp"

namespace reckon {

namespace {

bool states(const doc::Value& tree, std::string_view key) {
  const doc::Value* at = tree.find(key);
  return at && !at->is_null();
}

}  // namespace

void lay_recipe(Workspace& work, doc::Value& tree, const RecipeKeys& keys,
                Diagnostics& diagnostics) {
  if (!states(tree, "recipe")) return;
  const doc::Value said = *tree.find("recipe");
  if (said.is_scalar() && !said.quoted && said.text == "none")
    return doc::set(tree, "recipe", doc::Value{});
  if (!said.is_scalar()) {
    diagnostics.error(said.span, "recipe: expected the name of a file in formats/recipes")
        .help("`reckon list precision` lists them");
    return;
  }
  for (const char* key : {"weights", "classes"}) {
    if (!states(tree, key)) continue;
    diagnostics
        .error(tree.find(key)->span, fmt::format("{}: stated beside a recipe, which says it", key))
        .note(said.span, "the recipe is named here")
        .help("leave one of them out");
  }
  const doc::Value recipe = resolve_recipe(work, said, diagnostics);
  for (const auto& [from, to] : keys) {
    if (!recipe.is_mapping()) doc::set(tree, to, doc::faulty());
    const doc::Value* value = recipe.find(from);
    if (value && !value->is_null() && !states(tree, to)) doc::set(tree, to, *value);
  }
}

void fill_formats(Workspace& work, doc::Value& tree, Diagnostics& diagnostics) {
  lay_recipe(work, tree,
             {{"weights", "weights"},
              {"classes", "classes"},
              {"activations", "activations"},
              {"kv", "cache"},
              {"compute", "compute"}},
             diagnostics);
  const auto file = work.find(Shelf::kPresets, "serving");
  if (file.empty()) {
    diagnostics.error({}, "the data folder holds no presets/serving.yaml")
        .help("--data names the folder that does");
    return;
  }
  const doc::Value usual = work.read_data(file, {}, diagnostics);
  for (const char* key : {"weights", "cache", "activations"}) {
    const doc::Value* said = tree.find(key);
    const doc::Value* format = usual.find(key);
    if (format && (!said || said->is_null())) doc::set(tree, key, *format);
  }
}

void need_batch(const DecodeBatch<double>& load, std::string_view what, const Asked& asked) {
  if (!load.batch)
    asked.fault("batch", fmt::format("{}: how many sequences decode together is not stated", what))
        .help("batch: 32");
  if (load.context || (load.prompt && load.output)) return;
  const char* missing = load.prompt ? "output" : load.output ? "prompt" : "context";
  asked.fault(missing, fmt::format("{}: how long the cached sequences are is not stated", what))
      .help("context: 8192, or prompt: 2000 and output: 500, whose mean is prompt + output / 2");
}

void need_cache(const Model<double>& model, std::string_view what, const Asked& asked) {
  need_dimensions(model, what, asked);
  if (!model.hidden || model.layers.empty()) return;
  for (const LayerGroup<double>& g : model.layers) {
    if (g.mixer.kind != MixerKind::kAbstract || g.mixer.heads) continue;
    asked.fault("model", fmt::format("model: {} needs the model's KV heads", what))
        .help(
            "model: {params: 7B, layers: 32, hidden: 4096, heads: 32, kv_heads: 8}, or a model's "
            "name (`reckon list models`)");
    return;
  }
}

void check_context_length(const Model<double>& model, double tokens, std::string_view what,
                          std::string_view key, const Asked& asked) {
  const auto count = [](double n) { return format_quantity(n, kOne, Hint::kCount); };
  const double rows = value_of(model.positions.raw);
  if (rows > 0 && tokens > rows)
    asked
        .fault(key, fmt::format("{} {} tokens, and {} has positions for {}", what, count(tokens),
                                model_name(model), count(rows)))
        .help("shorten them");
  else if (model.context && tokens > value_of(model.context->raw))
    asked.diagnostics.warning(
        asked.places.of(key),
        fmt::format("{} {} tokens, and {} is published for {}", what, count(tokens),
                    model_name(model), count(value_of(model.context->raw))));
}

void check_batch_length(const Model<double>& model, const DecodeBatch<double>& load,
                        const Asked& asked) {
  if (load.context)
    check_context_length(model, value_of(load.context->raw), "a sequence's cache holds", "context",
                         asked);
  else if (load.prompt && load.output)
    check_context_length(model, value_of(load.prompt->raw) + value_of(load.output->raw),
                         "prompt and answer take", "prompt", asked);
  else if (load.prompt)
    check_context_length(model, value_of(load.prompt->raw), "the prompt takes", "prompt", asked);
}

long ranks_that_hold(const BatchLimits<double>& limits, const Model<double>& model, double batch,
                     long ranks) {
  const double have = limits.stored.raw + limits.free->raw;
  const double need =
      static_cast<double>(ranks) * (limits.stored.raw + batch * limits.sequence->raw);
  for (long t = 2 * ranks; t <= number(fewest_kv_heads(model)); t *= 2)
    if (need <= static_cast<double>(t) * have) return t;
  return 0;
}

void say_batch_fits(const BatchLimits<double>& limits, const Model<double>& model,
                    const DecodeBatch<double>& load, Count<double> ranks, Result& r) {
  if (!limits.by_memory || !limits.sequence || *load.batch <= *limits.by_memory) return;
  r.say_no(No::kMemory);
  const double B = value_of(load.batch->raw), held = value_of(limits.by_memory->raw);
  const auto bytes = [](double x) { return format_quantity(x, kByte); };
  std::string what = fmt::format(
      "{} sequence{}: {} of cache and {} of weights on a GPU, short by {}; ",
      format_quantity(B, kOne, Hint::kCount), B == 1 ? "" : "s", bytes(B * limits.sequence->raw),
      bytes(limits.stored.raw), bytes(B * limits.sequence->raw - limits.free->raw));
  what += held < 1 ? std::string("not even one fits")
                   : fmt::format("{} fit", format_quantity(held, kOne, Hint::kCount));
  if (const long t = ranks_that_hold(limits, model, B, number(ranks)))
    what += fmt::format(", and all of them on {} tensor ranks", t);
  r.warnings.push_back("memory does not hold " + what);
}

void say_formats(const Served<double>& served, Result& r) {
  if (!served.classes) return;
  std::map<std::string, std::vector<std::string>> by_format;
  for_each_class(
      [&](TensorClass c, const std::optional<Stored<double>>& own) {
        if (own) by_format[own->name].emplace_back(c.title);
      },
      *served.classes);
  std::string said = "Weights in " + served.weights.name;
  for (const auto& [format, classes] : by_format)
    said += fmt::format(", {} in {}", join(classes, ", "), format);
  said += fmt::format("; cache in {}", served.cache.name);
  if (!served.recipe.empty()) said += fmt::format(" (recipe {})", served.recipe);
  r.answer.notes.push_back(said + ".");
}

long number(Count<double> n) { return static_cast<long>(value_of(n.raw)); }

void need_tensor(const TensorAsk& ask, const Asked& asked) {
  const long t = number(ask.ranks);
  if (t <= 1) return;
  need_dimensions(ask.model, "what tensor ranks exchange", asked);
  const Count<double> node = node_size(ask.cluster, ask.on, ask.ranks);
  need_links(ask.cluster, ask.on, ask.assume, asked, number(node) < t);
  for (const LayerGroup<double>& g : ask.model.layers) {
    if (g.mixer.inner && number(*g.mixer.inner) % t != 0) {
      asked
          .fault(ask.key, fmt::format("{}: {} GPUs do not divide inner = {}", ask.key, t,
                                      number(*g.mixer.inner)))
          .help("nearest divisors: " + nearest_divisors(number(*g.mixer.inner), t));
      return;
    }
    if (!g.mixer.heads) continue;
    const long heads = number(*g.mixer.heads), kv = number(kv_heads(g.mixer));
    const bool latent = g.mixer.kind == MixerKind::kMla;
    if (heads % t != 0) {
      asked
          .fault(ask.key,
                 fmt::format("{}: {} GPUs do not divide {} query heads", ask.key, t, heads))
          .help("nearest divisors: " + nearest_divisors(heads, t));
      return;
    }
    if (!latent && kv % t != 0 && t % kv != 0) {
      asked
          .fault(ask.key, fmt::format("{}: {} GPUs neither divide {} KV heads nor are a multiple",
                                      ask.key, t, kv))
          .help(fmt::format("{}: {}", ask.key, kv));
      return;
    }
  }
  // What is answered after all; beside a fault it would be said in vain.
  if (!asked.failed()) warn_of_more_gpus(ask.cluster, ask.ranks, ask.key, asked);
}

void need_countable(const Model<double>& model, const Assume<double>& assume, bool chunk,
                    const Asked& asked) {
  const bool dimensions = model.hidden && !model.layers.empty();
  const AttentionCount attention = chunk ? assume.chunk.attention : assume.prefill.attention;
  const std::string group = chunk ? "chunk" : "prefill";
  if (!dimensions && attention != AttentionCount::kNone)
    asked.fault("model", fmt::format("model: attention needs the model's layers and hidden width"))
        .help(fmt::format("name a model, or model: {{params: 7B, layers: 32, hidden: 4096}}, or "
                          "leave attention out: --assume {}.attention=none",
                          group));
  if (model.abstract() && assume.prefill.params == PrefillCount::kMatmul &&
      assume.prefill.head == HeadPositions::kLast)
    asked.fault("model", "model: a head on the last position alone needs the model's vocabulary")
        .help("name a model, or count all its parameters: --assume prefill.head=all");
}

void say_mixers(const Model<double>& model, Result& r) {
  const auto any = [&model](auto is) {
    return std::any_of(model.layers.begin(), model.layers.end(),
                       [&](const LayerGroup<double>& g) { return is(g.mixer); });
  };
  if (any([](const Mixer<double>& x) { return recurrent(x.kind); })) {
    r.not_modelled.emplace_back("writing recurrent states back after each token");
    r.not_modelled.emplace_back("what chunked kernels of recurrent mixers execute beyond one pass");
  }
  if (any([](const Mixer<double>& x) { return x.kind == MixerKind::kMamba1; }))
    r.not_modelled.emplace_back("the small all-reduce inside a mamba1 layer on tensor ranks");
  if (any([](const Mixer<double>& x) { return x.index_heads.has_value(); }))
    r.not_modelled.emplace_back(
        "reading only the tokens that an indexer picks: the whole cache counts as read");
}

void say_shared_heads(const Model<double>& model, Count<double> ranks, SharedHeads how, Result& r) {
  const long t = number(ranks), heads = number(fewest_kv_heads(model));
  if (t <= heads) return;
  const bool latent = !model.layers.empty() && model.layers.back().mixer.kind == MixerKind::kMla;
  const long n = t / heads;
  const std::string what =
      latent ? "one latent" : fmt::format("{} KV head{}", heads, heads == 1 ? "" : "s");
  r.answer.notes.push_back(
      how == SharedHeads::kByBatch
          ? fmt::format("{} GPUs, {}: the {} GPUs that share a head deal the sequences out among "
                        "themselves, and hand queries and outputs to each other "
                        "(assume.decode.shared_heads: by_batch).",
                        t, what, n)
          : fmt::format("{} GPUs, {}: each head's cache is kept, and read, on {} GPUs "
                        "(assume.decode.shared_heads: replicated).",
                        t, what, n));
}

std::string model_name(const Model<double>& model) {
  if (!model.name.empty()) return model.name;
  if (!model.id.empty()) return model.id;
  if (model.params) return format_quantity(value_of(model.params->raw), kOne, Hint::kParams);
  return "the model";
}

}  // namespace reckon
