// Matrix products, dense and grouped: fixed time, share of the peak, share of the bandwidth.
#include "models.hpp"
#include "reckon/cost/kernels/gemm.hpp"

namespace reckon::models {
namespace {

GemmShape<double> gemm_shape(const MeasuredPoint& p) {
  return {count(p, Column::kM), count(p, Column::kN), count(p, Column::kK)};
}
GroupedShape<double> grouped_shape(const MeasuredPoint& p) {
  const Count<double> groups = count(p, Column::kGroups);
  return {groups * count(p, Column::kM), groups, count(p, Column::kN), count(p, Column::kK),
          Ratio<double>(1)};
}
GemmKernel<double> with(GemmKernel<double> e, const Constants& v) {
  e.fixed = Seconds<double>(v[0]);
  e.compute = Ratio<double>(v[1]);
  e.memory = Ratio<double>(v[2]);
  return e;
}

}  // namespace

std::optional<KernelModel> gemm_model(const MeasuredSet& set, const Chip<double>& chip,
                                      const Kernels<double>& generic, std::string& why_not) {
  const auto same = [&set](const GemmKernel<double>& e) { return e.format == set.format; };
  const GemmKernel<double>* found = entry_for(generic.gemm, set, same);
  if (!found) {
    why_not = fmt::format("hardware/kernels/generic.yaml has no gemm of format '{}'", set.format);
    return {};
  }
  GemmKernel<double> proto = *found;
  if (set.quantizes) proto.quantizes = *set.quantizes;
  if (!chip.peak.of(proto.peak)) {
    why_not = fmt::format("chip '{}' states no peak for {}", chip.id, name_of(proto.peak));
    return {};
  }
  const Peaks<double> peaks{*chip.peak.of(proto.peak), chip.memory.bandwidth};
  const bool grouped = set.kernel == MeasuredKernel::kGroupedGemm;
  const auto price = [peaks, grouped](const GemmKernel<double>& e, const MeasuredPoint& p) {
    return grouped ? grouped_gemm_cost(grouped_shape(p), e, peaks).time.raw
                   : gemm_cost(gemm_shape(p), e, peaks).time.raw;
  };
  KernelModel m;
  m.parameters = {kFixed, kCompute, kMemory};
  m.dims = {kSecond, kOne, kOne};
  m.starts = {{5 * kMicro, 0.7, 0.8}, {12 * kMicro, 0.5, 0.6}};
  m.seconds = [=](const Constants& v, const MeasuredPoint& p) { return price(with(proto, v), p); };
  GemmKernel<double> flat = proto;
  flat.quantizes = false;
  m.flat = [=](const MeasuredPoint& p) { return price(flat, p); };
  m.peak = [=](const MeasuredPoint& p) {
    GemmKernel<double> ideal = with(proto, {0, 1, 1});
    ideal.quantizes = false;
    return price(ideal, p);
  };
  m.constants = [set, same](const Kernels<double>& k, std::string& whose) {
    const GemmKernel<double>* e = entry_for(k.gemm, set, same);
    if (!e) return std::optional<Constants>();
    whose = e->library;
    return std::optional<Constants>({e->fixed.raw, e->compute.raw, e->memory.raw});
  };
  m.store = [=, points = timed_points(set)](const Constants& v, const FitRecord<double>& record,
                                            Kernels<double>& out) {
    GemmKernel<double> e = with(proto, v);
    set_record(e, record);
    e.library = set.library;
    e.m = range_of<Count<double>>(points, Column::kM);
    e.n = range_of<Count<double>>(points, Column::kN);
    e.k = range_of<Count<double>>(points, Column::kK);
    out.gemm.push_back(std::move(e));
  };
  return m;
}

}  // namespace reckon::models
