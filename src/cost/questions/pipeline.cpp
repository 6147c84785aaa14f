#include "reckon/cost/questions/pipeline.hpp"

#include <algorithm>

#include "reckon/cost/whole.hpp"

namespace reckon {
namespace {

const Formula kOneStage{"pipeline.time_of_one", "T", "time of a step's passes",
                        "one stage never waits"},
    kWaited{"pipeline.waited", "T_bubble", "what a stage waits, mean over the stages",
            "played out, less the work"};

double schedule_passes(const schedule::PipelineLayout& x) {
  return 3.0 * x.ranks * x.held() * x.micro_batches_of_copy();
}

template <class R>
std::optional<Count<R>> needed(const PipelineQuestion<R>& question) {
  auto p = *question.stages;
  if (question.target_share) {
    const auto& x = *question.target_share;
    return kNeededForShare(max(1, least_whole((p - 1) * (1 - x) / x)));
  }
  if (question.target_overhead)
    return kNeededForOverhead(max(1, least_whole((p - 1) / *question.target_overhead)));
  return {};
}

template <class R>
Count<R> question_chunks(const PipelineQuestion<R>& question) {
  if (fixed_chunks(question.schedule) == 2) return Count<R>{2};
  return question.chunks ? *question.chunks : Count<R>{1};
}

// What stage i keeps of the question's model, or of the bytes it states.
template <class R>
class StageKeeps {
 public:
  explicit StageKeeps(const PipelineQuestion<R>& question) : question_(question) {
    if (!question.model || !question.on.sequence) return;
    const auto shape =
        activation_shape(*question.model, question.on, question.micro, question.assume);
    layers_ = layer_memory(*question.model, shape, again_of(question.on));
    mask_ = table_mask(shape);
    spread_.emplace(*question.model, Cut{whole(*question.stages), question.schedule,
                                         whole(question_chunks(question))});
  }

  std::optional<Bytes<R>> operator()(int i, Count<R> in_flight) const {
    auto m_i = in_flight;
    NAME(m_i);
    if (question_.activations) return kStageKeeps(m_i * *question_.activations);
    if (!spread_) return {};
    return stage_activations(*question_.model, question_.assume, again_of(question_.on), layers_,
                             m_i, *spread_, i, {}, {}, mask_)
        .total;
  }

