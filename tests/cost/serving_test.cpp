// What must hold for prefill, decode, chunks and pools, whatever the model and the machine; and that the
// slips the field knows would not pass the worked examples.
#include "catch.hpp"
#include "reckon/cost/questions/chunk.hpp"
#include "reckon/cost/questions/decode.hpp"
#include "reckon/cost/questions/pools.hpp"
#include "reckon/cost/questions/prefill.hpp"

using namespace reckon;

namespace {

using N = Count<double>;

Model<double> model_of(double layers, double hidden, double heads, double kv, double width) {
  Model<double> m;
  m.hidden = N(hidden);
  m.vocab = N(32000);
  LayerGroup<double> g;
  g.count = N(layers);
  g.mixer.heads = N(heads);
  g.mixer.kv_heads = N(kv);
  g.mlp.width = N(width);
  m.layers = {g};
  return m;
}

template <template <class> class Q>
Q<double> on_machine(const Model<double>& model) {
  Q<double> q;
  q.model = model;
  const Stored<double> two{"bf16", Bytes<double>(2), {}};
  q.served = {"", two, two, two, {}};
  q.chip.peak = FlopRate<double>(1e15);
  q.chip.bandwidth = ByteRate<double>(4e12);
  q.chip.capacity = Bytes<double>(80e9);
  q.on.link = ByteRate<double>(400e9);
  q.assume.prefill.mfu = Ratio<double>(0.5);
  q.assume.overlap.data = Ratio<double>(1);
  q.assume.decode.reserved = Ratio<double>(0.5);
  return q;
}

const Model<double> kModels[] = {model_of(32, 4096, 32, 8, 14336), model_of(80, 8192, 64, 8, 28672),
                                 model_of(12, 768, 12, 12, 3072), model_of(18, 2048, 8, 1, 16384)};

DecodeQuestion<double> decode_of(const Model<double>& m, double B, double T_ctx, double t) {
  auto q = on_machine<DecodeQuestion>(m);
  q.load.batch = N(B);
  q.load.context = N(T_ctx);
  q.tensor = N(t);
  return q;
}

double time_of(const DecodeQuestion<double>& q) { return answer(q).step.time.raw; }
double flops_of(const PrefillQuestion<double>& q) { return answer(q).run->flops.raw; }

}  // namespace

TEST_CASE("a prompt's FLOPs: conventions are in order, and attention is half of all pairs") {
  for (const Model<double>& m : kModels) {
    for (const double T : {1.0, 2000.0, 100000.0}) {
      auto q = on_machine<PrefillQuestion>(m);
      q.prompt = N(T);
      const auto by = answer(q).by;
      for (std::size_t k = 0; k < 3; ++k) {
        // body ≤ head on the last ≤ head on all ≤ all parameters; equal to the second for one token
        CHECK(by[3][k]->raw <= by[1][k]->raw);
        CHECK(by[1][k]->raw <= by[0][k]->raw * (1 + 1e-15));
        CHECK(by[0][k]->raw < by[2][k]->raw);
        if (T == 1) CHECK(by[1][k]->raw == Approx(by[0][k]->raw).epsilon(1e-14));
      }
      for (const auto& row : by)
        CHECK(row[2]->raw - row[0]->raw == Approx(2 * (row[1]->raw - row[0]->raw)));
    }
  }
}

TEST_CASE("FLOPs of chunks add up to the prompt's where attention is left out") {
  auto q = on_machine<PrefillQuestion>(kModels[0]);
  q.assume.prefill.attention = AttentionCount::kNone;
  q.prompt = N(1500);
  const double whole_prompt = flops_of(q);
  q.prompt = N(500);
  CHECK(3 * flops_of(q) == Approx(whole_prompt).epsilon(1e-14));
}

TEST_CASE("the longest prompt within a target is the last that keeps it") {
  for (const Model<double>& m : kModels) {
    for (const double t : {1.0, 2.0, 4.0}) {
      for (const double target : {0.001, 0.1, 3.0}) {
        auto q = on_machine<PrefillQuestion>(m);
        q.tensor = N(t);
        q.target = Seconds<double>(target);
        const double longest = answer(q).longest->raw;
        if (longest < 1) continue;
        q.prompt = N(longest);
        CHECK(answer(q).run->time->raw <= target);
        q.prompt = N(longest + 1);
        CHECK(answer(q).run->time->raw > target);
      }
    }
  }
}

