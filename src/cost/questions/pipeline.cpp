#include "reckon/cost/questions/pipeline.hpp"

namespace reckon {
namespace {

// What a computed number may be above a whole one and still be that: its rounding.
template <class R>
Count<R> least_whole(Count<R> least) {
  auto rounding = Ratio<R>{1e-12};
  NAME(rounding);
  return ceil(least * (1 - rounding));
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

// What stage i keeps of the question's model, or of the bytes it states.
template <class R>
class StageKeeps {
 public:
  explicit StageKeeps(const PipelineQuestion<R>& question) : question_(question) {
    if (!question.model || !question.on.sequence) return;
    const auto shape =
        activation_shape(*question.model, question.on, question.micro, question.assume);
    layers_ = layer_memory(*question.model, shape, question.on.recompute);
    spread_.emplace(*question.model, whole(*question.stages));
  }

  std::optional<Bytes<R>> operator()(int i, Count<R> in_flight) const {
    auto m_i = in_flight;
    NAME(m_i);
    if (question_.activations) return kStageKeeps(m_i * *question_.activations);
    if (!spread_) return {};
    return stage_activations(*question_.model, question_.assume, question_.on.recompute, layers_,
                             m_i, *spread_, i)
        .total;
  }

 private:
  const PipelineQuestion<R>& question_;
  std::vector<LayerMemory<R>> layers_;
  std::optional<Stages<R>> spread_;
};

template <class R>
void list_stages(const PipelineQuestion<R>& question, PipelineAnswer<R>& out) {
  const StageKeeps<R> keeps(question);
  const int p = whole(out.shape.p);
  Largest<kByte, R> fullest;
  for (int i = 0; i < p; ++i) {
    if (p > kListedStages && i > 0 && i < p - 1) continue;
    const Count<R> m = in_flight(out.shape, i);
    out.stages.push_back({i, m, keeps(i, m)});
    if (out.stages.back().activations) fullest.offer({"stage", i}, *out.stages.back().activations);
  }
  if (!fullest.empty()) out.activations = kFullestStage(fullest.best());
}

}  // namespace

template <class R>
PipelineAnswer<R> answer(const PipelineQuestion<R>& question) {
  PipelineAnswer<R> out;
  out.needed = needed(question);
  auto n = question.micro_batches ? *question.micro_batches : *out.needed;
  auto p = *question.stages;
  NAME(n, p);
  out.shape = {question.schedule, p, Count<R>{1}, n};
  out.bubble = bubble_ratios(out.shape);
  out.slots = kSlots(n + p - 1);
  out.lost = kSlotsLost(p - 1);
  list_stages(question, out);
  return out;
}

template PipelineAnswer<double> answer(const PipelineQuestion<double>&);
template PipelineAnswer<Traced> answer(const PipelineQuestion<Traced>&);

}  // namespace reckon
