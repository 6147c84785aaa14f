// A scaling law as its file says it: laws/NAME.yaml.
//
//   kind: law
//   name: Besiroglu et al. 2024
//   family: loss                       # L = E + A / N^α + B / D^β
//   loss: {E: 1.8172, A: 482.01, B: 2085.43, alpha: 0.3478, beta: 0.3658}
//   params_are: total, one embedding matrix counted
//   flops_are: 6·N·D
//   confidence: reproduced
//   valid: {flops_from: 6e18 FLOP, flops_to: 3e21 FLOP}
//   expect:                            # figures that its source prints: `reckon check laws/`
//     - {given: {flops: 5.88e23 FLOP}, metric: optimum.params, printed: 73B, within: 1%}
//
// Constants are written as magnitudes; the family says their signs. Parameters N and tokens D are plain
// counts, compute C is in FLOP (a law that counts in other units says so: `unit`).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "reckon/doc/field.hpp"
#include "reckon/doc/value.hpp"
#include "reckon/units/quantity.hpp"

namespace reckon {

enum class LawFamily {
  kLoss,         // E + A / N^α + B / D^β
  kAllocation,   // N = n · C^a and D = d · C^b, no loss
  kRatio,        // D = r · N
  kKaplan,       // allocation by C_min, losses (x_c / x)^α
  kBatch,        // critical batch from the loss
  kGranularMoe,  // E + (g / G^γ + a) / N^α + b / D^β
  kJointMoe,     // exponents that depend on the number of experts
  kRoutedMoe,    // log-linear in log N and log experts
  kLeverage,     // how much dense compute a mixture of experts stands for
  kPrecision     // the loss law with N shrunk by narrow numbers
};
constexpr auto names(LawFamily) {
  return std::array{"loss",         "allocation", "ratio",      "kaplan",   "batch",
                    "granular_moe", "joint_moe",  "routed_moe", "leverage", "precision"};
}

enum class Confidence { kReproduced, kRounded, kOrderOfMagnitude, kQualitative };
constexpr auto names(Confidence) {
  return std::array{"reproduced", "rounded", "order_of_magnitude", "qualitative"};
}

// y = scale · x^exponent, or where the family says so (scale / x)^exponent.
template <class R>
struct PowerLaw {
  Ratio<R> scale, exponent;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("scale", "k", "what stands before the power").required().limit(Limit::kPositive),
      s.scale...);
    v(Field("exponent", "a", "of the power").required().limit(Limit::kPositive), s.exponent...);
  }
};

template <class R>
struct LossTerms {
  Ratio<R> E, A, B, alpha, beta;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("E", "E", "irreducible loss, nats a token").required(), s.E...);
    v(Field("A", "A", "of the capacity term A / N^α").required().limit(Limit::kPositive), s.A...);
    v(Field("B", "B", "of the data term B / D^β").required().limit(Limit::kPositive), s.B...);
    v(Field("alpha", "α", "exponent of the parameters").required().limit(Limit::kPositive),
      s.alpha...);
    v(Field("beta", "β", "exponent of the tokens").required().limit(Limit::kPositive), s.beta...);
  }
};

// How repeated tokens and parameters in excess lose their worth.
template <class R>
struct RepeatTerms {
  Ratio<R> tokens, params;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("tokens", "R_D*", "repetitions after which a token is worth 1/e of a fresh one")
          .required()
          .limit(Limit::kPositive),
      s.tokens...);
    v(Field("params", "R_N*", "the same of parameters beyond what the unique tokens call for")
          .required()
          .limit(Limit::kPositive),
      s.params...);
  }
};

// Where a budget goes. Of params and tokens one may be missing: C = 6ND gives it.
template <class R>
struct Allocation {
  Flops<R> unit{R(1.0)};
  std::optional<PowerLaw<R>> params, tokens, flops_per_token, batch, steps;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("unit", "C_unit", "what compute is counted in").limit(Limit::kPositive), s.unit...);
    v(Field("params", "n", "N = scale · C^exponent"), s.params...);
    v(Field("tokens", "d", "D = scale · C^exponent"), s.tokens...);
    v(Field("flops_per_token", "m", "M = scale · C^exponent, and N = M / 6"), s.flops_per_token...);
    v(Field("batch", "b", "tokens of a step = scale · C^exponent"), s.batch...);
    v(Field("steps", "s", "steps = scale · C^exponent"), s.steps...);
  }
};

