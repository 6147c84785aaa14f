#include "serving.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reckon/cost/questions/decode.hpp"
#include "reckon/units/format.hpp"

namespace reckon {

void fill_formats(Workspace& work, doc::Value& tree, Diagnostics& diagnostics) {
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

long number(Count<double> n) { return static_cast<long>(value_of(n.raw)); }

void need_tensor(const TensorAsk& ask, const Asked& asked) {
  const long t = number(ask.ranks);
  if (t <= 1) return;
  warn_of_more_gpus(ask.cluster, ask.ranks, ask.key, asked);
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
