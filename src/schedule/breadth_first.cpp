// Breadth-first: ranks hold chunks as in an interleaved schedule, and run a chunk for all
// micro-batches before the next one; backward in the reverse order. Weights of a chunk are needed
// once each way. Source: Lamy-Poirier 2023.
#include "orders.hpp"

namespace reckon::schedule {

Ops breadth_first(const PipelineLayout& x) {
  Ops out;
  out.reserve(2 * static_cast<std::size_t>(x.chunks) * static_cast<std::size_t>(x.micro_batches));
  for (int c = 0; c < x.chunks; ++c)
    for (int m = 0; m < x.micro_batches; ++m) out.push_back(forward(c, m));
  for (int c = x.chunks - 1; c >= 0; --c)
    for (int m = 0; m < x.micro_batches; ++m) out.push_back(backward_both(c, m));
  return out;
}

}  // namespace reckon::schedule
