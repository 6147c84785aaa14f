#include "scaling_legal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "law.hpp"
#include "reckon/base/text.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

// Figures people write are rounded; two that say the same thing may differ by so much.
constexpr double kAgree = 0.01;

using Q = ScalingQuestion<double>;

class ScalingCheck {
 public:
  ScalingCheck(const Q& q, const Asked& asked) : q_(q), asked_(asked) {}

  void run() {
    check_law(q_.law, "law", asked_);
    if (q_.against) check_against();
    if (q_.params && q_.model)
      asked_.fault("model", "params and model both say how large the model is")
          .note(asked_.places.of("params"), "params is stated here")
          .help("leave one out");
    if (!hire() || !answerable()) return;
    idle();
    of_law();
    if (asked_.diagnostics.has_errors()) return;
    target();
    agreement();
  }

 private:
  bool sized() const { return q_.params || q_.model; }
  bool cluster_days() const { return q_.days && q_.gpus; }
  bool computes() const { return q_.flops || q_.gpu_hours || q_.budget || cluster_days(); }

  void check_against() {
    check_law(*q_.against, "against", asked_);
    if (allocates(*q_.against)) return;
    asked_
        .fault("against",
               fmt::format("against: {} does not say how compute is split", law_name(*q_.against)))
        .help("`reckon list laws`; rule20 is the rule of thumb");
  }

  // What money, GPU time and days need to be compute.
  bool hire() {
    const char* by = q_.gpu_hours     ? "gpu_hours"
                     : q_.budget      ? "budget"
                     : cluster_days() ? "days"
                                      : "";
    const bool needs = *by != 0;
    if (q_.budget && !q_.hire.price) {
      asked_.fault("budget", "budget: what a GPU costs is not stated").help("price: 2.50 USD/h");
      return false;
    }
    const bool named = q_.hire.hardware && !q_.hire.chip.peak;
    if (named && !hired_peak(q_.hire)) {
      asked_
          .fault("compute", fmt::format("compute: chip '{}' has no peak for {}",
                                        q_.hire.hardware->id, name_of(q_.hire.chip.compute)))
          .help("`reckon show` the chip lists its peaks; or state peak: 989 TFLOP/s");
      return false;
    }
    if (!needs) return true;
    if (!hired_peak(q_.hire)) {
      asked_.fault(by, fmt::format("{}: how fast a GPU computes is not stated", by))
          .help("hardware: h100-sxm, or peak: 989 TFLOP/s");
      return false;
    }
    if (!q_.hire.mfu) {
      asked_.fault(by, fmt::format("{}: how well the peak is used is not stated", by))
          .help("mfu: 40%");
      return false;
    }
    return true;
  }

  bool answerable() {
    if (q_.law.family == LawFamily::kBatch) {
      asked_
          .fault("law", fmt::format("law: {} is a law of the critical batch, not of size and data",
                                    law_name(q_.law)))
          .help("training plans use it: batch_law; here name another, `reckon list laws`");
      return false;
    }
    if (!sized() && !q_.tokens && !computes() && !q_.loss) {
      asked_.fault("", "scaling: nothing is stated that a run could be planned from")
          .help(
              "state one or two of flops, params, tokens, loss, gpu_hours, budget, or days with "
              "gpus");
      return false;
    }
    const bool point =
        (sized() && q_.tokens) || (sized() && computes()) || (q_.tokens && computes());
    if (allocates(q_.law) || point) return true;
    asked_
        .fault("law", fmt::format("law: {} does not say how compute is split, so it answers for a "
                                  "stated size and number of tokens",
                                  law_name(q_.law)))
        .help("state params and tokens, or name a law that does: besiroglu");
    return false;
  }

  // A figure that nothing is computed with would be ignored in silence.
  void idle() {
    const auto refuse = [&](bool stated, const char* key, const char* why, const char* help) {
      if (stated) asked_.fault(key, fmt::format("{}: {}", key, why)).help(help);
    };
    const bool rate = hired_rate(q_.hire).has_value();
    const auto& h = q_.hire;
    if (!rate) {
      const char* help = "hardware: h100-sxm and mfu: 40%";
      const char* why = "bears on nothing while GPU time is not known";
      refuse(h.price.has_value(), "price", why, help);
      refuse(h.carbon.has_value(), "carbon", why, help);
      refuse(h.power.has_value(), "power", why, help);
      refuse(q_.gpus.has_value(), "gpus", why, help);
      refuse(q_.days.has_value(), "days", why, help);
      refuse(h.mfu.has_value(), "mfu", "of which peak is not stated", "hardware: h100-sxm");
    } else if (h.carbon && !hired_power(h)) {
      refuse(true, "carbon", "the power of a GPU is not known", "power: 700 W");
    }
    refuse(q_.critical_batch && q_.law.family != LawFamily::kKaplan, "critical_batch",
           "only Kaplan's law counts C_min", "law: kaplan, or leave critical_batch out");
  }

