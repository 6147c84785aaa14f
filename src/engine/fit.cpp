#include "reckon/engine/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "fit_law.hpp"
#include "reckon/numerics/quantile.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

constexpr std::size_t kLossConstants = 5;
// Correlation of ln N and ln D beyond which one can't be told from the other.
constexpr double kCollinear = 1 - 1e-9;

class Fit {
 public:
  Fit(const FitRequest& request, const RunsFile& data, Diagnostics& d)
      : data_(data), file_(data.source), d_(d) {
    out_.request = request;
  }

  std::optional<FitReport> run() {
    out_.read = data_.rows.size();
    drop();
    const bool loss = out_.request.approach == FitApproach::kLoss;
    if (!(loss ? enough_for_loss() : enough_for_isoflop())) return std::nullopt;
    if (!(loss ? fit_terms() : fit_power())) return std::nullopt;
    out_.law = law_text(out_, kept_);
    return std::move(out_);
  }

 private:
  const FitRequest& request() const { return out_.request; }
  Diagnostic& fault(int line, std::string message) {
    return d_.error({file_, line, 1, 0}, std::move(message));
  }

  void drop() {
    std::vector<std::size_t> order(data_.rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return data_.rows[a].loss > data_.rows[b].loss;
    });
    std::set<std::size_t> gone(order.begin(),
                               order.begin() + static_cast<std::ptrdiff_t>(
                                                   std::min(request().drop_highest, order.size())));
    for (std::size_t i = 0; i < data_.rows.size(); ++i)
      if (request().drop_above && data_.rows[i].loss > *request().drop_above) gone.insert(i);
    for (std::size_t i = 0; i < data_.rows.size(); ++i) {
      const RunRow& r = data_.rows[i];
      out_.residuals.push_back({r, 0, 0, gone.contains(i)});
      if (gone.contains(i))
        out_.dropped.push_back(r);
      else
        kept_.push_back(r);
    }
    for (const RunRow& r : kept_) {
      runs_.push_back({r.params, r.tokens, r.loss});
      flops_.push_back(r.flops);
    }
  }

  std::string after_dropping() const {
    return out_.dropped.empty() ? "" : fmt::format(" after {} were dropped", out_.dropped.size());
  }

  bool enough_for_loss() {
    std::set<std::pair<double, double>> distinct;
    std::set<double> sizes, lengths;
    for (const LossRun& r : runs_) {
      distinct.emplace(r.N, r.D);
      sizes.insert(r.N);
      lengths.insert(r.D);
    }
    if (distinct.size() <= kLossConstants) {
      fault(1, fmt::format("{} different runs{}: too few for {} constants", distinct.size(),
                           after_dropping(), kLossConstants))
          .help(fmt::format("it takes {} at least, better dozens", kLossConstants + 1));
      return false;
    }
    const auto two = [&](const std::set<double>& of, const char* what, const char* constants) {
      if (of.size() >= 3) return true;
      fault(1, fmt::format("only {} different {}: {} can't be told from the irreducible loss",
                           of.size(), what, constants))
          .help(fmt::format("it takes 3 different {} at least", what));
      return false;
    };
    return two(sizes, "numbers of parameters", "A and α") &&
           two(lengths, "numbers of tokens", "B and β") && independent();
  }

  // D the same power of N in every run: the two terms are one.
  bool independent() {
    double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;
    const auto n = static_cast<double>(runs_.size());
    for (const LossRun& r : runs_) {
      mx += std::log(r.N) / n;
      my += std::log(r.D) / n;
    }
    for (const LossRun& r : runs_) {
      const double x = std::log(r.N) - mx, y = std::log(r.D) - my;
      xx += x * x;
      yy += y * y;
      xy += x * y;
    }
    if (xy * xy < kCollinear * xx * yy) return true;
    fault(
        kept_.front().line,
        fmt::format("parameters and tokens move together in every run (tokens ∝ parameters^{:.3g}, "
                    "from this row to line {}): what each is worth can't be told apart",
                    xy / xx, kept_.back().line))
        .help("add runs with more, or fewer, tokens per parameter");
    return false;
  }

  bool enough_for_isoflop() {
    if (runs_.size() >= 6) return true;
    fault(1, fmt::format("{} runs{}: too few for two parabolas", runs_.size(), after_dropping()))
        .help("it takes 3 sizes at each of 2 amounts of compute at least: 6 runs");
    return false;
  }

  FitOptions options(const char* stage) const {
    FitOptions o;
    o.delta = request().delta;
    o.starts = request().starts;
    o.threads = request().threads;
    if (request().progress)
      o.progress = [this, stage](std::size_t done, std::size_t of) {
        request().progress(stage, done, of);
      };
    return o;
  }

  bool fit_terms() {
    const LossFit fit = fit_loss(runs_, options("starts"));
    const LossConstants& c = fit.constants;
    if (!fit.converged || !(c.alpha > 0 && c.beta > 0)) {
      fault(
          kept_.front().line,
          fmt::format("the runs have no such law: the best fit has α {:.3g} and β {:.3g}, and both "
                      "must be above 0",
                      c.alpha, c.beta))
          .help(
              "look for outliers (--drop-highest), or for losses of different data sets in one "
              "file");
      return false;
    }
    out_.objective = fit.objective;
    out_.starts = fit.starts;
    out_.agreeing = fit.agreeing;
    const auto again =
        bootstrap_loss(runs_, fit, request().bootstrap, request().seed, options("resamples"));
    out_.resamples = again.size();
    constant("E", "E", "irreducible loss", c.E, again, [](const auto& x) { return x.E; });
    constant("A", "A", "of the capacity term", c.A, again, [](const auto& x) { return x.A; });
    constant("B", "B", "of the data term", c.B, again, [](const auto& x) { return x.B; });
    constant("α", "alpha", "exponent of the parameters", c.alpha, again,
             [](const auto& x) { return x.alpha; });
    constant("β", "beta", "exponent of the tokens", c.beta, again,
             [](const auto& x) { return x.beta; });
    constant("a", "a", "N* ∝ C^a, a = β / (α + β)", c.growth(), again,
             [](const auto& x) { return x.growth(); });
    for (const LossConstants& x : again)
      out_.samples.push_back(
          fmt::format("{:.7g} {:.7g} {:.7g} {:.7g} {:.7g}", x.E, x.A, x.B, x.alpha, x.beta));
    predict([&](const RunRow& r) { return c.at(r.params, r.tokens); });
    if (out_.agreeing < 2 && out_.starts > 1)
      out_.warnings.push_back(fmt::format(
          "one of {} starts alone ended here: the runs leave the constants open", out_.starts));
    return true;
  }

  template <class T, class F>
  void constant(const char* symbol, const char* key, const char* meaning, double value,
                const std::vector<T>& again, F of) {
    FitConstant c{symbol, key, meaning, value, {}, {}, {}};
    if (again.size() >= 20) {
      std::vector<double> values;
      for (const T& x : again) values.push_back(of(x));
      const Interval95 i = interval_95(values);
      c.low = i.low;
      c.high = i.high;
      c.deviation = deviation(values);
    }
    out_.constants.push_back(std::move(c));
  }

  static double deviation(const std::vector<double>& x) {
    const auto n = static_cast<double>(x.size());
    const double mean = std::accumulate(x.begin(), x.end(), 0.0) / n;
    double sum = 0;
    for (const double v : x) sum += (v - mean) * (v - mean);
    return std::sqrt(sum / (n - 1));
  }

  template <class F>
  void predict(F loss) {
    double sum = 0;
    std::size_t n = 0;
    for (FitResidual& r : out_.residuals) {
      r.predicted = loss(r.run);
      if (!(r.predicted > 0)) continue;
      r.residual = std::log(r.run.loss / r.predicted);
      if (r.dropped) continue;
      sum += r.residual * r.residual;
      ++n;
    }
    if (n > 0) out_.root_mean_square = std::sqrt(sum / static_cast<double>(n));
  }

  bool fit_power() {
    const IsoflopFit fit = fit_isoflops(runs_, flops_);
    out_.groups = fit.groups;
    if (fit.used < 2) {
      fault(1, fmt::format(
                   "{} of {} groups of equal compute have a lowest loss between the sizes that "
                   "were run, and {} runs belong to none: a line takes 2 groups",
                   fit.used, fit.groups.size(), fit.outside))
          .help("a group is 3 sizes at least, of compute within 20 %: run more of them");
      return false;
    }
    const auto again =
        bootstrap_isoflops(runs_, flops_, request().bootstrap, request().seed, request().threads);
    out_.resamples = again.size();
    constant("k", "scale", "N* = k · C^a", fit.scale, again,
             [](const Line& l) { return std::exp(l.intercept); });
    constant("a", "exponent", "N* = k · C^a", fit.exponent, again,
             [](const Line& l) { return l.slope; });
    parabolas(fit);
    if (fit.used < fit.groups.size())
      out_.warnings.push_back(fmt::format(
          "{} of {} groups are left out: no lowest loss between the sizes that were run",
          fit.groups.size() - fit.used, fit.groups.size()));
    if (fit.outside > 0)
      out_.warnings.push_back(fmt::format(
          "{} runs belong to no group: fewer than 3 of compute within 20 %", fit.outside));
    out_.notes.emplace_back(
        "A parabola is not the loss's own shape: where α ≠ β, N* is off by 1 to 3 % for sizes 4 to "
        "8 "
        "times either side.");
    return true;
  }

  void parabolas(const IsoflopFit& fit) {
    std::map<int, double> predicted;
    for (const IsoflopGroup& g : fit.groups) {
      if (!g.bottom) continue;
      std::vector<double> x, y;
      for (const std::size_t i : g.runs) {
        x.push_back(std::log(runs_[i].N));
        y.push_back(runs_[i].loss);
      }
      const Parabola p = fit_parabola(x, y);
      for (std::size_t k = 0; k < g.runs.size(); ++k) predicted[kept_[g.runs[k]].line] = p.at(x[k]);
    }
    predict([&](const RunRow& r) {
      const auto at = predicted.find(r.line);
      return at == predicted.end() ? 0.0 : at->second;
    });
  }

  const RunsFile& data_;
  const SourceFile* file_;
  Diagnostics& d_;
  FitReport out_;
  std::vector<RunRow> kept_;
  std::vector<LossRun> runs_;
  std::vector<double> flops_;
};

}  // namespace

std::optional<FitReport> fit_law(Workspace& work, const FitRequest& request,
                                 Diagnostics& diagnostics) {
  const auto data = read_runs(work, request.file, request.columns, diagnostics);
  if (!data) return std::nullopt;
  return Fit(request, *data, diagnostics).run();
}

}  // namespace reckon
