// Attention: one new token over its cache, and a prompt over itself.
#include "models.hpp"
#include "reckon/cost/kernels/attention.hpp"

namespace reckon::models {
namespace {

AttentionCall<double> attention_shape(const MeasuredPoint& p) {
  return {count(p, Column::kBatch), count(p, Column::kLength), count(p, Column::kHeads),
          count(p, Column::kKvHeads), count(p, Column::kHeadWidth)};
}

DecodeKernel<double> with(DecodeKernel<double> e, const Constants& v) {
  e.fixed = Seconds<double>(v[0]);
  e.memory = Ratio<double>(v[1]);
  e.blend = Ratio<double>(v[2]);
  return e;
}

PrefillKernel<double> with(PrefillKernel<double> e, const Constants& v, bool has_fixed) {
  e.compute = Ratio<double>(v[0]);
  e.ramp = Count<double>(v[1]);
  e.fixed = Seconds<double>(has_fixed ? v[2] : 0);
  return e;
}

}  // namespace

std::optional<KernelModel> decode_model(const MeasuredSet& set, const Chip<double>& chip,
                                        const Kernels<double>& generic, std::string& why_not) {
  const auto same = [&set](const DecodeKernel<double>& e) { return e.kv_format == set.format; };
  const DecodeKernel<double>* found = entry_for(generic.decode, set, same);
  if (!found) {
    why_not = fmt::format("hardware/kernels/generic.yaml has no decode of format '{}'", set.format);
    return {};
  }
  const DecodeKernel<double> proto = *found;
  const ByteRate<double> W = chip.memory.bandwidth;
  const auto cost = [W](const DecodeKernel<double>& e, const MeasuredPoint& p) {
    return decode_attention_cost(attention_shape(p), e, W);
  };
  KernelModel m;
  m.parameters = {kFixed, kMemory, {"blend", 0.3, 4}};
  m.dims = {kSecond, kOne, kOne};
  m.starts = {{10 * kMicro, 0.9, 0.8}, {12 * kMicro, 0.8, 1.2}};
  m.seconds = [=](const Constants& v, const MeasuredPoint& p) {
    return cost(with(proto, v), p).time.raw;
  };
  m.flat = [=](const MeasuredPoint& p) { return cost(proto, p).time.raw; };
  m.peak = [=](const MeasuredPoint& p) {
    return cost(with(proto, {proto.fixed.raw, 1, 1}), p).memory.raw;
  };
  m.constants = [set, same](const Kernels<double>& k, std::string& whose) {
    const DecodeKernel<double>* e = entry_for(k.decode, set, same);
    if (!e) return std::optional<Constants>();
    whose = e->library;
    return std::optional<Constants>({e->fixed.raw, e->memory.raw, e->blend.raw});
  };
  m.store = [=, points = timed_points(set)](const Constants& v, const FitRecord<double>& record,
                                            Kernels<double>& out) {
    DecodeKernel<double> e = with(proto, v);
    set_record(e, record);
    e.library = set.library;
    double low = HUGE_VAL, high = 0;
    for (const MeasuredPoint* p : points) {
      const double K = cost(proto, *p).read.raw;
      low = std::min(low, K);
      high = std::max(high, K);
    }
    e.kv_read = {Bytes<double>(low), Bytes<double>(high)};
    out.decode.push_back(std::move(e));
  };
  return m;
}

std::optional<KernelModel> prefill_model(const MeasuredSet& set, const Chip<double>& chip,
                                         const Kernels<double>& generic, std::string& why_not) {
  PrefillKernel<double> proto;
  proto.format = set.format;
  proto.kv_format = set.kv_format;
  proto.causal = set.causal;
  // Shares are of the 16-bit peak, whatever format the kernel reads; only 32 bits have units of their own.
  if (set.format == "fp32") proto.peak = Compute::kFp32;
  if (set.head_width > 0) proto.head_width = Count<double>(set.head_width);
  if (!chip.peak.of(proto.peak)) {
    why_not = fmt::format("chip '{}' states no peak for {}", chip.id, name_of(proto.peak));
    return {};
  }
  const FlopRate<double> P = *chip.peak.of(proto.peak);
  const auto& columns = set.columns;
  // A rate without the amount behind it says nothing of a fixed time.
  const bool has_fixed = std::find(columns.begin(), columns.end(), Column::kHeads) != columns.end();
  const auto cost = [P](const PrefillKernel<double>& e, const MeasuredPoint& p) {
    return prefill_attention_cost(attention_shape(p), e, P).time.raw;
  };
  KernelModel m;
  m.parameters = {kCompute, {"ramp", 1, 1e5}};
  m.dims = {kOne, kOne};
  m.starts = {{0.6, 800}, {0.8, 1500}};
  if (has_fixed) {
    m.parameters.push_back(kFixed);
    m.dims.push_back(kSecond);
    for (Constants& s : m.starts) s.push_back(12 * kMicro);
  }
  m.seconds = [=](const Constants& v, const MeasuredPoint& p) {
    return cost(with(proto, v, has_fixed), p);
  };
  const double flat_share = generic.prefill.empty() ? 1 : generic.prefill.front().compute.raw;
  const double flat_fixed = generic.prefill.empty() ? 0 : generic.prefill.front().fixed.raw;
  m.flat = [=](const MeasuredPoint& p) {
    return cost(with(proto, {flat_share, 0, flat_fixed}, has_fixed), p);
  };
  m.peak = [=](const MeasuredPoint& p) { return cost(with(proto, {1, 0, 0}, has_fixed), p); };
  const auto same = [set](const PrefillKernel<double>& e) {
    const bool width =
        !e.head_width || set.head_width == 0 || std::abs(e.head_width->raw - set.head_width) < 0.5;
    return e.format == set.format && e.kv_format == set.kv_format && e.causal == set.causal &&
           width;
  };
  m.constants = [set, same, has_fixed](const Kernels<double>& k, std::string& whose) {
    const PrefillKernel<double>* e = entry_for(k.prefill, set, same);
    if (!e) return std::optional<Constants>();
    whose = e->library;
    Constants out{e->compute.raw, e->ramp.raw};
    if (has_fixed) out.push_back(e->fixed.raw);
    return std::optional(std::move(out));
  };
  m.store = [=, points = timed_points(set)](const Constants& v, const FitRecord<double>& record,
                                            Kernels<double>& out) {
    PrefillKernel<double> e = with(proto, v, has_fixed);
    e.ramp = Count<double>(std::round(v[1]));  // tokens
    set_record(e, record);
    e.library = set.library;
    e.length = range_of<Count<double>>(points, Column::kLength);
    out.prefill.push_back(std::move(e));
  };
  return m;
}

}  // namespace reckon::models
