// Tensor parallelism: where compute and communication cross holds from every side.
#include "reckon/cost/questions/tensor.hpp"

#include <random>

#include "catch.hpp"

using namespace reckon;

namespace {

double number(auto quantity) { return value_of(quantity.raw); }

// 4,000 is e·P/W of this machine: 2 B · 1e15 FLOP/s / 500 GB/s.
TensorQuestion<double> question(int ranks) {
  TensorQuestion<double> q;
  q.ranks = Count<double>(ranks);
  q.chip.peak = FlopRate<double>(1e15);
  q.on.link = ByteRate<double>(500e9);
  q.sent.size = Bytes<double>(2);
  return q;
}

// 32 layers of width 4096, by size alone: every degree divides them.
Model<double> by_size(double params) {
  Model<double> m;
  m.params = Count<double>(params);
  m.hidden = Count<double>(4096);
  LayerGroup<double> g;
  g.count = Count<double>(32);
  g.mixer.kind = MixerKind::kAbstract;
  g.mlp.kind = MlpKind::kAbstract;
  m.layers.push_back(g);
  return m;
}

Model<double> gated(double heads, double kv_heads) {
  Model<double> m;
  m.hidden = Count<double>(4096);
  LayerGroup<double> g;
  g.count = Count<double>(32);
  g.mixer.heads = Count<double>(heads);
  g.mixer.kv_heads = Count<double>(kv_heads);
  g.mlp.width = Count<double>(14336);
  m.layers.push_back(g);
  return m;
}

}  // namespace

TEST_CASE("tensor: one rank splits nothing and sends nothing") {
  TensorQuestion<double> q = question(1);
  q.model = gated(32, 8);
  const auto a = answer(q);
  CHECK(number(a.crossover) == 0);
  CHECK(number(a.element) == 0);
  CHECK(number(a.layer->bytes) == 0);
  CHECK(number(a.layer->communication) == 0);
  CHECK(!a.ratio);
}

TEST_CASE("tensor: the crossover is proportional to p − 1, to bytes and peak, against the rate") {
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    const int p = 2 + static_cast<int>(random() % 63);
    TensorQuestion<double> q = question(p);
    const double at = number(answer(q).crossover);
    CHECK(at == Approx((p - 1) * 4000.0).epsilon(1e-12));
    q.sent.size = Bytes<double>(4);
    CHECK(number(answer(q).crossover) == Approx(2 * at).epsilon(1e-12));
    q.chip.peak = FlopRate<double>(2e15);
    CHECK(number(answer(q).crossover) == Approx(4 * at).epsilon(1e-12));
    q.on.link = ByteRate<double>(2000e9);
    CHECK(number(answer(q).crossover) == Approx(at).epsilon(1e-12));
  }
}

TEST_CASE("tensor: at the crossover compute and communication take equally long") {
  for (const double latency : {0.0, 5e-6, 1e-3}) {
    TensorQuestion<double> q = question(8);
    q.on.latency = Seconds<double>(latency);
    q.tokens = Count<double>(8192);
    q.outputs = Count<double>(4096);
    q.inner = Count<double>(1);
    const auto a = answer(q);
    const double D = number(*a.waiting);
    // seconds of either side, from the definitions
    const double elements = 8192.0 * 4096;
    const double compute = 2 * elements * D / 8 / 1e15;
    const double communication = 2 * 7 * latency + 2 * 7.0 / 8 * 2 * elements / 500e9;
    CHECK(compute == Approx(communication).epsilon(1e-12));
    CHECK(number(*a.waiting) >= number(a.crossover) * (1 - 1e-12));
  }
}

TEST_CASE("tensor: the most ranks that keep a layer busy do, and one more does not") {
  for (const double params : {1e9, 7e9, 70e9, 405e9}) {
    TensorQuestion<double> q = question(2);
    q.model = by_size(params);
    const int most = static_cast<int>(number(*answer(q).inside.most_layer));
    for (const int p : {most, most + 1}) {
      if (p < 2) continue;
      TensorQuestion<double> at = question(p);
      at.model = q.model;
      INFO(params << " " << p);
      CHECK((number(answer(at).layer->over_compute) <= 1) == (p == most));
    }
  }
}

TEST_CASE("tensor: where each pair has a link of its own, two ranks are no worse than eight") {
  TensorQuestion<double> q = question(8);
  q.on.link.reset();
  Cluster<double> c;
  c.node.gpus = Count<double>(8);
  c.nodes = Count<double>(1);
  c.node.chip.link.emplace();
  c.node.chip.link->one_way = ByteRate<double>(448e9);
  c.node.chip.link->peer = ByteRate<double>(64e9);
  q.cluster = c;
  q.inner = Count<double>(16384);
  // 2 B · 1e15 / 64 GB/s = 31,250 for a pair, more than the 16,384 there are
  CHECK(number(*answer(q).inside.most) == 1);
  CHECK(number(answer(q).crossover) == Approx(7 * 2e15 / 448e9));
  q.ranks = Count<double>(2);
  CHECK(number(answer(q).crossover) == Approx(31250));
}

TEST_CASE("tensor: sequence parallelism sends the same bytes; only a fixed start counts twice") {
  TensorQuestion<double> q = question(8);
  q.model = gated(32, 8);
  q.tokens = Count<double>(4096);
  const auto whole = *answer(q).layer;
  q.sequence = true;
  const auto halves = *answer(q).layer;
  CHECK(number(halves.bytes) == Approx(number(whole.bytes)).epsilon(1e-12));
  CHECK(number(halves.communication) == Approx(number(whole.communication)).epsilon(1e-12));
  q.assume.latency.base = Seconds<double>(8e-6);
  const auto late = *answer(q).layer;
  CHECK(number(late.communication) - number(halves.communication) ==
        Approx(4 * 8e-6).epsilon(1e-9));
}

TEST_CASE("tensor: a rank holds 1/p of a layer's matrices, and KV heads whole") {
  const Model<double> m = gated(32, 8);
  const double one = number(layer_path(m, Count<double>(1)));
  for (const int p : {2, 4, 8})
    CHECK(number(layer_path(m, Count<double>(p))) == Approx(one / p).epsilon(1e-12));
  // 16 ranks: K and V of one head of 128 each, where an even split had half a head
  CHECK(number(layer_path(m, Count<double>(16))) ==
        Approx(one / 16 + 2 * 4096 * 64.0).epsilon(1e-12));
}

TEST_CASE("tensor: a slower link or faster chip asks for more, a stated MFU for less") {
  TensorQuestion<double> q = question(8);
  q.model = gated(32, 8);
  const double before = number(answer(q).layer->over_compute);
  q.on.link = ByteRate<double>(250e9);
  CHECK(number(answer(q).layer->over_compute) == Approx(2 * before));
  q.assume.train.mfu = Ratio<double>(0.5);
  CHECK(number(answer(q).layer->over_compute) == Approx(before));
  CHECK(number(answer(q).layer->training_over_compute) == Approx(before * 2 / 3));
}
