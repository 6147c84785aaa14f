// kind: prefill
#include "reckon/cost/questions/prefill.hpp"

#include <fmt/format.h>

#include "../legal_classes.hpp"
#include "questions.hpp"
#include "reckon/units/format.hpp"
#include "serving.hpp"

namespace reckon {
namespace {

class PrefillKind : public QuestionOf<PrefillQuestion> {
 public:
  const QuestionInfo& info() const override {
    static const QuestionInfo info{
        "prefill",
        "FLOPs of a prompt by every convention, and time to first token",
        "model",
        {"reckon prefill llama-3-8b --prompt 2000",
         "reckon prefill llama-3-8b --prompt 2000 --gpus 1xh100-sxm --assume prefill.mfu=50%",
         "reckon prefill llama-3-70b --target 500ms --tensor 2,4,8 --gpus 8xh100-sxm "
         "--assume prefill.mfu=50%"},
        {"prefill.*", "latency.*", "efficiency.link", "efficiency.network", "ring_factor",
         "ring_across", "windows", "state"},
        {"prefill.flops", "prefill.time", "prefill.longest_prompt"}};
    return info;
  }

 protected:
  void write_out(Workspace& work, doc::Value& tree, Diagnostics& d) const override {
    fill_formats(work, tree, d);
  }

  void legal(const Input& q, const Asked& asked) const override {
    if (!q.prompt && !q.target)
      asked.fault("prompt", "prefill: neither a prompt nor a target is stated")
          .help("prompt: 2000 (tokens), or target: 500 ms for the longest prompt within it");
    if (q.prompt)
      check_context_length(q.model, value_of(q.prompt->raw), "the prompt takes", "prompt", asked);
    need_countable(q.model, q.assume, false, asked);
    check_classes(q.model, q.served.classes, "classes", asked.places, asked.diagnostics);
    need_tensor({q.model, q.cluster, q.on, q.assume, q.tensor, "tensor"}, asked);
    if (!q.target) return;
    need_peak(q.cluster, q.chip, asked);
    if (!q.assume.prefill.mfu)
      asked.fault("target", "target: how well a prefill computes is not stated")
          .help("--assume prefill.mfu=50%");
  }

  // The longest prompt within a target is searched for: by what a prompt's time depends on.
  std::vector<std::string> steers(const Input& q) const override {
    if (!q.target) return {};
    if (number(q.tensor) <= 1) return {"target", "peak"};
    return {"target",  "peak",    "tensor",          "link",
            "network", "latency", "network_latency", "node_gpus"};
  }

  void say(const Input& q, const Output& out, Result& r) const override {
    if (r.name.empty()) r.name = title(q);
    if (out.run && out.run->time)
      r.answer.lines.push_back(fmt::format("{} for {}: {}", text(r, "prefill.time"),
                                           text(r, "prefill.flops"), counted(q)));
    else if (out.run)
      r.answer.lines.push_back(fmt::format("{}: {}", text(r, "prefill.flops"), counted(q)));
    if (out.longest)
      r.answer.lines.push_back(fmt::format("longest prompt within {}: {}", shown(*q.target),
                                           text(r, "prefill.longest_prompt")));
    if (q.target && out.run && out.run->time) say_target(q, out, r);
    if (out.run && !out.run->time) r.answer.notes.push_back("No time: " + std::string(out.no_time));
    if (out.longest && q.model.context && *out.longest > *q.model.context)
      r.answer.notes.push_back(
          fmt::format("The model is published for {}.",
                      format_quantity(value_of(q.model.context->raw), kOne, Hint::kLength)));
    r.answer.formulas = {"prefill.flops", "prefill.compute"};
    if (number(q.tensor) > 1) r.answer.formulas.push_back("prefill.time");
    if (out.run) r.answer.grids.push_back(counts_grid(q));
    say_formats(q.served, r);
    r.not_modelled = {"the embedding lookup, norms and other elementwise work",
                      "waiting for other prompts", "prefixes that are cached already"};
    say_mixers(q.model, r);
  }

  std::vector<Alternative> alternatives(const Input& q) const override {
    const std::vector<std::string> shown{"prefill.flops", "prefill.time"};
    const PrefillAssume<double>& a = q.assume.prefill;
    std::vector<Alternative> out;
    // Only what differs from the question stands in the flags.
    const auto offer = [&](const char* title, PromptCount other) {
      Alternative way{title, {}, shown};
      const auto set = [&way](const char* key, auto now, auto then) {
        if (now != then)
          way.sets.emplace_back(fmt::format("assume.prefill.{}", key), std::string(name_of(then)));
      };
      set("params", a.params, other.params);
      if (other.params == PrefillCount::kMatmul) set("head", a.head, other.head);
      set("attention", a.attention, other.attention);
      if (!way.sets.empty()) out.push_back(std::move(way));
    };
    const PromptCount now = prompt_count(q.assume);
    offer("what an engine executes",
          {PrefillCount::kMatmul, AttentionCount::kCausal, HeadPositions::kLast});
    offer("2·N·T, all parameters", {PrefillCount::kAll, AttentionCount::kNone, now.head});
    offer("no attention", {now.params, AttentionCount::kNone, now.head});
    offer("attention over all pairs", {now.params, AttentionCount::kFull, now.head});
    return out;
  }

 private:
  static std::string shown(Seconds<double> t) {
    return format_quantity(t.raw, kSecond, Hint::kNone);
  }

  static void say_target(const Input& q, const Output& out, Result& r) {
    const bool kept{!(*q.target < *out.run->time)};
    if (!kept) r.say_no(No::kTarget);
    r.answer.lines.push_back(
        fmt::format("target {}: {}", shown(*q.target), kept ? "met" : "not met by this prompt"));
  }

  static std::string title(const Input& q) {
    std::string s = "prefill";
    if (q.prompt) s += " of " + format_quantity(value_of(q.prompt->raw), kOne, Hint::kLength);
    s += " on " + model_name(q.model);
    const long t = number(q.tensor);
    return t > 1 ? s + fmt::format(", {} GPUs", t) : s;
  }

  static std::string counted(const Input& q) {
    const PrefillAssume<double>& a = q.assume.prefill;
    const char* params[] = {"matmul parameters", "all active parameters",
                            "parameters of the layers"};
    const char* attention[] = {"causal attention", "attention over all pairs", "no attention"};
    std::string s = fmt::format("{}, {}", params[static_cast<int>(a.params)],
                                attention[static_cast<int>(a.attention)]);
    if (a.params != PrefillCount::kMatmul) return s;
    return s + (a.head == HeadPositions::kAll ? ", head on every position"
                                              : ", head on the last position");
  }

  static Grid counts_grid(const Input& q) {
    Grid g{"FLOPs by what is counted",
           "parameters",
           {{"none", "no attention"}, {"causal", "causal"}, {"full", "all pairs"}},
           {}};
    const PrefillAssume<double>& a = q.assume.prefill;
    for (const MatrixCount& m : kMatrixCounts) {
      const bool head = a.params != PrefillCount::kMatmul || a.head == m.head;
      g.rows.push_back({std::string(m.id), std::string(m.title), "", a.params == m.params && head});
    }
    return g;
  }
};

}  // namespace

const Question& prefill_question() {
  static const PrefillKind kind;
  return kind;
}

}  // namespace reckon
