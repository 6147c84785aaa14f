// kind: pipeline
#include "reckon/cost/questions/pipeline.hpp"

#include <fmt/format.h>

#include "needs.hpp"
#include "question_of.hpp"
#include "questions.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

constexpr double kMostMicroBatches = 1e9;  // what counting them in whole numbers bears

int count(const Count<double>& x) { return whole(x); }

class Pipeline : public QuestionOf<PipelineQuestion> {
 public:
  const QuestionInfo& info() const override {
    static const QuestionInfo info{
        "pipeline",
        "bubble, slots, micro-batches in flight and what a stage keeps",
        "model",
        {"reckon pipeline --stages 4 --micro-batches 8",
         "reckon pipeline --stages 4,8,16 --target-share 10%",
         "reckon pipeline --stages 8 --micro-batches 32 --model llama-3-70b --sequence 8192"},
        {"activations", "attention", "gqa", "swiglu", "rope", "fused_norm", "softmax_statistics",
         "dropout", "live_layers"},
        {"pipeline.bubble_share", "pipeline.bubble_overhead", "pipeline.slots",
         "pipeline.micro_batches", "stage.0.in_flight"}};
    return info;
  }

 protected:
  void legal(const Input& q, const Asked& asked) const override {
    if (q.schedule == ScheduleKind::kInterleaved)
      asked.fault("schedule", "schedule: this question knows 1f1b and gpipe")
          .help(
              "an interleaved schedule is priced in a training plan: schedule: {kind: "
              "interleaved, chunks: 2}");
    if (q.target_share && q.target_overhead)
      asked.fault("target_overhead", "the target is stated twice, as a share and as an overhead")
          .note(asked.places.of("target_share"), "the share is stated here")
          .help("leave one of them out");
    if (!q.micro_batches && !q.target_share && !q.target_overhead)
      asked.fault("micro_batches", "pipeline: how many micro-batches a step has is not stated")
          .help("micro_batches: 8, or target_share: 10% for as many as that takes");
    const auto asks_much = [&](const auto& target, const char* key) {
      if (!target || value_of(target->raw) * kMostMicroBatches >= value_of(q.stages->raw)) return;
      asked
          .fault(key,
                 fmt::format("{}: so small a bubble takes more than a billion micro-batches", key))
          .help("ask for a larger one: 5%");
    };
    if (q.stages) {
      asks_much(q.target_share, "target_share");
      asks_much(q.target_overhead, "target_overhead");
    }
    legal_model(q, asked);
  }

  void say(const Input& q, const Output& out, Result& r) const override {
    const int p = count(out.shape.p), n = count(out.shape.n);
    if (r.name.empty())
      r.name = fmt::format("{} of {} {}, {}", schedule_name(q.schedule), p,
                           p == 1 ? "stage" : "stages", micro_batches(n));
    r.answer.lines.push_back(
        fmt::format("{} of the time is bubble: {} of {} slots; {} over the ideal time",
                    text(r, kBubbleShare.id), text(r, kSlotsLost.id), text(r, kSlots.id),
                    text(r, kBubbleOverhead.id)));
    if (out.needed)
      r.answer.lines.push_back(fmt::format(
          "{} at least keep the bubble at {} or less", micro_batches(count(*out.needed)),
          q.target_share ? share(*q.target_share) + " of the time"
                         : share(*q.target_overhead) + " over the ideal time"));
    if (p > 1) r.answer.lines.push_back(held(out, r));
    r.answer.formulas = {"pipeline.bubble_share", "pipeline.bubble_overhead"};
    if (out.needed) r.answer.formulas.emplace_back("pipeline.micro_batches_needed");
    r.answer.formulas.emplace_back("stage.0.in_flight");
    if (out.activations) r.answer.formulas.emplace_back("stage.0.activations");
    if (p > 1) r.answer.grids.push_back(stage_grid(out));
    if (n < p)
      r.warnings.push_back(fmt::format(
          "{} can't fill {} stages: at any time some stage waits; from {} on all work at once",
          micro_batches(n), p, p));
    r.answer.notes = {
        "A slot is one micro-batch's forward and backward pass on one stage. The "
        "bubble is the same for GPipe and 1F1B, whatever the backward pass takes; "
        "they differ in what a stage holds."};
    r.not_modelled = {"transfers between stages", "stages of unequal time"};
  }

  std::vector<Alternative> alternatives(const Input& q) const override {
    const bool gpipe = q.schedule == ScheduleKind::kGpipe;
    return {{gpipe ? "1F1B: backward as soon as it can" : "GPipe: all forward passes first",
             {{"schedule", gpipe ? "1f1b" : "gpipe"}},
             {"stage.0.in_flight", "stage.0.activations"}}};
  }

 private:
  static std::string micro_batches(int n) {
    return fmt::format("{} micro-batch{}", n, n == 1 ? "" : "es");
  }
  static std::string share(const Ratio<double>& x) {
    return format_quantity(value_of(x.raw), kOne, Hint::kFraction);
  }
  static const char* schedule_name(ScheduleKind k) {
    return k == ScheduleKind::kGpipe ? "GPipe" : "1F1B";
  }

  static void legal_model(const Input& q, const Asked& asked) {
    if (!q.model) return;
    if (q.activations)
      asked.fault("activations", "activations: stated, and counted from the model, too")
          .note(asked.places.of("model"), "the model is stated here")
          .help("leave one of them out");
    need_dimensions(*q.model, "what a stage keeps", asked);
    need_counted_mixers(*q.model, asked);
    need_split(*q.model, q.on, asked);
    const int L = total_layers(*q.model);
    if (L > 0 && count(*q.stages) > L)
      asked
          .fault("stages",
                 fmt::format("stages: {}, but the model has {} layers", count(*q.stages), L))
          .note(asked.places.of("model.layers.0.count"), "layers are stated here")
          .help(fmt::format("at most {} stages", L));
  }

  static std::string held(const Output& out, const Result& r) {
    const std::string last = fmt::format("stage.{}.in_flight", out.stages.back().i);
    std::string s = fmt::format("The first stage holds {} at once, the last {}",
                                micro_batches(count(out.stages.front().in_flight)), text(r, last));
    if (out.activations)
      s += fmt::format("; the fullest keeps {} of activations", text(r, "memory.activations"));
    return s;
  }

  static Grid stage_grid(const Output& out) {
    constexpr std::size_t kShown = 16;
    Grid g{"Stages", "stage", {{"in_flight", "micro-batches in flight"}}, {}};
    if (out.activations) g.columns.push_back({"activations", "activations"});
    for (std::size_t k = 0; k < out.stages.size(); ++k) {
      if (out.stages.size() > kShown && k >= kShown / 2 && k + 1 < out.stages.size()) continue;
      const int i = out.stages[k].i;
      g.rows.push_back({fmt::format("stage.{}", i), std::to_string(i)});
    }
    return g;
  }
};

}  // namespace

const Question& pipeline_question() {
  static const Pipeline kind;
  return kind;
}

}  // namespace reckon
