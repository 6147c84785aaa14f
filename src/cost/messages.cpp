#include "reckon/cost/messages.hpp"

#include <algorithm>
#include <numeric>

namespace reckon {
namespace {

constexpr std::string_view kReduceScatterPhase = "reduce-scatter", kAllGatherPhase = "all-gather",
                           kScatterPhase = "scatter", kGatherPhase = "gather";

int mod(int x, int q) { return ((x % q) + q) % q; }

bool reduces(CollectiveOp op) {
  return op == CollectiveOp::kAllReduce || op == CollectiveOp::kReduceScatter ||
         op == CollectiveOp::kReduce;
}
bool gathers(CollectiveOp op) {
  return op == CollectiveOp::kAllReduce || op == CollectiveOp::kAllGather ||
         op == CollectiveOp::kBroadcast;
}

std::vector<int> all_pieces(int q) {
  std::vector<int> out(static_cast<std::size_t>(q));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

// Rank `ranks[i]` ends with all sums of `pieces[i]`, going around the ring.
void ring_reduce_scatter(const std::vector<int>& ranks, const std::vector<std::vector<int>>& pieces,
                         std::vector<Round>& out) {
  const int q = static_cast<int>(ranks.size());
  for (int s = 0; s + 1 < q; ++s) {
    Round round{kReduceScatterPhase, {}};
    for (int i = 0; i < q; ++i)
      round.messages.push_back({ranks[static_cast<std::size_t>(i)],
                                ranks[static_cast<std::size_t>(mod(i + 1, q))],
                                pieces[static_cast<std::size_t>(mod(i - 1 - s, q))], Effect::kAdd});
    out.push_back(std::move(round));
  }
}

// Rank `ranks[i]` starts with `pieces[i]`; all end with all.
void ring_all_gather(const std::vector<int>& ranks, const std::vector<std::vector<int>>& pieces,
                     std::vector<Round>& out) {
  const int q = static_cast<int>(ranks.size());
  for (int s = 0; s + 1 < q; ++s) {
    Round round{kAllGatherPhase, {}};
    for (int i = 0; i < q; ++i)
      round.messages.push_back({ranks[static_cast<std::size_t>(i)],
                                ranks[static_cast<std::size_t>(mod(i + 1, q))],
                                pieces[static_cast<std::size_t>(mod(i - s, q))], Effect::kCopy});
    out.push_back(std::move(round));
  }
}

std::vector<std::vector<int>> one_each(int q) {
  std::vector<std::vector<int>> out;
  for (int i = 0; i < q; ++i) out.push_back({i});
  return out;
}

int span_of(int q) {  // smallest power of two that is not below q
  int span = 1;
  while (span < q) span *= 2;
  return span;
}

// Rank 0 hands on the pieces of ever smaller subtrees.
std::vector<Round> binomial_scatter(int q) {
  std::vector<Round> out;
  for (int half = span_of(q) / 2; half >= 1; half /= 2) {
    Round round{kScatterPhase, {}};
    for (int i = 0; i + half < q; i += 2 * half) {
      std::vector<int> pieces;
      for (int k = i + half; k < std::min(q, i + 2 * half); ++k) pieces.push_back(k);
      round.messages.push_back({i, i + half, std::move(pieces), Effect::kCopy});
    }
    out.push_back(std::move(round));
  }
  return out;
}

// The same backwards.
std::vector<Round> binomial_gather(int q) {
  std::vector<Round> out = binomial_scatter(q);
  std::reverse(out.begin(), out.end());
  for (Round& round : out) {
    round.phase = kGatherPhase;
    for (Message& m : round.messages) std::swap(m.from, m.to);
  }
  return out;
}

// Whole arrays towards rank `first` of a row of q ranks `stride` apart; several rows side by side.
std::vector<Round> tree_rounds(int q, int stride, int rows, int row_stride, int pieces) {
  std::vector<Round> out;
  for (int half = 1; half < q; half *= 2) {
    Round round{"reduce", {}};
    for (int row = 0; row < rows; ++row) {
      for (int i = 0; i + half < q; i += 2 * half)
        round.messages.push_back({row * row_stride + (i + half) * stride,
                                  row * row_stride + i * stride, all_pieces(pieces), Effect::kAdd});
    }
    out.push_back(std::move(round));
  }
  return out;
}

std::vector<Round> as_broadcast(std::vector<Round> rounds) {
  std::reverse(rounds.begin(), rounds.end());
  for (Round& round : rounds) {
    round.phase = "broadcast";
    for (Message& m : round.messages) {
      std::swap(m.from, m.to);
      m.effect = Effect::kCopy;
    }
  }
  return rounds;
}

void append(std::vector<Round>& to, const std::vector<Round>& rounds) {
  to.insert(to.end(), rounds.begin(), rounds.end());
}

// Rounds of groups that work at the same time: their messages together.
std::vector<Round> side_by_side(const std::vector<std::vector<Round>>& groups) {
  std::vector<Round> out = groups.front();
  for (std::size_t g = 1; g < groups.size(); ++g) {
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k].messages.insert(out[k].messages.end(), groups[g][k].messages.begin(),
                             groups[g][k].messages.end());
  }
  return out;
}

}  // namespace

Play ring_play(CollectiveOp op, int q) {
  Play play{q, {}};
  if (op == CollectiveOp::kBroadcast) append(play.rounds, binomial_scatter(q));
  if (reduces(op)) ring_reduce_scatter(all_pieces(q), one_each(q), play.rounds);
  if (gathers(op)) ring_all_gather(all_pieces(q), one_each(q), play.rounds);
  if (op == CollectiveOp::kReduce) append(play.rounds, binomial_gather(q));
  return play;
}

Play tree_play(CollectiveOp op, int nodes, int per_node) {
  const int q = nodes * per_node;
  std::vector<Round> up = tree_rounds(per_node, 1, nodes, per_node, q);
  append(up, tree_rounds(nodes, per_node, 1, 0, q));
  Play play{q, {}};
  if (op != CollectiveOp::kBroadcast) append(play.rounds, up);
  if (op != CollectiveOp::kReduce) append(play.rounds, as_broadcast(up));
  return play;
}

Play halving_play(CollectiveOp op, int q) {
  Play play{q, {}};
  std::vector<Round> halving;
  for (int half = q / 2; half >= 1; half /= 2) {  // the larger halves first
    Round round{kReduceScatterPhase, {}};
    for (int i = 0; i < q; ++i) {
      const int partner = i ^ half;
      std::vector<int> pieces;  // the half that the partner keeps
      for (int k = 0; k < half; ++k) pieces.push_back((partner / half) * half + k);
      round.messages.push_back({i, partner, std::move(pieces), Effect::kAdd});
    }
    halving.push_back(std::move(round));
  }
  if (reduces(op)) append(play.rounds, halving);
  if (!gathers(op)) return play;
  std::reverse(halving.begin(), halving.end());
  for (Round& round : halving) {
    round.phase = kAllGatherPhase;
    for (Message& m : round.messages) {
      std::swap(m.from, m.to);
      m.effect = Effect::kCopy;
    }
  }
  append(play.rounds, halving);
  return play;
}

Play direct_play(CollectiveOp op, int q) {
  Play play{q, {}};
  const auto round = [&](std::string_view phase, Effect effect, bool own, bool from_root) {
    Round r{phase, {}};
    for (int i = 0; i < q; ++i) {
      for (int k = 0; k < q; ++k) {
        if (i == k || (from_root && i != 0)) continue;
        const int piece = op == CollectiveOp::kAllToAll ? i * q + k : own ? i : k;
        r.messages.push_back({i, k, {piece}, effect});
      }
    }
    play.rounds.push_back(std::move(r));
  };
  if (op == CollectiveOp::kAllToAll) round("all-to-all", Effect::kMove, false, false);
  if (op == CollectiveOp::kBroadcast) round(kScatterPhase, Effect::kCopy, false, true);
  if (reduces(op)) round(kReduceScatterPhase, Effect::kAdd, false, false);
  if (gathers(op)) round(kAllGatherPhase, Effect::kCopy, true, false);
  if (op == CollectiveOp::kReduce) {
    Round gather{kGatherPhase, {}};
    for (int i = 1; i < q; ++i) gather.messages.push_back({i, 0, {i}, Effect::kCopy});
    play.rounds.push_back(std::move(gather));
  }
  return play;
}

Play pairs_play(int q) {
  Play play{q, {}};
  for (int s = 1; s < q; ++s) {
    Round round{"all-to-all", {}};
    for (int i = 0; i < q; ++i)
      round.messages.push_back({i, mod(i + s, q), {i * q + mod(i + s, q)}, Effect::kMove});
    play.rounds.push_back(std::move(round));
  }
  return play;
}

// Blocks move on by the bits of the way they have to go.
Play bruck_play(int q) {
  Play play{q, {}};
  for (int bit = 1; bit < q; bit *= 2) {
    Round round{"all-to-all", {}};
    for (int i = 0; i < q; ++i) {
      std::vector<int> pieces;
      for (int o = 0; o < q; ++o) {
        // A block from o stands where the lower bits of its way have brought it.
        for (int d = 0; d < q; ++d) {
          const int way = mod(d - o, q);
          if (mod(o + way % bit, q) == i && (way & bit) != 0) pieces.push_back(o * q + d);
        }
      }
      round.messages.push_back({i, mod(i + bit, q), std::move(pieces), Effect::kMove});
    }
    play.rounds.push_back(std::move(round));
  }
  return play;
}

namespace {

// All-to-all: first to the rank of one's own node that stands where the receiver stands in his.
Play hierarchical_all_to_all(int nodes, int per_node) {
  const int q = nodes * per_node;
  Play play{q, {}};
  const auto rank = [&](int node, int place) { return node * per_node + place; };
  for (int s = 1; s < per_node; ++s) {
    Round round{"in the node", {}};
    for (int n = 0; n < nodes; ++n) {
      for (int p = 0; p < per_node; ++p) {
        const int to = mod(p + s, per_node);
        std::vector<int> pieces;
        for (int m = 0; m < nodes; ++m) pieces.push_back(rank(n, p) * q + rank(m, to));
        round.messages.push_back({rank(n, p), rank(n, to), std::move(pieces), Effect::kMove});
      }
    }
    play.rounds.push_back(std::move(round));
  }
  for (int s = 1; s < nodes; ++s) {
    Round round{"between nodes", {}};
    for (int n = 0; n < nodes; ++n) {
      for (int p = 0; p < per_node; ++p) {
        std::vector<int> pieces;
        for (int o = 0; o < per_node; ++o)
          pieces.push_back(rank(n, o) * q + rank(mod(n + s, nodes), p));
        round.messages.push_back(
            {rank(n, p), rank(mod(n + s, nodes), p), std::move(pieces), Effect::kMove});
      }
    }
    play.rounds.push_back(std::move(round));
  }
  return play;
}

}  // namespace

Play hierarchical_play(CollectiveOp op, int nodes, int per_node) {
  if (op == CollectiveOp::kAllToAll) return hierarchical_all_to_all(nodes, per_node);
  Play play{nodes * per_node, {}};
  // Rank (n, p) ends the first half with piece n·per_node + p: in the node all pieces of place p.
  std::vector<std::vector<int>> by_place(static_cast<std::size_t>(per_node));
  for (int n = 0; n < nodes; ++n) {
    for (int p = 0; p < per_node; ++p)
      by_place[static_cast<std::size_t>(p)].push_back(n * per_node + p);
  }
  std::vector<std::vector<Round>> in_nodes(static_cast<std::size_t>(nodes)),
      between(static_cast<std::size_t>(per_node)), back = in_nodes, gather = between;
  for (int n = 0; n < nodes; ++n) {
    std::vector<int> ranks;
    for (int p = 0; p < per_node; ++p) ranks.push_back(n * per_node + p);
    ring_reduce_scatter(ranks, by_place, in_nodes[static_cast<std::size_t>(n)]);
    ring_all_gather(ranks, by_place, back[static_cast<std::size_t>(n)]);
  }
  for (int p = 0; p < per_node; ++p) {
    std::vector<int> ranks;
    std::vector<std::vector<int>> pieces;
    for (int n = 0; n < nodes; ++n) {
      ranks.push_back(n * per_node + p);
      pieces.push_back({n * per_node + p});
    }
    ring_reduce_scatter(ranks, pieces, between[static_cast<std::size_t>(p)]);
    ring_all_gather(ranks, pieces, gather[static_cast<std::size_t>(p)]);
  }
  if (reduces(op)) {
    append(play.rounds, side_by_side(in_nodes));
    append(play.rounds, side_by_side(between));
  }
  if (gathers(op)) {
    append(play.rounds, side_by_side(gather));
    append(play.rounds, side_by_side(back));
  }
  return play;
}

Store starting_store(CollectiveOp op, const std::vector<Numbers>& arrays) {
  const std::size_t q = arrays.size(), n = arrays.front().size();
  Store store(q);
  for (std::size_t rank = 0; rank < q; ++rank) {
    for (std::size_t k = 0; k < q; ++k) {
      const bool mine = op == CollectiveOp::kAllGather   ? k == rank
                        : op == CollectiveOp::kBroadcast ? rank == 0
                                                         : true;
      if (!mine) continue;
      const std::size_t piece = op == CollectiveOp::kAllToAll ? rank * q + k : k;
      const auto at = [&](std::size_t i) {
        return arrays[rank].begin() + static_cast<std::ptrdiff_t>(i * n / q);
      };
      store[rank][static_cast<int>(piece)] = Numbers(at(k), at(k + 1));
    }
  }
  return store;
}

Moved moved_in(const Round& round, const Store& before) {
  Moved out{std::vector<std::size_t>(before.size()), std::vector<std::size_t>(before.size())};
  for (const Message& m : round.messages) {
    const auto from = static_cast<std::size_t>(m.from);
    for (const int piece : m.pieces) {
      out.sent[from] += before[from].at(piece).size();
      out.received[static_cast<std::size_t>(m.to)] += before[from].at(piece).size();
    }
  }
  return out;
}

void play_round(const Round& round, Store& store) {
  const Store before = store;  // all messages of a round leave at once
  for (const Message& m : round.messages) {
    for (const int piece : m.pieces) {
      if (m.effect == Effect::kMove) store[static_cast<std::size_t>(m.from)].erase(piece);
    }
  }
  for (const Message& m : round.messages) {
    for (const int piece : m.pieces) {
      const Numbers& moved = before[static_cast<std::size_t>(m.from)].at(piece);
      Numbers& there = store[static_cast<std::size_t>(m.to)][piece];
      if (m.effect != Effect::kAdd || there.empty()) {
        there = moved;
      } else {
        for (std::size_t i = 0; i < moved.size(); ++i) there[i] += moved[i];
      }
    }
  }
}

Played played(const Play& play, Store store) {
  const std::vector<std::size_t> none(static_cast<std::size_t>(play.ranks));
  Played out{std::move(store), {none, none}};
  for (const Round& round : play.rounds) {
    const Moved moved = moved_in(round, out.store);
    for (std::size_t i = 0; i < none.size(); ++i) {
      out.moved.sent[i] += moved.sent[i];
      out.moved.received[i] += moved.received[i];
    }
    play_round(round, out.store);
  }
  return out;
}

}  // namespace reckon
