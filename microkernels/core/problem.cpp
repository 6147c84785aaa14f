#include "problem.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reckon/base/edit_distance.hpp"
#include "reckon/base/text.hpp"
#include "reckon/cost/kernels/attention.hpp"
#include "reckon/cost/kernels/decoder_layer.hpp"

namespace reckon::bench {
namespace {

struct Operation {
  std::string_view name;
  std::vector<std::string_view> sizes;
};

const std::vector<Operation>& operations() {
  static const std::vector<std::string_view> kLayer{"batch", "length",   "hidden",    "inner",
                                                    "heads", "kv_heads", "head_width"};
  static const std::vector<Operation> all{
      {"fma", {}},
      {"memory-read", {"bytes"}},
      {"memory-write", {"bytes"}},
      {"memory-copy", {"bytes"}},
      {"memory-triad", {"bytes"}},
      {"cache-read", {"bytes"}},
      {"gemm", {"m", "n", "k"}},
      {"grouped-gemm", {"groups", "m", "n", "k"}},
      {"attention-prefill", {"batch", "length", "heads", "kv_heads", "head_width"}},
      {"attention-decode", {"batch", "length", "heads", "kv_heads", "head_width"}},
      {"norm", {"tokens", "hidden"}},
      {"swiglu", {"tokens", "hidden"}},
      {"quantize", {"tokens", "hidden"}},
      {"launch", {}},
      {"host-to-device", {"bytes"}},
      {"device-to-host", {"bytes"}},
      {"peer-copy", {"bytes"}},
      {"all-reduce", {"ranks", "bytes"}},
      {"all-gather", {"ranks", "bytes"}},
      {"reduce-scatter", {"ranks", "bytes"}},
      {"all-to-all", {"ranks", "bytes"}},
      {"layer-decode", kLayer},
      {"layer-prefill", kLayer}};
  return all;
}

const Operation* find(std::string_view name) {
  for (const Operation& o : operations())
    if (o.name == name) return &o;
  return nullptr;
}

Count<double> count(const Problem& p, std::string_view name) {
  return Count<double>(static_cast<double>(p.size(name)));
}

AttentionCall<double> attention(const Problem& p) {
  return {count(p, "batch"), count(p, "length"), count(p, "heads"), count(p, "kv_heads"),
          count(p, "head_width")};
}

GemmKernel<double> operands(const Problem& p) {
  GemmKernel<double> k;
  k.weight = k.activation = Bytes<double>(element_bytes(p.dtype));
  // Products of narrow formats leave in 16 bits.
  k.output = Bytes<double>(std::max(2., element_bytes(p.dtype)));
  k.compute = k.memory = Ratio<double>(1);
  return k;
}

Amounts of(const GemmCost<double>& x) { return {x.bytes.raw, x.flops.raw}; }

const Peaks<double> kAnyPeaks{FlopRate<double>(1), ByteRate<double>(1)};

Amounts gemm_amounts(const Problem& p) {
  if (p.op == "gemm")
    return of(gemm_cost({count(p, "m"), count(p, "n"), count(p, "k")}, operands(p), kAnyPeaks));
  const auto groups = count(p, "groups");
  return of(grouped_gemm_cost({groups * count(p, "m"), groups, count(p, "n"), count(p, "k")},
                              operands(p), kAnyPeaks));
}

Amounts attention_amounts(const Problem& p) {
  const double queries = static_cast<double>(p.size("batch") * p.size("heads")) *
                         static_cast<double>(p.size("head_width")) * element_bytes(p.dtype);
  const double kv = static_cast<double>(p.size("kv_heads")) / static_cast<double>(p.size("heads"));
  if (p.op == "attention-decode") {
    DecodeKernel<double> k;
    k.kv_size = Bytes<double>(element_bytes(p.dtype));
    k.fixed = Seconds<double>(1);
    k.memory = Ratio<double>(1);
    const double read = decode_attention_cost(attention(p), k, ByteRate<double>(1)).read.raw;
    return {read + 2 * queries, 2 * read * static_cast<double>(p.size("heads")) /
                                    static_cast<double>(p.size("kv_heads")) /
                                    element_bytes(p.dtype)};
  }
  PrefillKernel<double> k;
  k.compute = Ratio<double>(1);
  const double flops = prefill_attention_cost(attention(p), k, FlopRate<double>(1)).flops.raw;
  const double one = queries * static_cast<double>(p.size("length"));  // queries, or the output
  return {one * (2 + 2 * kv), flops};
}

DecoderLayer<double> layer(const Problem& p) {
  return {count(p, "batch"), count(p, "length"),   count(p, "hidden"),     count(p, "inner"),
          count(p, "heads"), count(p, "kv_heads"), count(p, "head_width"), p.op == "layer-prefill"};
}

// The sum over the layer's kernels: each reads its inputs and writes its output.
Amounts layer_amounts(const Problem& p) {
  Amounts sum;
  const auto add = [&sum](const Amounts& x) {
    sum.bytes += x.bytes;
    sum.flops += x.flops;
  };
  const DecoderLayer<double> l = layer(p);
  for (const LayerProduct<double>& g : layer_products(l))
    add(of(gemm_cost(g.shape, operands(p), kAnyPeaks)));
  Problem part = p;
  part.op = p.op == "layer-prefill" ? "attention-prefill" : "attention-decode";
  add(attention_amounts(part));
  for (const LayerStream<double>& s : layer_streams(l))
    add({stream_elements(s.kind, s.tokens, s.width).raw * element_bytes(p.dtype), 0});
  return sum;
}

double stream_bytes(const Problem& p) {
  const StreamKind kind = p.op == "norm"     ? StreamKind::kNorm
                          : p.op == "swiglu" ? StreamKind::kSwiglu
                                             : StreamKind::kQuantize;
  const double elements = stream_elements(kind, count(p, "tokens"), count(p, "hidden")).raw;
  // Read in two bytes or four, written in one.
  if (p.op == "quantize") return elements * (element_bytes(p.dtype) + 1) / 2;
  return elements * element_bytes(p.dtype);
}

}  // namespace

std::int64_t Problem::size(std::string_view name, std::int64_t otherwise) const {
  for (const auto& [key, value] : shape)
    if (key == name) return value;
  return otherwise;
}

std::string name_of(const Problem& p) {
  std::string out = p.op;
  if (!p.dtype.empty()) out += " " + p.dtype;
  for (const auto& [key, value] : p.shape) out += fmt::format(" {}={}", key, value);
  out += " " + p.cache;
  if (p.launch == "graph") out += ", graph";
  if (!p.library.empty()) out += ", " + p.library;
  return out;
}

double element_bytes(const std::string& dtype) {
  for (const auto& [name, bytes] :
       {std::pair{"fp32", 4.}, {"tf32", 4.}, {"bf16", 2.}, {"fp16", 2.}, {"fp8", 1.}})
    if (dtype == name) return bytes;
  return 0;
}

Amounts amounts_of(const Problem& p) {
  const double array = static_cast<double>(p.size("bytes"));
  if (p.op == "memory-copy") return {2 * array, 0};
  if (p.op == "memory-triad") return {3 * array, 0};
  if (p.op == "gemm" || p.op == "grouped-gemm") return gemm_amounts(p);
  if (p.op.starts_with("attention-")) return attention_amounts(p);
  if (p.op.starts_with("layer-")) return layer_amounts(p);
  if (p.op == "norm" || p.op == "swiglu" || p.op == "quantize") return {stream_bytes(p), 0};
  return {array, 0};
}

const std::vector<std::string>& known_operations() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const Operation& o : operations()) out.emplace_back(o.name);
    return out;
  }();
  return names;
}

bool has_size(std::string_view op, std::string_view size) {
  const Operation* o = find(op);
  return o && std::find(o->sizes.begin(), o->sizes.end(), size) != o->sizes.end();
}

std::string fault_of(const Problem& p) {
  const Operation* o = find(p.op);
  if (!o) {
    const std::string near = closest(p.op, known_operations());
    return fmt::format("no operation is called '{}'{}", p.op,
                       near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
  }
  for (const std::string_view s : o->sizes)
    if (p.size(s) <= 0) return fmt::format("{}: size '{}' is missing", p.op, s);
  for (const auto& [key, value] : p.shape)
    if (!has_size(p.op, key)) return fmt::format("{}: it has no size '{}'", p.op, key);
  if (!p.dtype.empty() && element_bytes(p.dtype) <= 0)
    return fmt::format("no number format is called '{}': fp32, tf32, bf16, fp16 or fp8", p.dtype);
  if (p.launch != "stream" && p.launch != "graph")
    return fmt::format("launch '{}': stream or graph", p.launch);
  if (p.cache != "cold" && p.cache != "hot") return fmt::format("cache '{}': cold or hot", p.cache);
  return "";
}

}  // namespace reckon::bench
