// Constants of L = E + A / N^α + B / D^β from runs: approach 3 of Hoffmann 2022.
//
//   FitOptions options;                               // Huber δ 1e-3, 4,500 starts
//   const LossFit fit = fit_loss(runs, options);      // fit.E, fit.A, …, fit.objective
//   bootstrap_loss(runs, fit, 1000, 1, threads)       // constants of resampled runs
//
// Minimises Σ Huber_δ(log-sum-exp(a − α·ln N, b − β·ln D, e) − ln L) with A = e^a, B = e^b, E = e^e, by L-BFGS
// from a grid of starts, each first with a wide δ and then with narrower ones. ln N and ln D are centred, which
// is what keeps the problem well conditioned. A start, or a resample, depends on its number alone: the answer is the
// same for any number of threads. N, D are counts, L in nats; all positive.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "reckon/numerics/minimize.hpp"

namespace reckon {

struct LossRun {
  double N = 0, D = 0, loss = 0;
};

struct LossConstants {
  double E = 0, A = 0, B = 0, alpha = 0, beta = 0;
  double growth() const { return beta / (alpha + beta); }  // N* ∝ C^a
  double at(double N, double D) const;
};

struct FitOptions {
  double delta = 1e-3;
  unsigned threads = 1;
  std::size_t starts = 4500;  // the grid's first so many, spread over it
  std::function<void(std::size_t done, std::size_t of)> progress = {};
};

struct LossFit {
  LossConstants constants;
  double objective = 0;      // sum of the Huber terms
  std::size_t start = 0;     // which start won
  std::size_t agreeing = 0;  // starts that ended within 1e-6 of it
  std::size_t starts = 0;
  bool converged = false;
};

LossFit fit_loss(const std::vector<LossRun>& runs, const FitOptions& options);

// Σ Huber_δ of given constants: what a fit minimises.
double loss_objective(const std::vector<LossRun>& runs, const LossConstants& c, double delta);

// Refits to as many runs drawn with replacement, from the full fit's constants; resample i by seed and i.
std::vector<LossConstants> bootstrap_loss(const std::vector<LossRun>& runs, const LossFit& full,
                                          std::size_t count, std::uint64_t seed,
                                          const FitOptions& options);

}  // namespace reckon
