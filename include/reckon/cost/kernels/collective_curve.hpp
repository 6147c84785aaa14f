// Time of a collective in one node by its measured curve.
//
//   CurveCost<double> x = curve_cost(S, q, curve);
//   x.time, x.wait, x.rate
//
//   l = log2(q/2)      a = a_2·g_a^l      B = B_2·g_B^l      h = h_2·g_h^l
//   t = a + f·S/B · (1 + (h/S)^u)         f = 2·(q − 1)/q for an all-reduce, (q − 1)/q for its halves and all-to-all
//
// S is the whole array as nccl-tests counts it. a is the empty call, B the bus bandwidth of an endless message, h the
// size that reaches half of it, u how slowly: ½ is the square-root law t = a + g·√S + c·S, which NCCL's ladder
// of protocols looks like from outside and which alone holds for a group size it has never seen. Holds in the range
// of sizes and ranks that were measured; where a table of measured times is at hand, outside its range the curve is
// anchored at the nearest row.
#pragma once

#include <type_traits>

#include "reckon/spec/kernels.hpp"
#include "reckon/units/formula/formula.hpp"
#include "reckon/units/formula/plain.hpp"

namespace reckon {

inline const Formula kWireFactor{"curve.factor", "f", "bytes a rank sends, over the array",
                                 "passes · (q − 1)/q: nccl-tests' bus bandwidth"};
inline const Formula kCurveWait{"curve.wait", "a", "time of an empty call",
                                "over two ranks, times its growth a doubling"};
inline const Formula kCurveRate{"curve.rate", "B", "bus bandwidth of an endless message",
                                "over two ranks, times its growth a doubling"};
inline const Formula kCurveHalf{"curve.half", "h", "size that reaches half the rate",
                                "over two ranks, times its growth a doubling"};
inline const Formula kCurveSeconds{"curve.time", "t", "time of the collective by its curve",
                                   "wait + bytes over a rate that ramps up with the size"};
inline const Formula kAnchored{"curve.anchored", "t",
                               "time by the curve, anchored at a measured row",
                               "curve · measured/curve of the nearest row"};

template <class R>
struct CurveCost {
  Ratio<R> factor;
  Seconds<R> wait;
  ByteRate<R> rate;
  Bytes<R> half;
  Seconds<R> time;
};

// Over q ≥ 2 ranks.
template <class R>
Ratio<R> wire_factor(CollectiveOp op, Count<R> q) {
  auto passes = op == CollectiveOp::kAllReduce ? Count<R>{2} : Count<R>{1};
  NAME(passes, q);
  return kWireFactor(passes * (q - 1) / q);
}

// g^l; of two and four ranks, plain numbers need no power for the same bits.
template <class R>
Ratio<R> grown(Ratio<R> g, Ratio<R> l) {
  if constexpr (std::is_same_v<R, double>) {
    if (plain(l) == 1) return g;
    if (plain(l) == 0) return Ratio<R>(1);
  }
  return pow(g, l);
}

// Of large messages, after l doublings of two ranks.
template <class R>
ByteRate<R> curve_rate(Ratio<R> l, const CollectiveCurve<R>& curve) {
  auto B_2 = curve.rate;
  auto g_B = curve.rate_growth;
  NAME(l, B_2, g_B);
  return kCurveRate(B_2 * grown(g_B, l));
}

// Of a curve at one group size.
template <class R>
struct CurveConstants {
  Seconds<R> wait;
  ByteRate<R> rate;
  Bytes<R> half;
  Ratio<R> power;
};

template <class R>
CurveConstants<R> curve_constants(Count<R> q, const CollectiveCurve<R>& curve) {
  auto l = log2(q / 2);
  auto a_2 = curve.wait;
  auto h_2 = curve.half;
  auto g_a = curve.wait_growth;
  auto g_h = curve.half_growth;
  NAME(l, a_2, h_2, g_a, g_h);
  return {kCurveWait(a_2 * grown(g_a, l)), curve_rate(l, curve), kCurveHalf(h_2 * grown(g_h, l)),
          curve.power};
}

template <class R>
Seconds<R> curve_seconds(Bytes<R> S, Ratio<R> f, const CurveConstants<R>& at) {
  auto [a, B, h, u] = at;
  NAME(S, f, u);
  return kCurveSeconds(a + f * S / B * (1 + pow(h / S, u)));
}

// A curve between so many ranks, for whoever asks it for many sizes.
template <class R>
struct CurveAt {
  Ratio<R> factor;
  CurveConstants<R> constants;
};

template <class R>
CurveAt<R> curve_at(Count<R> q, const CollectiveCurve<R>& curve) {
  return {wire_factor(curve.op, q), curve_constants(q, curve)};
}

template <class R>
CurveCost<R> curve_cost(Bytes<R> S, const CurveAt<R>& curve) {
  const auto& at = curve.constants;
  return {curve.factor, at.wait, at.rate, at.half, curve_seconds(S, curve.factor, at)};
}

template <class R>
CurveCost<R> curve_cost(Bytes<R> S, Count<R> q, const CollectiveCurve<R>& curve) {
  return curve_cost(S, curve_at(q, curve));
}

// The curve beyond a measured row: as much above or below it as there.
template <class R>
Seconds<R> anchored_time(Bytes<R> S, Count<R> q, const CollectiveCurve<R>& curve, Bytes<R> S_row,
                         Seconds<R> t_row) {
  auto t_curve = curve_cost(S, q, curve).time;
  auto t_there = curve_cost(S_row, q, curve).time;
  NAME(t_curve, t_there, t_row);
  return kAnchored(t_curve * t_row / t_there);
}

}  // namespace reckon
