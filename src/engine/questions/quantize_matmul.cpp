// W8A8: x · W with both quantized, an outlier channel of x in the way, and the way around it.
//
// Moving scale into the weights: channel j of x is divided by s_j = (max |x_j|)^a / (max |w_j|)^(1 - a), row j of W is
// multiplied by it; the product stays what it was (SmoothQuant, arXiv 2211.10438).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "quantize.hpp"

namespace reckon {
namespace {

constexpr double kMostProducts = 1e9;

std::vector<double> product(const std::vector<double>& x, const std::vector<double>& w,
                            const Shape& xs, std::uint64_t n) {
  std::vector<double> y(xs.rows * n);
  for (std::uint64_t t = 0; t < xs.rows; ++t)
    for (std::uint64_t k = 0; k < xs.columns; ++k)
      for (std::uint64_t o = 0; o < n; ++o) y[t * n + o] += x[t * xs.columns + k] * w[k * n + o];
  return y;
}

class Matmul {
 public:
  Matmul(const QuantizeAsked& q, HeldMatrix& x, const QuantizeSetup& setup,
         const NumbersAsked& asked, Result& r)
      : q_(q), x_(x), setup_(setup), asked_(asked), r_(r), out_(r.metrics) {}

  void answer() {
    if (!read_weights()) return;
    if (static_cast<double>(x_.shape().size()) * static_cast<double>(n_) > kMostProducts) {
      asked_.fault(
          "weights",
          fmt::format("weights: more than the {} products that are computed here", kMostProducts));
      return;
    }
    exact_ = product(x_.values(), w_, x_.shape(), n_);
    Grid g{"x · W against the exact product",
           "quantized",
           {{"error.relative", "RMS error / RMS"},
            {"error.sqnr_db", "SQNR, dB"},
            {"scale_spread", "channels of x, largest / smallest"}},
           {}};
    std::vector<double> smooth(x_.shape().columns, 1);
    add(g, "weights_only", fmt::format("weights alone, {} per output", q_.to), smooth, nullptr);
    for (const SharedScales& way : setup_.ways)
      add(g, way.word + ".plain", fmt::format("x {}, weights per output", way.title), smooth, &way);
    if (q_.smooth) {
      smooth = scales(q_.smooth->raw);
      for (const SharedScales& way : setup_.ways)
        add(g, way.word + ".smooth", fmt::format("x {}, scale moved into the weights", way.title),
            smooth, &way);
    }
    r_.name = fmt::format("{} × {} times {} × {} in {}", x_.shape().rows, x_.shape().columns,
                          x_.shape().columns, n_, q_.to);
    r_.answer.grids.push_back(std::move(g));
    r_.not_modelled = {"the accumulator: sums are exact (reckon accumulate)"};
  }

 private:
  bool read_weights() {
    const std::uint64_t k = x_.shape().columns;
    NumbersFrom<double> from;
    if (q_.weights == "random") {
      if (!q_.outputs) {
        asked_.fault("weights", "outputs: how many columns random weights have is not stated")
            .help("outputs: 64");
        return false;
      }
      from.random = DistributionWord::kNormal;
      from.shape = fmt::format("{}x{:.0f}", k, q_.outputs->raw);
      from.seed = Count<double>(q_.from.seed.raw + 1);
    } else {
      from.rows = q_.weights;
    }
    const auto source = numbers_from(from, asked_);
    if (!source) return false;
    const Shape s = source->shape();
    if (s.rows != k) {
      asked_.fault("weights", fmt::format("weights: {} rows, and x has {} columns", s.rows, k))
          .help("x · W needs as many");
      return false;
    }
    n_ = s.columns;
    w_.resize(s.size());
    source->read(std::span<double>(w_));
    return true;
  }

  // s_j, from the largest magnitudes of a channel of x and a row of W.
  std::vector<double> scales(double share) const {
    const std::uint64_t k = x_.shape().columns;
    std::vector<double> out(k);
    for (std::uint64_t j = 0; j < k; ++j) {
      double a = 0, b = 0;
      for (std::uint64_t t = 0; t < x_.shape().rows; ++t)
        a = std::max(a, std::abs(x_.values()[t * k + j]));
      for (std::uint64_t o = 0; o < n_; ++o) b = std::max(b, std::abs(w_[j * n_ + o]));
      out[j] = a > 0 && b > 0 ? std::pow(a, share) / std::pow(b, 1 - share) : 1;
    }
    return out;
  }

  static double spread(const std::vector<double>& x, std::uint64_t k) {
    std::vector<double> most(k);
    for (std::size_t i = 0; i < x.size(); ++i) most[i % k] = std::max(most[i % k], std::abs(x[i]));
    const double low = *std::min_element(most.begin(), most.end()),
                 high = *std::max_element(most.begin(), most.end());
    return low > 0 ? high / low : 0;
  }

  // `way` null: x stays as it is.
  void add(Grid& g, const std::string& id, const std::string& title,
           const std::vector<double>& smooth, const SharedScales* way) {
    const std::uint64_t k = x_.shape().columns;
    std::vector<double> x = x_.values(), w = w_;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] /= smooth[i % k];
    for (std::size_t i = 0; i < w.size(); ++i) w[i] *= smooth[i / n_];
    const double unequal = spread(x, k);
    HeldMatrix xs(x_.shape(), x), ws({k, n_}, w);
    if (way) {
      Grouping share = way->grouping;
      share.keep = true;
      auto report = quantized(xs, setup_.scheme, share, asked_);
      if (!report) return;
      x = std::move(report->dequantized);
    }
    const bool blocks = setup_.scheme.rule >= ScaleRule::kPowerOfTwo;
    Grouping outputs{.share = blocks ? Share::kBlock : Share::kColumn,
                     .block = static_cast<std::uint64_t>(setup_.format.block),
                     .keep = true};
    auto report = quantized(ws, setup_.scheme, outputs, asked_);
    if (!report) return;
    const std::vector<double> y = product(x, report->dequantized, x_.shape(), n_);
    double squares = 0, signal = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      squares += (y[i] - exact_[i]) * (y[i] - exact_[i]);
      signal += exact_[i] * exact_[i];
    }
    const std::string p = id + ".";
    if (signal == 0)
      out_.none(p + "error.relative", "RMS error over RMS, " + title, "the exact product is 0");
    else {
      out_.number(p + "error.relative", "RMS error over RMS, " + title, std::sqrt(squares / signal),
                  Hint::kFraction);
      out_.number(p + "error.sqnr_db", "signal to noise in dB, " + title,
                  10 * std::log10(signal / squares));
    }
    if (unequal > 0)
      out_.number(p + "scale_spread", "largest channel of x over the smallest, " + title, unequal);
    g.rows.push_back({id, title});
  }

  const QuantizeAsked& q_;
  HeldMatrix& x_;
  const QuantizeSetup& setup_;
  const NumbersAsked& asked_;
  Result& r_;
  Figures out_;
  std::uint64_t n_ = 0;
  std::vector<double> w_, exact_;
};

}  // namespace

void matmul_study(const QuantizeAsked& q, HeldMatrix& x, const QuantizeSetup& setup,
                  const NumbersAsked& asked, Result& r) {
  Matmul(q, x, setup, asked, r).answer();
}

}  // namespace reckon
