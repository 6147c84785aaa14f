// kind: activations
#include "reckon/cost/questions/activations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "../legal_recompute.hpp"
#include "needs.hpp"
#include "question_of.hpp"
#include "questions.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

// What each accounting counts, in the order of ActivationCount.
constexpr const char* kCounts[] = {
    "textbook: every operation's output once: 10 tensors as wide as the layer and 4 as wide as the "
    "MLP (10·h + 4·F); keys and values as wide as queries, no dropout, no scores under flash "
    "attention",
    "autograd: what a framework keeps for the backward pass: inputs and outputs of the norms, q, "
    "k, "
    "v and the attention's output as wide as they are, the MLP's inner tensors",
    "megatron: the tensors of autograd with dropout masks; 34·s·b·h for a GELU MLP of 4·h",
    "megatron_34: Korthikanti's layer whatever the model: 34·s·b·h, with unfused attention "
    "5·a·s²·b "
    "more; dropout masks, a GELU MLP of 4·h, as many key heads as query heads",
    "megatron_34_swiglu: Korthikanti's layer and two more tensors as wide as the model's MLP"};
static_assert(std::size(kCounts) == names(ActivationCount{}).size());

class Activations : public QuestionOf<ActivationsQuestion> {
 public:
  const QuestionInfo& info() const override {
    static const QuestionInfo info{
        "activations",
        "what a model keeps for the backward pass, tensor by tensor",
        "model",
        {"reckon activations llama-3-8b --batch 8 --sequence 8192",
         "reckon activations llama-3-8b --sequence 8192 --assume activations=autograd "
         "--assume swiglu=fused",
         "reckon activations llama-3-70b --sequence 8192 --tensor 2,4,8 --sequence-parallel"},
        {"activations", "attention", "gqa", "swiglu", "rope", "fused_norm", "softmax_statistics",
         "dropout", "logits", "live_layers"},
        {"memory.activations", "activations.per_token_layer", "activations.per_hidden",
         "memory.logits"}};
    return info;
  }

 protected:
  void legal(const Input& q, const Asked& asked) const override {
    need_dimensions(q.model, "activations", asked);
    need_counted_mixers(q.model, q.assume.activations, asked);
    need_split(q.model, q.on, asked);
    need_widths(q, asked);
    check_modules(q.model, q.on.recompute, q.on.recompute_modules, asked.places, asked.diagnostics);
    if (q.on.recompute == Recompute::kOperators)
      asked
          .fault("recompute",
                 fmt::format("recompute: {} has no list of tensors", name_of(q.on.recompute)))
          .help("none, selective, norms, full and modules have; a training plan prices it");
    const long B = whole(q.batch), D = whole(q.data);
    if (B % D != 0)
      asked.fault("data", fmt::format("data: {} sequences do not deal out to {} GPUs", B, D))
          .help("nearest degrees that work: " + nearest_divisors(B, D));
  }

  void say(const Input& q, const Output& out, Result& r) const override {
    if (r.name.empty()) r.name = title(q);
    r.answer.lines.push_back(fmt::format(
        "{} ({}) by the {} accounting: {} per token, layer and hidden element",
        text(r, "memory.activations"), gib(out.total), name_of(out.count), text(r, kPerHidden.id)));
    if (out.logits)
      r.answer.lines.push_back(fmt::format("Logits apart: {} ({}) at {} each", text(r, kLogits.id),
                                           gib(*out.logits), bytes(q.assume.logits)));
    r.answer.formulas = {"memory.activations", "activations.per_hidden"};
    if (out.logits) r.answer.formulas.emplace_back("memory.logits");
    r.answer.grids.push_back(tensor_grid(out));
    r.answer.notes.emplace_back("Counted by " +
                                std::string(kCounts[static_cast<std::size_t>(out.count)]) + ".");
    r.not_modelled = {"activations of the embedding and the final norm",
                      "buffers of the framework and its allocator"};
  }

