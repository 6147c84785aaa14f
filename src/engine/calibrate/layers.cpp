// Whole decoder layers against the sum of their kernels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models.hpp"
#include "parts.hpp"
#include "reckon/base/text.hpp"
#include "reckon/cost/kernels/decoder_layer.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

using models::Column;
using models::count;

// What of the layer has constants; the rest is named in `missing`.
struct Kit {
  const GemmKernel<double>* gemm;
  const DecodeKernel<double>* decode;
  const PrefillKernel<double>* prefill;
  const StreamKernel<double>*norm, *swiglu;
};

Kit kit_of(const MeasuredSet& set, const Kernels<double>& k) {
  const auto of = [&set](const auto& e) { return e.format == set.format; };
  const auto stream = [&](StreamKind kind) {
    return models::entry_for(k.streams, set, [&, kind](const auto& e) {
      return e.format == set.format && e.op == kind;
    });
  };
  return {
      models::entry_for(k.gemm, set, of),
      models::entry_for(k.decode, set, [&set](const auto& e) { return e.kv_format == set.format; }),
      models::entry_for(k.prefill, set, of), stream(StreamKind::kNorm),
      stream(StreamKind::kSwiglu)};
}

std::string missing_of(const Kit& kit, bool prompt) {
  std::vector<std::string> out;
  const auto need = [&out](const void* p, const char* what) {
    if (!p) out.emplace_back(what);
  };
  need(kit.gemm, "a matrix product");
  if (prompt)
    need(kit.prefill, "attention of a prompt");
  else
    need(kit.decode, "attention of one token");
  need(kit.norm, "a norm");
  need(kit.swiglu, "a gated activation");
  return listed(out);
}

DecoderLayer<double> layer_of(const MeasuredPoint& p, bool prompt) {
  return {count(p, Column::kBatch),     count(p, Column::kLength),
          count(p, Column::kHidden),    count(p, Column::kInner),
          count(p, Column::kHeads),     count(p, Column::kKvHeads),
          count(p, Column::kHeadWidth), prompt};
}

template <class Q>
void look(const char* name, Q x, const std::vector<Q>& range, Dim dim,
          std::vector<std::string>& out) {
  if (range.size() != 2 || (x >= range[0] && x <= range[1])) return;
  const auto text = [dim](Q q) {
    return format_quantity(q.raw, dim, dim == kOne ? Hint::kCount : Hint::kNone);
  };
  const std::string line =
      fmt::format("{} = {} ({} … {})", name, text(x), text(range[0]), text(range[1]));
  if (std::find(out.begin(), out.end(), line) == out.end()) out.push_back(line);
}

// Where the layer's kernels lie beyond what their constants were fitted on.
std::vector<std::string> outside(const DecoderLayer<double>& l, const Kit& kit,
                                 Bytes<double> element) {
  std::vector<std::string> out;
  for (const LayerProduct<double>& g : layer_products(l)) {
    look("m", g.shape.m, kit.gemm->m, kOne, out);
    look("n", g.shape.n, kit.gemm->n, kOne, out);
    look("k", g.shape.k, kit.gemm->k, kOne, out);
  }
  if (l.prompt)
    look("length", l.length, kit.prefill->length, kOne, out);
  else
    look("cache", l.batch * l.length * 2 * l.kv_heads * l.head_width * kit.decode->kv_size,
         kit.decode->kv_read, kByte, out);
  for (const LayerStream<double>& s : layer_streams(l)) {
    const bool norm = s.kind == StreamKind::kNorm;
    look(norm ? "norm" : "swiglu", stream_elements(s.kind, s.tokens, s.width) * element,
         (norm ? kit.norm : kit.swiglu)->bytes, kByte, out);
  }
  return out;
}

}  // namespace

void check_layers(const MeasuredSet& set, const Chip<double>& chip, const Kernels<double>& generic,
                  Calibration& out) {
  const bool prompt = set.kernel == MeasuredKernel::kLayerPrefill;
  const Kit kit = kit_of(set, out.kernels);
  const std::string missing = missing_of(kit, prompt);
  const auto* operand = models::entry_for(generic.gemm, set,
                                          [&set](const auto& e) { return e.format == set.format; });
  if (!missing.empty() || !operand || !chip.peak.of(kit.gemm->peak)) {
    out.skipped.push_back(
        fmt::format("{}: no constants of {} in {}", name_of(set), missing, set.format));
    return;
  }
  LayerKernels<double> kernels{*kit.gemm, {}, {}, *kit.norm, *kit.swiglu, operand->activation};
  if (prompt)
    kernels.prefill = *kit.prefill;
  else
    kernels.decode = *kit.decode;
  const Peaks<double> peaks{*chip.peak.of(kit.gemm->peak), chip.memory.bandwidth};
  for (const MeasuredPoint* p : timed_points(set)) {
    const DecoderLayer<double> l = layer_of(*p, prompt);
    out.layers.push_back({std::string(name_of(set.kernel)), shape_of(set, *p), p->seconds,
                          decoder_layer_time(l, kernels, peaks).raw,
                          outside(l, kit, kernels.element)});
  }
}

}  // namespace reckon
