// A model on a machine: what the formulas of prefill and decode ask of both.
//
//   Server<double> server{model, parameters(model), {2_B, 2_B, 2_B}, peak, bandwidth, links, 8, {}, assume};
//   prefill_time(server, T, t);  decode_step(server, …);
//
// Rates carry the shares reached already (`assume.efficiency`); `assume` holds the latencies in force.
// Peak and bandwidth are of one GPU, and may be missing where only bytes and FLOPs are asked for.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "reckon/cost/classes.hpp"
#include "reckon/cost/collectives.hpp"
#include "reckon/cost/mesh.hpp"
#include "reckon/cost/parameters.hpp"

namespace reckon {

inline const Formula kReadRate{"memory.read_rate", "W_read", "rate at which a GPU reads its memory",
                               "bandwidth · share reached"};

// Bytes of one weight, one cached element, one exchanged activation.
template <class R>
struct ServedSizes {
  Bytes<R> weight, cached, activation;
};

template <class R>
struct Server {
  const Model<R>& model;
  Parameters<R> n;
  ServedSizes<R> size;
  std::optional<FlopRate<R>> peak;
  std::optional<ByteRate<R>> read_rate;
  Links<R> links;
  std::optional<Count<R>> node_gpus;
  std::vector<Count<R>> torus{};  // sides, where a node's GPUs lie on one and no link is stated
  Assume<R> assume;
  std::optional<TensorFormats<R>> classes{};  // weights kept in formats of their own
};

// q GPUs beside each other, in as few nodes as hold them.
template <class R>
Group<R> beside(const Server<R>& server, Count<R> q) {
  auto N_node = server.node_gpus ? *server.node_gpus : q;
  NAME(q, N_node);
  Group<R> g{q, max(1, min(q, N_node))};
  if (server.torus.empty() || g.crosses()) return g;
  const std::array<AxisSpan<R>, 1> along{{{q, Count<R>{1}}}};
  g.ways = torus_ways<R>(along, server.torus);
  g.cut = torus_cut<R>(along, server.torus);
  return g;
}

}  // namespace reckon
