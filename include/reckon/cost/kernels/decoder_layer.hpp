// One dense decoder layer as the kernels it is made of, and its time as their sum: the check that constants measured
// kernel by kernel say what a layer takes.
//
//   DecoderLayer<double> l{batch, length, hidden, inner, heads, kv_heads, head_width, /*prompt=*/false};
//   layer_products(l)         // QKV, attention's output, gate and up, down
//   layer_streams(l)          // two norms that add the residual, the gated activation
//   decoder_layer_time(l, kernels, peaks)
//
// Decode: one new token of each of `batch` sequences over `length` cached ones. Prompt: all `length` tokens at once.
// Positions are not rotated and nothing is sampled. One layer on one device, kernels one after the other.
#pragma once

#include <array>
#include <vector>

#include "reckon/cost/kernels/attention.hpp"

namespace reckon {

inline const Formula kStreamTime{"stream.time", "t_str", "time of a kernel bound by memory",
                                 "fixed time + bytes over the share of the bandwidth"};
inline const Formula kDecoderLayerTime{"layer.time", "t_layer", "time of a decoder layer",
                                       "its kernels, one after the other"};

template <class R>
struct DecoderLayer {
  Count<R> batch, length, hidden, inner, heads, kv_heads, head_width;
  bool prompt = false;

  Count<R> tokens() const { return prompt ? batch * length : batch; }
};

template <class R>
struct LayerProduct {
  const char* label;
  GemmShape<R> shape;
};

template <class R>
std::array<LayerProduct<R>, 4> layer_products(const DecoderLayer<R>& l) {
  const auto T = l.tokens();
  const auto query_width = l.heads * l.head_width;
  return {{{"QKV", {T, (l.heads + 2 * l.kv_heads) * l.head_width, l.hidden}},
           {"attention output", {T, l.hidden, query_width}},
           {"gate and up", {T, 2 * l.inner, l.hidden}},
           {"down", {T, l.hidden, l.inner}}}};
}

template <class R>
struct LayerStream {
  StreamKind kind;
  Count<R> tokens, width;
};

template <class R>
std::array<LayerStream<R>, 3> layer_streams(const DecoderLayer<R>& l) {
  const auto T = l.tokens();
  return {{{StreamKind::kNorm, T, l.hidden},
           {StreamKind::kNorm, T, l.hidden},
           {StreamKind::kSwiglu, T, l.inner}}};
}

// Numbers that a kernel reads and writes. A norm adds its input to the residual: reads both, writes the sum and the
// normed. A gated activation reads gate and up. Quantizing reads and writes.
template <class R>
Count<R> stream_elements(StreamKind kind, Count<R> tokens, Count<R> width) {
  const Count<R> each = tokens * width;
  switch (kind) {
    case StreamKind::kNorm:
      return 4 * each;
    case StreamKind::kSwiglu:
      return 3 * each;
    case StreamKind::kQuantize:
      return 2 * each;
  }
  return each;
}

template <class R>
Seconds<R> stream_time(Bytes<R> D, const StreamKernel<R>& kernel, ByteRate<R> W) {
  auto t_0 = kernel.fixed;
  auto e = kernel.memory;
  NAME(D, W, t_0, e);
  return kStreamTime(t_0 + D / (W * e));
}

// What the layer's kernels reach, in one number format of so many bytes.
template <class R>
struct LayerKernels {
  GemmKernel<R> gemm;
  DecodeKernel<R> decode;
  PrefillKernel<R> prefill;
  StreamKernel<R> norm, swiglu;
  Bytes<R> element;
};

template <class R>
Seconds<R> decoder_layer_time(const DecoderLayer<R>& l, const LayerKernels<R>& k,
                              const Peaks<R>& peaks) {
  Sum<kSecond, R> all;
  for (const LayerProduct<R>& g : layer_products(l))
    all.add(g.label, gemm_cost(g.shape, k.gemm, peaks).time);
  const AttentionCall<R> call{l.batch, l.length, l.heads, l.kv_heads, l.head_width};
  all.add("attention", l.prompt ? prefill_attention_cost(call, k.prefill, peaks.P).time
                                : decode_attention_cost(call, k.decode, peaks.W).time);
  int i = 0;
  for (const LayerStream<R>& s : layer_streams(l))
    all.add({"between", i++},
            stream_time(stream_elements(s.kind, s.tokens, s.width) * k.element,
                        s.kind == StreamKind::kNorm ? k.norm : k.swiglu, peaks.W));
  return kDecoderLayerTime(all.total());
}

}  // namespace reckon
