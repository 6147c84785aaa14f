// Time of a matrix product on one GPU, C[M,N] += A[M,K]·B[K,N], `batch` of them.
//
// Tiles are dealt to SMs in waves, so M and N cost in steps; the depth K must fill a pipeline of
// about k0. The larger of arithmetic and memory time counts, plus one kernel's fixed cost.
// Constants: spec/stack.hpp. Source: fitted on kernels and runs, hardware/stacks.
#pragma once

#include <optional>
#include <type_traits>

#include "reckon/cost/collectives.hpp"
#include "reckon/cost/operators/known.hpp"
#include "reckon/spec/hardware.hpp"
#include "reckon/spec/stack.hpp"
#include "reckon/units/formula/formula.hpp"
#include "reckon/units/formula/plain.hpp"

namespace reckon {

inline const Formula kTileShare{"operator.gemm.tile_share", "e_tile",
                                "share of the SMs' tiles that is useful work",
                                "tiles dealt to SMs in waves", Hint::kFraction};
inline const Formula kGemmDeep{"operator.gemm.deep", "e_K", "share of the ceiling at this depth",
                               "half of it at K = k0", Hint::kFraction};
inline const Formula kGemmWide{"operator.gemm.wide", "e_K",
                               "share of the ceiling at this depth and width",
                               "half of it at K = k0, and at min(M, N) = n8", Hint::kFraction};
inline const Formula kGemmShare{"operator.gemm.efficiency", "eta",
                                "share of the peak a GEMM reaches", "ceiling · tiles · depth",
                                Hint::kFraction};
inline const Formula kTiledGemmBytes{"operator.gemm.bytes", "bytes", "bytes of a GEMM",
                                     "inputs read, output written in 16 bits"};
inline const Formula kTiledGroupedBytes{"operator.gemm.grouped_bytes", "bytes",
                                        "bytes of independent GEMMs of one shape",
                                        "inputs read, output written in 16 bits, of each"};
inline const Formula kTiledGemmTime{
    "operator.gemm.time", "t_gemm", "time of one GEMM",
    "the larger of arithmetic and memory, and a kernel's fixed cost"};
inline const Formula kGemmGradients{"operator.gemm.gradients", "t_grad",
                                    "gradients of a GEMM's input and weights",
                                    "one GEMM each, of permuted shape"};
inline const Formula kTrafficTime{"operator.traffic.time", "t_mem",
                                  "time of operators bound by memory",
                                  "bytes over memory bandwidth, and their kernels"};

template <class R>
struct Gemm {
  Count<R> M, N, K;
  std::optional<Count<R>> batch;
};

// What a number format decides. `factor`: batched or grouped GEMMs reach less.
template <class R>
struct GemmRates {
  FlopRate<R> P;
  Ratio<R> gm;
  Count<R> k0, n0;  // depth and width at which half the ceiling is reached
  Bytes<R> element;
};

// A chip under a stack: what every operator asks.
template <class R>
struct OperatorMachine {
  const Chip<R>& chip;
  const Stack<R>& stack;
  const Assume<R>& assume;
  const NcclGeneration<R>* generation = nullptr;  // where collectives are priced by NCCL's model
  Links<R> links{};                               // under the efficiencies of `assume`: line_rate
  ByteRate<R> W_nic{}, W_link{};                  // of one GPU, line rates
  Count<R> N_node{1};
  GemmRates<R> gemm, gemm16;       // in the format of the run; in 16 bits
  KnownTimes<R>* known = nullptr;  // kept by the caller
};

// ceil() of a number of tiles, without its call on plain numbers: the same value.
template <class R>
Count<R> tiles_of(Count<R> a) {
  if constexpr (std::is_same_v<R, double>) {
    const double x = plain(a);
    if (!(x < 1e15)) return a;
    const auto below = static_cast<double>(static_cast<long long>(x));
    return Count<R>(below < x ? below + 1 : below);
  } else {
    return ceil(a);
  }
}

template <class R>
Ratio<R> tile_share(const Gemm<R>& g, Count<R> outputs, const Tile<R>& tile, Count<R> n_SM,
                    Count<R> w_s) {
  const auto& [m_t, n_t, q_t] = tile;
  auto tiles = tiles_of(g.M / m_t) * tiles_of(g.N / n_t);
  if (g.batch) tiles = tiles * *g.batch;
  auto w = tiles / n_SM;
  auto w_eff =
      where(w < w_s, tiles_of(w), w + 0.5);  // persistent kernels smooth the tail of long runs
  NAME(w, w_eff);
  return kTileShare(q_t * outputs / (w_eff * n_SM * m_t * n_t));
}

// Inputs read, output written in 16 bits.
template <class R>
Bytes<R> gemm_bytes(const Gemm<R>& g, const GemmRates<R>& rates) {
  auto M = g.M;
  auto N = g.N;
  auto K = g.K;
  auto element = rates.element;
  NAME(M, N, K, element);
  auto each = element * (M * K + K * N) + 2_B * M * N;
  if (!g.batch) return kTiledGemmBytes(each);
  auto batch = *g.batch;
  NAME(batch);
  return kTiledGroupedBytes(batch * each);
}
template <class R>
Flops<R> gemm_flops(const Gemm<R>& g) {
  auto each = 2_flop * g.M * g.N * g.K;
  return g.batch ? *g.batch * each : each;
}

template <class R>
Seconds<R> gemm_time(Gemm<R> g, const GemmRates<R>& rates, const OperatorMachine<R>& m) {
  auto [P, gm, k0, n0, element] = rates;
  const auto& W_m = m.chip.memory.bandwidth;
  const auto& em = m.stack.traffic.efficiency;
  const auto& tl = m.stack.fixed.kernel;
  auto& M = g.M;
  auto& N = g.N;
  auto& K = g.K;
  NAME(M, N, K, P, gm, k0, element);
  auto outputs = M * N;
  if (g.batch) {
    auto batch = *g.batch;
    NAME(batch);
    outputs = outputs * batch;
  }
  NAME(outputs);
  Largest<kOne, R> e_tile;
  int i = 0;
  for (const Tile<R>& tile : m.stack.gemm.tiles) {
    // No share exceeds its tile's quality; a recording keeps the losers, too.
    if (std::is_same_v<R, double> && tile.quality <= e_tile.best()) continue;
    e_tile.offer({"tile", i++},
                 tile_share(g, outputs, tile, *m.chip.units, m.stack.gemm.smooth_waves));
  }
  auto filled = K / (K + k0);
  if (n0 <= 0) {
    filled = kGemmDeep(filled);
  } else {
    auto width = min(M, N);
    filled = kGemmWide(filled * width / (width + n0));
  }
  auto eta = kGemmShare(gm * e_tile.best() * filled);
  auto bytes = gemm_bytes(g, rates);
  NAME(bytes);
  return kTiledGemmTime(max(2_flop * outputs * K / (P * eta), bytes / (W_m * em)) + tl);
}

// Of the GEMM with these shapes forward: dA[M,K] = dC·Bᵀ and dB[K,N] = Aᵀ·dC.
template <class R>
Seconds<R> gemm_gradients(const Gemm<R>& g, const GemmRates<R>& rates,
                          const OperatorMachine<R>& m) {
  return kGemmGradients(gemm_time<R>({g.M, g.K, g.N, g.batch}, rates, m) +
                        gemm_time<R>({g.K, g.N, g.M, g.batch}, rates, m));
}

// What hidden communication leaves: the rest, and what it slows the compute beside it down by.
template <class R>
Ratio<R> left_of(Ratio<R> hidden, const OverlapStack<R>& o) {
  return 1 - hidden * (1 - o.contention);
}

// Of them the gradient of the weights alone, which some schedules run apart.
template <class R>
Seconds<R> weight_gradient(const Gemm<R>& g, const GemmRates<R>& rates,
                           const OperatorMachine<R>& m) {
  return gemm_time<R>({g.K, g.N, g.M, g.batch}, rates, m);
}

template <class R>
Seconds<R> traffic_time(Bytes<R> bytes, Count<R> kernels, const OperatorMachine<R>& m) {
  NAME(bytes, kernels);
  return kTrafficTime(bytes / (m.chip.memory.bandwidth * m.stack.traffic.efficiency) +
                      kernels * m.stack.fixed.kernel);
}

// Forward and backward of one operator.
template <class R>
struct Pass {
  Seconds<R> forward{}, backward{};
};

}  // namespace reckon
