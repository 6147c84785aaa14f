#include "reckon/load/requests.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace reckon::load {
namespace {

double exponential(Random& random) { return -std::log1p(-random.unit()); }

// Of mean 1 and the given shape. Marsaglia, Tsang 2000; below a shape of 1 boosted by a power of a uniform number.
double gamma_of(double shape, Random& random) {
  const double boost = shape < 1 ? std::pow(1 - random.unit(), 1 / shape) : 1;
  const double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = random.draw(Distribution::kNormal), v = std::pow(1 + c * x, 3);
    if (v <= 0) continue;
    if (std::log1p(-random.unit()) < x * x / 2 + d - d * v + d * std::log(v))
      return boost * d * v / shape;
  }
}

// Times between requests, one after the other.
class Clock {
 public:
  Clock(const Arrivals& a, double rate) : a_(a), rate_(rate) {
    if (a.kind == ArrivalKind::kBursts) burst_rate_ = rate * (a.on + a.off) / a.on;
  }

  double next(Random& random) {
    if (rate_ <= 0) return now_;
    switch (a_.kind) {
      case ArrivalKind::kPoisson:
        return now_ += exponential(random) / rate_;
      case ArrivalKind::kGamma:
        return now_ += gamma_of(1 / (a_.spread * a_.spread), random) / rate_;
      case ArrivalKind::kBursts:
        return in_bursts(random);
    }
    return now_;
  }

 private:
  double in_bursts(Random& random) {
    double left = exponential(random) / burst_rate_;
    while (now_ + left > burst_end_) {
      left -= std::max(0.0, burst_end_ - now_);
      now_ = burst_end_ + (started_ ? exponential(random) * a_.off : 0);
      started_ = true;
      burst_end_ = now_ + exponential(random) * a_.on;
    }
    return now_ += left;
  }

  Arrivals a_;
  double rate_, burst_rate_ = 0, now_ = 0, burst_end_ = 0;
  bool started_ = false;
};

double drawn(const Lengths& x, Random& random) {
  switch (x.shape) {
    case LengthShape::kConstant:
      return x.mean;
    case LengthShape::kUniform:
      return x.mean * (1 + std::numbers::sqrt3 * x.spread * (2 * random.unit() - 1));
    case LengthShape::kNormal:
      return x.mean * (1 + x.spread * random.draw(Distribution::kNormal));
    case LengthShape::kLognormal: {
      const double variance = std::log1p(x.spread * x.spread);
      const double z = random.draw(Distribution::kNormal);
      return x.mean * std::exp(std::sqrt(variance) * z - variance / 2);
    }
  }
  return x.mean;
}

}  // namespace

std::int32_t draw_length(const Lengths& lengths, Random& random) {
  const double most = std::clamp(lengths.longest, 1.0, 1e9);
  return static_cast<std::int32_t>(std::clamp(std::round(drawn(lengths, random)), 1.0, most));
}

std::vector<Request> draw_requests(const Traffic& traffic, std::size_t n, Random random) {
  std::vector<Request> out(n);
  Clock clock(traffic.arrivals, traffic.rate);
  for (Request& r : out) {
    do r.arrival = clock.next(random);
    while (traffic.share < 1 && random.unit() >= traffic.share);
    if (traffic.think > 0) r.arrival = traffic.think * exponential(random);
    r.prompt = draw_length(traffic.prompt, random);
    r.output = draw_length(traffic.output, random);
  }
  return out;
}

}  // namespace reckon::load
