// Kernels bound by memory: fixed time, share of the bandwidth.
#include "models.hpp"
#include "reckon/cost/kernels/decoder_layer.hpp"

namespace reckon::models {
namespace {

StreamKernel<double> with(StreamKernel<double> e, const Constants& v) {
  e.fixed = Seconds<double>(v[0]);
  e.memory = Ratio<double>(v[1]);
  return e;
}

StreamKind kind_of(MeasuredKernel kernel) {
  return kernel == MeasuredKernel::kNorm     ? StreamKind::kNorm
         : kernel == MeasuredKernel::kSwiglu ? StreamKind::kSwiglu
                                             : StreamKind::kQuantize;
}

}  // namespace

std::optional<KernelModel> stream_model(const MeasuredSet& set, const Chip<double>& chip,
                                        const Kernels<double>& generic, std::string& why_not) {
  const GemmKernel<double>* operand = entry_for(
      generic.gemm, set, [&set](const GemmKernel<double>& e) { return e.format == set.format; });
  if (!operand) {
    why_not = fmt::format("nothing says how many bytes a number of '{}' takes", set.format);
    return {};
  }
  StreamKernel<double> proto;
  proto.op = kind_of(set.kernel);
  proto.format = set.format;
  proto.library = set.library;
  const Bytes<double> element = operand->activation;
  const ByteRate<double> W = chip.memory.bandwidth;
  const auto moved = [element, kind = proto.op](const MeasuredPoint& p) {
    return stream_elements(kind, count(p, Column::kTokens), count(p, Column::kHidden)) * element;
  };
  const auto cost = [moved, W](const StreamKernel<double>& e, const MeasuredPoint& p) {
    return stream_time(moved(p), e, W).raw;
  };
  KernelModel m;
  m.parameters = {kFixed, {"memory", 0.01, 100}};  // activations may lie in a cache

  m.dims = {kSecond, kOne};
  m.starts = {{3 * kMicro, 0.8}, {0.1 * kMicro, 0.4}, {0.1 * kMicro, 4}};
  m.seconds = [=](const Constants& v, const MeasuredPoint& p) { return cost(with(proto, v), p); };
  const Constants flat{operand->fixed.raw, operand->memory.raw};
  m.flat = [=](const MeasuredPoint& p) { return cost(with(proto, flat), p); };
  m.peak = [=](const MeasuredPoint& p) { return cost(with(proto, {0, 1}), p); };
  const auto same = [proto](const StreamKernel<double>& e) {
    return e.op == proto.op && e.format == proto.format;
  };
  m.constants = [set, same](const Kernels<double>& k, std::string& whose) {
    const StreamKernel<double>* e = entry_for(k.streams, set, same);
    if (!e) return std::optional<Constants>();
    whose = e->library;
    return std::optional<Constants>({e->fixed.raw, e->memory.raw});
  };
  m.store = [=, points = timed_points(set)](const Constants& v, const FitRecord<double>& record,
                                            Kernels<double>& out) {
    StreamKernel<double> e = with(proto, v);
    set_record(e, record);
    double low = HUGE_VAL, high = 0;
    for (const MeasuredPoint* p : points) {
      low = std::min(low, moved(*p).raw);
      high = std::max(high, moved(*p).raw);
    }
    e.bytes = {Bytes<double>(low), Bytes<double>(high)};
    out.streams.push_back(std::move(e));
  };
  return m;
}

}  // namespace reckon::models
