// kind: pipeline
#include "reckon/cost/questions/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "../legal_schedule.hpp"
#include "needs.hpp"
#include "pipeline_picture.hpp"
#include "question_of.hpp"
#include "questions.hpp"
#include "reckon/base/text.hpp"
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
         "reckon pipeline --stages 8 --micro-batches 32 --model llama-3-70b --sequence 8192",
         "reckon pipeline --stages 4 --micro-batches 8 --schedule 1f1b,zb-h1,zb-h2,zb-v",
         "reckon pipeline --stages 4 --micro-batches 8 --schedule interleaved --chunks 2 "
         "--forward 10ms --backward 20ms --send 500us --load 1,1,1,1.2"},
        {"activations", "attention", "gqa", "swiglu", "rope", "fused_norm", "softmax_statistics",
         "dropout", "live_layers"},
        {"pipeline.bubble_share", "pipeline.bubble_overhead", "pipeline.slots",
         "pipeline.micro_batches", "stage.0.in_flight"}};
    return info;
  }

 protected:
  void legal(const Input& q, const Asked& asked) const override {
    legal_count(q, asked);
    legal_times(q, asked);
    legal_stages(q, asked);
    legal_model(q, asked);
  }

  void say(const Input& q, const Output& out, Result& r) const override {
    const int p = count(out.shape.p), n = count(out.shape.n);
    if (r.name.empty())
      r.name = fmt::format("{} of {} {}, {}", schedule_name(out), p, p == 1 ? "stage" : "stages",
                           micro_batches(n));
    r.answer.lines.push_back(bubble_line(out, r));
    if (out.time)
      r.answer.lines.push_back(fmt::format("{} a step, of which a stage waits {}",
                                           text(r, kStepPlayed.id),
                                           text(r, "pipeline.bubble_time")));
    if (out.needed)
      r.answer.lines.push_back(fmt::format(
          "{} at least keep the bubble at {} or less", micro_batches(count(*out.needed)),
          q.target_share ? share(*q.target_share) + " of the time"
                         : share(*q.target_overhead) + " over the ideal time"));
    if (p > 1) r.answer.lines.push_back(held(out, r));
    if (out.played && !out.published) r.answer.lines.push_back(path_line(*out.played));
    r.answer.formulas = {"pipeline.bubble_share", "pipeline.bubble_overhead"};
    // Of uneven stages it is a sum over all their passes: --metric pipeline.time --explain shows it.
    if (out.time && q.load.empty() && q.repeated.size() <= 1)
      r.answer.formulas.emplace_back(kStepPlayed.id);
    if (out.needed) r.answer.formulas.emplace_back("pipeline.micro_batches_needed");
    r.answer.formulas.emplace_back("stage.0.in_flight");
    if (out.activations) r.answer.formulas.emplace_back("stage.0.activations");
    if (p > 1) r.answer.grids.push_back(stage_grid(out));
    if (n < p)
      r.warnings.push_back(fmt::format(
          "{} can't fill {} stages: at any time some stage waits; from {} on all work at once",
          micro_batches(n), p, p));
    draw(q, out, r);
    r.answer.notes = notes(q, out);
    if (!q.send) r.not_modelled.emplace_back("transfers between stages");
    if (q.load.empty()) r.not_modelled.emplace_back("stages of unequal time");
  }

  std::vector<Alternative> alternatives(const Input& q) const override {
    const bool gpipe = q.schedule == ScheduleKind::kGpipe;
    std::vector<Alternative> out;
    if (gpipe || q.schedule == ScheduleKind::k1f1b)
      out.push_back({gpipe ? "1F1B: backward as soon as it can" : "GPipe: all forward passes first",
                     {{"schedule", gpipe ? "1f1b" : "gpipe"}},
                     {"stage.0.in_flight", "stage.0.activations"}});
    else if (!takes_chunks(q.schedule) && !q.joined && !q.synchronous)
      out.push_back({"1F1B",
                     {{"schedule", "1f1b"}},
                     {"pipeline.bubble_share", "pipeline.time", "stage.0.in_flight"}});
    return out;
  }

 private:
  static std::string micro_batches(int n) {
    return fmt::format("{} micro-batch{}", n, n == 1 ? "" : "es");
  }
  static std::string share(const Ratio<double>& x) {
    return format_quantity(value_of(x.raw), kOne, Hint::kFraction);
  }
  static std::string schedule_name(const Output& out) {
    const std::string title = title_of(out.shape.kind);
    if (!takes_chunks(out.shape.kind)) return title;
    return fmt::format("{}, {} chunks a stage,", title, count(out.shape.v));
  }
  static schedule::PipelineLayout layout_of_question(const Input& q, const Count<double>& n) {
    const int fixed = fixed_chunks(q.schedule);
    return {q.schedule, count(*q.stages), q.chunks ? count(*q.chunks) : fixed, count(n)};
  }

  // How many micro-batches, and whether the schedule can be laid out so.
  static void legal_count(const Input& q, const Asked& asked) {
    if (q.target_share && q.target_overhead)
      asked.fault("target_overhead", "the target is stated twice, as a share and as an overhead")
          .note(asked.places.of("target_share"), "the share is stated here")
          .help("leave one of them out");
    const bool target = q.target_share || q.target_overhead;
    if (!q.micro_batches && !target)
      asked.fault("micro_batches", "pipeline: how many micro-batches a step has is not stated")
          .help("micro_batches: 8, or target_share: 10% for as many as that takes");
    const auto asks_much = [&](const auto& x, const char* key) {
      if (!x || value_of(x->raw) * kMostMicroBatches >= value_of(q.stages->raw)) return;
      asked
          .fault(key,
                 fmt::format("{}: so small a bubble takes more than a billion micro-batches", key))
          .help("ask for a larger one: 5%");
    };
    if (!q.stages) return;
    asks_much(q.target_share, "target_share");
    asks_much(q.target_overhead, "target_overhead");
    const SchedulePaths paths{"schedule", "chunks", "stages", "micro_batches", false};
    schedule::PipelineLayout x = layout_of_question(q, Count<double>{1});
    if (!check_chunks(x, paths, asked.places, asked.diagnostics)) return;
    if (target && q.schedule != ScheduleKind::k1f1b && q.schedule != ScheduleKind::kGpipe)
      asked
          .fault(q.target_share ? "target_share" : "target_overhead",
                 fmt::format("how many micro-batches a target takes is solved for 1f1b and gpipe, "
                             "not for {}",
                             names(q.schedule)[static_cast<std::size_t>(q.schedule)]))
          .help("state micro_batches; several are compared: --micro-batches 16,32,64");
    if (target && (q.send || !q.load.empty() || q.repeated.size() > 1))
      asked
          .fault(
              q.target_share ? "target_share" : "target_overhead",
              "how many micro-batches a target takes is solved for equal stages without transfers")
          .help("state micro_batches; several are compared: --micro-batches 16,32,64");
    if (!q.micro_batches || count(*q.stages) < 1) return;
    x.micro_batches = count(*q.micro_batches);
    check_layout(x, paths, asked.places, asked.diagnostics);
    const bool needs_playing =
        !counts_slots(q.schedule) || q.send || !q.load.empty() || q.repeated.size() > 1;
    if (needs_playing && passes_of(x) > kMostPlayed)
      asked
          .fault("micro_batches",
                 fmt::format("this is answered by playing the schedule out, and {:.3g} passes are "
                             "too many for that",
                             passes_of(x)))
          .help(
              fmt::format("fewer micro-batches or stages: {:.0g} passes are played", kMostPlayed));
  }

  // Within what a timeline can show: sums of such times lose no pass.
  static void legal_sizes(const Input& q, const Asked& asked) {
    const auto seconds = [&](const auto& t, const char* key) {
      if (!t || value_of(t->raw) <= 0) return;
      if (value_of(t->raw) > 1e9 || value_of(t->raw) < 1e-12)
        asked
            .fault(key, fmt::format("{}: a pass or transfer of {} can't be drawn or summed", key,
                                    format_quantity(value_of(t->raw), kSecond, Hint::kNone)))
            .help("state a time from 1 ps to 1e9 s");
    };
    seconds(q.forward, "forward");
    seconds(q.backward, "backward");
    seconds(q.weight_gradient, "weight_gradient");
    seconds(q.joined, "joined");
    seconds(q.send, "send");
    for (std::size_t i = 0; i < q.load.size(); ++i) {
      const double x = value_of(q.load[i].raw);
      if (x > 0 && (x > 1e6 || x < 1e-6))
        asked
            .fault("load",
                   fmt::format("load: {} for stage {} can't be drawn beside the others", x, i))
            .help("state shares from 1e-6 to 1e6");
    }
  }

  static void legal_times(const Input& q, const Asked& asked) {
    legal_sizes(q, asked);
    const bool split = splits_backward(q.schedule);
    if (q.forward && !q.backward)
      asked.fault("forward", "the forward pass is stated, the backward pass is not")
          .help("add backward: 20 ms");
    if (!q.forward && (q.backward || q.weight_gradient || q.joined || q.send))
      asked
          .fault(q.backward          ? "backward"
                 : q.weight_gradient ? "weight_gradient"
                 : q.joined          ? "joined"
                                     : "send",
                 "a time is stated, and that of the forward pass is not")
          .help("add forward: 10 ms, and backward");
    if (q.forward && q.backward && split && !q.weight_gradient)
      asked
          .fault("backward", fmt::format("{} runs the gradient of the weights apart, and its time "
                                         "is not stated",
                                         title_of(q.schedule)))
          .help("backward: 10 ms (of the inputs), weight_gradient: 10 ms");
    if (q.blocking && !q.send)
      asked.fault("blocking", "transfers block, and how long one takes is not stated")
          .help("add send: 200 us");
    if (q.synchronous && !staggers_steps(q.schedule))
      asked
          .fault("synchronous", fmt::format("{} is timed until the last stage is done in any case",
                                            title_of(q.schedule)))
          .help("leave it out: it is of zb-h2 and zb-v");
    legal_joined(q, asked);
  }

  static void legal_joined(const Input& q, const Asked& asked) {
    if (!q.joined) return;
    if (!pairs_passes(q.schedule)) {
      asked.fault("joined", fmt::format("{} joins no passes", title_of(q.schedule)))
          .help("leave it out, or schedule: dualpipe");
      return;
    }
    if (!q.load.empty() || q.repeated.size() > 1)
      asked.fault("joined", "passes are joined of equal stages only")
          .help("leave load and repeated out");
    if (!q.forward || !q.backward || !q.weight_gradient) return;
    const double f = value_of(q.forward->raw);
    const double b = value_of(q.backward->raw) + value_of(q.weight_gradient->raw);
    const double joined = value_of(q.joined->raw);
    if (joined < std::max(f, b) * (1 - 1e-12) || joined > (f + b) * (1 + 1e-12))
      asked
          .fault("joined",
                 "two passes joined take no less than the longer of them, and no more than "
                 "one after the other")
          .help(fmt::format("between {} and {}",
                            format_quantity(std::max(f, b), kSecond, Hint::kNone),
                            format_quantity(f + b, kSecond, Hint::kNone)));
  }

  // Lists have one value a stage.
  static void legal_stages(const Input& q, const Asked& asked) {
    if (!q.stages) return;
    const auto p = static_cast<std::size_t>(count(*q.stages));
    const auto many = [&](const auto& list, const char* key, bool one) {
      if (list.empty() || list.size() == p || (one && list.size() == 1)) return;
      asked
          .fault(key, fmt::format("{}: {} value{} for {} stages", key, list.size(),
                                  list.size() == 1 ? "" : "s", p))
          .note(asked.places.of("stages"), "stages are stated here")
          .help(fmt::format("give {}{}", p, one ? ", or one for all" : ""));
    };
    many(q.load, "load", false);
    many(q.repeated, "repeated", true);
  }

  static void legal_model(const Input& q, const Asked& asked) {
    if (!q.model) return;
    if (q.activations)
      asked.fault("activations", "activations: stated, and counted from the model, too")
          .note(asked.places.of("model"), "the model is stated here")
          .help("leave one of them out");
    need_dimensions(*q.model, "what a stage keeps", asked);
    need_counted_mixers(*q.model, q.assume.activations, asked);
    need_split(*q.model, q.on, asked);
    const int L = total_layers(*q.model);
    const double pieces = value_of(q.stages->raw) * (q.chunks ? value_of(q.chunks->raw) : 1);
    if (L > 0 && count(*q.stages) <= L && pieces > L + 2)
      asked
          .fault("chunks",
                 fmt::format("{:.0f} chunks in all, but the model has {} layers", pieces, L))
          .note(asked.places.of("model.layers.0.count"), "layers are stated here")
          .help(fmt::format("at most {} chunks a stage", L / count(*q.stages)));
    if (L > 0 && count(*q.stages) > L)
      asked
          .fault("stages",
                 fmt::format("stages: {}, but the model has {} layers", count(*q.stages), L))
          .note(asked.places.of("model.layers.0.count"), "layers are stated here")
          .help(fmt::format("at most {} stages", L));
  }

  static std::string bubble_line(const Output& out, const Result& r) {
    std::string s = fmt::format("{} of the time is bubble", text(r, kBubbleShare.id));
    if (out.slots) s += fmt::format(": {} of {} slots", text(r, kSlotsLost.id), text(r, kSlots.id));
    return s + fmt::format("; {} over the ideal time", text(r, kBubbleOverhead.id));
  }

  // What the time is made of: passes and transfers that follow each other without a gap.
  static std::string path_line(const PlayedPipeline& played) {
    const auto& path = played.staggered ? played.run.cycle_path : played.run.time_path;
    const auto n = detail::all_pieces(path);
    std::vector<std::string> parts;
    const auto add = [&](int k, const char* what) {
      if (k != 0) parts.push_back(fmt::format("{} {}", k, what));
    };
    if (splits_backward(played.layout.kind)) {
      add(n.forward, "F");
      add(n.backward, "B");
      add(n.weight, "W");
    } else {
      add(n.forward, "forward");
      add(n.backward, "backward");
    }
    add(n.paired_forward, "joined");
    add(path.sends, path.sends == 1 ? "transfer" : "transfers");
    return "The time is played out; what decides it, one after the other: " + join(parts, ", ") +
           (played.layout.chunks > 1 ? " (passes of a chunk)" : "");
  }

  static void draw(const Input& q, const Output& out, Result& r) {
    if (!out.played) return;
    r.answer.pictures.push_back(pipeline_picture(*out.played));
    r.answer.timeline = pipeline_timeline(*out.played);
    r.answer.timeline_unit = q.forward ? "s" : "pass";
  }

  static std::vector<std::string> notes(const Input& q, const Output& out) {
    std::vector<std::string> all;
    if (out.slots)
      all.emplace_back(
          "A slot is one micro-batch's forward and backward pass on one stage. The "
          "bubble is the same for GPipe and 1F1B, whatever the backward pass takes; "
          "they differ in what a stage holds.");
    else if (!q.forward)
      all.emplace_back(
          "No times are stated: forward pass, gradient of the inputs and gradient of the weights "
          "are "
          "taken as equally long.");
    if (staggers_steps(q.schedule))
      all.emplace_back(
          q.synchronous ? "Stages wait for each other at the end of the step, so the fill counts."
                        : "As published, a stage begins the next step when it is done with this "
                          "one: the fill "
                          "does not count. With --synchronous it does.");
    if (placement_of(q.schedule) == Placement::kTwoWay)
      all.emplace_back(
          "Each rank holds two stages, one of each copy of the model: twice the parameters. Half "
          "of "
          "the micro-batches enter at each end.");
    if (q.joined && out.published)
      all.emplace_back("The bubble is that of the stages in the middle, which wait most.");
    if (q.joined && !out.published)
      all.emplace_back("The bubble is the mean of what the stages wait.");
    return all;
  }

  static std::string held(const Output& out, const Result& r) {
    const std::string last = fmt::format("stage.{}.in_flight", out.stages.back().i);
    const bool one = static_cast<bool>(out.stages.front().in_flight <= 1);
    std::string s = fmt::format("The first stage holds {} micro-batch{} at once, the last {}",
                                text(r, "stage.0.in_flight"), one ? "" : "es", text(r, last));
    if (out.activations)
      s += fmt::format("; the fullest keeps {} of activations", text(r, "memory.activations"));
    return s;
  }

  static Grid stage_grid(const Output& out) {
    constexpr std::size_t kShown = 16;
    Grid g{"Stages", "stage", {{"in_flight", "micro-batches in flight"}}, {}};
    if (out.played) g.columns.push_back({"waits", "waits"});
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
