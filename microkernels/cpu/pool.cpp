#include "pool.hpp"

#include <stdexcept>
#include <string>

namespace reckon::bench {

Pool::Pool(int threads) {
  try {
    for (int i = 1; i < threads; ++i) workers_.emplace_back([this, i] { serve(i); });
  } catch (...) {
    const int started = size();
    finish();  // those that run would be destroyed running
    throw std::runtime_error("only " + std::to_string(started) + " of " + std::to_string(threads) +
                             " threads could be started");
  }
}

Pool::~Pool() { finish(); }

void Pool::finish() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  begin_.notify_all();
  for (std::thread& t : workers_) t.join();
}

void Pool::serve(int part) {
  std::uint64_t seen = 0;
  while (true) {
    const Work* work = nullptr;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      begin_.wait(lock, [&] { return stop_ || round_ != seen; });
      if (stop_) return;
      seen = round_;
      work = work_;
    }
    (*work)(part, size());
    const std::lock_guard<std::mutex> lock(mutex_);
    if (--left_ == 0) end_.notify_one();
  }
}

void Pool::run(const Work& work) {
  if (workers_.empty()) return work(0, 1);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    work_ = &work;
    left_ = static_cast<int>(workers_.size());
    ++round_;
  }
  begin_.notify_all();
  work(0, size());
  std::unique_lock<std::mutex> lock(mutex_);
  end_.wait(lock, [&] { return left_ == 0; });
}

}  // namespace reckon::bench
