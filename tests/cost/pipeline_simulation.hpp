// A pipeline played out: every pass of every micro-batch on every stage, each as soon as what it waits for is done.
#pragma once

#include <algorithm>
#include <vector>

namespace reckon::test {

// One pass of a stage.
struct Pass {
  bool forward;
  int micro_batch;
};

// In the order in which stage i of p runs them.
inline std::vector<Pass> gpipe_order(int /*i*/, int /*p*/, int n) {
  std::vector<Pass> out;
  for (int m = 0; m < n; ++m) out.push_back({true, m});
  for (int m = 0; m < n; ++m) out.push_back({false, m});
  return out;
}

// Forward passes until the first gradient can be back, then one of each, then the gradients that are left.
inline std::vector<Pass> one_forward_one_backward_order(int i, int p, int n) {
  std::vector<Pass> out;
  const int ahead = std::min(p - i, n);
  for (int m = 0; m < ahead; ++m) out.push_back({true, m});
  for (int m = 0; m < n; ++m) {
    out.push_back({false, m});
    if (ahead + m < n) out.push_back({true, ahead + m});
  }
  return out;
}

struct Played {
  double time = 0;
  std::vector<double> busy;     // of each stage
  std::vector<int> most_alive;  // micro-batches between forward and backward, on each stage
};

template <class Order>
Played play_pipeline(int p, int n, double forward, double backward, Order order) {
  const auto at = [](int x) { return static_cast<std::size_t>(x); };
  const std::vector<double> unknown(at(n), -1);
  std::vector<std::vector<double>> forward_done(at(p), unknown), backward_done(at(p), unknown);
  std::vector<std::vector<Pass>> queues;
  std::vector<std::size_t> next(at(p), 0);
  std::vector<double> free(at(p), 0);
  std::vector<int> alive(at(p), 0);
  for (int i = 0; i < p; ++i) queues.push_back(order(i, p, n));
  Played out{0, std::vector<double>(at(p), 0), std::vector<int>(at(p), 0)};
  for (bool moved = true; moved;) {
    moved = false;
    for (int i = 0; i < p; ++i) {
      if (next[at(i)] == queues[at(i)].size()) continue;
      const auto [is_forward, m] = queues[at(i)][next[at(i)]];
      const double ready = is_forward   ? (i == 0 ? 0 : forward_done[at(i - 1)][at(m)])
                           : i == p - 1 ? forward_done[at(i)][at(m)]
                                        : backward_done[at(i + 1)][at(m)];
      if (ready < 0) continue;
      const double length = is_forward ? forward : backward;
      const double end = std::max(ready, free[at(i)]) + length;
      (is_forward ? forward_done : backward_done)[at(i)][at(m)] = end;
      free[at(i)] = end;
      out.busy[at(i)] += length;
      alive[at(i)] += is_forward ? 1 : -1;
      out.most_alive[at(i)] = std::max(out.most_alive[at(i)], alive[at(i)]);
      out.time = std::max(out.time, end);
      ++next[at(i)];
      moved = true;
    }
  }
  return out;
}

}  // namespace reckon::test
