#include "reckon/numerics/accumulate.hpp"

#include <algorithm>
#include <cmath>

#include "reckon/numerics/decimal.hpp"

namespace reckon {
namespace {

// high + low = high + x exactly, up to what two doubles hold.
void add_exactly(double& high, double& low, double x) {
  const double sum = high + x;
  const double x_seen = sum - high, high_seen = sum - x_seen;
  low += (high - high_seen) + (x - x_seen);
  high = sum;
}

}  // namespace

double rounding_error(const Element& e, double value, Rounding rounding) {
  const double step = spacing(e, std::min(std::abs(value), largest(e)));
  const bool nearest = rounding == Rounding::kNearestEven || rounding == Rounding::kNearestAway;
  return nearest ? step / 2 : step;
}

double relative_step(int bits) { return std::ldexp(1.0, 1 - bits); }

Accumulator::Accumulator(SumSpec spec, std::size_t keep)
    : spec_(std::move(spec)), keep_(keep), random_(spec_.seed), partial_(spec_.start) {
  exact_high_ = spec_.start;
  out_.magnitude = std::abs(spec_.start);
}

RoundingMode Accumulator::mode() {
  const bool draws = spec_.rounding == Rounding::kStochastic;
  return {spec_.rounding, draws ? random_.unit() : 0, spec_.saturate};
}

void Accumulator::add(double term) {
  add_exactly(exact_high_, exact_low_, term);
  out_.magnitude += std::abs(term);
  ++out_.terms;
  const double before = spec_.promote > 0 ? total_ + partial_ : partial_;
  if (spec_.adder) {
    waiting_.push_back(term);
    if (waiting_.size() == static_cast<std::size_t>(spec_.adder->chunk)) flush_adder();
  } else {
    add_rounded(term);
  }
  if (spec_.promote > 0 && ++since_promotion_ == spec_.promote) promote();
  const double now = spec_.promote > 0 ? total_ + partial_ : partial_;
  if (now != before)
    out_.last_change = out_.terms;
  else if (term != 0 && !spec_.adder)
    ++out_.unchanged;
  if (out_.path.size() < keep_) out_.path.push_back(now);
}

void Accumulator::add_rounded(double term) {
  const Coded c = encode(spec_.sum, add_to_round(partial_, term), mode());
  out_.left_range = out_.left_range || c.overflow;
  if (c.value != partial_ + term) out_.bound += rounding_error(spec_.sum, c.value, spec_.rounding);
  partial_ = c.value;
}

// The multiple of the last place of a number with this exponent.
double Accumulator::cut(double x, int exponent) const {
  const int last = exponent - (spec_.adder->bits - 1);
  const double scaled = std::ldexp(x, -last);
  const double kept =
      spec_.adder->rounding == Rounding::kTowardZero ? std::trunc(scaled) : std::nearbyint(scaled);
  return std::ldexp(kept, last);
}

void Accumulator::flush_adder() {
  if (waiting_.empty()) return;
  waiting_.push_back(partial_);
  double largest = 0;
  for (const double x : waiting_) largest = std::max(largest, std::abs(x));
  if (largest > 0 && std::isfinite(largest)) {
    const int exponent = std::ilogb(largest);
    const double place = std::ldexp(1.0, exponent - (spec_.adder->bits - 1));
    double sum = 0;  // exact: multiples of one place, few enough for 53 bits
    for (const double x : waiting_) {
      const double kept = cut(x, exponent);
      if (kept != x) out_.bound += place;
      sum += kept;
    }
    partial_ = sum == 0 ? 0 : cut(sum, std::ilogb(sum));
    if (partial_ != sum) out_.bound += std::abs(sum) * relative_step(spec_.adder->bits);
  }
  waiting_.clear();
}

void Accumulator::promote() {
  flush_adder();
  const Coded c = encode(spec_.total, add_to_round(total_, partial_),
                         {Rounding::kNearestEven, 0, spec_.saturate});
  if (c.value != total_ + partial_)
    out_.bound += rounding_error(spec_.total, c.value, Rounding::kNearestEven);
  out_.left_range = out_.left_range || c.overflow;
  total_ = c.value;
  partial_ = 0;
  since_promotion_ = 0;
}

SumResult Accumulator::result() {
  flush_adder();
  if (spec_.promote > 0 && since_promotion_ > 0) promote();
  out_.sum = spec_.promote > 0 ? total_ : partial_;
  out_.exact = exact_high_ + exact_low_;
  return out_;
}

}  // namespace reckon
