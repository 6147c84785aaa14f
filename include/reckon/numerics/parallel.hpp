// The same work for many numbers, on several threads: what comes out depends on the number alone.
//
//   std::vector<double> out(n);
//   parallel_for(n, threads, [&](std::size_t i) { out[i] = f(i); }, progress);
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace reckon {

// `progress`, where there is one, is called on the calling thread alone.
template <class F>
void parallel_for(std::size_t n, unsigned threads, const F& work,
                  const std::function<void(std::size_t, std::size_t)>& progress = {}) {
  std::atomic<std::size_t> next{0}, done{0};
  const auto run = [&](bool reports) {
    for (std::size_t i = next++; i < n; i = next++) {
      work(i);
      const std::size_t finished = ++done;
      if (reports && progress) progress(finished, n);
    }
  };
  std::vector<std::thread> others;
  for (unsigned t = 1; t < threads && t < n; ++t) others.emplace_back(run, false);
  run(true);
  for (std::thread& t : others) t.join();
  if (progress) progress(n, n);
}

}  // namespace reckon
