// Calls a function when something takes longer than it may: a kernel that never ends can be left only by ending the
// process.
//
//   Watchdog dog([] { std::_Exit(6); });
//   dog.start(60);  hangs_or_not();  dog.stop();
//
// The function runs on the dog's own thread, once at most; stop() waits while it runs.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace reckon::bench {

class Watchdog {
 public:
  explicit Watchdog(std::function<void()> expired);
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog();

  void start(double seconds);  // infinity: never
  void stop();

 private:
  using Clock = std::chrono::steady_clock;
  void watch();

  std::function<void()> expired_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Clock::time_point deadline_ = Clock::time_point::max();
  bool over_ = false;
  std::thread thread_;
};

}  // namespace reckon::bench
