#include "reckon/cost/questions/prefill.hpp"

namespace reckon {
namespace {

// Attention needs layers and a width; the head needs a table.
template <class R>
bool countable(const Model<R>& model, const MatrixCount& m, AttentionCount attention) {
  const bool dimensions = model.hidden && !model.layers.empty();
  if (attention != AttentionCount::kNone && !dimensions) return false;
  return m.params == PrefillCount::kAll || m.head == HeadPositions::kAll || !model.abstract();
}

template <class R>
void count_all(const Server<R>& server, Count<R> T, PrefillAnswer<R>& out) {
  for (std::size_t i = 0; i < out.by.size(); ++i) {
    for (std::size_t k = 0; k < out.by[i].size(); ++k) {
      const MatrixCount& m = kMatrixCounts[i];
      if (!countable(server.model, m, kAttentionCounts[k])) continue;
      out.by[i][k] =
          prompt_flops(server.model, server.n, T, {m.params, kAttentionCounts[k], m.head});
    }
  }
}

template <class R>
bool has_cache(const Model<R>& model) {
  return model.hidden && !model.layers.empty() &&
         (!model.abstract() || model.layers.front().mixer.heads);
}

}  // namespace

template <class R>
PrefillAnswer<R> answer(const PrefillQuestion<R>& question) {
  PrefillAnswer<R> out;
  const Server<R> server = server_of(question);
  const auto& t = question.tensor;
  out.no_time = !question.assume.prefill.mfu
                    ? "nothing says how well a prefill computes: --assume prefill.mfu=50%"
                    : "nothing says how fast a GPU computes: peak: 989 TFLOP/s";
  if (has_cache(question.model)) {
    const Count<R> one{1};
    auto T = question.prompt ? *question.prompt : one;
    NAME(T);
    out.cache_token =
        kv_cache(question.model, cached_as(server.size.cached, server.assume), T).per_token;
    if (question.prompt) out.cache_prompt = prompt_cache(server, T);
  }
  if (question.target && server.peak && question.assume.prefill.mfu)
    out.longest = longest_prompt(server, *question.target, t);
  if (!question.prompt) return out;
  auto T = *question.prompt;
  NAME(T);
  out.run = prefill(server, T, t);
  count_all(server, T, out);
  if (!out.run->time) return out;
  auto t_pre = *out.run->time;
  out.tokens_per_second = kPrefillPerToken(T / t_pre);
  return out;
}

template PrefillAnswer<double> answer(const PrefillQuestion<double>&);
template PrefillAnswer<Traced> answer(const PrefillQuestion<Traced>&);

}  // namespace reckon
