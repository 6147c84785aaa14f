// What a closed form says of a load beside what its simulation says, figure by figure, over many loads.
#pragma once

#include "../deviation.hpp"
#include "reckon/cost/load/load.hpp"
#include "reckon/load/simulate.hpp"

namespace reckon::test {

struct Agreement {
  Deviation ttft, p50, p90, p99, tpot, tpot90, tpot99, decoding;

  // At a utilisation of `u`; above a half the closed form has no p99.
  void add(const LoadFigures<double>& f, const load::Outcome& o, double u) {
    ttft.add(f.ttft->raw, o.ttft.value.mean, o.ttft.half.mean);
    p50.add(f.ttft_p50->raw, o.ttft.value.p50, o.ttft.half.p50);
    p90.add(f.ttft_p90->raw, o.ttft.value.p90, o.ttft.half.p90);
    tpot.add(f.tpot->raw, o.tpot.value.mean, o.tpot.half.mean);
    tpot90.add(f.tpot_p90->raw, o.tpot.value.p90, o.tpot.half.p90);
    decoding.add(f.decoding->n.raw, o.decoding.value, o.decoding.half);
    CHECK(f.ttft_p99.has_value() == (u <= 0.5));
    if (!f.ttft_p99) return;
    p99.add(f.ttft_p99->raw, o.ttft.value.p99, o.ttft.half.p99);
    tpot99.add(f.tpot_p99->raw, o.tpot.value.p99, o.tpot.half.p99);
  }

  // A tenth at mean, p50 and p90, a quarter at p99: what the project holds its closed forms to.
  void check() const {
    ttft.print("TTFT");
    p50.print("TTFT p50");
    p90.print("TTFT p90");
    p99.print("TTFT p99");
    tpot.print("TPOT");
    tpot90.print("TPOT p90");
    tpot99.print("TPOT p99");
    decoding.print("decoding");
    CHECK(ttft.mean() < 0.10);
    CHECK(p50.mean() < 0.10);
    CHECK(p90.mean() < 0.10);
    CHECK(p99.mean() < 0.25);
    CHECK(tpot.mean() < 0.10);
    CHECK(tpot90.mean() < 0.10);
    CHECK(tpot99.mean() < 0.25);
    CHECK(decoding.mean() < 0.10);
  }
};

// Of users, on so many engines that share stages.
struct UsersAgreement {
  Deviation ttft, p90, tpot, tpot90, rate;

  void add(const LoadFigures<double>& f, const load::Outcome& o, double engines = 1) {
    CHECK(f.utilisation.raw <= 1 + 1e-9);
    ttft.add(f.ttft->raw, o.ttft.value.mean, o.ttft.half.mean);
    if (f.ttft_p90) p90.add(f.ttft_p90->raw, o.ttft.value.p90, o.ttft.half.p90);
    tpot.add(f.tpot->raw, o.tpot.value.mean, o.tpot.half.mean);
    if (f.tpot_p90) tpot90.add(f.tpot_p90->raw, o.tpot.value.p90, o.tpot.half.p90);
    rate.add(engines * f.rate.raw, o.rate.value, o.rate.half);
  }
  void print() const {
    ttft.print("TTFT");
    p90.print("TTFT p90");
    tpot.print("TPOT");
    tpot90.print("TPOT p90");
    rate.print("rate");
  }
};

}  // namespace reckon::test
