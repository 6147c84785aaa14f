// The closed forms of cost/algorithms.hpp against collectives played message by message.
#include <algorithm>

#include "catch.hpp"
#include "reckon/cost/messages.hpp"
#include "reckon/cost/questions/collective.hpp"

using namespace reckon;

namespace {

constexpr double kA = 5e-6, kANet = 20e-6, kW = 400e9, kWNet = 50e9;

double number(const auto& quantity) { return value_of(quantity.raw); }

// The rank that sends or receives most.
double busiest(const Moved& m) {
  return static_cast<double>(std::max(*std::max_element(m.sent.begin(), m.sent.end()),
                                      *std::max_element(m.received.begin(), m.received.end())));
}

// Each number counts as so many bytes that the array is S.
double time_of(const Play& play, const Store& start, double bytes_each, int per_node) {
  double t = 0;
  Store store = start;
  for (const Round& round : play.rounds) {
    bool far = false;
    for (const Message& m : round.messages) far = far || m.from / per_node != m.to / per_node;
    t += (far ? kANet : kA) + busiest(moved_in(round, store)) * bytes_each / (far ? kWNet : kW);
    play_round(round, store);
  }
  return t;
}

std::vector<Numbers> arrays(int q, int n) {
  std::vector<Numbers> out;
  for (int r = 0; r < q; ++r) {
    Numbers& a = out.emplace_back();
    for (int i = 0; i < n; ++i) a.push_back((r + 1) * 100 + i);
  }
  return out;
}

// Who must hold what at the end.
void check_result(CollectiveOp op, const std::vector<Numbers>& start, const Store& end) {
  const std::size_t q = start.size(), each = start[0].size() / q;
  bool right = true;
  for (std::size_t rank = 0; rank < q; ++rank) {
    for (std::size_t k = 0; k < q; ++k) {
      if (op == CollectiveOp::kReduceScatter && k != rank) continue;
      if (op == CollectiveOp::kReduce && rank != 0) continue;
      const bool to_all = op == CollectiveOp::kAllToAll;
      const int piece = static_cast<int>(to_all ? k * q + rank : k);
      if (!end[rank].contains(piece) || end[rank].at(piece).size() != each) {
        right = false;
        continue;
      }
      const Numbers& held = end[rank].at(piece);
      for (std::size_t i = 0; i < each; ++i) {
        double want = 0;
        const std::size_t at = k * each + i;
        if (to_all)
          want = start[k][rank * each + i];
        else if (op == CollectiveOp::kAllGather)
          want = start[k][at];
        else if (op == CollectiveOp::kBroadcast)
          want = start[0][at];
        else
          for (const Numbers& a : start) want += a[at];
        right = right && held[i] == want;
      }
    }
  }
  CHECK(right);
}

CollectiveQuestion<double> question(CollectiveOp op, int nodes, int per_node, double S) {
  CollectiveQuestion<double> q;
  q.op = op;
  q.bytes = Bytes<double>(S);
  q.ranks = Count<double>(nodes * per_node);
  q.on.link = ByteRate<double>(kW);
  q.on.network = ByteRate<double>(kWNet);
  q.on.node_gpus = Count<double>(per_node);
  q.on.latency = Seconds<double>(kA);
  q.on.network_latency = Seconds<double>(kANet);
  return q;
}

struct Case {
  Algorithm algorithm;
  Play play;
};

void check_case(CollectiveOp op, int nodes, int per_node, const Case& c) {
  const int q = nodes * per_node, n = 2 * q;
  const double S = 1e9;
  INFO(name_of(op) << " by " << name_of(c.algorithm) << ", " << nodes << " nodes of " << per_node);
  const std::vector<Numbers> start = arrays(q, n);
  const Store store = starting_store(op, start);
  const Played end = played(c.play, store);
  check_result(op, start, end.store);
  const auto a = answer(question(op, nodes, per_node, S));
  std::size_t i = 0;
  while (kWays[i] != c.algorithm) ++i;
  REQUIRE(a.ways[i]);
  CHECK(number(a.ways[i]->steps) == Approx(static_cast<double>(c.play.rounds.size())));
  CHECK(number(a.ways[i]->time) == Approx(time_of(c.play, store, S / n, per_node)).epsilon(1e-12));
  if (c.algorithm == Algorithm::kTree) return;  // its bytes are those of the longest path
  CHECK(number(a.ways[i]->bytes) == Approx(busiest(end.moved) * S / n).epsilon(1e-12));
}

bool power_of_two(int q) { return (q & (q - 1)) == 0; }

}  // namespace

