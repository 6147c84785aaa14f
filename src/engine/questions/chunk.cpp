// kind: chunk
#include "reckon/cost/questions/chunk.hpp"

#include <fmt/format.h>

#include "../legal_classes.hpp"
#include "questions.hpp"
#include "reckon/units/format.hpp"
#include "serving.hpp"

namespace reckon {
namespace {

class ChunkKind : public QuestionOf<ChunkQuestion> {
 public:
  const QuestionInfo& info() const override {
    static const QuestionInfo info{
        "chunk",
        "how much of a prefill rides along a decode step, and what it stalls",
        "model",
        {"reckon chunk llama-3-8b --chunk 256 --batch 32 --prompt 2000 --output 500 "
         "--gpus 1xh100-sxm --assume prefill.mfu=50%",
         "reckon chunk llama-3-8b --chunk 128,256,512,1024 --batch 32 --context 2250 "
         "--gpus 1xh100-sxm --assume chunk.mfu=50%"},
        {"chunk.*", "decode.*", "prefill.*", "capacity", "reserve.fixed", "reserve.share",
         "latency.*", "efficiency.link", "efficiency.network", "efficiency.memory", "ring_factor",
         "ring_across"},
        {"chunk.compute", "chunk.slack_step", "chunk.step_time", "chunk.largest_weights",
         "chunk.largest_step"}};
    return info;
  }

 protected:
  void write_out(Workspace& work, doc::Value& tree, Diagnostics& d) const override {
    fill_formats(work, tree, d);
  }

  void legal(const Input& q, const Asked& asked) const override {
    need_batch(q.load, "chunk", asked);
    check_batch_length(q.model, q.load, asked);
    if (q.chunk && q.load.prompt && *q.chunk > *q.load.prompt)
      asked
          .fault("chunk", fmt::format("chunk: {} tokens of a prompt that has {}", number(*q.chunk),
                                      number(*q.load.prompt)))
          .help(fmt::format("chunk: {} takes the prompt whole", number(*q.load.prompt)));
    need_cache(q.model, "a decode step", asked);
    check_classes(q.model, q.served.classes, "classes", asked.places, asked.diagnostics);
    need_bandwidth(q.cluster, q.chip, asked);
    need_peak(q.cluster, q.chip, asked);
    need_countable(q.model, q.assume, true, asked);
    need_tensor({q.model, q.cluster, q.on, q.assume, q.tensor, "tensor"}, asked);
    if (!q.load.prompt && q.assume.chunk.attention != AttentionCount::kNone)
      asked.fault("prompt", "prompt: how far a chunk's tokens attend is not stated")
          .help("prompt: 2000, or leave it out: --assume chunk.attention=none");
  }

  void say(const Input& q, const Output& out, Result& r) const override {
    if (r.name.empty()) r.name = title(q);
    if (out.tokens) r.answer.lines.push_back(rides(out, r));
    r.answer.lines.push_back(
        fmt::format("largest chunk whose compute hides: {} behind the weights' read, {} behind "
                    "weights and cache",
                    text(r, "chunk.largest_weights"), text(r, "chunk.largest_step")));
    if (value_of(q.tensor.raw) > 1 && q.assume.decode.all_reduces != DecodeReduces::kApart)
      r.answer.notes.push_back(
          "The chunk's all-reduces do not hide: they lengthen the step beyond that.");
    if (out.stalled)
      r.answer.lines.push_back(fmt::format(
          "a whole prefill takes {} and stalls {} decode steps of {}", text(r, "prefill.time"),
          text(r, "chunk.stalled_steps"), text(r, "decode.time")));
    else if (q.load.prompt)
      r.answer.notes.push_back(
          "What a whole prefill stalls: --assume prefill.mfu=50% says how well it computes.");
    if (out.arriving) pays(q, out, r);
    say_batch_fits(out.limits, q.model, q.load, q.tensor, r);
    if (out.tokens) r.answer.formulas = {"chunk.compute", "chunk.slack_weights"};
    r.answer.formulas.push_back("chunk.largest_step");
    if (out.stalled) r.answer.formulas.push_back("chunk.stalled_steps");
    if (out.rate_from) r.answer.formulas.push_back("chunk.rate_from");
    say_formats(q.served, r);
    r.not_modelled = {"reading a prompt's cache again for each of its chunks",
                      "waiting for other prompts", "kernel launches and the engine's own time"};
  }

