// DualPipe: micro-batches enter at both ends of the pipeline, and a rank runs a forward pass of one
// way together with a backward pass of the other, so that the traffic of each hides behind the work of
// both. Fill and drain split the backward pass as zero-bubble schedules do. DualPipeV is the same order
// with the upper half of the ranks folded onto the lower one: the two ways become the two arms of a V.
//
// Source: DeepSeek-V3 report, section 3.2.1, figure 5, and the eight phases in the authors' repository
// (github.com/deepseek-ai/DualPipe).
#include "orders.hpp"

namespace reckon::schedule {
namespace {

class DualRank {
 public:
  DualRank(int near, int far) : chunk_{near, far} {}

  void forward_of(int way) { out_.push_back(forward(chunk_[way], f_[way]++)); }
  void full_backward_of(int way) { out_.push_back(backward_both(chunk_[way], b_[way]++)); }
  // Leaves its weight pass for later.
  void backward_of(int way) {
    out_.push_back(backward(chunk_[way], b_[way]));
    later_.push_back(weight(chunk_[way], b_[way]++));
  }
  void pair_of(int forward_way, int backward_way) {
    out_.push_back(
        pair(chunk_[forward_way], f_[forward_way]++, chunk_[backward_way], b_[backward_way]++));
  }
  void weight_of_oldest() { out_.push_back(later_[done_++]); }
  Ops take() { return std::move(out_); }

 private:
  int chunk_[2];
  int f_[2] = {0, 0}, b_[2] = {0, 0};
  Ops out_, later_;
  std::size_t done_ = 0;
};

}  // namespace

Ops dual_pipe(int half, int rank, int n, int near, int far) {
  const int outer = half - rank - 1, inner = rank + 1;
  DualRank r(near, far);
  for (int k = 0; k < 2 * outer; ++k) r.forward_of(0);
  for (int k = 0; k < inner; ++k) {
    r.forward_of(0);
    r.forward_of(1);
  }
  for (int k = 0; k < outer; ++k) {
    r.backward_of(1);
    r.weight_of_oldest();
    r.forward_of(1);
  }
  for (int k = 0; k < n - 2 * half + inner; ++k) {
    if (k == 0 && outer == 0) {  // the ranks in the middle don't join their first two
      r.forward_of(0);
      r.full_backward_of(1);
    } else {
      r.pair_of(0, 1);
    }
    r.pair_of(1, 0);
  }
  for (int k = 0; k < outer; ++k) {
    r.full_backward_of(1);
    r.pair_of(1, 0);
  }
  // The second half of these passes leaves its weight passes to fill the drain.
  for (int k = 0; k < 2 * inner; ++k) {
    if (k < inner)
      r.full_backward_of(k % 2 == 0 ? 1 : 0);
    else
      r.backward_of(k % 2 == 0 ? 1 : 0);
  }
  for (int k = 0; k < outer; ++k) {
    r.weight_of_oldest();
    r.backward_of(0);
  }
  for (int k = 0; k < inner; ++k) r.weight_of_oldest();
  return r.take();
}

}  // namespace reckon::schedule
