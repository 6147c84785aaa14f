// The answer to a layer: its operators and collectives in order, and what the passes take.
//
//   LayerAnswer<double> a = answer(question);
//   a.rows, a.forward, a.backward, a.recompute
#pragma once

#include <string>
#include <vector>

#include "reckon/cost/metric.hpp"
#include "reckon/cost/operators/listed.hpp"
#include "reckon/cost/operators/machine.hpp"
#include "reckon/spec/questions/layer.hpp"

namespace reckon {

template <class R>
struct LayerAnswer {
  std::vector<LayerRow<R>> rows;
  Seconds<R> forward, backward, recompute{};
  Flops<R> flops_forward, flops_backward;
  Bytes<R> sent_forward{}, sent_backward{};
  Seconds<R> exposed_forward{}, exposed_backward{};
  Count<R> tokens;
  std::size_t group = 0;   // which of the model's
  bool held_back = false;  // the host issues kernels slower than the GPU runs them

  template <class V>
  void metrics(V&& v) const;
};

// The plan of training that has this layer: everything the operators ask for, nothing else.
template <class R>
TrainingPlan<R> plan_of(const LayerQuestion<R>& question);

template <class R>
LayerAnswer<R> answer(const LayerQuestion<R>& question);

template <class R>
template <class V>
void LayerAnswer<R>::metrics(V&& v) const {
  v(MetricInfo{"forward.time", "forward pass of the layer"}, forward);
  v(MetricInfo{"backward.time", "backward pass of the layer"}, backward);
  v(MetricInfo{"recompute.time", "recomputed before the backward pass"}, recompute);
  v(MetricInfo{"forward.flops", "FLOPs, forward"}, flops_forward);
  v(MetricInfo{"backward.flops", "FLOPs, backward"}, flops_backward);
  v(MetricInfo{"forward.sent", "bytes that a GPU sends, forward"}, sent_forward);
  v(MetricInfo{"backward.sent", "bytes that a GPU sends, backward"}, sent_backward);
  v(MetricInfo{"forward.exposed", "communication left exposed, forward"}, exposed_forward);
  v(MetricInfo{"backward.exposed", "communication left exposed, backward"}, exposed_backward);
  v(MetricInfo{"tokens", "tokens of a micro-batch on one rank", Hint::kTokens}, tokens);
  for (const LayerRow<R>& row : rows) {
    const std::string id = (row.backward ? "backward." : "forward.") + row.id + ".",
                      title = row.label + (row.backward ? ", backward: " : ": ");
    if (row.flops) v(MetricInfo{id + "flops", title + "FLOPs"}, *row.flops);
    if (!(row.bytes <= Bytes<R>{}))
      v(MetricInfo{id + "bytes", title + (row.group ? "bytes sent" : "bytes of memory")},
        row.bytes);
    v(MetricInfo{id + "time", title + "time"}, row.time);
    if (row.exposed) v(MetricInfo{id + "exposed", title + "left exposed"}, *row.exposed);
    if (row.group) v(MetricInfo{id + "ranks", title + "ranks", Hint::kCount}, row.group->q);
  }
}

}  // namespace reckon
