// One kernel's time: a product, attention, a collective by its curve and by NCCL's model.
#include <benchmark/benchmark.h>

#include <stdexcept>

#include "reckon/cost/kernels/attention.hpp"
#include "reckon/cost/kernels/collective_curve.hpp"
#include "reckon/cost/kernels/nccl.hpp"
#include "reckon/doc/bind.hpp"
#include "reckon/engine/kernel_model.hpp"

namespace {

using namespace reckon;
using C = Count<double>;

struct Data {
  Workspace work{{RECKON_SOURCE_DIR}};
  Chip<double> chip;
  Kernels<double> kernels;
  Nccl<double> nccl;
  Peaks<double> peaks;

  Data() {
    Diagnostics d;
    chip = *load_chip(work, "h200-sxm", {}, d);
    kernels = *load_kernels(work, "h200-sxm", {}, d);
    Origins origins;
    bind(*work.load(Shelf::kNccl, "nccl-2.30", {}, d), nccl, {d, origins});
    peaks = {*chip.peak.bf16, chip.memory.bandwidth};
    if (d.has_errors()) throw std::runtime_error(d.render());
  }
};
const Data& data() {
  static const Data all;
  return all;
}

void product(benchmark::State& state) {
  const Data& x = data();
  double m = 1;
  for (auto _ : state) {
    m = m > 4096 ? 1 : m + 1;
    benchmark::DoNotOptimize(gemm_cost({C(m), C(8192), C(8192)}, x.kernels.gemm[0], x.peaks));
  }
}
void decode(benchmark::State& state) {
  const Data& x = data();
  double length = 1;
  for (auto _ : state) {
    length = length > 4096 ? 1 : length + 1;
    benchmark::DoNotOptimize(decode_attention_cost({C(32), C(length), C(1), C(8), C(128)},
                                                   x.kernels.decode[0], x.peaks.W));
  }
}
void curve(benchmark::State& state) {
  const Data& x = data();
  double S = 1024;
  for (auto _ : state) {
    S = S > 1e9 ? 1024 : 2 * S;
    benchmark::DoNotOptimize(curve_cost(Bytes<double>(S), C(8), x.kernels.collectives[0]));
  }
}
void nccl(benchmark::State& state) {
  const Data& x = data();
  double S = 1024;
  for (auto _ : state) {
    S = S > 1e9 ? 1024 : 2 * S;
    benchmark::DoNotOptimize(nccl_cost(CollectiveOp::kAllReduce, Bytes<double>(S),
                                       {C(64), C(8), C(8), ByteRate<double>(50e9)}, x.nccl,
                                       x.nccl.generations[1]));
  }
}

BENCHMARK(product);
BENCHMARK(decode);
BENCHMARK(curve);
BENCHMARK(nccl);

}  // namespace
