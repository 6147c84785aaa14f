// GPipe: all forward passes, then all backward ones. Source: Huang 2019.
#include "orders.hpp"

namespace reckon::schedule {

Ops gpipe(const PipelineLayout& x) {
  Ops out;
  for (int m = 0; m < x.micro_batches; ++m) out.push_back(forward(0, m));
  for (int m = 0; m < x.micro_batches; ++m) out.push_back(backward_both(0, m));
  return out;
}

}  // namespace reckon::schedule