TEST_CASE("a decode step: faster memory, fewer sequences and shorter caches never take longer") {
  for (const Model<double>& m : kModels) {
    for (const DecodeCompute compute : {DecodeCompute::kHidden, DecodeCompute::kAdded}) {
      auto q = decode_of(m, 32, 4000, 1);
      q.assume.decode.compute = compute;
      const double time = time_of(q);
      auto slower = q;
      slower.chip.bandwidth = ByteRate<double>(3e12);
      CHECK(time < time_of(slower));
      auto more = q;
      more.load.batch = N(64);
      CHECK(time < time_of(more));
      CHECK(time_of(more) < 2 * time * (1 + 1e-12));  // weights are read once for all
      auto longer = q;
      longer.load.context = N(8000);
      CHECK(time < time_of(longer));
    }
  }
}

TEST_CASE("tensor ranks: one costs nothing, conventions are in order, reads divide") {
  for (const Model<double>& m : kModels) {
    const double heads = m.layers[0].mixer.kv_heads->raw;
    for (const double t : {2.0, 4.0}) {
      auto q = decode_of(m, 32, 4000, t);
      q.on.latency = Seconds<double>(1e-6);
      q.assume.latency.base = Seconds<double>(1e-5);
      double before = 0;
      for (const DecodeReduces count :
           {DecodeReduces::kApart, DecodeReduces::kWaiting, DecodeReduces::kAdded}) {
        q.assume.decode.all_reduces = count;
        CHECK(time_of(q) > before);
        before = time_of(q);
      }
      const auto out = answer(q);
      CHECK(out.step.reduces->one.time.raw ==
            Approx(out.step.reduces->one.wait.raw + out.step.reduces->one.transfer.raw));
      // the table's row of tensor ranks is the step with all-reduces added
      CHECK(out.way(ShardWay::kTensor)->time.raw == Approx(out.step.time.raw).epsilon(1e-14));
      const auto one = answer(decode_of(m, 32, 4000, 1));
      CHECK(out.step.gpu.weights.raw == Approx(one.step.gpu.weights.raw / t));
      CHECK(out.step.gpu.cache.raw == Approx(one.step.gpu.cache.raw / std::min(t, heads)));
      CHECK(!one.step.reduces);
    }
  }
}

TEST_CASE("more GPUs than KV heads: dealt-out sequences halve the cache's read, for an exchange") {
  auto q = decode_of(kModels[1], 64, 8000, 16);
  q.assume.decode.all_reduces = DecodeReduces::kAdded;
  const auto kept = answer(q);
  q.assume.decode.shared_heads = SharedHeads::kByBatch;
  const auto dealt = answer(q);
  CHECK(kept.sharers.raw == 2);
  CHECK(dealt.step.gpu.cache.raw == Approx(kept.step.gpu.cache.raw / 2));
  CHECK(kept.step.exchange.raw == 0);
  CHECK(dealt.step.exchange.raw > 0);
  CHECK(dealt.limits.by_memory->raw >= 2 * kept.limits.by_memory->raw);
}

TEST_CASE("ways to shard: replicas beat FSDP, pipelines are replicas that store weights once") {
  for (const Model<double>& m : kModels) {
    auto q = decode_of(m, 32, 4000, 1);
    q.ranks = N(4);
    const auto out = answer(q);
    const auto of = [&](ShardWay w) { return *out.way(w); };
    CHECK(of(ShardWay::kReplicas).time.raw <= of(ShardWay::kFsdp).time.raw);
    CHECK(of(ShardWay::kReplicas).time.raw <= of(ShardWay::kPipeline).time.raw);
    CHECK(of(ShardWay::kPipeline).reads.raw == Approx(of(ShardWay::kReplicas).reads.raw));
    CHECK(of(ShardWay::kPipeline).memory.raw < of(ShardWay::kReplicas).memory.raw);
    CHECK(of(ShardWay::kTensor).reads.raw <= of(ShardWay::kSequence).reads.raw * (1 + 1e-12));
    CHECK(of(ShardWay::kFullReplicas).per_gpu.raw >= of(ShardWay::kReplicas).per_gpu.raw);
    // the same load as on one GPU, four times
    CHECK(of(ShardWay::kFullReplicas).per_gpu.raw == Approx(out.per_gpu.raw));
  }
}

TEST_CASE("the batch that memory holds fits, and one more does not") {
  for (const Model<double>& m : {kModels[0], kModels[2]}) {
    auto q = decode_of(m, 1, 3000, 1);
    const auto out = answer(q);
    const double B = out.limits.by_memory->raw;
    const double each = out.cache_sequence.raw, left = 80e9 - out.limits.stored.raw;
    CHECK(B * each <= left);
    CHECK((B + 1) * each > left);
  }
}

TEST_CASE("the crossover: there compute takes as long as reading the weights") {
  for (const Model<double>& m : kModels) {
    const double B = answer(decode_of(m, 1, 1, 1)).limits.crossover.raw;
    const auto out = answer(decode_of(m, std::floor(B), 1, 1));
    const auto beyond = answer(decode_of(m, std::ceil(B), 1, 1));
    CHECK(out.step.compute.raw <= out.step.gpu.weights.raw);
    CHECK(beyond.step.compute.raw >= beyond.step.gpu.weights.raw);
  }
}

