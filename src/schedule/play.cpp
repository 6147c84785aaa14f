#include "reckon/schedule/play.hpp"

#include <algorithm>
#include <numeric>

namespace reckon::schedule {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Which earlier thing decided when a pass began.
enum class Decided : std::uint8_t { kNothing, kRank, kForwardInput, kBackwardInput };

class Player {
 public:
  Player(const PipelineLayout& x, const Order& order, const PipelineTimes& times)
      : x_(x),
        order_(order),
        times_(times),
        n_(x.micro_batches_of_copy()),
        forward_(at(x.pieces() * x.copies() * n_)),
        backward_(forward_.size()),
        next_(at(x.ranks), 0),
        free_(at(x.ranks), 0),
        waiting_(at(x.ranks), false) {
    out_.first.assign(at(x.ranks), 0);
    out_.last = out_.busy = out_.first;
    for (const auto& ops : order_) {
      out_.slots.emplace_back(ops.size());
      decided_.emplace_back(ops.size(), Decided::kNothing);
    }
  }

  Played run() {
    for (int rank = x_.ranks - 1; rank >= 0; --rank) ready_.push_back(rank);
    while (!ready_.empty()) {
      const int rank = ready_.back();
      ready_.pop_back();
      run_rank(rank);
    }
    finish();
    return std::move(out_);
  }

 private:
  // The end of a pass and where it stands, to walk back along.
  struct Done {
    double end = -1;
    std::int32_t op = 0;
  };

  int copy_of(int chunk) const { return x_.copies() == 2 ? chunk : 0; }
  int chunk_of_copy(int copy, int piece) const {
    switch (placement_of(x_.kind)) {
      case Placement::kLoop:
        return piece / x_.ranks;
      case Placement::kV:
        return piece < x_.ranks ? 0 : 1;
      case Placement::kTwoWay:
        return copy;
    }
    return 0;
  }
  int rank_of(int copy, int piece) const {
    switch (placement_of(x_.kind)) {
      case Placement::kLoop:
        return piece % x_.ranks;
      case Placement::kV:
        return piece < x_.ranks ? piece : 2 * x_.ranks - 1 - piece;
      case Placement::kTwoWay:
        return copy == 0 ? piece : x_.ranks - 1 - piece;
    }
    return 0;
  }
  std::size_t cell(int copy, int piece, int micro_batch) const {
    return (at(copy) * at(x_.pieces()) + at(piece)) * at(n_) + at(micro_batch);
  }

  // When what a pass needs is there; below 0 if it isn't known yet.
  double forward_input(int rank, int chunk, int micro_batch) const {
    const int piece = x_.piece(rank, chunk), copy = copy_of(chunk);
    if (piece == 0) return 0;
    return arrival(forward_[cell(copy, piece - 1, micro_batch)], rank, rank_of(copy, piece - 1));
  }
  double backward_input(int rank, int chunk, int micro_batch) const {
    const int piece = x_.piece(rank, chunk), copy = copy_of(chunk);
    const Done& own = forward_[cell(copy, piece, micro_batch)];
    if (own.end < 0 || piece + 1 == x_.pieces()) return own.end;
    const double gradient =
        arrival(backward_[cell(copy, piece + 1, micro_batch)], rank, rank_of(copy, piece + 1));
    return gradient < 0 ? gradient : std::max(gradient, own.end);
  }
  double arrival(const Done& done, int to, int from) const {
    return done.end < 0 || to == from ? done.end : done.end + times_.send;
  }

  struct Input {
    double ready;
    Decided by;
  };
  Input input(int rank, const Op& op) const {
    switch (op.pass) {
      case Pass::kForward:
        return {forward_input(rank, op.chunk, op.micro_batch), Decided::kForwardInput};
      case Pass::kBackward:
      case Pass::kBackwardBoth:
        return {backward_input(rank, op.chunk, op.micro_batch), Decided::kBackwardInput};
      case Pass::kWeight: {
        const int piece = x_.piece(rank, op.chunk);
        return {backward_[cell(copy_of(op.chunk), piece, op.micro_batch)].end, Decided::kRank};
      }
      case Pass::kPair: {
        const double f = forward_input(rank, op.chunk, op.micro_batch);
        const double b = backward_input(rank, op.backward_chunk, op.backward_micro_batch);
        if (f < 0 || b < 0) return {-1, Decided::kNothing};
        return f < b ? Input{b, Decided::kBackwardInput} : Input{f, Decided::kForwardInput};
      }
    }
    return {-1, Decided::kNothing};
  }

  double length(int rank, const Op& op) const {
    const PassTimes& t = times_.piece[at(x_.piece(rank, op.chunk))];
    switch (op.pass) {
      case Pass::kForward:
        return t.forward;
      case Pass::kBackward:
        return t.backward;
      case Pass::kWeight:
        return t.weight;
      case Pass::kBackwardBoth:
        return t.both();
      case Pass::kPair:
        return times_.pair *
               (t.forward + times_.piece[at(x_.piece(rank, op.backward_chunk))].both());
    }
    return 0;
  }

