#include "reckon/cost/questions/collective.hpp"

namespace reckon {
namespace {

bool power_of_two(int x) { return x > 0 && (x & (x - 1)) == 0; }

bool rooted(CollectiveOp op) {
  return op == CollectiveOp::kBroadcast || op == CollectiveOp::kReduce;
}

template <class R>
Count<R> passes_of(CollectiveOp op) {
  return op == CollectiveOp::kAllReduce || rooted(op) ? Count<R>{2} : Count<R>{1};
}

template <class R>
Way<R> way(Algorithm algorithm, CollectiveOp op, const CollectiveShape<R>& x) {
  const bool to_all = op == CollectiveOp::kAllToAll;
  CollectiveShape<R> tree = x;  // a tree passes a broadcast on once
  if (rooted(op)) tree.passes = Count<R>{1};
  switch (algorithm) {
    case Algorithm::kTree:
      return to_all ? by_bruck(x) : by_tree(tree);
    case Algorithm::kHalvingDoubling:
      return by_halving(x);
    case Algorithm::kHierarchical:
      return by_hierarchy(x, to_all);
    case Algorithm::kAllPeer:
      return op == CollectiveOp::kSend ? by_message(x) : to_all ? by_exchange(x) : by_all_peers(x);
    case Algorithm::kInSwitch:
      return by_switch(tree);
    case Algorithm::kFastest:
    case Algorithm::kRing:
      break;
  }
  return to_all ? by_pairs(x) : rooted(op) ? by_rooted_ring(x) : by_ring(x);
}

template <class R>
void choose(const CollectiveQuestion<R>& question, const CollectiveShape<R>& x,
            CollectiveAnswer<R>& out) {
  Smallest<kSecond, R> fastest;
  std::vector<std::size_t> offered;
  for (std::size_t i = 0; i < std::size(kWays); ++i) {
    if (out.why_not[i]) continue;
    out.ways[i] = way(kWays[i], question.op, x);
    if (question.algorithm != Algorithm::kFastest && question.algorithm != kWays[i]) continue;
    fastest.offer(name_of(kWays[i]), out.ways[i]->time);
    offered.push_back(i);
  }
  if (offered.empty()) return;  // an algorithm that can't run here was named: legality says so
  out.chosen = offered[fastest.winner()];
  const auto& way = out.ways[*out.chosen];
  auto S = x.S;
  auto t_way = way->time;
  auto sent = way->bytes;
  NAME(t_way, sent);
  auto t = offered.size() > 1 ? kChosenTime(fastest.best()) : kOnlyTime(t_way);
  auto bytes = kChosenBytes(sent);
  auto factor = out.factor;
  NAME(S, factor);
  out.time = t;
  out.bytes = bytes;
  if (t <= Seconds<R>{}) return;
  out.algorithm_rate = kAlgorithmRate(S / t);
  out.bus_rate = kBusRate(factor * S / t);
}

inline constexpr const char* kByLibrary = "model: line_rate prices each algorithm by its bytes";

// What follows from the time of the whole.
template <class R>
void rate(Bytes<R> S, Seconds<R> t, CollectiveAnswer<R>& out) {
  auto factor = out.factor;
  NAME(S, t, factor);
  out.bytes = kWireBytes(factor * S);
  out.time = t;
  out.algorithm_rate = kAlgorithmRate(S / t);
  out.bus_rate = kBusRate(factor * S / t);
}

template <class R>
void by_curve(const CollectiveQuestion<R>& question, Bytes<R> S, CollectiveAnswer<R>& out) {
  out.curve = curve_cost(S, out.q, *question.curve);
  out.factor = out.curve->factor;
  const bool anchored = question.anchor_bytes && question.anchor_time;
  rate(S,
       anchored
           ? anchored_time(S, out.q, *question.curve, *question.anchor_bytes, *question.anchor_time)
           : out.curve->time,
       out);
}

template <class R>
void by_nccl(const CollectiveQuestion<R>& question, Bytes<R> S, CollectiveAnswer<R>& out) {
  const NcclGeneration<R>* generation = nullptr;
  for (const NcclGeneration<R>& g : question.nccl->generations)
    for (const std::string& chip : g.chips)
      if (chip == question.cluster->node.chip.id) generation = &g;
  if (!generation) return;  // legality says so
  const auto links = links_of(question.cluster, question.on, question.assume);
  out.nccl = nccl_cost(question.op, S, {out.q, out.group.r, out.nodes, links.nic}, *question.nccl,
                       *generation);
  rate(S, out.nccl->time, out);
}

template <class R>
void halve(const CollectiveShape<R>& x, CollectiveAnswer<R>& out) {
  const Count<R> one{1};
  Sum<kSecond, R> halves;
  halves.add("reduce-scatter", collective(one, x.S, x.group, x.links, x.assume).time);
  halves.add("all-gather", collective(one, x.S, x.group, x.links, x.assume).time);
  out.halves = kHalves(halves.total());
}

}  // namespace

const char* no_way(Algorithm algorithm, const WayFacts& f) {
  if (f.q <= 1) return "one rank sends nothing";
  const Algorithm on_torus =
      f.op == CollectiveOp::kAllToAll ? Algorithm::kAllPeer : Algorithm::kRing;
  if (f.torus && f.op != CollectiveOp::kSend && algorithm != on_torus)
    return "chips of a torus reach their neighbours only";
  const bool crosses = f.r < f.q, to_all = f.op == CollectiveOp::kAllToAll;
  if (f.op == CollectiveOp::kSend)
    return algorithm == Algorithm::kAllPeer ? nullptr : "one message needs no algorithm";
  switch (algorithm) {
    case Algorithm::kTree:
      if (to_all) return power_of_two(f.q) ? nullptr : "the ranks are no power of two";
      if (f.op == CollectiveOp::kAllGather || f.op == CollectiveOp::kReduceScatter)
        return "a tree moves whole arrays: for broadcast, reduce and all-reduce";
      return nullptr;
    case Algorithm::kHalvingDoubling:
      if (to_all || rooted(f.op)) return "halves are exchanged in reductions and gathers only";
      if (!power_of_two(f.q) || (crosses && !power_of_two(f.r)))
        return "the ranks are no power of two";
      return nullptr;
    case Algorithm::kHierarchical:
      if (rooted(f.op)) return "not modelled for an operation with a root";
      if (!crosses) return "all ranks share a node";
      if (f.r <= 1) return "a node holds one rank";
      return f.q == f.r * f.nodes ? nullptr : "the nodes hold unequal numbers of ranks";
    case Algorithm::kAllPeer:
      return crosses && !to_all ? "not all ranks share a node" : nullptr;
    case Algorithm::kInSwitch:
      if (to_all) return "an all-to-all reduces nothing";
      if (f.op == CollectiveOp::kAllGather || f.op == CollectiveOp::kReduceScatter)
        return "a half moves (q − 1)/q of the array over each link either way";
      if (crosses) return "not all ranks share a node";
      return f.in_switch ? nullptr : "in_switch: yes says that the switch can";
    case Algorithm::kFastest:
    case Algorithm::kRing:
      break;
  }
  return nullptr;
}

template <class R>
CollectiveAnswer<R> answer(const CollectiveQuestion<R>& question) {
  CollectiveAnswer<R> out;
  const bool one_message = question.op == CollectiveOp::kSend;
  const bool counted = question.ranks || question.cluster;
  out.q = counted ? ranks_of(question.cluster, question.ranks) : Count<R>{2};
  out.group = beside(question.cluster, question.on, out.q);
  auto q = out.q;
  auto r = out.group.r;
  auto passes = passes_of<R>(question.op);
  NAME(q, r, passes);
  auto nodes = ceil(q / r);
  out.nodes = nodes;
  const bool to_all = question.op == CollectiveOp::kAllToAll;
  auto share = to_all ? (q - 1) / q : moved(q, question.assume);
  NAME(share);
  out.factor = one_message ? Ratio<R>{1} : kTrafficFactor(passes * share);
  const WayFacts facts{question.op,  whole(out.q),       whole(out.group.r),
                       whole(nodes), question.in_switch, out.group.ways.has_value()};
  for (std::size_t i = 0; i < std::size(kWays); ++i) out.why_not[i] = no_way(kWays[i], facts);
  if (!question.bytes) return out;
  if (out.q <= 1) {
    out.bytes = Bytes<R>{};
    out.time = Seconds<R>{};
    return out;
  }
  if (question.model != CollectiveModel::kLineRate) {
    out.why_not.fill(kByLibrary);
    if (question.model == CollectiveModel::kCalibrated)
      by_curve(question, *question.bytes, out);
    else
      by_nccl(question, *question.bytes, out);
    return out;
  }
  Assume<R> assume = question.assume;
  assume.latency = latency_of(question.on, question.assume);
  const CollectiveShape<R> x{passes,
                             *question.bytes,
                             out.group,
                             out.nodes,
                             links_of(question.cluster, question.on, question.assume),
                             assume};
  choose(question, x, out);
  if (question.op == CollectiveOp::kAllReduce) halve(x, out);
  return out;
}

template CollectiveAnswer<double> answer(const CollectiveQuestion<double>&);
template CollectiveAnswer<Traced> answer(const CollectiveQuestion<Traced>&);

}  // namespace reckon