  std::vector<Alternative> alternatives(const Input& q) const override {
    const std::vector<std::string> shown{"chunk.compute", "chunk.largest_weights",
                                         "chunk.largest_step"};
    std::vector<Alternative> out;
    if (value_of(q.assume.chunk.mfu.raw) == 1)
      out.push_back({"compute at 50 % of peak", {{"assume.chunk.mfu", "50%"}}, shown});
    if (q.assume.prefill.params != PrefillCount::kAll)
      out.push_back({"2 FLOPs for each of all parameters",
                     {{"assume.prefill.params", "all"}, {"assume.decode.params", "all"}},
                     shown});
    if (q.assume.prefill.head == HeadPositions::kAll)
      out.push_back({"the chunk needs no head", {{"assume.prefill.head", "last"}}, shown});
    if (q.assume.chunk.attention == AttentionCount::kNone && q.load.prompt)
      out.push_back(
          {"the chunk's attention counted", {{"assume.chunk.attention", "causal"}}, shown});
    return out;
  }

 private:
  static std::string title(const Input& q) {
    const long B = number(*q.load.batch);
    std::string s = q.chunk ? fmt::format("chunk of {} prompt tokens", number(*q.chunk))
                            : std::string("chunks");
    return s + fmt::format(" beside {} decoding sequence{}, {}", B, B == 1 ? "" : "s",
                           model_name(q.model));
  }

  static std::string rides(const Output& out, const Result& r) {
    const bool free = !(*out.slowed > Ratio<double>(1.0));
    std::string s =
        fmt::format("{} tokens compute in {}, beside {} to read the weights and {} in all",
                    text(r, "chunk.tokens"), text(r, "chunk.compute"),
                    text(r, "decode.weights.time"), text(r, "decode.memory.time"));
    return s + (free ? ": the chunk rides along free"
                     : fmt::format(": the step takes {}, {} × as long", text(r, "chunk.step_time"),
                                   text(r, "chunk.step_over_decode")));
  }

  static void pays(const Input& q, const Output& out, Result& r) {
    const bool hides = !out.prompt_from || *q.load.prompt < *out.prompt_from;
    r.answer.lines.push_back(fmt::format(
        "a full batch takes {} and brings {} prompt tokens a step: {}", text(r, "decode.requests"),
        text(r, "chunk.arriving"),
        hides ? "they hide, and prefill GPUs of their own do not pay"
              : "more than hides, so prefill GPUs of their own keep the decode steps short"));
    const bool beyond{*out.rate_from > *out.decode_rate};
    const std::string length =
        out.prompt_from ? fmt::format("from prompts of {}, or", text(r, "chunk.prompt_from"))
                        : std::string(
                              "at no length of prompts (longer caches hide what these "
                              "bring);");
    r.answer.lines.push_back(
        fmt::format("prefill GPUs of their own pay {} with these prompts from {}{}", length,
                    text(r, "chunk.rate_from"), beyond ? ", more than this batch finishes" : ""));
    if (out.separate_rate)
      r.answer.notes.push_back(fmt::format(
          "Per GPU, doing both in chunks serves {}, GPUs apart {}: what separation buys is even "
          "decode steps, not throughput.",
          text(r, "chunk.shared_rate"), text(r, "chunk.separate_rate")));
  }
};

}  // namespace

const Question& chunk_question() {
  static const ChunkKind kind;
  return kind;
}

}  // namespace reckon
