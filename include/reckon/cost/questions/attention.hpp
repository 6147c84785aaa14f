// The answer to an attention of one layer: FLOP or bytes of cache, time, and the rates it reaches.
#pragma once

#include "reckon/cost/kernels/attention.hpp"
#include "reckon/cost/metric.hpp"
#include "reckon/spec/questions/attention.hpp"

namespace reckon {

inline const Formula kAttentionReached{"attention.rate_flops", "P_reached", "FLOP/s it reaches",
                                       "FLOP over time"};
inline const Formula kAttentionReadRate{"attention.rate_bytes", "W_reached",
                                        "bytes/s of cache it reads", "bytes over time"};
inline const Formula kAttentionSeen{"attention.seen", "T", "cached tokens that are seen",
                                    "at most the window"};

template <class R>
struct AttentionAnswer {
  Seconds<R> time;
  std::optional<Flops<R>> flops;
  std::optional<Bytes<R>> bytes;
  std::optional<Seconds<R>> fixed, compute, memory;
  std::optional<FlopRate<R>> reached;
  std::optional<ByteRate<R>> read_rate;

  template <class V>
  void metrics(V&& v) const {
    v(MetricInfo{"time", "time of attention, one layer"}, time);
    v(MetricInfo{"flops", "FLOP"}, flops, "a token over its cache is bound by reading");
    v(MetricInfo{"bytes", "bytes of cache that are read"}, bytes, "a prompt is bound by its FLOP");
    v(MetricInfo{"time.fixed", "fixed time of the kernel"}, fixed, "not stated");
    v(MetricInfo{"time.compute", "time of the FLOP"}, compute, "bound by reading");
    v(MetricInfo{"time.memory", "time to read the cache"}, memory, "bound by its FLOP");
    v(kAttentionReached, reached, "a token over its cache is bound by reading");
    v(kAttentionReadRate, read_rate, "a prompt is bound by its FLOP");
  }
};

template <class R>
AttentionAnswer<R> answer(const AttentionQuestion<R>& question);

}  // namespace reckon