TEST_CASE("the largest chunk hides, and one token more does not") {
  for (const Model<double>& m : kModels) {
    for (const double t : {1.0, 2.0}) {
      auto q = on_machine<ChunkQuestion>(m);
      q.load = decode_of(m, 16, 4000, t).load;
      q.tensor = N(t);
      if (m.layers[0].mixer.kv_heads->raw < t) continue;
      const auto out = answer(q);
      q.chunk = out.largest_step;
      CHECK(answer(q).slack_step->raw >= 0);
      CHECK(answer(q).slowed->raw == 1);
      q.chunk = N(out.largest_step.raw + 1);
      CHECK(answer(q).slack_step->raw < 0);
      CHECK(out.largest_weights.raw <= out.largest_step.raw);
    }
  }
}

TEST_CASE("prompts from which prefill GPUs pay are the first that bring more than hides") {
  auto q = on_machine<ChunkQuestion>(kModels[0]);
  q.load.batch = N(64);
  q.load.output = N(200);
  q.load.prompt = N(1000);
  const auto out = answer(q);
  REQUIRE(out.prompt_from);
  const double T = out.prompt_from->raw;
  // Asked about these very prompts, whose cache a step reads, the answer is the same.
  for (const double prompt : {T - 1, T, 3 * T}) {
    q.load.prompt = N(prompt);
    const auto is = answer(q);
    CHECK(is.prompt_from->raw == T);
    if (prompt >= T) CHECK(is.arriving->raw > is.largest_step.raw);
    if (prompt < T) CHECK(is.arriving->raw < is.largest_step.raw + 1);  // which is whole
  }
  // at that rate, with the steps unslowed, exactly the largest chunk arrives a step
  CHECK(out.rate_from->raw * 1000 * out.step.time.raw == Approx(out.largest_step.raw));
  // A longer answer brings fewer prompts, and each reads more cache than its tokens take to compute: never.
  q.load.output = N(2000);
  CHECK_FALSE(answer(q).prompt_from);
}

TEST_CASE("pools take the rate, and one group less would not") {
  for (const double g : {1.0, 2.0}) {
    for (const double rate : {0.5, 3.0, 117.0}) {
      auto q = on_machine<PoolsQuestion>(kModels[0]);
      q.load.batch = N(64);
      q.load.prompt = N(1000);
      q.load.output = N(200);
      q.rate = Frequency<double>(rate);
      q.prefill_tensor = N(g);
      const auto out = answer(q);
      const double x = out.prefill_gpus->raw, y = out.decode_gpus->raw;
      CHECK(x * out.prefill_rate.raw >= rate);
      CHECK((x - g) * out.prefill_rate.raw < rate);
      CHECK(y * out.decode_rate.raw >= rate);
      CHECK((y - 1) * out.decode_rate.raw < rate);
      CHECK(out.ratio.raw == Approx(out.prefill_rate.raw / out.decode_rate.raw));
    }
  }
}

// Slips: each must miss the worked figure by more than its tolerance of 1e-5.
TEST_CASE("slips of the field miss the worked figures of Llama 3 8B") {
  auto m = model_of(32, 4096, 32, 8, 14336);
  m.vocab = N(128256);
  auto q = on_machine<PrefillQuestion>(m);
  q.prompt = N(2000);
  const double worked = 31.0672e12;
  const auto misses = [](double x, double exact) { return std::abs(x / exact - 1) > 1e-5; };
  CHECK(!misses(flops_of(q), worked));
  auto two_matrices = q;  // 2·D·F for 3·D·F
  two_matrices.model.layers[0].mlp.matrices = N(2);
  CHECK(misses(flops_of(two_matrices), worked));
  auto all_heads = q;  // 32 KV heads for 8
  all_heads.model.layers[0].mixer.kv_heads = N(32);
  CHECK(misses(flops_of(all_heads), worked));
  const auto reduce = answer(decode_of(m, 32, 8192, 2)).step.reduces->one;
  const double S = 32 * 4096 * 2;
  auto slow = decode_of(m, 32, 8192, 2);
  slow.on.link = ByteRate<double>(450e9);
  const double t = answer(slow).step.reduces->one.transfer.raw;
  CHECK(!misses(t, 0.582542e-6));
  CHECK(misses(2 * S / 450e9, 0.582542e-6));  // p for p − 1
  CHECK(misses(2 * t, 0.582542e-6));          // 4·P/W for 2·P/W: both ways counted
  CHECK(reduce.message.raw == S);
}
