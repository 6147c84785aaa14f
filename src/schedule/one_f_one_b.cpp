// 1F1B: forward passes until the first gradient can be back, then one of each.
// Source: Narayanan 2021, section 2.2.
#include <algorithm>

#include "orders.hpp"

namespace reckon::schedule {

Ops one_f_one_b(const PipelineLayout& x, int rank) {
  const int n = x.micro_batches, ahead = std::min(n, x.ranks - rank);
  Ops out;
  out.reserve(2 * static_cast<std::size_t>(n));
  for (int m = 0; m < ahead; ++m) out.push_back(forward(0, m));
  for (int m = 0; m < n; ++m) {
    out.push_back(backward_both(0, m));
    if (m + ahead < n) out.push_back(forward(0, m + ahead));
  }
  return out;
}

}  // namespace reckon::schedule
