#include "reckon/cost/questions/tensor.hpp"

namespace reckon {
namespace {

// p ranks on one kind of link: all in a node, or one in each.
template <class R>
TensorOnLink<R> on_link(const TensorQuestion<R>& question, const TensorSplit<R>& x,
                        const std::optional<LayerSplit<R>>& layer, bool inside) {
  TensorOnLink<R> out;
  const auto W = inside ? x.links.node : x.links.nic;
  if (W <= ByteRate<R>{}) return out;
  const auto W_peer = inside ? x.links.peer : x.links.nic;
  out.rate = W;
  const bool whole_group = !inside || !x.group.crosses();
  const Group<R> group{x.group.q, inside ? x.group.q : Count<R>{1}};
  if (whole_group)
    out.crossover = crossover(x, inside ? group_rate(group, x.links, RingAcross::kOneNic) : W);
  if (question.inner) out.most = most_ranks(x, *question.inner, W, W_peer);
  if (layer) out.most_layer = most_ranks(x, layer->inner, W, W_peer);
  return out;
}

template <class R>
void one_product(const TensorQuestion<R>& question, const TensorSplit<R>& x, TensorAnswer<R>& out) {
  if (x.group.q <= 1) return;
  const auto outputs =
      question.outputs || !question.model ? question.outputs : question.model->hidden;
  auto D_min = out.crossover;
  if (question.tokens && outputs) {
    out.waiting = crossover_waiting(x, *question.tokens, *outputs, question.sequence);
    D_min = *out.waiting;
  }
  if (!question.inner) return;
  auto D = *question.inner;
  NAME(D, D_min);
  out.ratio = kSplitRatio(D / D_min);
}

}  // namespace

template <class R>
TensorAnswer<R> answer(const TensorQuestion<R>& question) {
  TensorAnswer<R> out;
  auto p = ranks_of(question.cluster, question.ranks);
  NAME(p);
  out.group = beside(question.cluster, question.on, p);
  Assume<R> assume = question.assume;
  assume.latency = latency_of(question.on, question.assume);
  out.P = reached_peak(question.cluster, question.chip, assume.train.mfu);
  const TensorSplit<R> x{out.group, question.sent.size, out.P,
                         links_of(out.group, links_of(question.cluster, question.on, assume)),
                         assume};
  out.element = reduced_bytes(x);
  out.crossover = crossover(x, group_rate(x.group, x.links, assume.ring_across));
  one_product(question, x, out);
  if (question.model) {
    const auto T = question.tokens ? *question.tokens : Count<R>{1};
    out.layer = split_layer(*question.model, x, T, question.sequence);
  }
  out.inside = on_link(question, x, out.layer, true);
  out.across = on_link(question, x, out.layer, false);
  if (!out.inside.rate || !out.across.rate) return out;
  auto W_link = *out.inside.rate;
  auto W_x = *out.across.rate;
  NAME(W_link, W_x);
  out.link_over_network = kLinkOverNetwork(W_link / W_x);
  return out;
}

template TensorAnswer<double> answer(const TensorQuestion<double>&);
template TensorAnswer<Traced> answer(const TensorQuestion<Traced>&);

}  // namespace reckon
