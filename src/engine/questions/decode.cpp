// kind: decode
#include "reckon/cost/questions/decode.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "../legal_classes.hpp"
#include "questions.hpp"
#include "reckon/base/text.hpp"
#include "reckon/units/format.hpp"
#include "serving.hpp"

namespace reckon {
namespace {

constexpr std::string_view kWayTitles[] = {"full replicas", "replicas", "FSDP",
                                           "tensor",        "sequence", "pipeline"};

class DecodeKind : public QuestionOf<DecodeQuestion> {
 public:
  const QuestionInfo& info() const override {
    static const QuestionInfo info{
        "decode",
        "time of a decode step, what bounds it, ways to shard it",
        "model",
        {"reckon decode llama-3-8b --batch 32 --prompt 2000 --output 500 --gpus 1xh100-sxm",
         "reckon decode llama-3-8b --batch 32 --context 8192 --tensor 8 --gpus 8xh100-sxm",
         "reckon decode llama-3-70b --batch 1,8,64 --context 4096 --tensor 8 --gpus 8xh100-sxm"},
        {"decode.*", "capacity", "reserve.fixed", "reserve.share", "overlap.data", "latency.*",
         "efficiency.link", "efficiency.network", "efficiency.memory", "ring_factor", "ring_across",
         "windows", "state"},
        {"decode.time", "decode.per_user", "decode.per_gpu", "decode.memory.time",
         "decode.compute.time"}};
    return info;
  }

 protected:
  void write_out(Workspace& work, doc::Value& tree, Diagnostics& d) const override {
    fill_formats(work, tree, d);
  }

  void legal(const Input& q, const Asked& asked) const override {
    need_batch(q.load, "decode", asked);
    check_batch_length(q.model, q.load, asked);
    need_cache(q.model, "a decode step", asked);
    check_classes(q.model, q.served.classes, "classes", asked.places, asked.diagnostics);
    need_bandwidth(q.cluster, q.chip, asked);
    need_peak(q.cluster, q.chip, asked);
    need_tensor({q.model, q.cluster, q.on, q.assume, q.tensor, "tensor"}, asked);
    warn_of_more_gpus(q.cluster, q.ranks, "ranks", asked);
    if (asked.failed() || !q.ranks || number(*q.ranks) <= 1) return;
    need_links(q.cluster, q.on, q.assume, asked,
               number(node_size(q.cluster, q.on, *q.ranks)) < number(*q.ranks));
  }

  void say(const Input& q, const Output& out, Result& r) const override {
    if (r.name.empty()) r.name = title(q);
    r.answer.lines.push_back(
        fmt::format("{}: {} to read weights, {} to read the cache; {} of compute {}",
                    text(r, "decode.time"), text(r, "decode.weights.time"),
                    text(r, "decode.cache.time"), text(r, "decode.compute.time"), beside(q, out)));
    r.answer.lines.push_back(
        fmt::format("{} a user, {} a GPU", text(r, "decode.per_user"), text(r, "decode.per_gpu")));
    if (out.step.reduces) r.answer.lines.push_back(reduces(q, r));
    r.answer.formulas = {"decode.weights.time", "decode.cache.time", "decode.time"};
    if (out.step.reduces) r.answer.formulas.push_back("all_reduce.total");
    limits(q, out, r);
    say_formats(q.served, r);
    say_shared_heads(q.model, q.tensor, q.assume.decode.shared_heads, r);
    if (number(out.g) > 1) ways(q, out, r);
    r.not_modelled = {
        "attention's own FLOPs (over an MLA latent they can take longer than reading it)",
        "kernel launches and the engine's own time",
        "small tensors that every tensor rank keeps whole"};
    say_mixers(q.model, r);
  }

