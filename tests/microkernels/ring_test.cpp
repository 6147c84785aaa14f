// The ring between loading and multiplying warps, played in random orders with barriers as the PTX manual defines them:
// nothing is overwritten before all its readers have it, nothing is read before it is there, and all of it ends.
#include "cuda/ring.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include "catch.hpp"

namespace reckon::bench::cuda {
namespace {

// A phase ends when no arrival is missing and no byte.
struct Barrier {
  unsigned arrivals = 0, missing = 0, phase = 0;
  int bytes = 0;
  explicit Barrier(unsigned n) : arrivals(n), missing(n) {}
  void settle() {
    if (missing != 0 || bytes != 0) return;
    missing = arrivals;
    ++phase;
  }
  void arrive(int expected = 0) {
    REQUIRE(missing > 0);
    bytes += expected;
    --missing;
    settle();
  }
  void receive(int n) {  // may come before the block itself has said what it expects
    bytes -= n;
    settle();
  }
  // try_wait.parity: whether the phase of this parity has ended.
  bool passed(unsigned parity) const { return phase % 2 != parity; }
};

struct Load {
  int to;  // block
  unsigned use;
  int part;
};

struct Block {
  std::vector<Barrier> full = std::vector<Barrier>(kRingStages, Barrier(1));
  std::vector<Barrier> empty;
  unsigned produced = 0;
  std::vector<unsigned> reading;       // of each warp: the use that it reads next
  std::vector<std::vector<int>> held;  // of each stage: which use each part holds

  explicit Block(int cluster)
      : empty(kRingStages, Barrier(arrivals_to_free(cluster))),
        reading(kReadingWarps),
        held(kRingStages, std::vector<int>(static_cast<std::size_t>(cluster) + 1, -1)) {}
};

// `cluster` blocks: each loads part 0 of its own stages, and its part of all others' too.
class Play {
 public:
  Play(int cluster, unsigned uses, unsigned seed) : cluster_(cluster), uses_(uses), random_(seed) {
    for (int b = 0; b < cluster; ++b) blocks_.emplace_back(cluster);
  }

  // Whether it ended, rather than that all waited for one another.
  bool run() {
    while (!over()) {
      std::vector<int> order(static_cast<std::size_t>(cluster_) * (kReadingWarps + 1) + 1);
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
      std::shuffle(order.begin(), order.end(), random_);
      if (std::none_of(order.begin(), order.end(), [this](int who) { return step(who); }))
        return false;
    }
    return true;
  }

 private:
  bool over() const {
    return loads_.empty() && std::all_of(blocks_.begin(), blocks_.end(), [this](const Block& b) {
             return b.produced == uses_ && std::all_of(b.reading.begin(), b.reading.end(),
                                                       [this](unsigned u) { return u == uses_; });
           });
  }

  // One thing that can happen; false if it can't now.
  bool step(int who) {
    if (who == 0) return deliver();
    const int block = (who - 1) / (kReadingWarps + 1), warp = (who - 1) % (kReadingWarps + 1);
    return warp == kReadingWarps ? produce(block) : consume(block, warp);
  }

  bool produce(int which) {
    Block& b = blocks_[static_cast<std::size_t>(which)];
    const unsigned use = b.produced;
    if (use == uses_) return false;
    const auto stage = static_cast<std::size_t>(stage_of(use));
    if (must_wait(use) && !b.empty[stage].passed(freed(use))) return false;
    b.full[stage].arrive(1 + cluster_);
    loads_.push_back({which, use, 0});
    for (int to = 0; to < cluster_; ++to) loads_.push_back({to, use, 1 + which});
    ++b.produced;
    return true;
  }

  // Of the loads under way, any may end first.
  bool deliver() {
    if (loads_.empty()) return false;
    std::swap(loads_[random_() % loads_.size()], loads_.back());
    const Load l = loads_.back();
    loads_.pop_back();
    Block& b = blocks_[static_cast<std::size_t>(l.to)];
    const auto stage = static_cast<std::size_t>(stage_of(l.use));
    for (const unsigned reading : b.reading)  // all have read what it overwrites
      REQUIRE(reading + kRingStages > l.use);
    b.held[stage][static_cast<std::size_t>(l.part)] = static_cast<int>(l.use);
    b.full[stage].receive(1);
    return true;
  }

  bool consume(int which, int warp) {
    Block& b = blocks_[static_cast<std::size_t>(which)];
    unsigned& use = b.reading[static_cast<std::size_t>(warp)];
    if (use == uses_) return false;
    const auto stage = static_cast<std::size_t>(stage_of(use));
    if (!b.full[stage].passed(filled(use))) return false;
    for (const int held : b.held[stage]) REQUIRE(held == static_cast<int>(use));
    ++use;
    for (Block& other : blocks_) other.empty[stage].arrive();
    return true;
  }

  int cluster_;
  unsigned uses_;
  std::mt19937 random_;
  std::vector<Block> blocks_;
  std::vector<Load> loads_;
};

TEST_CASE("the ring ends in any order, with nothing read too early or overwritten too soon") {
  for (const int cluster : {1, 2})
    for (unsigned seed = 0; seed < 200; ++seed)
      for (const unsigned uses : {1U, 3U, 4U, 5U, 26U}) {
        CAPTURE(cluster, seed, uses);
        CHECK(Play(cluster, uses, seed).run());
      }
}

}  // namespace
}  // namespace reckon::bench::cuda
