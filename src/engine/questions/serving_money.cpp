#include "serving_money.hpp"

#include <fmt/format.h>

#include "load_simulated.hpp"
#include "needs.hpp"
#include "reckon/units/format.hpp"
#include "say_count.hpp"
#include "serving_load.hpp"

namespace reckon {
namespace {

using Plan = ServingPlan<double>;
using Out = ServingAnswer<double>;

std::string hourly(const Price<double>& p) {
  return format_quantity(p.raw, kUsdRate, Hint::kUsdPerHour);
}

double paid_gpus(const Plan& q, const Out& out) {
  if (own_way(q) == WayOfServing::kDisaggregated && out.running->pools->asked)
    return plain(out.running->pools->asked->gpus);
  return plain(out.gpus);
}

void say_tokens(const Plan& q, const Out& out, Result& r) {
  const Running<double>& run = *out.running;
  if (!run.full_money.input) return;
  if (run.load_money)
    r.answer.lines.push_back(fmt::format(
        "{} a million input tokens, {} a million output tokens: {} paid all of the time "
        "under {}",
        text(r, "serve.cost_per_million_input"), text(r, "serve.cost_per_million_output"),
        count_of(paid_gpus(q, out), "GPU"), load_text(q)));
  r.answer.lines.push_back(fmt::format("{} a million input tokens, {} a million output tokens, {}",
                                       text(r, "serve.saturation.cost_per_million_input"),
                                       text(r, "serve.saturation.cost_per_million_output"),
                                       q.prefill  ? "pools filled to their shares"
                                       : run.load ? "were they never idle"
                                                  : "never idle"));
}

std::string target_text(const Plan& q, bool first) {
  const auto& t = first ? q.targets.ttft : q.targets.tpot;
  return fmt::format("{} of {}", first ? "TTFT" : "TPOT", format_quantity(t->raw, kSecond));
}

std::string targets_text(const Plan& q) {
  if (q.targets.ttft && q.targets.tpot)
    return target_text(q, true) + " and the " + target_text(q, false);
  return target_text(q, q.targets.ttft.has_value());
}

// Why no fewer will do; of pools, fewer of which workers.
std::string why(const Plan& q, const Running<double>& run, bool one) {
  const bool pools = q.prefill.has_value();
  switch (run.sized_by) {
    case SizedBy::kNeverIdle:
      return ", if they are never idle";
    case SizedBy::kTtft:
    case SizedBy::kTpot: {
      const bool first = run.sized_by == SizedBy::kTtft;
      return fmt::format(": with fewer{}, nine of ten requests would not keep the {}",
                         !pools  ? ""
                         : first ? " prefill workers"
                                 : " decode workers",
                         target_text(q, first));
    }
    case SizedBy::kUnknown:
      return fmt::format(": with fewer, the closed form does not say that they keep the {}",
                         targets_text(q));
    default:
      if (one) return "";
      if (!pools) return ": with fewer, the queue grows without bound";
      return fmt::format(
          ": with fewer, workers would be given more than {:.4g} % (prefill) or {:.4g} % (decode) "
          "of what they can do",
          100 * plain(q.assume.pools.prefill), 100 * plain(q.assume.pools.decode));
  }
}

void say_gpus(const Plan& q, const Out& out, Result& r) {
  const Running<double>& run = *out.running;
  if (!q.workload.rate) return;
  if (never(run.sized_by)) {
    const bool first = run.sized_by == SizedBy::kTtftNever;
    r.answer.lines.push_back(fmt::format(
        "no number of GPUs serves {} within a {}: with any, more than one of ten requests miss it",
        load_text(q), target_text(q, first)));
    return;
  }
  if (run.gpus_at_least)
    r.answer.lines.push_back(
        fmt::format("{} takes at least {}, for the queue not to grow; how many keep the {}, the "
                    "closed form does "
                    "not say ({})",
                    load_text(q), count_of(plain(*run.gpus_at_least), "GPU"), targets_text(q),
                    run.rate_unknown));
  if (!run.gpus_for_rate) return;
  const double gpus = plain(*run.gpus_for_rate);
  // So many would do and no fewer, whatever the closed form says of those there are.
  const bool by_target = run.sized_by == SizedBy::kTtft || run.sized_by == SizedBy::kTpot;
  if (by_target && !q.simulation.simulate && gpus > paid_gpus(q, out)) r.say_no(No::kTarget);
  const double replicas = gpus / plain(out.replica);
  const bool least = q.prefill ? plain(run.pools->asked->x) <= 1 && plain(run.pools->asked->y) <= 1
                               : replicas == 1;
  const std::string in =
      q.prefill ? std::string() : fmt::format(", {}", count_of(replicas, "replica"));
  r.answer.lines.push_back(
      fmt::format("{} takes {}{}{}", load_text(q), count_of(gpus, "GPU"), in, why(q, run, least)));
}

std::string bought_replicas(const Out& out) {
  const Count<double> n = *out.running->replicas_for_budget;
  return fmt::format("{}, {}", count_of(plain(n), "replica"),
                     count_of(plain(n * out.replica), "GPU"));
}

std::string bought_pools(const PoolPair<double>& p) {
  return fmt::format("{} and {}, {}", count_of(plain(p.x), "prefill worker"),
                     count_of(plain(p.y), "decode worker"), count_of(plain(p.gpus), "GPU"));
}

void say_budget(const Plan& q, const Out& out, Result& r) {
  const Running<double>& run = *out.running;
  if (run.budget_unknown)
    r.answer.lines.push_back(fmt::format(
        "{} buys {}; which rate keeps the {} there, the closed form does not say ({})",
        hourly(*q.budget), q.prefill ? bought_pools(*run.budget_pools) : bought_replicas(out),
        targets_text(q), run.budget_unknown));
  if (!run.rate_for_budget) return;
  const double rate = plain(*run.rate_for_budget);
  const bool bought = q.prefill ? plain(run.budget_pools->x) >= 1 && plain(run.budget_pools->y) >= 1
                                : plain(*run.replicas_for_budget) >= 1;
  if (!bought) {
    r.say_no(No::kBudget);
    r.answer.lines.push_back(
        q.prefill
            ? fmt::format("{} buys no prefill worker with a decode worker", hourly(*q.budget))
            : fmt::format("{} buys no replica: one takes {}, {}", hourly(*q.budget),
                          count_of(plain(out.replica), "GPU"), hourly(*q.price * out.replica)));
    return;
  }
  const std::string what = q.prefill ? bought_pools(*run.budget_pools) : bought_replicas(out);
  if (!(rate > 0)) {
    r.say_no(No::kTarget);
    r.answer.lines.push_back(
        fmt::format("{} buys {}, and no rate keeps the targets", hourly(*q.budget), what));
    return;
  }
  const bool targets = q.targets.ttft || q.targets.tpot;
  const bool kept = q.prefill ? run.budget_judged : run.full.tokens.raw > 0 && targets;
  const char* to = q.prefill && !kept ? ", filled to their shares"
                   : run.budget_judged && run.budget_share == 1
                       ? ", filled to their shares, which keeps the targets"
                   : q.stated ? ", never idle"
                   : run.budget_to_known
                       ? " within the targets; of more the closed form says nothing"
                   : kept ? " at most within the targets"
                          : ", where the queue begins to grow";
  r.answer.lines.push_back(
      fmt::format("{} buys {}: {}{}", hourly(*q.budget), what, at_most(rate), to));
}

}  // namespace

std::string load_text(const Plan& q) {
  if (q.workload.rate) return format_quantity(q.workload.rate->raw, kHertz, Hint::kRequestRate);
  return users_text(q.traffic, plain(*q.workload.concurrency));
}

void say_money(const Plan& q, const Out& out, Result& r) {
  say_tokens(q, out, r);
  say_budget(q, out, r);
  say_gpus(q, out, r);
}

void say_pools_beyond(const Plan& q, const ServingPools<double>& p, Result& r) {
  if (!p.asked) return;
  const auto gpus = [](const Cluster<double>& c) { return plain(c.nodes * c.node.gpus); };
  const double x = plain(p.asked->x * p.prefill_gpus), y = plain(p.asked->y * p.decode_gpus);
  const auto beyond = [&](double takes, double has, const char* who) {
    if (takes <= has) return;
    r.say_no(No::kGpus);
    r.warnings.push_back(
        fmt::format("{} take {}, and the cluster has {}: a larger cluster, or a "
                    "smaller rate or slacker targets",
                    who, count_of(takes, "GPU"), format_quantity(has, kOne, Hint::kCount)));
  };
  if (!q.prefill->cluster) return beyond(x + y, gpus(*q.cluster), "the pools for this load");
  beyond(x, gpus(*q.prefill->cluster), "the prefill workers for this load");
  beyond(y, gpus(*q.cluster), "the decode workers for this load");
}

}  // namespace reckon
