// Where a group's ranks lie: node by node, over tiers, on a torus.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "reckon/cost/collectives.hpp"
#include "reckon/cost/layout.hpp"

namespace reckon {
namespace {

using Axes = std::vector<MeshAxis>;
constexpr auto kTensor = MeshAxis::kTensor, kContext = MeshAxis::kContext, kData = MeshAxis::kData,
               kPipeline = MeshAxis::kPipeline;

double plain_of(const Count<double>& x) { return value_of(x.raw); }

struct Degrees4 {
  double t = 1, c = 1, d = 1, p = 1;
};

TrainingPlan<double> plan_of(const Degrees4& n, double per_node, const Axes& order = {}) {
  TrainingPlan<double> plan;
  plan.mesh.tensor = Count<double>(n.t);
  plan.mesh.context = Count<double>(n.c);
  plan.mesh.pipeline = Count<double>(n.p);
  plan.mesh.order = order;
  plan.cluster.node.gpus = Count<double>(per_node);
  plan.cluster.nodes = Count<double>(n.t * n.c * n.d * n.p / per_node);
  plan.batch.tokens_per_gpu = Count<double>(4096);
  return plan;
}

// q and r of a group.
std::pair<double, double> of(const Group<double>& g) { return {plain_of(g.q), plain_of(g.r)}; }

// Counted GPU by GPU: the fewest ranks that any group along an axis has in any node it touches, and the most.
struct Counted {
  int fewest = 0, most = 0;
};
Counted counted(int degree, int stride, int per_node, int gpus) {
  Counted out{degree, 0};
  for (int first = 0; first < gpus; ++first) {
    if (first / stride % degree != 0) continue;  // the group's rank 0
    std::vector<int> in_node(static_cast<std::size_t>((gpus + per_node - 1) / per_node), 0);
    for (int k = 0; k < degree; ++k)
      ++in_node[static_cast<std::size_t>((first + k * stride) / per_node)];
    for (const int n : in_node) {
      if (n == 0) continue;
      out.fewest = std::min(out.fewest, n);
      out.most = std::max(out.most, n);
    }
  }
  return out;
}

TEST_CASE("mesh: in the usual order, ranks in a node are as many as counting finds") {
  for (const double per_node : {1.0, 2.0, 4.0, 8.0, 72.0}) {
    for (const double t : {1.0, 2.0, 4.0, 8.0}) {
      for (const double d : {1.0, 2.0, 9.0, 36.0}) {
        const Layout<double> x = lay_out(plan_of({t, 1, d, 2 * per_node}, per_node));
        const int gpus = static_cast<int>(t * d * 2 * per_node);
        const Counted tensor = counted(static_cast<int>(t), 1, static_cast<int>(per_node), gpus);
        CAPTURE(per_node, t, d);
        CHECK(plain_of(x.tensor.r) == tensor.most);
        CHECK(x.tensor.straddles == false);
        CHECK(plain_of(x.data.q) == d);
        const Counted data =
            counted(static_cast<int>(d), static_cast<int>(t), static_cast<int>(per_node), gpus);
        if (std::fmod(per_node, t) == 0 || std::fmod(t, per_node) == 0)
          CHECK(plain_of(x.data.r) == (x.data.straddles ? data.fewest : data.most));
      }
    }
  }
}

TEST_CASE("mesh: a group that reaches over a node's edge counts its smallest part") {
  for (int per_node = 2; per_node <= 16; ++per_node) {
    for (int t = 2; t <= per_node; ++t) {
      const Layout<double> x =
          lay_out(plan_of({static_cast<double>(t), 1, static_cast<double>(per_node), 1}, per_node));
      const Counted found = counted(t, 1, per_node, t * per_node);
      CAPTURE(per_node, t);
      CHECK(plain_of(x.tensor.r) == found.fewest);
      CHECK(x.tensor.straddles == (found.fewest < t));
    }
  }
  // TP 8 in nodes of 12: 4 and 4. TP 3 in nodes of 8: one alone.
  CHECK(plain_of(lay_out(plan_of({8, 1, 12, 1}, 12)).tensor.r) == 4);
  CHECK(plain_of(lay_out(plan_of({3, 1, 8, 1}, 8)).tensor.r) == 1);
  CHECK(plain_of(lay_out(plan_of({3, 1, 4, 1}, 12)).tensor.r) == 3);
}

TEST_CASE("mesh: the order of the axes decides what stays in a node") {
  const Degrees4 n{4, 1, 8, 2};
  const Layout<double> usual = lay_out(plan_of(n, 8));
  CHECK(of(usual.tensor) == std::pair(4.0, 4.0));
  CHECK(of(usual.data) == std::pair(8.0, 2.0));
  CHECK(of(usual.pipeline) == std::pair(2.0, 1.0));
  // Stated, it is the same.
  const Layout<double> same = lay_out(plan_of(n, 8, {kTensor, kContext, kData, kPipeline}));
  CHECK(of(same.data) == of(usual.data));
  CHECK(of(same.pipeline) == of(usual.pipeline));
  // Stages beside each other: the transfers stay in the node, gradients leave it.
  const Layout<double> stages = lay_out(plan_of(n, 8, {kTensor, kPipeline, kContext, kData}));
  CHECK(of(stages.pipeline) == std::pair(2.0, 2.0));
  CHECK(of(stages.data) == std::pair(8.0, 1.0));
  // Tensor ranks outermost: each in a node of its own.
  const Layout<double> outer = lay_out(plan_of(n, 8, {kData, kPipeline, kContext, kTensor}));
  CHECK(of(outer.tensor) == std::pair(4.0, 1.0));
  CHECK(of(outer.data) == std::pair(8.0, 8.0));
}

TEST_CASE("mesh: context and data ranks that are apart make up one group all the same") {
  const Layout<double> x = lay_out(plan_of({2, 2, 4, 2}, 8, {kTensor, kContext, kPipeline, kData}));
  CHECK(of(x.data) == std::pair(8.0, 2.0));  // the context ranks are in the node
  CHECK(of(x.context) == std::pair(2.0, 2.0));
  CHECK(of(x.pipeline) == std::pair(2.0, 2.0));
}

TEST_CASE("mesh: states shared by a stated number of ranks") {
  TrainingPlan<double> plan = plan_of({1, 1, 64, 1}, 8);
  plan.sharding.zero = Count<double>(3);
  plan.sharding.ranks = Count<double>(16);
  const Layout<double> x = lay_out(plan);
  CHECK(plain_of(x.shard) == 16);
  CHECK(plain_of(x.replicas) == 4);
  CHECK(of(x.sharing) == std::pair(16.0, 8.0));
  CHECK(of(x.copies) == std::pair(4.0, 1.0));
  plan.sharding.ranks.reset();
  plan.sharding.within = Within::kNode;
  CHECK(of(lay_out(plan).sharing) == std::pair(8.0, 8.0));
  CHECK(of(lay_out(plan).copies) == std::pair(8.0, 1.0));
}

Links<double> links_of_h100() {
  return {ByteRate<double>(450e9), ByteRate<double>(450e9), ByteRate<double>(50e9)};
}

TEST_CASE("mesh: an oversubscribed tier leaves a ring what its nodes there share") {
  // 64 nodes in pods of 16, 7 to 1. A ring through all of them leaves a pod once, with 16 nodes' worth
  // of ports beneath.
  TrainingPlan<double> plan = plan_of({8, 1, 64, 1}, 8);
  plan.cluster.tiers.push_back({"pod", Count<double>(16), Ratio<double>(7)});
  const Layout<double> x = lay_out(plan);
  CHECK(x.data.tier == 0);
  CHECK(value_of(x.data.uplink->raw) == 1);  // 16 nodes of a ring to 7: a ring needs less than that
  CHECK(x.tensor.tier == -1);
  CHECK_FALSE(x.tensor.uplink);
  // Of an all-to-all nearly all bytes leave the pod: 63 leave the node, 48 the pod, a seventh of the rate.
  CHECK(value_of(x.data.uplink_all->raw) == Approx(63.0 / (48 * 7)));
  // Stages in pods of their own: one port's worth leaves, a seventh of it gets through.
  plan = plan_of({8, 1, 16, 4}, 8);
  plan.cluster.tiers.push_back({"pod", Count<double>(16), Ratio<double>(7)});
  const Layout<double> staged = lay_out(plan);
  CHECK(value_of(staged.pipeline.uplink->raw) == Approx(1.0 / 7));
  CHECK(value_of(links_of(staged.pipeline, links_of_h100()).nic.raw) == Approx(50e9 / 7));
  CHECK(staged.data.tier == -1);  // fills one pod
}

TEST_CASE("mesh: a tier that is not oversubscribed costs nothing") {
  TrainingPlan<double> plan = plan_of({8, 1, 64, 1}, 8);
  plan.cluster.tiers.push_back({"pod", Count<double>(16), Ratio<double>(1)});
  CHECK_FALSE(lay_out(plan).data.uplink);
  CHECK(lay_out(plan).data.tier == 0);
}

TEST_CASE("mesh: an axis laid along a torus has two links where it closes, one where it does not") {
  const auto ways = [](double degree, double stride) {
    const std::vector<Count<double>> torus{Count<double>(16), Count<double>(16), Count<double>(16)};
    const std::array<AxisSpan<double>, 1> one{{{Count<double>(degree), Count<double>(stride)}}};
    const auto n = torus_ways<double>(one, torus);
    return n ? value_of(n->raw) : 0;
  };
  CHECK(ways(16, 1) == 2);           // one side, closed
  CHECK(ways(4, 1) == 1);            // a part of a side: a line
  CHECK(ways(16, 16) == 2);          // the second side
  CHECK(ways(256, 1) == 4);          // two sides
  CHECK(ways(4096, 1) == 6);         // all three: every link
  CHECK(ways(64, 1) == 3);           // one side closed, a part of the next
  CHECK(ways(4, 4) == Approx(0.5));  // every fourth chip of a side: four rings share its two links
  CHECK(ways(1, 1) == 0);            // nothing to send
}

TEST_CASE("mesh: a torus's ring gets its links' rate, at most all of the chip's") {
  Group<double> g{Count<double>(16), Count<double>(16)};
  g.ways = Ratio<double>(2);
  const Links<double> chip{ByteRate<double>(540e9), ByteRate<double>(90e9), ByteRate<double>(25e9)};
  CHECK(value_of(links_of(g, chip).node.raw) == Approx(180e9));
  g.ways = Ratio<double>(6);
  CHECK(value_of(links_of(g, chip).node.raw) == Approx(540e9));
}

}  // namespace
}  // namespace reckon
