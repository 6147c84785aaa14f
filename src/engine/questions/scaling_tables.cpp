#include "scaling_tables.hpp"

#include <fmt/format.h>

#include <cmath>

#include "needs.hpp"
#include "plot.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

constexpr int kRows = 4;       // factors of two on either side of the optimum
constexpr int kPerFactor = 8;  // points of the plot between two rows

Metric metric(std::string id, std::string title, double value, Hint hint) {
  Metric m;
  m.id = std::move(id);
  m.title = std::move(title);
  m.value = value;
  m.hint = hint;
  return m;
}

Point<double> at_size(const ScalingAnswer<double>& out, double N) {
  const Count<double> n(N);
  return {n, tokens_of_budget(out.C, n, out.k)};
}

std::string short_number(double x, Hint hint) {
  const std::string s = format_quantity(x, kOne, hint, 3);
  return s.substr(0, s.find(' '));
}

}  // namespace

void add_isoflop(const ScalingQuestion<double>&, const ScalingAnswer<double>& out, Result& r) {
  if (!out.curve || !out.optimum_loss) {
    r.answer.notes.emplace_back(
        "No isoFLOP curve: the law says nothing about the loss of other sizes.");
    return;
  }
  const double best = out.optimum->N.raw, least = out.optimum_loss->raw;
  Grid g{fmt::format("Other sizes at {}", text(r, "flops")),
         "of the optimum",
         {{"params", "parameters"},
          {"tokens", "tokens"},
          {"tokens_per_param", "tokens per parameter"},
          {"loss", "loss"},
          {"extra_loss", "above the optimum"}},
         {}};
  for (int i = -kRows; i <= kRows; ++i) {
    const double factor = std::exp2(i);
    const Point<double> x = at_size(out, best * factor);
    const double loss = loss_at(*out.curve, x).total.raw;
    const std::string id = fmt::format("isoflop.{}", i + kRows + 1);
    const std::string title =
        i < 0 ? fmt::format("1/{:g} ×", 1 / factor) : fmt::format("{:g} ×", factor);
    const auto add = [&](const char* part, const char* what, double value, Hint hint) {
      r.metrics.push_back(metric(
          id + "." + part, fmt::format("{} at {} the optimal size", what, title), value, hint));
    };
    add("params", "parameters", x.N.raw, Hint::kParams);
    add("tokens", "tokens", x.D.raw, Hint::kTokens);
    add("tokens_per_param", "tokens per parameter", x.D.raw / x.N.raw, Hint::kRatio);
    add("loss", "loss", loss, Hint::kRatio);
    add("extra_loss", "loss above the optimum", i == 0 ? 0 : loss - least, Hint::kRatio);
    g.rows.push_back({id, title, "", i == 0});
  }
  r.answer.grids.push_back(std::move(g));
  Curve curve;
  curve.marked_x = best;
  for (int i = -kRows * kPerFactor; i <= kRows * kPerFactor; ++i) {
    const double N = best * std::exp2(static_cast<double>(i) / kPerFactor);
    curve.points.emplace_back(N, loss_at(*out.curve, at_size(out, N)).total.raw);
  }
  curve.show_x = [](double x) { return short_number(x, Hint::kParams); };
  curve.show_y = [](double y) { return short_number(y, Hint::kRatio); };
  r.answer.pictures.push_back(
      plot(fmt::format("Loss by parameters at {} (log scale; o: the optimum)", text(r, "flops")),
           curve));
}

void add_intervals(const ScalingQuestion<double>& q, const ScalingAnswer<double>& out, Result& r) {
  if (q.law.family != LawFamily::kLoss || q.law.samples.empty() || !out.loss) return;
  std::vector<double> N, D, ratio, best, loss;
  for (const LossTerms<double>& t : law_samples(q.law)) {
    const LossCurve<double> curve = loss_curve(t);
    const Point<double> x = optimum(curve, out.C, out.k);
    N.push_back(x.N.raw);
    D.push_back(x.D.raw);
    ratio.push_back(x.D.raw / x.N.raw);
    best.push_back(loss_at(curve, x).total.raw);
    loss.push_back(loss_at(curve, out.run).total.raw);
  }
  const std::size_t n = N.size();
  add_interval("optimum.params", std::move(N), r);
  add_interval("optimum.tokens", std::move(D), r);
  add_interval("optimum.tokens_per_param", std::move(ratio), r);
  add_interval("optimum.loss", std::move(best), r);
  add_interval("loss", std::move(loss), r);
  r.answer.lines.push_back(fmt::format(
      "95 % of {} refits to resampled runs: N* {} to {}, D* {} to {}, D*/N* {} to {}, loss of the "
      "run {} to {}",
      n, text(r, "optimum.params.low"), text(r, "optimum.params.high"),
      text(r, "optimum.tokens.low"), text(r, "optimum.tokens.high"),
      text(r, "optimum.tokens_per_param.low"), text(r, "optimum.tokens_per_param.high"),
      text(r, "loss.low"), text(r, "loss.high")));
}

}  // namespace reckon