// Kaplan's losses: (scale / x)^exponent, each with the others unbounded, and both at once.
template <class R>
struct KaplanLosses {
  PowerLaw<R> compute, params, tokens;
  Ratio<R> joint_params, joint_tokens, alpha_N, alpha_D;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("compute", "c", "(scale / C)^exponent, in the allocation's unit").required(),
      s.compute...);
    v(Field("params", "n_L", "(scale / N)^exponent, data unbounded").required(), s.params...);
    v(Field("tokens", "d_L", "(scale / D)^exponent, size unbounded").required(), s.tokens...);
    v(Field("joint_params", "N_c", "both bounded: [(N_c/N)^(α_N/α_D) + D_c/D]^α_D")
          .required()
          .limit(Limit::kPositive),
      s.joint_params...);
    v(Field("joint_tokens", "D_c", "the same").required().limit(Limit::kPositive),
      s.joint_tokens...);
    v(Field("alpha_N", "α_N", "the same").required().limit(Limit::kPositive), s.alpha_N...);
    v(Field("alpha_D", "α_D", "the same").required().limit(Limit::kPositive), s.alpha_D...);
  }
};

// B = scale / L^exponent, in tokens.
template <class R>
struct BatchTerms {
  Count<R> scale;
  Ratio<R> exponent;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("scale", "B_*", "tokens at a loss of 1 nat")
          .hint(Hint::kTokens)
          .required()
          .limit(Limit::kPositive),
      s.scale...);
    v(Field("exponent", "γ_B", "of 1 / loss").required().limit(Limit::kPositive), s.exponent...);
  }
};

// L = E + (g / G^gamma + a) / N^alpha + b / D^beta for so many experts of granularity G.
template <class R>
struct GranularMoe {
  Ratio<R> E, a, alpha, b, beta, g, gamma;
  Count<R> experts;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("E", "E", "irreducible loss").required(), s.E...);
    v(Field("a", "a", "of the capacity term").required().limit(Limit::kPositive), s.a...);
    v(Field("alpha", "α", "exponent of the parameters").required().limit(Limit::kPositive),
      s.alpha...);
    v(Field("b", "b", "of the data term").required().limit(Limit::kPositive), s.b...);
    v(Field("beta", "β", "exponent of the tokens").required().limit(Limit::kPositive), s.beta...);
    v(Field("g", "g", "what granularity can gain").required(), s.g...);
    v(Field("gamma", "γ", "exponent of the granularity").required().limit(Limit::kPositive),
      s.gamma...);
    v(Field("experts", "n_E", "experts it was fitted at").required().degree(), s.experts...);
  }
};

// L = a / (Ê^delta · N^(alpha − gamma·ln Ê)) + b · Ê^omega / D^(beta + zeta·ln Ê) + c; N counts active parameters.
template <class R>
struct JointMoe {
  Ratio<R> a, delta, alpha, gamma, b, omega, beta, zeta, c;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("a", "a", "of the capacity term").required().limit(Limit::kPositive), s.a...);
    v(Field("delta", "δ", "exponent of the experts there").required(), s.delta...);
    v(Field("alpha", "α", "exponent of the parameters").required().limit(Limit::kPositive),
      s.alpha...);
    v(Field("gamma", "γ", "what ln experts takes off it").required(), s.gamma...);
    v(Field("b", "b", "of the data term").required().limit(Limit::kPositive), s.b...);
    v(Field("omega", "ω", "exponent of the experts there").required(), s.omega...);
    v(Field("beta", "β", "exponent of the tokens").required().limit(Limit::kPositive), s.beta...);
    v(Field("zeta", "ζ", "what ln experts adds to it").required(), s.zeta...);
    v(Field("c", "c", "irreducible loss").required(), s.c...);
  }
};

// log10 L = d − a·log10 N − b·log10 Ê + c·log10 N·log10 Ê, Ê saturating between start and most.
template <class R>
struct RoutedMoe {
  Ratio<R> a, b, c, d, start, most;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("a", "a", "fall with log N").required().limit(Limit::kPositive), s.a...);
    v(Field("b", "b", "fall with log experts").required().limit(Limit::kPositive), s.b...);
    v(Field("c", "c", "what larger N takes off that").required(), s.c...);
    v(Field("d", "d", "constant").required(), s.d...);
    v(Field("start", "E_start", "effective experts of one expert")
          .required()
          .limit(Limit::kPositive),
      s.start...);
    v(Field("most", "E_max", "effective experts of infinitely many")
          .required()
          .limit(Limit::kPositive),
      s.most...);
  }
};

// EL = Â^(a − d·log10 C + gamma·ln²G − beta·ln G), Â the active share, saturating at both ends.
template <class R>
struct LeverageTerms {
  Ratio<R> a, d, gamma, beta, start, most;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("a", "a", "exponent of the active share").required(), s.a...);
    v(Field("d", "d", "what log10 C takes off it").required(), s.d...);
    v(Field("gamma", "γ", "what ln² granularity adds").required(), s.gamma...);
    v(Field("beta", "β", "what ln granularity takes off").required(), s.beta...);
    v(Field("start", "A_start", "smallest effective share").required().limit(Limit::kPositive),
      s.start...);
    v(Field("most", "A_max", "largest effective share").required().limit(Limit::kPositive),
      s.most...);
  }
};

