#include "reckon/schedule/plays.hpp"

#include <algorithm>

namespace reckon::schedule {
namespace {

thread_local Plays* in_use = nullptr;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

std::vector<double> key_of(const PipelineLayout& x, const PipelineTimes& t) {
  std::vector<double> out{static_cast<double>(x.kind),
                          static_cast<double>(x.ranks),
                          static_cast<double>(x.chunks),
                          static_cast<double>(x.micro_batches),
                          t.send,
                          t.blocking ? 1.0 : 0.0,
                          t.pair};
  for (const PassTimes& p : t.piece) out.insert(out.end(), {p.forward, p.backward, p.weight});
  return out;
}

// The longest of the paths that each rank gives.
class LeastPath {
 public:
  LeastPath(const PipelineLayout& x, const PipelineTimes& times, bool staggered)
      : x_(x), times_(times), staggered_(staggered), split_(splits_backward(x.kind)) {}

  Played run() {
    for (int rank = 0; rank < x_.ranks; ++rank) {
      offer(rank, false);
      if (split_ && !staggered_) offer(rank, true);
    }
    return std::move(best_);
  }

 private:
  // Of the rank's pieces the nearest to the model's beginning: what is before it, and after it on the way back.
  int first_piece(int rank) const {
    int first = x_.pieces();
    for (int c = 0; c < x_.held(); ++c) first = std::min(first, x_.piece(rank, c));
    return first;
  }

  // back: the way back counts, and the rank's weight passes, which may be put off, don't.
  void offer(int rank, bool back) {
    PathCounts path{std::vector<PathCounts::OfPiece>(at(x_.pieces())), 0};
    const int n = x_.micro_batches_of_copy();
    const bool returns = !staggered_ && (back || !split_);
    for (int c = 0; c < x_.held(); ++c) {
      PathCounts::OfPiece& own = path.piece[at(x_.piece(rank, c))];
      own.forward += n;
      own.backward += n;
      if (!back) own.weight += n;
    }
    for (int i = 0; i < first_piece(rank); ++i) {
      PathCounts::OfPiece& other = path.piece[at(i)];
      if (!staggered_) ++other.forward;
      if (returns) ++other.backward;
      if (returns && !split_) ++other.weight;
    }
    const double time = sum_of(path, times_);
    if (time < best_.time) return;
    best_.time = best_.cycle = time;
    best_.time_path = best_.cycle_path = std::move(path);
  }

  const PipelineLayout& x_;
  const PipelineTimes& times_;
  bool staggered_, split_;
  Played best_;
};

}  // namespace

Played least_path(const PipelineLayout& x, const PipelineTimes& times, bool staggered) {
  return LeastPath(x, times, staggered).run();
}

Played Plays::of(const PipelineLayout& x, const PipelineTimes& times, bool staggered) {
  ++asked_;
  if (bounds_ && times.pair == 1) return least_path(x, times, staggered);
  const auto [at, is_new] = known_.try_emplace(key_of(x, times));
  if (!is_new) return at->second;
  const bool same = !order_.empty() && last_.kind == x.kind && last_.ranks == x.ranks &&
                    last_.chunks == x.chunks && last_.micro_batches == x.micro_batches;
  if (!same) order_ = order_of(x);
  last_ = x;
  at->second = play(x, order_, times);
  at->second.slots.clear();  // nobody asks for them, and they are most of it
  return at->second;
}

void Plays::forget() {
  known_.clear();
  asked_ = 0;
}

PlaysInUse::PlaysInUse(Plays& plays) : before_(in_use) { in_use = &plays; }
PlaysInUse::~PlaysInUse() { in_use = before_; }

Played played_once(const PipelineLayout& x, const PipelineTimes& times, bool staggered) {
  return in_use ? in_use->of(x, times, staggered) : play(x, order_of(x), times);
}

}  // namespace reckon::schedule
