// The machine a plan runs on: chip, node, fabric, cluster.
//
//   hardware/chips/h100-sxm.yaml      what one GPU can do
//   hardware/nodes/hgx-h100.yaml      GPUs that share a scale-up link, and their network ports
//   hardware/fabrics/ib-ndr.yaml      what one network port carries
//   cluster: 64xh100-sxm              in a plan: the usual node of that chip, eight times
//
// Conventions: peaks are dense; every bandwidth is one way and per GPU (a fabric's rate is one way
// per port); capacity is what the vendor prints, `usable` what a driver reports.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "reckon/doc/field.hpp"
#include "reckon/units/quantity.hpp"

namespace reckon {

// Number formats a chip has a peak for.
enum class Compute {
  kFp64,
  kFp64Tensor,
  kFp32,
  kTf32,
  kBf16,
  kFp16,
  kFp8,
  kInt8,
  kFp6,
  kFp4,
  kInt4
};
constexpr auto names(Compute) {
  return std::array{"fp64", "fp64_tensor", "fp32", "tf32", "bf16", "fp16",
                    "fp8",  "int8",        "fp6",  "fp4",  "int4"};
}

template <class R>
struct Peak {
  std::optional<FlopRate<R>> fp64, fp64_tensor, fp32, tf32, bf16, fp16, fp8, int8, fp6, fp4, int4;

  const std::optional<FlopRate<R>>& of(Compute format) const {
    const std::array all{&fp64, &fp64_tensor, &fp32, &tf32, &bf16, &fp16,
                         &fp8,  &int8,        &fp6,  &fp4,  &int4};
    return *all[static_cast<std::size_t>(format)];
  }

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("fp64", "P", "vector units").limit(Limit::kPositive), s.fp64...);
    v(Field("fp64_tensor", "P", "tensor cores").limit(Limit::kPositive), s.fp64_tensor...);
    v(Field("fp32", "P", "vector units").limit(Limit::kPositive), s.fp32...);
    v(Field("tf32", "P", "dense").limit(Limit::kPositive), s.tf32...);
    v(Field("bf16", "P", "dense").limit(Limit::kPositive), s.bf16...);
    v(Field("fp16", "P", "dense").limit(Limit::kPositive), s.fp16...);
    v(Field("fp8", "P", "dense").limit(Limit::kPositive), s.fp8...);
    v(Field("int8", "P", "dense, integer operations").limit(Limit::kPositive), s.int8...);
    v(Field("fp6", "P", "dense").limit(Limit::kPositive), s.fp6...);
    v(Field("fp4", "P", "dense").limit(Limit::kPositive), s.fp4...);
    v(Field("int4", "P", "dense, integer operations").limit(Limit::kPositive), s.int4...);
  }
};

// Dense FLOP of one unit in one clock: peak = units · clock · per_clock.
template <class R>
struct PerClock {
  std::optional<Flops<R>> fp64, fp64_tensor, fp32, tf32, bf16, fp16, fp8, int8, fp6, fp4, int4;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("fp64", "", "FLOP per unit and clock"), s.fp64...);
    v(Field("fp64_tensor", "", "FLOP per unit and clock"), s.fp64_tensor...);
    v(Field("fp32", "", "FLOP per unit and clock"), s.fp32...);
    v(Field("tf32", "", "FLOP per unit and clock"), s.tf32...);
    v(Field("bf16", "", "FLOP per unit and clock"), s.bf16...);
    v(Field("fp16", "", "FLOP per unit and clock"), s.fp16...);
    v(Field("fp8", "", "FLOP per unit and clock"), s.fp8...);
    v(Field("int8", "", "operations per unit and clock"), s.int8...);
    v(Field("fp6", "", "FLOP per unit and clock"), s.fp6...);
    v(Field("fp4", "", "FLOP per unit and clock"), s.fp4...);
    v(Field("int4", "", "operations per unit and clock"), s.int4...);
  }
};

struct PeakException {
  std::string format, reason;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("format", "", "the peak that units × clock does not give").required(), s.format...);
    v(Field("reason", "", "why").required(), s.reason...);
  }
};

template <class R>
struct ChipMemory {
  Bytes<R> capacity;
  std::optional<Bytes<R>> usable, l2;
  ByteRate<R> bandwidth;
  std::string kind;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("capacity", "C_print", "as the vendor prints it").required().limit(Limit::kPositive),
      s.capacity...);
    v(Field("usable", "C_usable", "as the driver reports it").limit(Limit::kPositive), s.usable...);
    v(Field("bandwidth", "W_m", "reads and writes together").required().limit(Limit::kPositive),
      s.bandwidth...);
    v(Field("l2", "", "last-level cache on the chip"), s.l2...);
    v(Field("kind", "", "HBM2e, HBM3, GDDR6, …"), s.kind...);
  }
};

