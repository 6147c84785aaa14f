#include "watchdog.hpp"

namespace reckon::bench {

Watchdog::Watchdog(std::function<void()> expired)
    : expired_(std::move(expired)), thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Watchdog::start(double seconds) {
  constexpr double kNever = 1e8;  // three years, which a clock of 64 bits still holds
  {
    const std::lock_guard lock(mutex_);
    deadline_ = seconds < kNever ? Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                      std::chrono::duration<double>(seconds))
                                 : Clock::time_point::max();
  }
  changed_.notify_one();
}

void Watchdog::stop() {
  const std::lock_guard lock(mutex_);
  deadline_ = Clock::time_point::max();
}

void Watchdog::watch() {
  std::unique_lock lock(mutex_);
  while (!over_) {
    if (deadline_ == Clock::time_point::max()) {
      changed_.wait(lock);
    } else if (changed_.wait_until(lock, deadline_) == std::cv_status::timeout &&
               deadline_ != Clock::time_point::max() && Clock::now() >= deadline_) {
      expired_();
      return;
    }
  }
}

}  // namespace reckon::bench
