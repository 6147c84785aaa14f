// Times of kernels: limits, order, and NCCL's choices where they are known.
#include <cmath>

#include "catch.hpp"
#include "reckon/cost/kernels/attention.hpp"
#include "reckon/cost/kernels/collective_curve.hpp"
#include "reckon/cost/kernels/nccl.hpp"
#include "reckon/doc/bind.hpp"
#include "reckon/engine/kernel_model.hpp"
#include "reckon/spec/compiled_once.hpp"

using namespace reckon;

namespace {

using C = Count<double>;

GemmKernel<double> bf16() {
  GemmKernel<double> k;
  k.weight = k.activation = k.output = Bytes<double>(2);
  k.fixed = Seconds<double>(4e-6);
  k.compute = k.memory = Ratio<double>(0.8);
  return k;
}
const Peaks<double> kPeaks{FlopRate<double>(1e15), ByteRate<double>(3e12)};

double product(double m, double n, double k, const GemmKernel<double>& kernel = bf16()) {
  return gemm_cost({C(m), C(n), C(k)}, kernel, kPeaks).time.raw;
}

Nccl<double> nccl() {
  static Workspace work({RECKON_SOURCE_DIR});
  Diagnostics d;
  const doc::Value* tree = work.load(Shelf::kNccl, "nccl-2.30", {}, d);
  Nccl<double> out;
  Origins origins;
  if (tree) bind(*tree, out, {d, origins});
  INFO(d.render());
  REQUIRE(d.all().empty());
  return out;
}

NcclCost<double> by_nccl(const char* generation, CollectiveOp op, double bytes, double q,
                         double r) {
  const Nccl<double> model = nccl();
  for (const auto& g : model.generations)
    if (g.name == generation)
      return nccl_cost(op, Bytes<double>(bytes),
                       {C(q), C(r), C(std::ceil(q / r)), ByteRate<double>(50e9)}, model, g);
  FAIL(generation);
  return {};
}

double bus(const NcclCost<double>& cost, double bytes, double q) {
  return 2 * (q - 1) / q * bytes / cost.time.raw;
}

}  // namespace

TEST_CASE(
    "a product never takes less than its FLOP or its bytes, and more of anything takes longer") {
  for (const double m : {1., 16., 256., 4096.})
    for (const double n : {1024., 8192.})
      for (const double k : {512., 7168.}) {
        const double t = product(m, n, k);
        CHECK(t >= 4e-6 + 2 * m * n * k / 0.8e15);
        CHECK(t >= 4e-6 + 2 * (n * k + m * k + m * n) / 2.4e12);
        CHECK(product(2 * m, n, k) > t);
        CHECK(product(m, 2 * n, k) > t);
        CHECK(product(m, n, 2 * k) > t);
      }
}

TEST_CASE("quantizing costs the activation once, and never a grouped product's") {
  GemmKernel<double> k = bf16();
  k.activation = k.weight = Bytes<double>(1);
  const double without = product(64, 4096, 4096, k);
  k.quantizes = true;
  CHECK(product(64, 4096, 4096, k) - without == Approx(64 * 4096 * 3 / 2.4e12));
}

TEST_CASE("a grouped product of one group is a dense one; idle experts are not read") {
  const auto one =
      grouped_gemm_cost({C(64), C(1), C(4096), C(4096), Ratio<double>(1)}, bf16(), kPeaks);
  CHECK(one.time.raw == Approx(product(64, 4096, 4096)));
  const auto many =
      grouped_gemm_cost({C(64), C(8), C(4096), C(4096), Ratio<double>(1)}, bf16(), kPeaks);
  CHECK(many.bytes.raw - one.bytes.raw == Approx(7 * 4096. * 4096 * 2));
}

TEST_CASE("decode attention blends: a power of 1 adds, a large one takes the larger") {
  DecodeKernel<double> k;
  k.kv_size = Bytes<double>(2);
  k.fixed = Seconds<double>(10e-6);
  k.memory = Ratio<double>(1);
  const AttentionCall<double> call{C(32), C(4096), C(1), C(8), C(128)};
  const double read = 32. * 4096 * 2 * 8 * 128 * 2 / 3e12;
  const auto time = [&](double p) {
    k.blend = Ratio<double>(p);
    return decode_attention_cost(call, k, ByteRate<double>(3e12)).time.raw;
  };
  CHECK(time(1) == Approx(10e-6 + read));
  CHECK(time(20) == Approx(read).epsilon(1e-3));
  CHECK(time(0.6) > time(1));
}

TEST_CASE("a curve reaches half its rate at its half size, and waits for an empty message") {
  CollectiveCurve<double> c;
  c.wait = Seconds<double>(10e-6);
  c.rate = ByteRate<double>(400e9);
  c.half = Bytes<double>(16e6);
  const auto at = [&](double S, double q) { return curve_cost(Bytes<double>(S), C(q), c); };
  CHECK(at(16e6, 2).time.raw == Approx(10e-6 + 2 * 16e6 / 400e9));
  CHECK(at(1, 2).time.raw == Approx(10e-6 + 4001 / 400e9));  // √16e6 = 4000
  c.wait_growth = Ratio<double>(1.5);
  CHECK(at(1, 8).wait.raw == Approx(22.5e-6));
  CHECK(anchored_time(Bytes<double>(32e6), C(2), c, Bytes<double>(16e6), Seconds<double>(180e-6))
            .raw == Approx(2 * at(32e6, 2).time.raw));
}

TEST_CASE("NCCL's model: the algorithm and bus bandwidth that NCCL is known for") {
  // The tuning model's own peaks: a ring of 240, 360 and 720 GB/s, the switch from 5 H100 on at 408 … 476.
  CHECK(bus(by_nccl("Ampere", CollectiveOp::kAllReduce, 16e9, 8, 8), 16e9, 8) ==
        Approx(240e9).epsilon(0.01));
  const NcclCost<double> four = by_nccl("Hopper", CollectiveOp::kAllReduce, 8e9, 4, 4);
  CHECK(bus(four, 8e9, 4) == Approx(360e9).epsilon(0.01));
  CHECK(kNcclWays[four.winner].id == "ring_simple");
  const NcclCost<double> five = by_nccl("Hopper", CollectiveOp::kAllReduce, 8e9, 5, 5);
  CHECK(bus(five, 8e9, 5) == Approx(408e9).epsilon(0.01));
  CHECK(kNcclWays[five.winner].id == "nvls");
  CHECK(bus(by_nccl("Hopper", CollectiveOp::kAllReduce, 8e9, 8, 8), 8e9, 8) ==
        Approx(476e9).epsilon(0.01));
  CHECK(bus(by_nccl("Blackwell", CollectiveOp::kAllReduce, 16e9, 8, 8), 16e9, 8) ==
        Approx(829e9).epsilon(0.01));
}

TEST_CASE("NCCL's model between nodes: trees for little, rings for much, at most the network") {
  const NcclCost<double> small = by_nccl("Hopper", CollectiveOp::kAllReduce, 4096, 512, 8);
  CHECK(kNcclWays[small.winner].id.substr(0, 4) == "tree");
  const NcclCost<double> large = by_nccl("Hopper", CollectiveOp::kAllReduce, 64e9, 64, 8);
  CHECK(bus(large, 64e9, 64) <= 400e9 * 1.001);
  CHECK(bus(large, 64e9, 64) > 300e9);
  for (const auto& way : by_nccl("Hopper", CollectiveOp::kAllReduce, 1e6, 16, 8).ways)
    if (way) CHECK(way->raw > 0);
}
