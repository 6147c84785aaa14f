#include "case.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cmath>
#include <ctime>

#include "reckon/units/format.hpp"

namespace reckon::bench::cpu {
namespace {

// One thread is timed by its own processor time, so that what others take of its core does not count; several threads
// wait for each other, and only the wall's clock sees that.
double now(bool alone) {
  std::timespec t{};
  ::clock_gettime(alone ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

constexpr double kLongEnough = 1e-3;

}  // namespace

Floats::Floats(std::int64_t n) : n_(n) {
  constexpr std::size_t kPage = std::size_t{2} << 20;
  const std::size_t bytes =
      (static_cast<std::size_t>(n) * sizeof(float) + kPage - 1) / kPage * kPage;
  data_.reset(static_cast<float*>(std::aligned_alloc(kPage, bytes)));
  if (!data_) throw std::bad_alloc();
  ::madvise(data_.get(), bytes, MADV_HUGEPAGE);
}

std::pair<std::int64_t, std::int64_t> Cpu::part(std::int64_t n, std::int64_t step, int part,
                                                int parts) {
  const std::int64_t steps = (n + step - 1) / step;
  const auto edge = [&](std::int64_t i) { return std::min(n, steps * i / parts * step); };
  return {edge(part), edge(part + 1)};
}

std::size_t CpuCase::plan_copies(double bytes, Refusal& refusal, std::string& why) {
  const double cache = problem_.cache == "cold" ? cpu_.machine.cache : 0;
  const std::size_t wanted = copies_needed(bytes, cache, cpu_.may_use);
  if (wanted == 0) {
    refusal = Refusal::kMemory;
    why = fmt::format("needs {} of memory, and {} may be used", format_quantity(bytes, kByte),
                      format_quantity(cpu_.may_use, kByte));
    return 0;
  }
  copies_ = problem_.cache == "hot" ? 1 : wanted;
  if (problem_.cache == "cold" && !is_cold(copies_, bytes, cache)) {
    refusal = Refusal::kMemory;
    why = fmt::format("{} copies are too few to keep a cache of {} cold", copies_,
                      format_quantity(cache, kByte));
    return 0;
  }
  return copies_;
}

double CpuCase::timed(std::int64_t repeats) {
  const bool alone = cpu_.pool.size() == 1;
  const double start = now(alone);
  for (std::int64_t i = 0; i < repeats; ++i) {
    once(next_);
    next_ = (next_ + 1) % copies_;
  }
  return (now(alone) - start) / static_cast<double>(repeats);
}

double CpuCase::run() {
  if (repeats_ == 0) {
    const double t = timed(1);
    repeats_ = t > 0 ? std::max<std::int64_t>(1, std::llround(kLongEnough / t)) : 1000;
  }
  return timed(repeats_);
}

}  // namespace reckon::bench::cpu
