// Mixtures of experts: expected copies against all draws, and what must hold of dispatch and combine.
#include "reckon/cost/questions/experts.hpp"

#include <bit>

#include "catch.hpp"
#include "reckon/cost/activations.hpp"

using namespace reckon;

namespace {

double number(auto quantity) { return value_of(quantity.raw); }

Mlp<double> moe(double experts, double top_k) {
  Mlp<double> m;
  m.kind = MlpKind::kMoe;
  m.width = Count<double>(1024);
  m.experts = Count<double>(experts);
  m.top_k = Count<double>(top_k);
  m.shared = Count<double>(2);
  return m;
}

ExpertsQuestion<double> question(int ranks, int node_gpus) {
  ExpertsQuestion<double> q;
  q.model.hidden = Count<double>(2048);
  LayerGroup<double> g;
  g.count = Count<double>(24);
  g.mixer.heads = Count<double>(16);
  g.mlp = moe(64, 6);
  q.model.layers.push_back(g);
  q.ranks = Count<double>(ranks);
  q.on.node_gpus = Count<double>(node_gpus);
  q.on.link = ByteRate<double>(450e9);
  q.on.network = ByteRate<double>(50e9);
  q.chip.peak = FlopRate<double>(1e15);
  q.assume.train.mfu = Ratio<double>(0.5);
  q.tokens = Count<double>(8192);
  q.weights.size = q.sent.size = Bytes<double>(2);
  return q;
}

// Mean number of groups hit, over every way to draw k of E experts that lie in G groups.
double drawn(int E, int k, int G) {
  double groups = 0, draws = 0;
  for (unsigned set = 0; set < (1U << E); ++set) {
    if (std::popcount(set) != k) continue;
    unsigned hit = 0;
    for (int e = 0; e < E; ++e)
      if (set >> e & 1U) hit |= 1U << (e / (E / G));
    groups += std::popcount(hit);
    ++draws;
  }
  return groups / draws;
}

}  // namespace

TEST_CASE("experts: the expected number of groups is the mean over all draws") {
  for (const int E : {4, 8, 12})
    for (const int G : {1, 2, 4})
      for (int k = 1; k <= E; ++k) {
        INFO(E << " " << G << " " << k);
        CHECK(number(distinct_groups(moe(E, k), Count<double>(G))) ==
              Approx(drawn(E, k, G)).epsilon(1e-12));
      }
}

TEST_CASE("experts: one GPU holds all and sends nothing") {
  const auto a = answer(question(1, 8));
  CHECK(!a.placed);
  CHECK(number(a.leaves_gpu) == 0);
  CHECK(number(a.per_gpu) == number(a.n.total));
  CHECK(number(a.layer_gpu) == number(a.layer));
}

TEST_CASE("experts: all GPUs together hold the routed experts once and all else on each") {
  const double shared = number(answer(question(1, 8)).layer) - 64 * 3 * 2048.0 * 1024;
  for (const int q : {2, 4, 8, 16, 64}) {
    const auto a = answer(question(q, 8));
    CHECK(number(a.layer_gpu) * q == Approx(number(a.layer) + (q - 1) * shared).epsilon(1e-12));
  }
}

TEST_CASE("experts: a copy for each expert sends T·k·h·e·(q − 1)/q there, and as much back") {
  for (const int q : {2, 4, 8, 16, 32, 64}) {
    const auto a = answer(question(q, q));
    CHECK(number(a.inside->bytes) ==
          Approx(2 * 8192.0 * 6 * 2048 * 2 * (q - 1) / q).epsilon(1e-12));
    CHECK(number(a.across->time) == Approx(9 * number(a.inside->time)).epsilon(1e-12));
  }
}

