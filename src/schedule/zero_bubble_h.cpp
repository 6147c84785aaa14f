// ZB-H1 and ZB-H2: one forward, one backward and one weight pass in turn; a rank runs `ahead` forward
// passes first and lets its weight passes fall `behind` by as many as fill the drain.
//
//   ZB-H1   ahead p − r         behind r     activations as 1F1B's first stage, on every stage
//   ZB-H2   ahead 2(p − r) − 1  behind 2r    2p − 1 of them
//
// Source: Qi 2024, arXiv 2401.10241, section 2.
#include <algorithm>

#include "orders.hpp"

namespace reckon::schedule {

Ops zero_bubble_h(const PipelineLayout& x, int ahead, int behind) {
  const int n = x.micro_batches;
  ahead = std::min(ahead, n);
  Ops out;
  out.reserve(3 * static_cast<std::size_t>(n));
  for (int m = 0; m < ahead; ++m) out.push_back(forward(0, m));
  for (int m = 0; m < n; ++m) {
    out.push_back(backward(0, m));
    if (m >= behind) out.push_back(weight(0, m - behind));
    if (m + ahead < n) out.push_back(forward(0, m + ahead));
  }
  for (int m = std::max(0, n - behind); m < n; ++m) out.push_back(weight(0, m));
  return out;
}

}  // namespace reckon::schedule
