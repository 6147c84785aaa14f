// Interleaved 1F1B: each rank holds v chunks of the model, p micro-batches at a time pass through one
// chunk before they come round to the next. Rank r runs (v − 1)·p + 2(p − r − 1) forward passes of
// chunks before it runs one of each. Source: Narayanan 2021, section 2.2, and Megatron-LM's scheduler.
#include <algorithm>

#include "orders.hpp"

namespace reckon::schedule {

Ops interleaved(const PipelineLayout& x, int rank) {
  const int p = x.ranks, v = x.chunks, all = x.micro_batches * v;
  const int ahead = std::min(all, (v - 1) * p + 2 * (p - rank - 1));
  // The k-th pass of a direction.
  const auto chunk = [&](int k) { return k % (p * v) / p; };
  const auto micro_batch = [&](int k) { return k / (p * v) * p + k % p; };
  const auto f = [&](int k) { return forward(chunk(k), micro_batch(k)); };
  const auto b = [&](int k) { return backward_both(v - 1 - chunk(k), micro_batch(k)); };
  Ops out;
  out.reserve(2 * static_cast<std::size_t>(all));
  for (int k = 0; k < ahead; ++k) out.push_back(f(k));
  for (int k = ahead; k < all; ++k) {
    out.push_back(f(k));
    out.push_back(b(k - ahead));
  }
  for (int k = all - ahead; k < all; ++k) out.push_back(b(k));
  return out;
}

}  // namespace reckon::schedule
