// The pools that a budget pays, and the requests/s they take: filled to their shares, the targets kept.
#pragma once

#include "pay.hpp"
#include "reckon/cost/serving/pools_budget.hpp"

namespace reckon {

// The most that so many workers of one pool take within its target; the other pool has enough. TTFT is the prefill
// workers', TPOT the decode workers'.
inline double pool_keeps(const ServingPlan<double>& plan, const ServingMachine<double>& pre,
                         const ServingMachine<double>& s, const ServingPools<double>& p, int n,
                         bool prefill) {
  const double given = plain(prefill ? p.prefill_given : p.decode_given);
  ServingTargets<double> own;
  (prefill ? own.ttft : own.tpot) = prefill ? plan.targets.ttft : plan.targets.tpot;
  if (!own.ttft && !own.tpot) return n * given;
  const double other = plain(prefill ? p.decode_given : p.prefill_given);
  constexpr double kAmple = 4, kMost = 1e9;
  const Count<double> mine(1.0 * n);
  const Count<double> ample(std::min(std::ceil(kAmple * n * given / other) + 1, kMost));
  const auto at_share = [&](double u) {
    return pools_under_load(at_rate(plan, u * n * given), pre, s, p, prefill ? mine : ample,
                            prefill ? ample : mine, true);
  };
  return n * given * (misses(own, at_share(1), true) ? share_kept(own, plan, at_share).share : 1);
}

// Workers, and the share of what they take filled to their shares at which the targets are kept.
struct PoolsPaid {
  PoolWorkers workers;
  double share = 1;
  bool judged = false;            // targets are stated, and under a load there are figures for them
  const char* unknown = nullptr;  // why nobody knows of any share that the targets are kept there
};

template <class R>
PoolsPaid pools_paid(const ServingPlan<R>& plan, const ServingMachine<R>& pre,
                     const ServingMachine<R>& s, const ServingPools<R>& p,
                     const PlainAnswer<R>& flat) {
  if constexpr (std::is_same_v<R, double>) {
    const Price<double>& price_pre = plan.prefill->price ? *plan.prefill->price : *plan.price;
    const PoolPrices prices{plain(*plan.budget), plain(price_pre) * plain(p.prefill_gpus),
                            plain(*plan.price) * plain(p.decode_gpus)};
    PoolsPaid out;
    out.judged = (plan.targets.ttft || plan.targets.tpot) && !plan.stated &&
                 whole(*plan.workload.output) > 1;
    const auto takes = [&](bool prefill) {
      return [&, prefill](int n) {
        return out.judged ? pool_keeps(plan, pre, s, p, n, prefill)
                          : n * plain(prefill ? p.prefill_given : p.decode_given);
      };
    };
    out.workers = best_paid(prices, takes(true), takes(false));
    if (!out.judged || out.workers.x == 0) return out;
    const Count<double> x(1.0 * out.workers.x), y(1.0 * out.workers.y);
    const double all = plain(pool_pair(plan, p, x, y).rate);
    const auto at_share = [&](double u) {
      return pools_under_load(at_rate(plan, u * all), pre, s, p, x, y, true);
    };
    if (!misses(plan.targets, at_share(1), true)) return out;
    const ShareKept kept = share_kept(plan.targets, plan, at_share);
    out.share = kept.share;
    out.unknown = kept.unknown;
    if (!out.unknown) return out;
    out.judged = false;  // which pair keeps them nobody knows: the one that takes most
    out.workers = best_paid(prices, takes(true), takes(false));
    return out;
  } else {
    const Running<double>& r = *flat().running;
    const PoolPair<double>& pair = *r.budget_pools;
    return {{whole(pair.x), whole(pair.y), plain(pair.rate)},
            r.budget_share,
            r.budget_judged,
            r.budget_unknown};
  }
}

template <class R>
void spend_on_pools(const ServingPlan<R>& plan, const ServingMachine<R>& pre,
                    const ServingMachine<R>& s, Running<R>& run, const PlainAnswer<R>& flat) {
  if (!plan.price || !plan.budget) return;
  const PoolsPaid paid = pools_paid(plan, pre, s, *run.pools, flat);
  run.budget_pools =
      pool_pair(plan, *run.pools, kPrefillForBudget(structural<R>("x_$", paid.workers.x)),
                kDecodeForBudget(structural<R>("y_$", paid.workers.y)));
  run.budget_share = paid.share;
  run.budget_judged = paid.judged;
  run.budget_unknown = paid.unknown;
  if (paid.unknown) return;
  auto rate_xy = run.budget_pools->rate;
  NAME(rate_xy);
  if (!paid.judged) {
    run.rate_for_budget = kPoolsForBudget(rate_xy);
    return;
  }
  auto u_kept = found<R>("u_kept", paid.share);
  NAME(u_kept);
  run.rate_for_budget = kPoolsKeptForBudget(rate_xy * u_kept);
}

}  // namespace reckon