  std::vector<Alternative> alternatives(const Input& q) const override {
    const std::vector<std::string> shown{"decode.time"};
    const DecodeAssume<double>& a = q.assume.decode;
    std::vector<Alternative> out;
    const bool physical = q.assume.preset == "physical";
    out.push_back({physical ? "arithmetic at peak" : "measured rates and waiting",
                   {{"assume", physical ? "textbook" : "physical"}},
                   shown});
    if (a.reads == WeightsRead::kAll)
      out.push_back({"the input table is looked up, not read",
                     {{"assume.decode.reads", "no_input_table"}},
                     shown});
    if (a.compute == DecodeCompute::kHidden)
      out.push_back({"compute after reading", {{"assume.decode.compute", "added"}}, shown});
    if (value_of(q.assume.efficiency.memory.raw) == 1)
      out.push_back({"75 % of the bandwidth", {{"assume.efficiency.memory", "75%"}}, shown});
    if (number(q.tensor) > 1) {
      if (a.all_reduces != DecodeReduces::kAdded)
        out.push_back({"all-reduces added", {{"assume.decode.all_reduces", "added"}}, shown});
      if (a.all_reduces == DecodeReduces::kApart && value_of(q.assume.latency.base.raw) == 0)
        out.push_back({"10 us for each all-reduce",
                       {{"assume.latency.base", "10 us"}, {"assume.decode.all_reduces", "waiting"}},
                       shown});
      if (number(q.tensor) > number(fewest_kv_heads(q.model)))
        out.push_back({a.shared_heads == SharedHeads::kReplicated ? "cache split by batch"
                                                                  : "cache replicated",
                       {{"assume.decode.shared_heads",
                         a.shared_heads == SharedHeads::kReplicated ? "by_batch" : "replicated"}},
                       shown});
    }
    return out;
  }

 private:
  static std::string title(const Input& q) {
    const long B = number(*q.load.batch), t = number(q.tensor);
    std::string s =
        fmt::format("decode step of {} on {}: {} sequence{}", model_name(q.model),
                    t == 1 ? "one GPU" : fmt::format("{} GPUs", t), B, B == 1 ? "" : "s");
    return s + " of " + format_quantity(value_of(mean_context(q.load).raw), kOne, Hint::kLength);
  }

  static const char* beside(const Input& q, const Output& out) {
    if (q.assume.decode.compute == DecodeCompute::kAdded) return "after it";
    return out.step.gpu.memory < out.step.compute ? "bounds it" : "hides";
  }

  static std::string reduces(const Input& q, const Result& r) {
    const char* how[] = {"quoted apart", "their waiting added", "added"};
    return fmt::format("{} all-reduces of {}: {}, {} of it waiting; {}",
                       text(r, "all_reduce.count"), text(r, "all_reduce.message"),
                       text(r, "all_reduce.total"), text(r, "all_reduce.total_wait"),
                       how[static_cast<int>(q.assume.decode.all_reduces)]);
  }

  static void limits(const Input& q, const Output& out, Result& r) {
    say_batch_fits(out.limits, q.model, q.load, q.tensor, r);
    if (r.fits() && out.limits.by_memory)
      r.answer.lines.push_back("memory holds " + text(r, "decode.batch_by_memory") + " sequences");
    std::string s = fmt::format("compute takes longer than reading the weights from a batch of {}",
                                text(r, "decode.crossover"));
    if (out.limits.crossover_cache)
      s += fmt::format(", than reading weights and cache from {}",
                       text(r, "decode.crossover_with_cache"));
    else if (!has_latent(q.model))  // whose attention computes more than the matrices here
      s += "; with the cache read as well, never";
    r.answer.lines.push_back(s);
  }

  static bool has_latent(const Model<double>& model) {
    return std::any_of(model.layers.begin(), model.layers.end(),
                       [](const LayerGroup<double>& g) { return g.mixer.kind == MixerKind::kMla; });
  }

  // The fastest that its memory holds, full replicas aside: they serve other users.
  static std::optional<std::size_t> best(const Input& q, const Output& out) {
    std::optional<std::size_t> winner;
    for (std::size_t i = 1; i < kShardWays; ++i) {
      if (!out.ways[i] || !fits(q, *out.ways[i])) continue;
      if (!winner || out.ways[i]->time < out.ways[*winner]->time) winner = i;
    }
    return winner;
  }