  void run_rank(int rank) {
    const auto& ops = order_[at(rank)];
    std::size_t& k = next_[at(rank)];
    for (; k < ops.size(); ++k) {
      const auto [ready, by] = input(rank, ops[k]);
      if (ready < 0) {
        waiting_[at(rank)] = true;
        return;
      }
      const bool waited = ready > free_[at(rank)];
      decided_[at(rank)][k] = waited ? by : k == 0 ? Decided::kNothing : Decided::kRank;
      const double start = waited ? ready : free_[at(rank)];
      const double end = start + length(rank, ops[k]);
      out_.slots[at(rank)][k] = {start, end};
      out_.busy[at(rank)] += end - start;
      free_[at(rank)] = end;
      tell(rank, ops[k], {end, static_cast<std::int32_t>(k)});
    }
  }

  // Others wait for what has been computed.
  void tell(int rank, const Op& op, Done done) {
    const bool f = op.pass == Pass::kForward || op.pass == Pass::kPair;
    const bool b = op.pass != Pass::kForward && op.pass != Pass::kWeight;
    const int backward_chunk = op.pass == Pass::kPair ? op.backward_chunk : op.chunk;
    const int backward_micro = op.pass == Pass::kPair ? op.backward_micro_batch : op.micro_batch;
    if (f) {
      const int piece = x_.piece(rank, op.chunk), copy = copy_of(op.chunk);
      forward_[cell(copy, piece, op.micro_batch)] = done;
      if (piece + 1 < x_.pieces()) sent(rank, rank_of(copy, piece + 1));
    }
    if (b) {
      const int piece = x_.piece(rank, backward_chunk), copy = copy_of(backward_chunk);
      backward_[cell(copy, piece, backward_micro)] = done;
      if (piece > 0) sent(rank, rank_of(copy, piece - 1));
    }
  }

  void sent(int from, int to) {
    if (to == from) return;
    if (times_.blocking) free_[at(from)] += times_.send;
    if (!waiting_[at(to)]) return;
    waiting_[at(to)] = false;
    ready_.push_back(to);
  }

  void finish() {
    int last = 0, longest = 0;
    for (int rank = 0; rank < x_.ranks; ++rank) {
      out_.stuck = out_.stuck || next_[at(rank)] < order_[at(rank)].size();
      const auto& slots = out_.slots[at(rank)];
      out_.first[at(rank)] = slots.front().start;
      out_.last[at(rank)] = slots.back().end;
      const auto span = [&](int r) { return out_.last[at(r)] - out_.first[at(r)]; };
      if (out_.last[at(rank)] > out_.last[at(last)]) last = rank;
      if (span(rank) > span(longest)) longest = rank;
    }
    if (out_.stuck) return;
    out_.time = out_.last[at(last)];
    out_.cycle = out_.last[at(longest)] - out_.first[at(longest)];
    const auto empty = [&] {
      return PathCounts{std::vector<PathCounts::OfPiece>(at(x_.pieces())), 0};
    };
    out_.time_path = empty();
    out_.cycle_path = empty();
    walk(last, static_cast<int>(order_[at(last)].size()) - 1, 1, out_.time_path);
    walk(longest, static_cast<int>(order_[at(longest)].size()) - 1, 1, out_.cycle_path);
    // Less the way to the rank's first pass, which itself stays.
    walk(longest, 0, -1, out_.cycle_path);
    count(longest, order_[at(longest)][0], 1, out_.cycle_path);
  }

  void count(int rank, const Op& op, int times, PathCounts& path) const {
    auto& p = path.piece[at(x_.piece(rank, op.chunk))];
    switch (op.pass) {
      case Pass::kForward:
        p.forward += times;
        break;
      case Pass::kBackward:
        p.backward += times;
        break;
      case Pass::kWeight:
        p.weight += times;
        break;
      case Pass::kBackwardBoth:
        p.backward += times;
        p.weight += times;
        break;
      case Pass::kPair:
        p.paired_forward += times;
        path.piece[at(x_.piece(rank, op.backward_chunk))].paired_backward += times;
        break;
    }
  }

  int sends_of(int rank, const Op& op) const {
    int out = 0;
    const auto to = [&](int copy, int piece) {
      if (piece >= 0 && piece < x_.pieces() && rank_of(copy, piece) != rank) ++out;
    };
    if (op.pass == Pass::kForward || op.pass == Pass::kPair)
      to(copy_of(op.chunk), x_.piece(rank, op.chunk) + 1);
    if (op.pass == Pass::kPair)
      to(copy_of(op.backward_chunk), x_.piece(rank, op.backward_chunk) - 1);
    if (op.pass == Pass::kBackward || op.pass == Pass::kBackwardBoth)
      to(copy_of(op.chunk), x_.piece(rank, op.chunk) - 1);
    return out;
  }