  std::vector<Alternative> alternatives(const Input& q) const override {
    using Sets = std::vector<std::pair<std::string, std::string>>;
    const std::vector<std::string> shown{"activations.per_hidden", "memory.activations"};
    std::vector<Alternative> out;
    const auto offer = [&](ActivationCount count, const char* what, Sets more = {}) {
      if (count == q.assume.activations && more.empty()) return;
      Sets sets{{"assume.activations", std::string(name_of(count))}};
      sets.insert(sets.end(), more.begin(), more.end());
      out.push_back({fmt::format("{}: {}", name_of(count), what), sets, shown});
    };
    offer(ActivationCount::kTextbook, "every operation's output once");
    offer(ActivationCount::kAutograd, "what a framework keeps");
    const Swiglu other = q.assume.swiglu == Swiglu::kFused ? Swiglu::kPlain : Swiglu::kFused;
    offer(ActivationCount::kAutograd,
          other == Swiglu::kFused ? "SiLU recomputed by a fused kernel" : "SiLU kept",
          {{"assume.swiglu", std::string(name_of(other))}});
    offer(ActivationCount::kMegatron34, "34·s·b·h, a GELU MLP with dropout");
    if (q.on.recompute != Recompute::kFull)
      out.push_back({"layer inputs alone, and the layer at work",
                     {{"recompute", "full"}},
                     {"activations.inputs", "memory.activations"}});
    out.push_back({"logits in fp32", {{"assume.logits", "4 B"}}, {"memory.logits"}});
    return out;
  }

 private:
  static void need_widths(const Input& q, const Asked& asked) {
    const ActivationCount count = q.assume.activations;
    for (std::size_t i = 0; i < q.model.layers.size(); ++i) {
      const LayerGroup<double>& g = q.model.layers[i];
      if (g.mlp.kind == MlpKind::kAbstract && count != ActivationCount::kMegatron34)
        asked
            .fault("model", fmt::format("model: the {} accounting needs the MLP's width, which "
                                        "'params' and 'layers' do not say",
                                        name_of(count)))
            .help(
                "name a model (`reckon list models`), or assume: {activations: megatron_34}, "
                "which takes an MLP of 4 · hidden");
      if (q.assume.attention == AttentionKernel::kUnfused && g.mixer.kind != MixerKind::kNone &&
          !g.mixer.heads)
        asked.fault("model", "model: attention scores need the model's heads, which are not stated")
            .help("name a model (`reckon list models`), or assume: {attention: flash}");
    }
  }

  static std::string bytes(const Bytes<double>& x) {
    return format_quantity(value_of(x.raw), kByte, Hint::kNone);
  }
  static std::string gib(const Bytes<double>& x) {
    constexpr double kGiB = 1024.0 * 1024 * 1024;
    return fmt::format("{:.4g} GiB", value_of(x.raw) / kGiB);
  }

  static std::string title(const Input& q) {
    const std::string name = q.model.name.empty() ? "the model" : q.model.name;
    std::string s = fmt::format("activations of {}, {} × {}", name, whole(q.batch),
                                format_quantity(value_of(q.on.sequence->raw), kOne, Hint::kLength));
    if (whole(q.data) > 1) s += fmt::format(", on each of {} GPUs", whole(q.data));
    if (whole(q.on.tensor) > 1) s += fmt::format(", tensor {}", whole(q.on.tensor));
    return s;
  }

  // Layers are listed where not every layer keeps the same.
  static Grid tensor_grid(const Output& out) {
    Grid g{"Tensors that are kept", "tensor", {}, {}};
    const auto fewer = [&](const TensorTotal<double>& t) {
      return value_of(t.layers.raw) != value_of(out.tensors.front().layers.raw);
    };
    if (std::any_of(out.tensors.begin(), out.tensors.end(), fewer))
      g.columns.push_back({"layers", "layers"});
    g.columns.push_back({"per_token_layer", "a token and layer"});
    g.columns.push_back({"total", "all layers"});
    for (const TensorTotal<double>& t : out.tensors)
      g.rows.push_back({std::string("tensor.") + t.id, fmt::format("{}: {}", t.id, t.title)});
    return g;
  }
};

}  // namespace

const Question& activations_question() {
  static const Activations kind;
  return kind;
}

}  // namespace reckon
