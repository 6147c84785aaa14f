// Collectives played message by message: who sends which piece to whom, round by round.
//
//   Play play = ring_play(CollectiveOp::kAllReduce, 4);
//   Played end = played(play, starting_store(op, {{1, 2, 3, 4}, {5, 6, 7, 8}, …}));
//   end.store[0][2]                    // what rank 0 holds of piece 2: the sums
//   end.moved.sent[0]                  // numbers rank 0 has sent
//
// The closed forms of algorithms.hpp are held to these rounds by tests; `reckon collective --trace` draws them. An
// array is cut into as many pieces as there are ranks; in an all-to-all, piece o·q + d goes from rank o to d.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "reckon/spec/questions/collective.hpp"

namespace reckon {

enum class Effect { kAdd, kCopy, kMove };

struct Message {
  int from, to;
  std::vector<int> pieces;
  Effect effect = Effect::kCopy;
};
struct Round {
  std::string_view phase;  // "reduce-scatter"
  std::vector<Message> messages;
};
struct Play {
  int ranks = 0;
  std::vector<Round> rounds;
};

// Ranks side by side; one node or several of equal size, ranks of a node next to each other.
Play ring_play(CollectiveOp op, int q);  // broadcast and reduce: with a scatter or gather
Play tree_play(CollectiveOp op, int nodes, int per_node);  // binomial; reductions and broadcasts
Play halving_play(CollectiveOp op, int q);  // q a power of two; gathers and reductions
Play direct_play(CollectiveOp op, int q);   // every peer at once
Play pairs_play(int q);                     // all-to-all, one peer a round
Play bruck_play(int q);                     // all-to-all, q a power of two
Play hierarchical_play(CollectiveOp op, int nodes,
                       int per_node);  // gathers, reductions, all-to-all

using Numbers = std::vector<double>;
using Store = std::vector<std::map<int, Numbers>>;  // by rank, by piece

// What each rank holds before `op`, cut into pieces; all arrays of one length. In a gather a rank's own piece alone.
Store starting_store(CollectiveOp op, const std::vector<Numbers>& arrays);

// What a round moves: numbers by rank. Links carry both ways at once.
struct Moved {
  std::vector<std::size_t> sent, received;
};
Moved moved_in(const Round& round, const Store& before);
void play_round(const Round& round, Store& store);

struct Played {
  Store store;
  Moved moved;  // all rounds
};
Played played(const Play& play, Store store);

}  // namespace reckon