TEST_CASE("experts: sharing a copy sends no more, and a node limit less again") {
  for (const int q : {8, 16, 32, 64}) {
    ExpertsQuestion<double> each = question(q, 4), shared = each;
    shared.assume.dispatch = Dispatch::kPerGpu;
    const double time = number(answer(each).placed->time);
    double before = number(answer(shared).placed->time);
    CHECK(before <= time * (1 + 1e-12));
    for (int limit = q / 4; limit >= 1; --limit) {
      shared.node_limit = Count<double>(limit);
      const double limited = number(answer(shared).placed->time);
      CHECK(limited <= before * (1 + 1e-12));
      before = limited;
    }
  }
}

TEST_CASE("experts: time rises with tokens and capacity, falls with the links") {
  const ExpertsQuestion<double> q = question(16, 8);
  const auto base = *answer(q).placed;
  ExpertsQuestion<double> other = q;
  other.tokens = Count<double>(16384);
  CHECK(number(answer(other).placed->time) == Approx(2 * number(base.time)));
  CHECK(number(*answer(other).placed->over_compute) == Approx(number(*base.over_compute)));
  other = q;
  other.on.network = ByteRate<double>(100e9);
  CHECK(number(answer(other).placed->time) < number(base.time));
  other = q;
  other.capacity_factor = Ratio<double>(1.25);
  const auto padded = answer(other);
  CHECK(number(padded.placed->bytes) == Approx(1.25 * number(base.bytes)));
  CHECK(number(*padded.capacity) == Approx(1.25 * 6 * 8192 * 16 / 64.0));
  CHECK(number(*padded.compute) > number(*answer(q).compute));
}

TEST_CASE("experts: combining in a wider format costs the wider bytes one way") {
  ExpertsQuestion<double> q = question(8, 8);
  const double bf16 = number(answer(q).placed->bytes);
  q.returned = q.sent;
  q.sent.size = Bytes<double>(1);
  CHECK(number(answer(q).placed->bytes) == Approx(0.75 * bf16));
}

// A router that draws a token's experts from 2 of 4 nodes: copies for each GPU that holds any of 3 of the 8 experts
// there, which lie on 4 GPUs. Without the limit, of 16 on 8.
TEST_CASE("experts: a node limit draws copies for GPUs from the nodes it allows") {
  Mlp<double> m = moe(16, 3);
  const Group<double> g{Count<double>(8), Count<double>(2)};
  CHECK(number(dispatch_copies(m, g, Dispatch::kPerGpu).to_gpus) ==
        Approx(drawn(16, 3, 8)).epsilon(1e-12));
  m.node_limit = Count<double>(2);
  CHECK(number(dispatch_copies(m, g, Dispatch::kPerGpu).to_gpus) ==
        Approx(drawn(8, 3, 4)).epsilon(1e-12));
  m.node_limit = Count<double>(4);
  CHECK(number(dispatch_copies(m, g, Dispatch::kPerGpu).to_gpus) ==
        Approx(drawn(16, 3, 8)).epsilon(1e-12));
}

// DeepSeek-V3's experts on 4,096 tokens, 2 tensor ranks with sequence parallelism. Two ranks that share an expert's
// matrices both hold the tokens of both: 8 copies · 4,096 · 7,168 · 2 B = 469.8 MB; a rank with its own experts half.
TEST_CASE("ranks that share experts each keep the tokens of all of them") {
  Mlp<double> m;
  m.kind = MlpKind::kMoe;
  m.experts = Count<double>(256);
  m.top_k = Count<double>(8);
  m.width = Count<double>(2048);
  const Assume<double> assume{};
  const auto inputs = [&](double t_e) {
    const Count<double> two(2);
    ActivationShape<double> x{
        Bytes<double>(2), Count<double>(4096), Count<double>(7168), two, two, assume, {}, nullptr};
    x.t_e = Count<double>(t_e);
    double bytes = 0;
    for_each_region_tensor(m, x, [&](const KeptTensor<double>& kept) {
      if (std::string_view(kept.id) == "routed_inputs") bytes = kept.bytes.raw;
    });
    return bytes;
  };
  CHECK(inputs(2) == 8.0 * 4096 * 7168 * 2);
  CHECK(inputs(1) == 8.0 * 2048 * 7168 * 2);
}
