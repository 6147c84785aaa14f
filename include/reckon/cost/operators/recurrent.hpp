// A mixer that keeps a state, on one GPU and one micro-batch: its matrix products, its scan, its collective.
//
//   recurrent_gemms(model, mixer, shape, gemms)       projections with their shapes under tensor parallelism
//   scan_time(plan, mixer, shape, machine)            max(FLOPs / (P · c), bytes / (W_m · e_m)) + kernels
//
// Heads, channels and groups divide over tensor ranks, as in Megatron-LM's mamba_mixer.py. A scan waits for its whole
// sequence, so context ranks have no share in it (engine/legal_recurrent.cpp refuses them). FLOPs and bytes:
// cost/recurrent.hpp; shares of the peaks: the stack's `scan`.
#pragma once

#include "reckon/cost/operators/collective.hpp"
#include "reckon/cost/operators/elementwise.hpp"
#include "reckon/cost/recurrent.hpp"

namespace reckon {

inline const Formula kScanForward{"operator.scan.forward", "t_scan", "scan of a layer, forward",
                                  "the slower of products and traffic, and its kernels"};
inline const Formula kScanSelective{"operator.scan.selective", "t_scan",
                                    "selective scan of a layer, forward",
                                    "the slower of vector units and traffic, and its kernel"};
inline const Formula kScanBackward{"operator.scan.backward", "t_scan_b",
                                   "scan of a layer, backward",
                                   "the stack's factor on its forward "
                                   "pass: states and scores are made again"};

// Products of q, k and v are one, as frameworks fuse them.
template <class R, class Gemms>
void recurrent_gemms(const Model<R>& model, const Mixer<R>& x, const LayerShape<R>& l, Gemms& out) {
  Count<R> N_qkv{0};
  for_each_recurrent_matrix(model, x, [&](const Matrix<R>& w) {
    const std::string_view name = w.name;
    auto N_w = w.split == Split::kColumns ? w.out / l.t : w.out;
    auto K_w = w.split == Split::kRows ? w.in / l.t : w.in;
    NAME(N_w, K_w);
    if (name == "q" || name == "k") {
      N_qkv += N_w;
      return;
    }
    if (name == "v") return out.push_back({"mixer qkv", {l.T, N_qkv + N_w, K_w, {}}});
    const char* label = name == "in"            ? "mixer in"
                        : name == "x"           ? "mixer time step, B, C"
                        : name == "dt"          ? "mixer time steps"
                        : name == "qkvz"        ? "mixer qkvz"
                        : name == "ba"          ? "mixer strengths and decays"
                        : name == "output_gate" ? "mixer gate"
                                                : "mixer out";
    out.push_back({label, {l.T, N_w, K_w, {}}});
  });
}

template <class R>
Pass<R> scan_time(const TrainingPlan<R>& plan, const Mixer<R>& whole, const LayerShape<R>& l,
                  const OperatorMachine<R>& m) {
  if (!recurrent(whole.kind)) return {};
  const ScanStack<R>& k = *m.stack.scan;
  const Mixer<R> x = mixer_on_rank(whole, l.t);
  auto T = l.T;
  auto F = scan_flops(plan.model, x);
  auto S_scan = scan_bytes(plan.model, x);
  NAME(T, F, S_scan);
  const auto& W_m = m.chip.memory.bandwidth;
  const auto& em = m.stack.traffic.efficiency;
  auto launches = k.kernels * m.stack.fixed.kernel;
  NAME(launches);
  Seconds<R> forward;
  if (chunked(x.kind)) {
    auto P = m.gemm16.P;
    NAME(P);
    forward = kScanForward(max(T * F / (P * k.ceiling), T * S_scan / (W_m * em)) + launches);
  } else {
    auto P_32 = *m.chip.peak.of(Compute::kFp32);
    NAME(P_32);
    forward = kScanSelective(max(T * F / (P_32 * k.vector), T * S_scan / (W_m * em)) + launches);
  }
  auto t_scan = forward;
  NAME(t_scan);
  return {forward, kScanBackward(k.backward * t_scan)};
}

// mamba1: every rank's channels give a part of the time step, B and C, which all of them need.
template <class R>
Seconds<R> small_reduce(const Mixer<R>& x, const Group<R>& tensor, const LayerShape<R>& l,
                        const OperatorMachine<R>& m) {
  if (x.kind != MixerKind::kMamba1 || l.t <= 1) return {};
  auto S_small = 2_B * l.T * small_elements(x);
  NAME(S_small);
  return collective_time(CollectiveOp::kAllReduce, S_small, tensor, m);
}

}  // namespace reckon
