// ZB-V: rank r holds pieces r and 2p − 1 − r, so that the last piece's gradient is back on the rank
// that began. As many activations as 1F1B's first stage on every rank, and no bubble where forward,
// backward and weight passes take equal time.
//
//   fill     2(p − r) − 1 forward passes of the near piece, then one of each piece r times, then
//            p − r times forward, backward and weight of the far piece
//   between  forward, backward, weight of each piece in turn
//   drain    backward passes first, the weight passes that are left behind them
//
// Written for 2p − 1 micro-batches or more; with fewer, the passes of those beyond the last are left
// out. Source: Qi 2024, arXiv 2405.15362, section 3, and 2401.10241, section 6.
#include <algorithm>

#include "orders.hpp"

namespace reckon::schedule {
namespace {

// Hands out a chunk's micro-batches in order, for each pass apart.
struct Counters {
  Ops& out;
  int real;  // micro-batches there are
  int f[2] = {0, 0}, b[2] = {0, 0}, w[2] = {0, 0};

  void put(const Op& op) {
    if (op.micro_batch < real) out.push_back(op);
  }
  void forward_of(int c) { put(forward(c, f[c]++)); }
  void backward_of(int c) { put(backward(c, b[c]++)); }
  void weight_of(int c) { put(weight(c, w[c]++)); }
};

}  // namespace

Ops zero_bubble_v(const PipelineLayout& x, int rank) {
  const int p = x.ranks, n = std::max(x.micro_batches, 2 * p - 1);
  Ops out;
  out.reserve(6 * static_cast<std::size_t>(n));
  Counters next{out, x.micro_batches};
  for (int k = 0; k < 2 * (p - rank) - 1; ++k) next.forward_of(0);
  for (int k = 0; k < rank; ++k) {
    next.forward_of(1);
    next.forward_of(0);
  }
  for (int k = 0; k < p - rank; ++k) {
    next.forward_of(1);
    next.backward_of(1);
    next.weight_of(1);
  }
  while (next.f[1] < next.f[0] || next.f[0] < n) {
    if (next.f[0] < n) next.forward_of(0);
    next.backward_of(0);
    next.weight_of(0);
    next.forward_of(1);
    next.backward_of(1);
    next.weight_of(1);
  }
  for (int k = 0; k < rank; ++k) {
    next.backward_of(0);
    next.backward_of(1);
  }
  for (int k = 0; k < p - rank; ++k) {
    next.backward_of(0);
    next.weight_of(0);
  }
  while (next.w[1] < next.b[1]) next.weight_of(1);
  while (next.w[0] < next.b[0]) next.weight_of(0);
  return out;
}

}  // namespace reckon::schedule