TEST_CASE("closed forms in one node are what the messages take, for 2 to 64 ranks", "[many]") {
  using Op = CollectiveOp;
  for (int q = 2; q <= 64; ++q) {
    for (const Op op :
         {Op::kAllReduce, Op::kAllGather, Op::kReduceScatter, Op::kBroadcast, Op::kReduce}) {
      const bool rooted = op == Op::kBroadcast || op == Op::kReduce;
      const bool half = op == Op::kAllGather || op == Op::kReduceScatter;
      check_case(op, 1, q, {Algorithm::kRing, ring_play(op, q)});
      check_case(op, 1, q, {Algorithm::kAllPeer, direct_play(op, q)});
      if (!half) check_case(op, 1, q, {Algorithm::kTree, tree_play(op, 1, q)});
      if (!rooted && power_of_two(q))
        check_case(op, 1, q, {Algorithm::kHalvingDoubling, halving_play(op, q)});
    }
    check_case(Op::kAllToAll, 1, q, {Algorithm::kRing, pairs_play(q)});
    check_case(Op::kAllToAll, 1, q, {Algorithm::kAllPeer, direct_play(Op::kAllToAll, q)});
    if (power_of_two(q)) check_case(Op::kAllToAll, 1, q, {Algorithm::kTree, bruck_play(q)});
  }
}

TEST_CASE("closed forms between nodes are what the messages take") {
  using Op = CollectiveOp;
  for (const int nodes : {2, 3, 4, 8}) {
    for (const int per_node : {2, 3, 4, 8}) {
      for (const Op op : {Op::kAllReduce, Op::kAllGather, Op::kReduceScatter, Op::kAllToAll})
        check_case(op, nodes, per_node,
                   {Algorithm::kHierarchical, hierarchical_play(op, nodes, per_node)});
      for (const Op op : {Op::kAllReduce, Op::kBroadcast, Op::kReduce})
        check_case(op, nodes, per_node, {Algorithm::kTree, tree_play(op, nodes, per_node)});
    }
  }
}

TEST_CASE("the four-GPU example: sums 28, 32, 36, 40, three numbers sent in each half") {
  const std::vector<Numbers> start{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}, {13, 14, 15, 16}};
  const auto scatter = ring_play(CollectiveOp::kReduceScatter, 4);
  const Played half = played(scatter, starting_store(CollectiveOp::kReduceScatter, start));
  for (int rank = 0; rank < 4; ++rank)
    CHECK(half.store[static_cast<std::size_t>(rank)].at(rank) == Numbers{28.0 + 4 * rank});
  CHECK(half.moved.sent == std::vector<std::size_t>{3, 3, 3, 3});
  const Played whole = played(ring_play(CollectiveOp::kAllReduce, 4),
                              starting_store(CollectiveOp::kAllReduce, start));
  CHECK(whole.moved.sent == std::vector<std::size_t>{6, 6, 6, 6});
}

TEST_CASE("an all-reduce is its halves, one rank sends nothing, and time falls with the rate") {
  using Op = CollectiveOp;
  for (const int q : {2, 5, 8, 48}) {
    const double S = 3e9;
    const auto whole = answer(question(Op::kAllReduce, 1, q, S));
    const auto scatter = answer(question(Op::kReduceScatter, 1, q, S));
    const auto gather = answer(question(Op::kAllGather, 1, q, S));
    CHECK(number(whole.ways[0]->time) ==
          Approx(number(scatter.ways[0]->time) + number(gather.ways[0]->time)));
    CHECK(number(whole.factor) == Approx(number(scatter.factor) + number(gather.factor)));
    CHECK(number(*whole.halves) == Approx(number(whole.ways[0]->time)));
    auto faster = question(Op::kAllReduce, 1, q, S);
    faster.on.link = ByteRate<double>(2 * kW);
    const auto twice = answer(faster);
    for (std::size_t i = 0; i < std::size(kWays); ++i) {
      REQUIRE(twice.ways[i].has_value() == whole.ways[i].has_value());
      if (twice.ways[i]) CHECK(number(twice.ways[i]->time) < number(whole.ways[i]->time));
    }
    CHECK(number(*whole.time) <= number(whole.ways[0]->time));
  }
  const auto alone = answer(question(Op::kAllReduce, 1, 1, 1e9));
  CHECK(number(*alone.time) == 0);
  CHECK(number(*alone.bytes) == 0);
}
