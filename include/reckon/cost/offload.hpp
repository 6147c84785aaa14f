// What lies in the host's memory, and what copying it takes of a step.
//
//   optimizer     its states; gradients go down and weights come up once a step (step.optimizer)
//   gradients     their shards go down after every reduction; then they need not at the update
//   weights       their shards come up before every gather (ZeRO-3); then they need not at the update
//   activations   a share of what layers keep goes down behind the forward pass, comes up behind the backward pass
//
// The host link carries each direction at its rate: a pass takes the longer of what goes down and what comes up in it,
// and `overlap.host` of that hides behind the pass's compute.
//
//   exposed = time − min(overlap · time, compute of the forward or the backward passes)
//
// Not counted: the host's arithmetic, and network traffic through the same bus. Source: Ren 2021 (ZeRO-Offload),
// Rajbhandari 2021 (ZeRO-Infinity); PyTorch FSDP CPUOffload(offload_params=True).
#pragma once

#include "reckon/cost/communication.hpp"
#include "reckon/cost/compute.hpp"
#include "reckon/cost/memory.hpp"

namespace reckon {

inline const Formula kHostDown{"host.down", "S_down", "bytes that go down to the host in a pass",
                               "activations forward, gradients backward"};
inline const Formula kHostUp{"host.up", "S_up", "bytes that come up from the host in a pass",
                             "weights, and activations backward"};
inline const Formula kHostForward{"host.forward", "T_host_f",
                                  "copies beside the forward passes of a step",
                                  "the longer direction over the host link"};
inline const Formula kHostBackward{"host.backward", "T_host_b",
                                   "copies beside the backward passes of a step",
                                   "the longer direction over the host link"};
inline const Formula kHostExposed{"host.exposed", "T_exp", "copies of a pass left exposed",
                                  "time − what hides behind the pass"};
inline const Formula kHostTime{"host.copies", "T_host", "copies to the host and back in a step",
                               "forward and backward passes"};
inline const Formula kHostStep{"step.host", "T_host_exp", "copies to the host left exposed",
                               "forward and backward passes"};
inline const Formula kHostNode{"memory.host_node", "M_node", "host memory that a node needs",
                               "GPUs of a node · what one puts there"};
inline const Formula kStepTimeHost{"step.time_host", "T", "time of one optimizer step",
                                   "all else + copies to the host left exposed"};

template <class R>
bool copies_to_host(const TrainingPlan<R>& plan) {
  const Offloaded<R>& o = plan.offloaded;
  return o.weights || o.gradients || !(o.activations <= Ratio<R>{});
}

template <class R>
struct HostCopies {
  Bytes<R> down{}, up{};  // in a step, one GPU
  Seconds<R> time{}, exposed{};
};

// Bytes of one step in each kind of pass and direction.
template <class R>
struct HostPass {
  Sum<kByte, R> down, up;
};

template <class R>
Seconds<R> host_copy(const Formula& formula, const HostPass<R>& pass, const TrainingPlan<R>& plan,
                     HostCopies<R>& out) {
  auto S_down = kHostDown(pass.down.total());
  auto S_up = kHostUp(pass.up.total());
  out.down = out.down + S_down;
  out.up = out.up + S_up;
  NAME(S_down, S_up);
  return formula(max(S_down, S_up) /
                 (plan.cluster.node.chip.host->one_way * plan.assume.efficiency.host));
}

template <class R>
Seconds<R> host_exposed(const TrainingPlan<R>& plan, Seconds<R> time, Seconds<R> behind) {
  const auto& o_host = plan.assume.overlap.host;
  NAME(time, behind);
  return kHostExposed(time - min(o_host * time, behind));
}

// Of the heaviest stage, behind the compute of a step.
template <class R>
HostCopies<R> host_copies(const TrainingPlan<R>& plan, const Layout<R>& x, const StageMemory<R>& m,
                          const ComputeTime<R>& work) {
  HostCopies<R> out;
  HostPass<R> forward, backward;
  auto n = x.n;
  NAME(n);
  if (m.host_micro_batch) {
    auto M_mb = *m.host_micro_batch;
    NAME(M_mb);
    forward.down.add("activations", n * M_mb);
    backward.up.add("activations", n * M_mb);
  }
  if (plan.offloaded.weights) {
    auto M_w = m.states.host.weights;
    NAME(M_w);
    forward.up.add("weights", n * M_w);
    if (plan.sharding.reshard) backward.up.add("weights", n * M_w);
  }
  if (plan.offloaded.gradients) {
    auto M_g = m.states.host.gradients;
    NAME(M_g);
    const bool each = plan.mesh.pipeline <= 1 || plan.sharding.zero < 3;
    backward.down.add("gradients", each ? n * M_g : 1 * M_g);
  }
  auto T_host_f = host_copy(kHostForward, forward, plan, out);
  auto T_host_b = host_copy(kHostBackward, backward, plan, out);
  NAME(T_host_f, T_host_b);
  out.time = kHostTime(T_host_f + T_host_b);
  auto passes = plan.trainable.adapters ? Count<R>{2} : Count<R>{3};
  auto T_useful = work.useful;
  auto T_work = work.total();
  NAME(passes, T_useful, T_work);
  auto behind_f = T_useful / passes;
  auto behind_b = T_work - behind_f;
  Sum<kSecond, R> exposed;
  exposed.add("forward", host_exposed(plan, T_host_f, behind_f));
  exposed.add("backward", host_exposed(plan, T_host_b, behind_b));
  out.exposed = kHostStep(exposed.total());
  return out;
}

}  // namespace reckon