  // Back from the end of a pass to the beginning of the step.
  void walk(int rank, int k, int times, PathCounts& path) const {
    for (;;) {
      const Op& op = order_[at(rank)][at(k)];
      count(rank, op, times, path);
      switch (decided_[at(rank)][at(k)]) {
        case Decided::kNothing:
          return;
        case Decided::kRank:
          --k;
          if (times_.blocking) path.sends += times * sends_of(rank, order_[at(rank)][at(k)]);
          break;
        case Decided::kForwardInput: {
          const int copy = copy_of(op.chunk), piece = x_.piece(rank, op.chunk) - 1;
          follow(rank, k, times, path, rank_of(copy, piece),
                 forward_[cell(copy, piece, op.micro_batch)]);
          break;
        }
        case Decided::kBackwardInput: {
          const bool paired = op.pass == Pass::kPair;
          const int chunk = paired ? op.backward_chunk : op.chunk;
          const int copy = copy_of(chunk), piece = x_.piece(rank, chunk) + 1;
          follow(rank, k, times, path, rank_of(copy, piece),
                 backward_[cell(copy, piece, paired ? op.backward_micro_batch : op.micro_batch)]);
          break;
        }
      }
    }
  }
  static void follow(int& rank, int& k, int times, PathCounts& path, int from, const Done& done) {
    if (from != rank) path.sends += times;
    rank = from;
    k = done.op;
  }

  const PipelineLayout& x_;
  const Order& order_;
  const PipelineTimes& times_;
  int n_;
  std::vector<Done> forward_, backward_;
  std::vector<std::size_t> next_;
  std::vector<double> free_;
  std::vector<bool> waiting_;
  std::vector<int> ready_;
  std::vector<std::vector<Decided>> decided_;
  Played out_;
};

}  // namespace

PipelineTimes even_times(const PipelineLayout& x, const PassTimes& stage) {
  const double share = 1.0 / x.chunks;
  PipelineTimes out;
  out.piece.assign(at(x.pieces()),
                   {stage.forward * share, stage.backward * share, stage.weight * share});
  return out;
}

double Played::work() const { return std::accumulate(busy.begin(), busy.end(), 0.0); }

Played play(const PipelineLayout& x, const Order& order, const PipelineTimes& times) {
  return Player(x, order, times).run();
}

double sum_of(const PathCounts& counts, const PipelineTimes& times) {
  double out = counts.sends * times.send;
  for (std::size_t i = 0; i < counts.piece.size(); ++i) {
    const PathCounts::OfPiece& n = counts.piece[i];
    const PassTimes& t = times.piece[i];
    out += n.forward * t.forward + n.backward * t.backward + n.weight * t.weight;
    out += times.pair * (n.paired_forward * t.forward + n.paired_backward * t.both());
  }
  return out;
}

double least_time(const PipelineLayout& x, const Order& order, const PipelineTimes& times) {
  double most = 0, way = 0;
  for (int rank = 0; rank < x.ranks; ++rank) {
    double work = 0;
    for (const Op& op : order[at(rank)]) {
      const PassTimes& t = times.piece[at(x.piece(rank, op.chunk))];
      if (op.pass == Pass::kForward) work += t.forward;
      if (op.pass == Pass::kBackward) work += t.backward;
      if (op.pass == Pass::kWeight) work += t.weight;
      if (op.pass == Pass::kBackwardBoth) work += t.both();
      if (op.pass == Pass::kPair)
        work += times.pair * (t.forward + times.piece[at(x.piece(rank, op.backward_chunk))].both());
    }
    most = std::max(most, work);
  }
  for (const PassTimes& t : times.piece) way += times.pair * (t.forward + t.backward);
  return std::max(most, way);
}

std::vector<PeakMemory> peak_memory(const PipelineLayout& x, const Order& order,
                                    const Played& played, const std::vector<double>& kept) {
  std::vector<PeakMemory> out;
  for (int rank = 0; rank < x.ranks; ++rank) {
    const auto bytes = [&](int chunk) { return kept[at(x.piece(rank, chunk))]; };
    PeakMemory most;
    double now = 0;
    for (std::size_t k = 0; k < order[at(rank)].size(); ++k) {
      const Op& op = order[at(rank)][k];
      if (op.pass == Pass::kForward || op.pass == Pass::kPair) {
        now += bytes(op.chunk);
        if (now > most.bytes) most = {now, played.slots[at(rank)][k].start};
      }
      if (op.pass == Pass::kPair) now -= bytes(op.backward_chunk);
      if (op.pass == Pass::kBackwardBoth || op.pass == Pass::kWeight) now -= bytes(op.chunk);
    }
    out.push_back(most);
  }
  return out;
}

}  // namespace reckon::schedule
