// Threads that wait between pieces of work: what a "kernel launch" is on a CPU.
//
//   Pool pool(2);
//   pool.run([](int i, int of) { … part i of `of` … });     // returns when all parts are done
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace reckon::bench {

class Pool {
 public:
  using Work = std::function<void(int part, int parts)>;

  explicit Pool(int threads);  // throws std::runtime_error where so many can't be started
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool();

  int size() const { return static_cast<int>(workers_.size()) + 1; }
  void run(const Work& work);

 private:
  void serve(int part);
  void finish();  // and waits for it

  std::mutex mutex_;
  std::condition_variable begin_, end_;
  const Work* work_ = nullptr;
  std::uint64_t round_ = 0;
  int left_ = 0;
  bool stop_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace reckon::bench
