#include "reckon/cost/questions/chunk.hpp"

#include "reckon/cost/pools.hpp"
#include "reckon/spec/lower.hpp"
#include "reckon/units/formula/root.hpp"

namespace reckon {
namespace {

template <class R>
struct Chunking {
  const ChunkQuestion<R>& question;
  const Server<R>& server;
  ChunkCompute<R> compute;
  Count<R> B, t;
};

template <class R>
void ride(const Chunking<R>& x, Count<R> c, ChunkAnswer<R>& out) {
  auto B = x.B;
  NAME(B, c);
  auto n_step = kChunkTokens(B + c);
  auto t_chunk = chunk_time(x.compute, c);
  auto t_w = out.step.gpu.weights;
  auto t_mem = out.step.gpu.memory;
  auto t_step = out.step.time;
  NAME(t_step);
  out.tokens = n_step;
  out.compute = t_chunk;
  out.slack_weights = kChunkSlack(t_w - t_chunk);
  out.slack_step = kChunkSlackStep(t_mem - t_chunk);
  auto t_mix = mixed_step(x.server, out.step, n_step, t_chunk, x.t);
  out.step_time = t_mix;
  NAME(t_mix);
  out.slowed = kStepSlowed(t_mix / t_step);
  if (!x.question.load.prompt) return;
  auto T = *x.question.load.prompt;
  NAME(T);
  auto n_chunk = kChunkSteps(ceil(T / c));
  out.steps = n_chunk;
  out.ttft = kChunkTtft(n_chunk * t_mix);
}

template <class R>
void stall(const Chunking<R>& x, ChunkAnswer<R>& out) {
  if (!x.question.load.prompt) return;
  auto T = *x.question.load.prompt;
  NAME(T);
  out.prefill = prefill(x.server, T, x.t);
  if (!out.prefill->time) return;
  auto t_pre = *out.prefill->time;
  auto t_step = out.step.time;
  NAME(t_pre, t_step);
  out.stalled = kStalled(t_pre / t_step);
}

// The longest prompts of which no more arrives a step than hides; all that are looked at, where that never ends. Longer
// prompts have longer caches, which take longer to read, and their tokens attend further. What hides is not rounded to
// whole tokens here: it would rise by steps, and cross what arrives again and again.
int longest_hidden(const ChunkQuestion<double>& question, int most) {
  ChunkQuestion<double> with = question;
  const double a_step = plain(*question.load.batch) / plain(*question.load.output);
  return largest_whole(most, [&](int n) {
    with.load.prompt = Count<double>(1.0 * n);
    const Server<double> server = server_of(with);
    const Count<double> B = *with.load.batch;
    const DecodeStep<double> step =
        decode_step(server, DecodeCall<double>{B, mean_context(with.load)}, with.tensor);
    const auto compute = chunk_compute(server, B, with.load.prompt, with.tensor);
    const double hides = (plain(step.gpu.memory) * plain(compute.rate) - plain(compute.batch)) /
                         plain(compute.token);
    return a_step * n - hides;
  });
}

template <class R>
std::optional<Count<R>> prompt_from(const ChunkQuestion<R>& question) {
  constexpr int kLongest = 1 << 22;
  int n = 0;
  if constexpr (std::is_same_v<R, double>)
    n = longest_hidden(question, kLongest);
  else
    n = longest_hidden(lower(question), kLongest);
  if (n >= kLongest) return {};
  return kPromptFrom(structural<R>("T_from", n + 1));
}

// A batch that is always full: what arrives a step, against what hides.
template <class R>
void arrive(const Chunking<R>& x, ChunkAnswer<R>& out) {
  const DecodeBatch<R>& load = x.question.load;
  auto B = x.B;
  auto t_step = out.step.time;
  auto c_max = out.largest_step;
  NAME(B, t_step, c_max);
  if (load.output) {
    auto T_out = *load.output;
    NAME(T_out);
    out.prompt_from = prompt_from(x.question);
    out.decode_rate = kDecodeRequests(B / (T_out * t_step));
  }
  if (load.prompt) {
    auto T = *load.prompt;
    NAME(T);
    out.rate_from = kRateFrom(c_max / (T * t_step));
  }
  if (!load.output || !load.prompt) return;
  auto T = *load.prompt;
  auto T_out = *load.output;
  auto t = x.t;
  NAME(T, T_out, t);
  auto c_need = kArriving(B * T / T_out);
  out.arriving = c_need;
  auto t_carry = mixed_step(x.server, out.step, B + c_need, chunk_time(x.compute, c_need), x.t);
  NAME(t_carry);
  out.shared_rate = kSharedRate(B / (T_out * t_carry * t));
  if (!out.prefill || !out.prefill->time) return;
  auto r_pre = prefill_rate(*out.prefill->time, t);
  auto r_dec = decode_rate(B, T_out, t_step, t);
  out.separate_rate = kSeparateRate(1 / (1 / r_pre + 1 / r_dec));
}

}  // namespace

template <class R>
ChunkAnswer<R> answer(const ChunkQuestion<R>& question) {
  ChunkAnswer<R> out;
  const Server<R> server = server_of(question);
  auto B = *question.load.batch;
  auto t = question.tensor;
  out.context = mean_context(question.load);
  auto T_ctx = out.context;
  NAME(B, t, T_ctx);
  out.step = decode_step(server, DecodeCall<R>{B, T_ctx}, t);
  const Chunking<R> x{question, server, chunk_compute(server, B, question.load.prompt, t), B, t};
  out.largest_weights = largest_chunk(x.compute, out.step.gpu.weights);
  out.largest_step = largest_chunk(x.compute, out.step.gpu.memory);
  if (question.chunk) ride(x, *question.chunk, out);
  stall(x, out);
  arrive(x, out);
  out.limits =
      batch_limits(server, capacity_of(question.cluster, question.chip, question.assume.capacity),
                   DecodeCall<R>{B, T_ctx}, held_context(question.load, question.assume), t);
  return out;
}

template ChunkAnswer<double> answer(const ChunkQuestion<double>&);
template ChunkAnswer<Traced> answer(const ChunkQuestion<Traced>&);

}  // namespace reckon
