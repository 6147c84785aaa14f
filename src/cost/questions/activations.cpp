#include "reckon/cost/questions/activations.hpp"

#include <algorithm>
#include <string_view>

namespace reckon {
namespace {

template <class R>
void add_tensor(const LayerGroup<R>& g, Label label, const KeptTensor<R>& k,
                std::vector<TensorTotal<R>>& out) {
  auto at = std::find_if(out.begin(), out.end(),
                         [&](const TensorTotal<R>& t) { return std::string_view(t.id) == k.id; });
  if (at == out.end()) at = out.insert(out.end(), {k.id, k.title, {}, Count<R>{0}, {}, {}});
  at->all.add(label, g.count * k.bytes);
  at->layers += g.count;
}

// Every tensor that a layer keeps, in the order of a forward pass.
template <class R>
std::vector<TensorTotal<R>> tensors(const Model<R>& model, const ActivationShape<R>& x,
                                    const Again& again) {
  std::vector<TensorTotal<R>> out;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const LayerGroup<R>& g = model.layers[i];
    const auto visit = [&](const KeptTensor<R>& k) {
      add_tensor(g, group_label(model, "layers", "layers of group", i), k, out);
    };
    if (again.policy == Recompute::kFull) {
      visit(KeptTensor<R>{"input", "input of the layer", checkpoint(x)});
      continue;
    }
    const auto visit_kept = [&](const KeptTensor<R>& k) {
      if (!again.drops(k.by)) visit(k);
    };
    for_each_mixer_tensor(model, g.mixer, x, visit_kept);
    for_each_mlp_tensor(g.mlp, x, visit_kept);
  }
  auto T = x.T;
  NAME(T);
  for (TensorTotal<R>& t : out) {
    auto L_x = t.layers;
    NAME(L_x);
    t.total = kTensorTotal(t.all.total());
    t.per_token_layer = kTensorPerToken(*t.total / (T * L_x));
  }
  return out;
}

template <class R>
struct OfAllLayers {
  Bytes<R> kept, inputs;
  Count<R> L{0};
};

template <class R>
OfAllLayers<R> all_layers(const Model<R>& model, const std::vector<LayerMemory<R>>& layers,
                          const ActivationShape<R>& x) {
  OfAllLayers<R> out;
  Sum<kByte, R> kept;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    kept.add(group_label(model, "layers", "layers of group", i),
             model.layers[i].count * layers[i].kept);
    out.L += model.layers[i].count;
  }
  out.kept = kAllLayers(kept.total());
  auto M_in = checkpoint(x);
  auto L = out.L;
  NAME(M_in, L);
  out.inputs = kInputs(L * M_in);
  return out;
}

}  // namespace

template <class R>
ActivationsAnswer<R> answer(const ActivationsQuestion<R>& question) {
  const Model<R>& model = question.model;
  const Again policy = again_of(question.on);
  auto sequences = question.batch / question.data;
  const auto x = activation_shape(model, question.on, sequences, question.assume);
  ActivationsAnswer<R> out;
  out.count = question.assume.activations;
  out.T = x.T;
  out.tensors = tensors(model, x, policy);
  const auto layers = layer_memory(model, x, policy);
  const OfAllLayers<R> all = all_layers(model, layers, x);
  const Stages<R> whole_model(model, 1);
  const auto kept =
      stage_activations(model, question.assume, policy, layers, Count<R>{1}, whole_model, 0);
  out.total = kept.total;
  out.inputs = all.inputs;
  auto M_kept = all.kept;
  auto T = x.T;
  auto L = all.L;
  NAME(M_kept, T, L);
  out.per_token_layer = kPerTokenLayer(M_kept / (T * L));
  out.per_hidden = kPerHidden(M_kept / (T * L * x.h));
  Sum<kByte, R> with;
  with.add("activations", out.total);
  if (!(model.vocab <= 0)) {
    out.logits = logit_bytes(model, question.assume, x.T, x.t);
    with.add("logits", logits_beside(*out.logits, policy, kept.live));
  }
  out.with_logits = kWithLogits(with.total());
  return out;
}

template ActivationsAnswer<double> answer(const ActivationsQuestion<double>&);
template ActivationsAnswer<Traced> answer(const ActivationsQuestion<Traced>&);

}  // namespace reckon