// N_eff = N · Π (1 − e^(−bits / gamma)), over weights, activations and the cache.
template <class R>
struct PrecisionTerms {
  Ratio<R> weights, activations, cache;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("weights", "γ_w", "bits of a weight").required().limit(Limit::kPositive), s.weights...);
    v(Field("activations", "γ_a", "bits of an activation").required().limit(Limit::kPositive),
      s.activations...);
    v(Field("cache", "γ_kv", "bits of a cached key or value").required().limit(Limit::kPositive),
      s.cache...);
  }
};

// The runs it was fitted to: an answer outside carries a warning.
template <class R>
struct LawRange {
  std::optional<Count<R>> params_from, params_to, tokens_from, tokens_to;
  std::optional<Flops<R>> flops_from, flops_to;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    const auto p = [](std::string_view name, std::string_view what) {
      return Field(name, "", what).hint(Hint::kParams).limit(Limit::kPositive);
    };
    const auto t = [](std::string_view name, std::string_view what) {
      return Field(name, "", what).hint(Hint::kTokens).limit(Limit::kPositive);
    };
    v(p("params_from", "smallest model"), s.params_from...);
    v(p("params_to", "largest model"), s.params_to...);
    v(t("tokens_from", "fewest tokens"), s.tokens_from...);
    v(t("tokens_to", "most tokens"), s.tokens_to...);
    v(Field("flops_from", "", "least compute").limit(Limit::kPositive), s.flops_from...);
    v(Field("flops_to", "", "most compute").limit(Limit::kPositive), s.flops_to...);
  }
};

// A 95 % interval of a constant.
template <class R>
struct LawInterval {
  std::string of;
  Ratio<R> low, high;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("of", "", "the constant").required(), s.of...);
    v(Field("low", "", "2.5 % lie below").required(), s.low...);
    v(Field("high", "", "2.5 % lie above").required(), s.high...);
  }
};

template <class R>
struct Law {
  std::string id, name, params_are, flops_are, source, comment;
  LawFamily family = LawFamily::kLoss;
  Confidence confidence = Confidence::kRounded;
  std::optional<LossTerms<R>> loss;
  std::optional<RepeatTerms<R>> repeat;
  std::optional<Ratio<R>> tokens_per_param;
  std::optional<Allocation<R>> allocation;
  std::optional<KaplanLosses<R>> losses;
  std::optional<BatchTerms<R>> batch;
  std::optional<GranularMoe<R>> granular_moe;
  std::optional<JointMoe<R>> joint_moe;
  std::optional<RoutedMoe<R>> routed_moe;
  std::optional<LeverageTerms<R>> leverage;
  std::optional<PrecisionTerms<R>> precision;
  LawRange<R> valid;
  std::vector<LawInterval<R>> intervals;
  std::vector<std::string> samples;
  doc::Value expect;

  bool has_loss() const { return loss || losses || granular_moe || joint_moe || routed_moe; }

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("id", "", "the file's name, filled in by the program"), s.id...);
    v(Field("name", "", "as people call it"), s.name...);
    v(Field("family", "", "which formula").required(), s.family...);
    v(Field("confidence", "", "how well its constants give its source's own figures").required(),
      s.confidence...);
    v(Field("params_are", "", "what its N counts").required(), s.params_are...);
    v(Field("flops_are", "", "what its C counts").required(), s.flops_are...);
    v(Field("loss", "", "of family loss and precision"), s.loss...);
    v(Field("repeat", "", "of family loss: what repeated tokens are worth"), s.repeat...);
    v(Field("tokens_per_param", "r", "of family ratio").limit(Limit::kPositive),
      s.tokens_per_param...);
    v(Field("allocation", "", "of family allocation and kaplan"), s.allocation...);
    v(Field("losses", "", "of family kaplan"), s.losses...);
    v(Field("batch", "", "of family batch"), s.batch...);
    v(Field("granular_moe", "", "of that family"), s.granular_moe...);
    v(Field("joint_moe", "", "of that family"), s.joint_moe...);
    v(Field("routed_moe", "", "of that family"), s.routed_moe...);
    v(Field("leverage", "", "of that family"), s.leverage...);
    v(Field("precision", "", "of that family"), s.precision...);
    v(Field("valid", "", "the runs it was fitted to"), s.valid...);
    v(Field("intervals", "", "95 % intervals of its constants"), s.intervals...);
    v(Field("samples", "", "bootstrapped constants E A B alpha beta, for intervals of answers"),
      s.samples...);
    v(Field("expect", "",
            "figures its source prints: {given: fields of a question, metric, printed, within, "
            "source}, and question where it is not scaling"),
      s.expect...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("source", "", "where the figures come from"), s.source...);
  }
};

}  // namespace reckon