  static bool fits(const Input& q, const DecodeWay<double>& way) {
    const auto capacity = capacity_of(q.cluster, q.chip, q.assume.capacity);
    return !capacity || way.memory <= *capacity;
  }

  static void ways(const Input& q, const Output& out, Result& r) {
    Grid g{fmt::format("{} GPUs, {} sequences: ways to shard, communication counted (◂ the "
                       "shortest step that fits)",
                       text(r, "decode.ways.gpus"), number(*q.load.batch)),
           "way",
           {{"reads", "reads"},
            {"communication", "sends"},
            {"time", "step"},
            {"per_user", "a user"},
            {"per_gpu", "a GPU"},
            {"memory", "holds"}},
           {}};
    const auto winner = best(q, out);
    for (std::size_t i = 0; i < kShardWays; ++i) {
      const std::string_view id = detail::kShardWayNames[i].time.id;
      g.rows.push_back({std::string(id.substr(0, id.rfind('.'))), std::string(kWayTitles[i]),
                        note(q, out, static_cast<ShardWay>(i)), winner == i});
    }
    r.answer.grids.push_back(std::move(g));
    for (std::size_t i = 0; i < kShardWays; ++i)
      if (out.ways[i])
        r.answer.notes.push_back(
            fmt::format("{}: {}.", kWayTitles[i], reason(q, out, r, static_cast<ShardWay>(i))));
  }

  static std::string note(const Input& q, const Output& out, ShardWay w) {
    const auto i = static_cast<std::size_t>(w);
    if (out.why_not[i]) return out.why_not[i];
    return fits(q, *out.ways[i]) ? "" : "does not fit";
  }

  static std::string reason(const Input& q, const Output& out, const Result& r, ShardWay w) {
    const long B = number(*q.load.batch), g = number(out.g);
    const long each = (B + g - 1) / g;
    const std::string share = fmt::format("{} sequence{}", each, each == 1 ? "" : "s");
    switch (w) {
      case ShardWay::kFullReplicas:
        return fmt::format(
            "{} copies with {} sequences each, {} in all: the weights are read for "
            "as many tokens as on one GPU, and nothing is sent",
            g, B, format_quantity(static_cast<double>(g * B), kOne, Hint::kCount));
      case ShardWay::kReplicas:
        return "every GPU reads all weights for " + share;
      case ShardWay::kFsdp:
        return fmt::format(
            "every GPU gathers all weights, {} of it a step beside {} of reading, for {}",
            text(r, "decode.fsdp.communication"), text(r, "decode.fsdp.reads"), share);
      case ShardWay::kTensor:
        return tensor_reason(out, r, g);
      case ShardWay::kSequence:
        return fmt::format(
            "every GPU reads all weights, and its part of each cache, without a limit by KV heads: "
            "ahead of replicas where sequences are fewer than GPUs or do not divide, {} each",
            share);
      case ShardWay::kPipeline:
        return fmt::format(
            "a token passes {} stages, each reading its weights for {}: a replica's "
            "step, with the weights held once",
            g, share);
    }
    return "";
  }

  static std::string tensor_reason(const Output& out, const Result& r, long g) {
    std::string s = fmt::format(
        "weights and cache are read by {} GPUs at once, {} of the step is "
        "sent",
        g, text(r, "decode.tensor.communication"));
    if (out.tensor_speed)
      s += fmt::format("; a user gets {} × the tokens/s of a full replica, a GPU gives {} ×",
                       text(r, "decode.tensor_over_full_replicas.per_user"),
                       text(r, "decode.tensor_over_full_replicas.per_gpu"));
    return s;
  }
};

}  // namespace

const Question& decode_question() {
  static const DecodeKind kind;
  return kind;
}

}  // namespace reckon
