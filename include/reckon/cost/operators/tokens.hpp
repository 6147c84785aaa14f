// Tokens sent to an MoE layer's experts and back, and what of that stays exposed.
//
//   expert_time(plan, group, layout, shape, machine)     forward and backward
//
// Balanced routing; copies and tiers as cost/experts.hpp counts them.
#pragma once

#include "reckon/cost/communication.hpp"
#include "reckon/cost/experts.hpp"
#include "reckon/cost/operators/collective.hpp"
#include "reckon/cost/operators/elementwise.hpp"
#include "reckon/cost/operators/machine.hpp"

namespace reckon {

inline const Formula kExpertExposed{"operator.expert.exposed", "t_ep",
                                    "dispatch and combine left exposed", "two all-to-alls a pass"};

// The whole all-to-all of an MoE layer's tokens. x: bytes of a rank's tokens, one copy each; what
// leaves the node goes once to each node that holds any of a token's experts, and there once to
// each such GPU; both links work at once.
inline const Formula kDispatchNear{"operator.dispatch.in_node", "t_a2a",
                                   "tokens to experts inside a node",
                                   "a copy for each GPU that holds any of a token's experts"};
inline const Formula kDispatchFar{"operator.dispatch.across", "t_a2a",
                                  "tokens to experts across nodes",
                                  "a copy for each node over the network, for each GPU over links"};

template <class R>
Seconds<R> dispatch_time(Bytes<R> x, const Mlp<R>& mlp, const Group<R>& group, Dispatch convention,
                         const OperatorMachine<R>& m) {
  const NetworkStack<R>& k = m.stack.network;
  const Copies<R> copies = dispatch_copies(mlp, group, convention);
  if (m.stack.tier == CollectiveModel::kLineRate)
    return all_to_all(x, copies, group, m.links, m.assume).time;
  auto q = group.q;
  auto r = group.r;
  auto to_gpus = copies.to_gpus;
  auto W = link_rate(CollectiveOp::kAllToAll, m);
  NAME(x, q, r, to_gpus, W);
  if (!group.crosses())
    return kDispatchNear(x * to_gpus * (r - 1) / r / (W * k.all_to_all) + k.base);
  auto N_e = q / r;
  auto to_nodes = copies.to_nodes;
  NAME(N_e, to_nodes);
  auto near = x * to_gpus / W;
  auto far = x * to_nodes * (N_e - 1) / N_e / (port_rate(group, m, true) * k.efficiency);
  NAME(near, far);
  return kDispatchFar(max(near, far) / k.all_to_all + k.base + k.network_hop);
}

// Dispatch and combine, each way.
template <class R>
Pass<R> expert_time(const TrainingPlan<R>& plan, const LayerGroup<R>& g, const Layout<R>& x,
                    const LayerShape<R>& l, const OperatorMachine<R>& m) {
  if (g.mlp.kind != MlpKind::kMoe || plan.mesh.expert <= 1) return {};
  auto sent = sent_to_experts(plan, g.mlp, l.H);
  NAME(sent);
  const Dispatch copies = plan.assume.dispatch;
  auto combine = dispatch_time(sent, g.mlp, x.expert, copies, m);
  auto dispatch =
      m.stack.fp8_dispatch ? dispatch_time(sent / 2, g.mlp, x.expert, copies, m) : combine;
  auto left =
      m.stack.overlap_experts ? left_of(m.stack.overlap.expert, m.stack.overlap) : Ratio<R>{1};
  NAME(dispatch, combine, left);
  auto each = kExpertExposed((dispatch + combine) * left);
  return {each, each};
}

}  // namespace reckon