 private:
  const PipelineQuestion<R>& question_;
  std::vector<LayerMemory<R>> layers_;
  std::optional<Bytes<R>> mask_;
  std::optional<Stages<R>> spread_;
};

// Pieces of the model as the question's loads and repeated shares have them; one if all are equal.
template <Dim D, class R>
std::vector<StagePasses<D, R>> pieces(const PipelineQuestion<R>& question,
                                      const schedule::PipelineLayout& x,
                                      const StagePasses<D, R>& stage, Count<R> v) {
  const bool even = question.load.empty() && question.repeated.size() <= 1;
  std::vector<StagePasses<D, R>> out(static_cast<std::size_t>(even ? 1 : x.pieces()));
  const auto fill = [&](std::size_t piece, std::size_t stage_of) {
    StagePasses<D, R> t = stage;
    if (!question.repeated.empty()) {
      const auto& r = question.repeated[question.repeated.size() == 1 ? 0 : stage_of];
      t.B = t.B + r * t.F;
    }
    if (!question.load.empty()) {
      const auto& l = question.load[stage_of];
      t = {l * t.F, l * t.B, l * t.W};
    }
    out[piece] = t;
    if (!(v <= 1)) out[piece] = {t.F / v, t.B / v, t.W / v};
  };
  if (even) {
    fill(0, 0);
    return out;
  }
  // Of two copies the first one's stages lie in the ranks' order.
  for (int rank = 0; rank < x.ranks; ++rank) {
    for (int c = 0; c < x.chunks; ++c)
      fill(static_cast<std::size_t>(x.piece(rank, c)), static_cast<std::size_t>(rank));
  }
  return out;
}

// Work of a stage on average: every micro-batch through all pieces once.
template <Dim D, class R>
Quantity<D, R> mean_work(const PipelineShape<R>& shape,
                         const std::vector<StagePasses<D, R>>& pieces) {
  auto n = shape.n;
  auto p = shape.p;
  auto v = shape.v;
  NAME(n, p, v);
  Sum<D, R> all;
  int i = 0;
  for (const auto& t : pieces) all.add({"piece", i++}, t.F + t.B + t.W);
  if (pieces.size() == 1) return kWorkPlayed(n * (v * all.total()));
  return kWorkPlayed(n * all.total() / p);
}

inline int joined_passes(const schedule::Order& order) {
  int out = 0;
  for (const auto& ops : order)
    for (const schedule::Op& op : ops) out += op.pass == schedule::Pass::kPair ? 1 : 0;
  return out;
}

// Share of the elapsed time that each rank waits.
template <class R>
void add_waits(PipelineAnswer<R>& out) {
  const double period = out.played->run.period(out.played->staggered);
  for (PipelineStage<R>& s : out.stages) {
    const double busy = out.played->run.busy[static_cast<std::size_t>(s.i)];
    s.waits = Ratio<R>(R(std::max(0.0, 1 - busy / period)));
  }
}

template <Dim D, class R>
struct TimedPipeline {
  Quantity<D, R> time, bubble;
};

// The question's times, played out where no formula has them.
template <Dim D, class R>
TimedPipeline<D, R> timed(const PipelineQuestion<R>& question, const StagePasses<D, R>& stage,
                          Quantity<D, R> send, Ratio<R> pair, PipelineAnswer<R>& out) {
  const PipelineShape<R>& shape = out.shape;
  schedule::PipelineLayout layout = layout_of(shape);
  const auto all = pieces(question, layout, stage, shape.v);
  const bool joins = pair < 1 && pairs_passes(shape.kind);
  // Of equal stages, as the formulas have them.
  const StagePasses<D, R>& t = all[0];
  const StagePasses<D, R> whole_stage =
      shape.v <= 1 ? t : StagePasses<D, R>{shape.v * t.F, shape.v * t.B, shape.v * t.W};
  auto T_work = mean_work(shape, all);
  NAME(T_work);
  const bool plain_stages = all.size() == 1 && send <= Quantity<D, R>{};
  const bool staggered = staggers_steps(shape.kind) && !question.synchronous;
  out.published = plain_stages && !joins && has_closed_form(shape, whole_stage) &&
                  staggered == staggers_steps(shape.kind);
  std::optional<Quantity<D, R>> T_pipe;
  if (schedule_passes(layout) <= (out.published ? kMostDrawn : kMostPlayed) && !(shape.p <= 1)) {
    out.played = PlayedPipeline{layout, schedule::order_of(layout), {}, staggered};
    T_pipe = played_time<D, R>(layout, all, {send, question.blocking, pair, staggered},
                               &out.played->run);
  }
  if (shape.p <= 1) return {kOneStage(T_work), {}};
  if (out.published) {
    auto T_bubble = closed_bubble(shape, whole_stage);
    NAME(T_bubble);
    return {kStepPlayed(T_work + T_bubble), T_bubble};
  }
  auto T_played = *T_pipe;
  NAME(T_played);
  const auto FB = pair * (whole_stage.F + whole_stage.B + whole_stage.W);
  if (joins && plain_stages && shape.kind == ScheduleKind::kDualPipe &&
      has_closed_form(shape, whole_stage) && !(FB < whole_stage.B + whole_stage.W)) {
    out.published = true;
    return {T_played, dualpipe_bubble(shape.p, whole_stage, FB)};
  }
  if (joins) {
    auto pairs = structural<R>("joined", joined_passes(out.played->order)) / shape.p;
    auto saved = (1 - pair) * (t.F + t.B + t.W);
    NAME(pairs, saved);
    T_work = kWorkJoined(T_work - pairs * saved);
  }
  return {T_played, kWaited(max(Quantity<D, R>{}, T_played - T_work))};
}

template <class R>
void list_stages(const PipelineQuestion<R>& question, PipelineAnswer<R>& out) {
  const StageKeeps<R> keeps(question);
  const int p = whole(out.shape.p);
  Largest<kByte, R> fullest;
  for (int i = 0; i < p; ++i) {
    if (p > kListedStages && i > 0 && i < p - 1) continue;
    const Count<R> m = in_flight(out.shape, i);
    out.stages.push_back({i, m, keeps(i, m), {}});
    if (out.stages.back().activations) fullest.offer({"stage", i}, *out.stages.back().activations);
  }
  if (!fullest.empty()) out.activations = kFullestStage(fullest.best());
}

// Times in seconds where they are stated, in passes where they are not.
template <class R>
void add_times(const PipelineQuestion<R>& question, PipelineAnswer<R>& out) {
  const auto ratios = [&](const auto& t) {
    if (out.shape.p <= 1) return;
    out.bubble = ratios_of(t.bubble, t.time - t.bubble);
  };
  if (!question.forward) {
    const auto t = timed<kOne, R>(question, {Ratio<R>{1}, Ratio<R>{1}, Ratio<R>{1}}, Ratio<R>{},
                                  Ratio<R>{1}, out);
    ratios(t);
    return;
  }
  auto F = *question.forward;
  auto B = *question.backward;
  auto W = question.weight_gradient ? *question.weight_gradient : Seconds<R>{};
  auto send = question.send ? *question.send : Seconds<R>{};
  NAME(F, B, W, send);
  Ratio<R> pair{1};
  if (question.joined) pair = *question.joined / (F + B + W);
  const auto t = timed<kSecond, R>(question, {F, B, W}, send, pair, out);
  ratios(t);
  out.time = t.time;
  out.bubble_time = t.bubble;
}

}  // namespace

template <class R>
PipelineAnswer<R> answer(const PipelineQuestion<R>& question) {
  PipelineAnswer<R> out;
  out.needed = needed(question);
  auto n = question.micro_batches ? *question.micro_batches : *out.needed;
  auto p = *question.stages;
  NAME(n, p);
  out.shape = {question.schedule, p, question_chunks(question), n};
  list_stages(question, out);
  add_times(question, out);
  if (counts_slots(question.schedule) && out.published && !question.chunks) {
    out.slots = kSlots(n + p - 1);
    out.lost = kSlotsLost(p - 1);
  }
  if (counts_slots(question.schedule) && out.published) out.bubble = bubble_ratios(out.shape);
  if (out.played) add_waits(out);
  return out;
}

template PipelineAnswer<double> answer(const PipelineQuestion<double>&);
template PipelineAnswer<Traced> answer(const PipelineQuestion<Traced>&);

}  // namespace reckon
