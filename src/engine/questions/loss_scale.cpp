#include "loss_scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace reckon {
namespace {

double power_at_least(double x) { return std::exp2(std::ceil(std::log2(x))); }
double power_at_most(double x) { return std::exp2(std::floor(std::log2(x))); }

// The smallest power of two with which the gradient is not rounded to 0.
double survives(const Element& e, double gradient) {
  double scale = power_at_least(smallest(e) / 4 / gradient);
  while (encode(e, gradient * scale).value == 0) scale *= 2;
  return scale;
}

class LossScale {
 public:
  LossScale(const DtypeQuestion<double>& q, const NumberFormatInUse& f, std::string suffix,
            Result& out)
      : q_(q), f_(f), s_(std::move(suffix)), r_(out), out_(out.metrics) {}

  void answer() {
    if (q_.gradient) lift(q_.gradient->raw);
    if (q_.largest_gradient) head_room(q_.largest_gradient->raw);
    if (q_.gradient && q_.largest_gradient) both();
    search();
    r_.answer.notes.push_back(fmt::format("Loss scale for {}: {}", f_.id, said_));
  }

 private:
  void lift(double g) {
    const Element& e = f_.element;
    alive_ = survives(e, g);
    normal_ = std::max(alive_, power_at_least(smallest_normal(e) / g));
    const double alone = encode(e, g).value;
    out_.number("loss_scale.unscaled" + s_, "the gradient without a loss scale", alone);
    out_.number("loss_scale.alive" + s_, "smallest power of two that keeps it from vanishing",
                alive_);
    out_.number("loss_scale.normal" + s_, "smallest power of two that gives it all mantissa bits",
                normal_);
    said_ += fmt::format(
        "{} is {} in it; × {} keeps it from vanishing, × {} lifts it into the normal range. ",
        short_text(g), short_text(alone), short_text(alive_, 9), short_text(normal_, 9));
  }

  void head_room(double g) {
    most_ = power_at_most(largest(f_.element) / g);
    out_.number("loss_scale.most" + s_, "largest power of two that does not overflow", most_);
    said_ += fmt::format("{} allows × {} at most. ", short_text(g), short_text(most_, 9));
  }

  void both() {
    const double room = largest(f_.element) / (normal_ * q_.largest_gradient->raw);
    out_.number("loss_scale.headroom" + s_, "from the largest gradient, so scaled, to overflow",
                room);
    out_.number("loss_scale.headroom_bits" + s_, "that in powers of two", std::log2(room));
    said_ += room >= 1
                 ? fmt::format("Scaled by {}, the largest gradient is a factor {} below overflow. ",
                               short_text(normal_, 9), short_text(room, 4))
                 : fmt::format(
                       "No one scale serves both: the largest gradient, scaled by {}, is {} times "
                       "too large. ",
                       short_text(normal_, 9), short_text(1 / room, 4));
  }

  void search() {
    if (!f_.spec.loss_scale) return;
    const LossScaling<double>& d = *f_.spec.loss_scale;
    const double steps = d.interval.raw + 1;
    out_.number("loss_scale.skipped_share" + s_, "share of steps that a search for the scale skips",
                1 / steps, Hint::kFraction);
    said_ += fmt::format(
        "A dynamic scale (from {}, × {} after {} good steps, × {} and a skipped step at an "
        "overflow; {}) skips 1 step in {} once it has settled",
        short_text(d.initial.raw, 9), short_text(d.growth.raw), short_text(d.interval.raw, 9),
        short_text(d.backoff.raw), d.source, short_text(steps, 9));
    if (q_.largest_gradient) {
      const double first =
          std::max(0.0, std::ceil(std::log2(d.initial.raw / most_) / -std::log2(d.backoff.raw)));
      out_.number("loss_scale.first_skipped" + s_, "steps skipped at the start", first,
                  Hint::kCount);
      said_ += fmt::format(", and {} at the start", first);
    }
    said_ += ".";
  }

  const DtypeQuestion<double>& q_;
  const NumberFormatInUse& f_;
  std::string s_, said_;
  Result& r_;
  Figures out_;
  double alive_ = 1, normal_ = 1, most_ = 1;
};

}  // namespace

void add_loss_scale(const DtypeQuestion<double>& q, const NumberFormatInUse& format,
                    const std::string& suffix, Result& out) {
  LossScale(q, format, suffix, out).answer();
}

}  // namespace reckon