  void of_law() {
    const auto each = [&](bool stated, const char* key, const std::vector<LawFamily>& families,
                          const char* example) {
      const bool asks =
          std::find(families.begin(), families.end(), q_.law.family) != families.end();
      if (asks && !stated)
        asked_
            .fault("law",
                   fmt::format("law: {} needs {}, which is not stated", law_name(q_.law), key))
            .help(fmt::format("{}: {}", key, example));
      if (!asks && stated)
        asked_.fault(key, fmt::format("{}: {} does not depend on it", key, law_name(q_.law)))
            .help(fmt::format("leave {} out, or name a law that does: `reckon list laws`", key));
    };
    using F = LawFamily;
    const auto& x = q_.of;
    each(x.experts.has_value(), "experts", {F::kRoutedMoe, F::kJointMoe}, "8");
    each(x.granularity.has_value(), "granularity", {F::kGranularMoe, F::kLeverage}, "8");
    each(x.active.has_value(), "active", {F::kLeverage}, "3.1%");
    each(x.weight_bits.has_value(), "weight_bits", {F::kPrecision}, "8");
    each(x.activation_bits.has_value(), "activation_bits", {F::kPrecision}, "8");
    each(x.cache_bits.has_value(), "cache_bits", {F::kPrecision}, "8");
  }

  // A loss to reach, alone or with one of N and D.
  void target() {
    if (!q_.loss) return;
    if (q_.law.family != LawFamily::kLoss) {
      asked_
          .fault("loss", fmt::format("loss: {} has no loss that could be solved for N and D",
                                     law_name(q_.law)))
          .help("law: besiroglu");
      return;
    }
    if (computes() || (sized() && q_.tokens)) {
      const char* other = computes() ? "compute" : "params and tokens";
      asked_.fault("loss", fmt::format("loss: {} settle it already", other))
          .help("leave the loss out, or state it alone, with params, or with tokens");
      return;
    }
    const LossTerms<double>& t = *q_.law.loss;
    const double r = q_.loss->raw - t.E.raw;
    if (r <= 0) {
      asked_
          .fault("loss",
                 fmt::format("loss: {} is not above the irreducible {} of {}",
                             format_quantity(q_.loss->raw, kOne, Hint::kRatio),
                             format_quantity(t.E.raw, kOne, Hint::kRatio), law_name(q_.law)))
          .help("no size and no amount of data goes below that");
      return;
    }
    if (sized()) {
      const double N = q_.params ? q_.params->raw : parameters(*q_.model).total.raw;
      cannot_reach(t.A.raw, t.alpha.raw, N, r, Hint::kParams, q_.params ? "params" : "model");
    }
    if (q_.tokens) cannot_reach(t.B.raw, t.beta.raw, q_.tokens->raw, r, Hint::kTokens, "tokens");
  }
  void cannot_reach(double a, double exponent, double has, double r, Hint hint, const char* key) {
    const double least = std::pow(a / r, 1 / exponent);
    if (has > least) return;
    asked_
        .fault(key, fmt::format("{}: {} never reach a loss of {}, whatever the {}", key,
                                format_quantity(has, kOne, hint),
                                format_quantity(q_.loss->raw, kOne, Hint::kRatio),
                                hint == Hint::kParams ? "tokens" : "size"))
        .note(asked_.places.of("loss"), "the loss is stated here")
        .help(fmt::format("it takes more than {}", format_quantity(least, kOne, hint)));
  }

  // Everything that says how much compute there is must say the same.
  void agreement() {
    struct Said {
      const char *key, *what;
      double flops;
    };
    std::vector<Said> said;
    const auto flops_by = [&](auto clear) {
      Q only = q_;
      clear(only);
      return stated_flops(only)->raw;
    };
    if (sized() && q_.tokens) {
      const double N = q_.params ? q_.params->raw : parameters(*q_.model).total.raw;
      const double k = flops_per_param_token<double>().raw;
      said.push_back({"tokens", "6 · params · tokens", k * N * q_.tokens->raw});
    }
    if (q_.flops) said.push_back({"flops", "flops", q_.flops->raw});
    if (q_.gpu_hours)
      said.push_back(
          {"gpu_hours", "gpu_hours at this peak and mfu", flops_by([](Q& x) { x.flops = {}; })});
    if (q_.budget)
      said.push_back({"budget", "budget at this price, peak and mfu", flops_by([](Q& x) {
                        x.flops = {};
                        x.gpu_hours = {};
                      })});
    if (cluster_days())
      said.push_back({"days", "days · gpus at this peak and mfu", flops_by([](Q& x) {
                        x.flops = {};
                        x.gpu_hours = {};
                        x.budget = {};
                      })});
    for (std::size_t i = 1; i < said.size(); ++i) {
      if (std::abs(said[i].flops / said[0].flops - 1) <= kAgree) continue;
      asked_
          .fault(said[i].key, fmt::format("{} and {} disagree: {} against {}", said[0].what,
                                          said[i].what, format_quantity(said[0].flops, kFlop),
                                          format_quantity(said[i].flops, kFlop)))
          .note(asked_.places.of(said[0].key), fmt::format("{} is stated here", said[0].key))
          .help("leave one of them out: it follows from the rest");
      return;
    }
  }

  const Q& q_;
  const Asked& asked_;
};

}  // namespace

void check_scaling(const Q& q, const Asked& asked) { ScalingCheck(q, asked).run(); }

}  // namespace reckon
