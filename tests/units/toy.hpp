// A small model for the tests of the formula core and of derivations: a step of matrix products,
// with a choice among tiles, a lookup, a sum, ceil and where. Its numbers mean nothing.
#pragma once

#include <vector>

#include "reckon/units/formula/formula.hpp"

namespace reckon::toy {

inline const Formula kTile{"toy.tile", "e_tile", "useful share of a tile", "toy model, 1"};
inline const Formula kGemm{"toy.gemm", "t_gemm", "time of one product", "toy model, 2"};
inline const Formula kTransfer{"toy.transfer", "t_x", "time of one transfer", "toy model, 3"};
inline const Formula kLoss{"toy.loss", "L", "loss", "toy model, 4", Hint::kRatio};
inline const Formula kStep{"toy.step", "T", "time of a step", "toy model, 5"};

template <class R>
struct Tile {
  Count<R> rows;
  Ratio<R> quality;
};

template <class R>
struct Row {
  Bytes<R> up_to;
  ByteRate<R> bandwidth;
};

template <class R>
struct Inputs {
  Count<R> n, layers, sms, params, exponent;
  FlopRate<R> peak;
  Seconds<R> launch, exposed;
  Bytes<R> bytes;
  std::vector<Tile<R>> tiles;
  std::vector<Row<R>> rows;
};

template <class R>
Ratio<R> tile_efficiency(Count<R> n, const Tile<R>& tile, Count<R> sms) {
  auto w = ceil(n / tile.rows) / sms;
  auto w_eff = where(w < 8, ceil(w), w + 0.5);
  NAME(w, w_eff);
  return kTile(tile.quality * n / (w_eff * sms * tile.rows));
}

template <class R>
Seconds<R> gemm_time(const Inputs<R>& x) {
  auto n = x.n;
  NAME(n);
  Largest<kOne, R> e_tile;
  int i = 0;
  for (const Tile<R>& tile : x.tiles) e_tile.offer({"tile", i++}, tile_efficiency(n, tile, x.sms));
  return kGemm(max(2_flop * n * n * n / (x.peak * e_tile.best()), 2 * x.launch) + x.launch);
}

template <class R>
Seconds<R> transfer_time(const Inputs<R>& x) {
  const Row<R>* row = &x.rows.back();
  for (const Row<R>& r : x.rows) {
    if (x.bytes <= r.up_to) {
      row = &r;
      break;
    }
  }
  auto W = looked_up("large", row->bandwidth);
  NAME(W);
  return kTransfer(x.bytes / W + sqrt(x.bytes / 1_B) * x.launch);
}

template <class R>
Ratio<R> loss(const Inputs<R>& x) {
  auto alpha = x.exponent;
  NAME(alpha);
  return kLoss(1.69 + 406.4 / pow(x.params, alpha) + 0.1 * exp(-alpha) * log(1 + x.layers));
}

template <class R>
Seconds<R> step_time(const Inputs<R>& x) {
  Sum<kSecond, R> parts;
  parts.add("products", x.layers * gemm_time(x));
  parts.add("transfer", transfer_time(x));
  parts.add("exposed", x.exposed);
  auto J = 1 + 0.01 * max(0, log2(x.layers / 8));
  NAME(J);
  return kStep(parts.total() * J);
}

}  // namespace reckon::toy
