#include "reckon/numerics/error.hpp"

#include <algorithm>

namespace reckon {
namespace {

constexpr int kFlagBits = 16;

}  // namespace

CodesUsed::CodesUsed(const Element& e)
    : lowest_(e.kind == ElementKind::kInteger ? e.lowest : 0),
      flags_(e.bits <= kFlagBits ? std::size_t{1} << e.bits : 0) {}

void CodesUsed::add(std::int64_t code) {
  const auto at = static_cast<std::size_t>(code - lowest_);
  if (at < flags_.size())
    flags_[at] = 1;
  else if (complete())
    rest_.insert(code);
}

std::uint64_t CodesUsed::count() const {
  return static_cast<std::uint64_t>(std::count(flags_.begin(), flags_.end(), 1)) + rest_.size();
}

void ErrorHistogram::add(double error) {
  if (!std::isfinite(error)) return;
  constexpr int kMiddle = kBins / 2;
  constexpr double kHalf = kMiddle;
  if (width_ == 0) {
    // The first error that is not 0 sets the scale; small enough that it is only ever doubled.
    width_ = error == 0 ? 0 : std::ldexp(1.0, std::ilogb(error) - 8);
    if (width_ == 0) {
      ++bins_[kBins / 2];
      return;
    }
  }
  while (std::abs(error) >= kHalf * width_) widen();
  ++bins_[static_cast<std::size_t>(std::floor(error / width_) + kHalf)];
}

void ErrorHistogram::widen() {
  std::vector<std::uint64_t> wider(kBins);
  for (int i = 0; i < kBins; ++i) {
    const int from_middle = i - kBins / 2;
    const int bin = static_cast<int>(std::floor(from_middle / 2.0)) + kBins / 2;
    wider[static_cast<std::size_t>(bin)] += bins_[static_cast<std::size_t>(i)];
  }
  bins_ = std::move(wider);
  width_ *= 2;
}

std::vector<ErrorHistogram::Bar> ErrorHistogram::bars(int most) const {
  const auto used = [](std::uint64_t n) { return n > 0; };
  const auto first = std::find_if(bins_.begin(), bins_.end(), used);
  if (first == bins_.end()) return {};
  const auto last = std::find_if(bins_.rbegin(), bins_.rend(), used).base();
  // Symmetric about 0, in groups that start there.
  const int low = static_cast<int>(first - bins_.begin()) - kBins / 2;
  const int high = static_cast<int>(last - bins_.begin()) - kBins / 2;
  const int reach = std::max({-low, high, 1});
  const int group = (2 * reach + most - 1) / most;
  const int groups = (reach + group - 1) / group;
  std::vector<Bar> out;
  for (int g = -groups; g < groups; ++g) {
    Bar bar{g * group * width_, (g + 1) * group * width_, 0};
    for (int i = g * group; i < (g + 1) * group; ++i) {
      if (i >= -kBins / 2 && i < kBins / 2)
        bar.count += bins_[static_cast<std::size_t>(i + kBins / 2)];
    }
    out.push_back(bar);
  }
  return out;
}

}  // namespace reckon