// The link inside a node or rack: NVLink, xGMI, ICI, PCIe.
template <class R>
struct ScaleUpLink {
  std::string kind;
  ByteRate<R> one_way;
  std::optional<ByteRate<R>> peer;
  std::optional<Count<R>> domain;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("kind", "", "NVLink4 x18, xGMI, ICI, …"), s.kind...);
    v(Field("one_way", "W_all", "to all peers at once, one way").required().limit(Limit::kPositive),
      s.one_way...);
    v(Field("peer", "W_one", "to a single peer, one way").limit(Limit::kPositive), s.peer...);
    v(Field("domain", "", "chips that the link can join").count(), s.domain...);
  }
};

template <class R>
struct HostLink {
  std::string kind;
  ByteRate<R> one_way;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("kind", "", "PCIe Gen5 x16, NVLink-C2C, …"), s.kind...);
    v(Field("one_way", "W_host", "to the host's memory, one way")
          .required()
          .limit(Limit::kPositive),
      s.one_way...);
  }
};

template <class R>
struct Chip {
  std::string id, name, usual_node, usual_stack, source;
  Peak<R> peak;
  ChipMemory<R> memory;
  std::optional<Count<R>> units;
  std::optional<Frequency<R>> clock;
  PerClock<R> per_clock;
  std::vector<PeakException> peak_exceptions;
  std::optional<ScaleUpLink<R>> link;
  std::optional<HostLink<R>> host;
  std::optional<Watts<R>> power;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("id", "", "the file's name, filled in by the program"), s.id...);
    v(Field("name", "", "as people call it"), s.name...);
    v(Field("peak", "", "dense peak by number format").required(), s.peak...);
    v(Field("memory", "", "").required(), s.memory...);
    v(Field("units", "", "SMs, CUs or cores").count(), s.units...);
    v(Field("clock", "", "the clock behind the printed peak"), s.clock...);
    v(Field("per_clock", "", "FLOP per unit and clock"), s.per_clock...);
    v(Field("peak_exceptions", "", "peaks that units × clock does not give"), s.peak_exceptions...);
    v(Field("link", "", "scale-up link"), s.link...);
    v(Field("host", "", "link to the host's memory"), s.host...);
    v(Field("power", "P_w", "board power limit").limit(Limit::kPositive), s.power...);
    v(Field("usual_node", "", "the node that `64x<chip>` means"), s.usual_node...);
    v(Field("usual_stack", "", "the software stack that `stack: default` means"), s.usual_stack...);
    v(Field("source", "", "where the figures come from"), s.source...);
  }
};

template <class R>
struct Fabric {
  std::string id, name, source;
  ByteRate<R> rate;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("id", "", "the file's name, filled in by the program"), s.id...);
    v(Field("name", "", "as people call it"), s.name...);
    v(Field("rate", "W_nic", "of one port, one way").required().limit(Limit::kPositive), s.rate...);
    v(Field("source", "", "where the figures come from"), s.source...);
  }
};

template <class R>
struct Node {
  std::string id, name, source;
  Chip<R> chip;
  Count<R> gpus;
  std::optional<Count<R>> nics;
  std::optional<Fabric<R>> fabric;
  std::optional<Bytes<R>> host_memory;
  std::vector<Count<R>> torus;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("id", "", "the file's name, filled in by the program"), s.id...);
    v(Field("name", "", "as people call it"), s.name...);
    v(Field("chip", "", "a file in hardware/chips, or {base: NAME, field: value}")
          .by_name()
          .required(),
      s.chip...);
    v(Field("gpus", "N_node", "GPUs that share the scale-up link").required().degree(), s.gpus...);
    v(Field("nics", "n_nic", "network ports of the node").count(), s.nics...);
    v(Field("fabric", "", "a file in hardware/fabrics").by_name(), s.fabric...);
    v(Field("host_memory", "", "of the whole node"), s.host_memory...);
    v(Field("torus", "",
            "sizes of the torus that the scale-up links form, neighbouring chips first: [16, 20, "
            "28]")
          .degree(),
      s.torus...);
    v(Field("source", "", "where the figures come from"), s.source...);
  }
};

// A level of the network above the nodes: leaf, pod, building. What leaves a unit of it shares
// uplinks that carry less than its nodes' ports together.
template <class R>
struct Tier {
  std::string name;
  Count<R> nodes;
  Ratio<R> oversubscription{1};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "as people call one unit: pod"), s.name...);
    v(Field("nodes", "N_tier", "nodes of one unit").required().degree(), s.nodes...);
    v(Field("oversubscription", "x_over", "rate of its nodes' ports over that of its uplinks")
          .hint(Hint::kRatio)
          .limit(Limit::kAtLeastOne),
      s.oversubscription...);
  }
};

template <class R>
struct Cluster {
  std::string id, name, source;
  Node<R> node;
  Count<R> nodes;
  std::vector<Tier<R>> tiers;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("id", "", "the file's name, filled in by the program"), s.id...);
    v(Field("name", "", "as people call it"), s.name...);
    v(Field("node", "", "a file in hardware/nodes, or {base: NAME, field: value}")
          .by_name()
          .required(),
      s.node...);
    v(Field("nodes", "N", "nodes of the plan").required().degree(), s.nodes...);
    v(Field("tiers", "", "levels of the network above the nodes, smallest first"), s.tiers...);
    v(Field("source", "", "where the figures come from"), s.source...);
  }
};

}  // namespace reckon
