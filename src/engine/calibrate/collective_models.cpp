// Collectives' curves, and tokens sent to experts.
#include <set>

#include "models.hpp"
#include "reckon/cost/kernels/collective_curve.hpp"
#include "reckon/cost/kernels/dispatch.hpp"

namespace reckon::models {
namespace {

CollectiveOp op_of(MeasuredKernel kernel) {
  switch (kernel) {
    case MeasuredKernel::kAllGather:
      return CollectiveOp::kAllGather;
    case MeasuredKernel::kReduceScatter:
      return CollectiveOp::kReduceScatter;
    case MeasuredKernel::kAllToAll:
      return CollectiveOp::kAllToAll;
    default:
      return CollectiveOp::kAllReduce;
  }
}

// Growth constants only where several group sizes were measured, the power only where it is fitted.
struct CurveLayout {
  bool grows, ramps;
};

// Three constants, three of growth, the power: which of them are there follows from their number.
CollectiveCurve<double> with(CollectiveCurve<double> e, const Constants& v) {
  const CurveLayout layout{v.size() >= 6, v.size() % 3 == 1};
  e.wait = Seconds<double>(v[0]);
  e.rate = ByteRate<double>(v[1]);
  e.half = Bytes<double>(v[2]);
  if (layout.grows) {
    e.wait_growth = Ratio<double>(v[3]);
    e.rate_growth = Ratio<double>(v[4]);
    e.half_growth = Ratio<double>(v[5]);
  }
  if (layout.ramps) e.power = Ratio<double>(v.back());
  return e;
}

Constants values_of(const CollectiveCurve<double>& e) {
  return {e.wait.raw,        e.rate.raw,        e.half.raw, e.wait_growth.raw,
          e.rate_growth.raw, e.half_growth.raw, e.power.raw};
}

void curve_parameters(KernelModel& m, CurveLayout layout) {
  m.parameters = {{"wait", 1e-7, 1e-3}, {"rate", 1e8, 4e12}, {"half", 1e3, 4e9}};
  m.dims = {kSecond, kByteRate, kByte};
  m.starts = {{8 * kMicro, 300 * kGiga, 10 * kMega},
              {5 * kMicro, 300 * kGiga, 0.3 * kMega},
              {10 * kMicro, 600 * kGiga, 40 * kMega},
              {10 * kMicro, 20 * kGiga, 0.1 * kMega}};
  const auto add = [&m](FitParameter p, std::initializer_list<double> starts) {
    m.parameters.push_back(std::move(p));
    m.dims.push_back(kOne);
    auto at = starts.begin();
    for (Constants& s : m.starts) s.push_back(*at++);
  };
  if (layout.grows) {
    add({"wait_growth", 0.5, 4}, {1.4, 1.05, 1.4, 1.2});
    add({"rate_growth", 0.2, 4}, {1.1, 1.1, 1.2, 1});
    add({"half_growth", 0.1, 20}, {1, 4, 2, 1});
  }
  // At 1 the ramp is a longer wait, at 0 a lower rate: neither could be told apart from those.
  if (layout.ramps) add({"power", 0.28, 0.85}, {0.45, 0.4, 0.35, 0.6});
}

// What generic.yaml holds for usual: few rows fix neither growth nor power.
void add_usual(KernelModel& m, const Kernels<double>& generic, double link) {
  for (FitParameter& p : m.parameters) {
    for (const UsualConstant<double>& u : generic.usual) {
      if (u.constant != p.name) continue;
      p.usual = u.value.raw * (p.name == "rate" ? link : 1);
      p.spread = u.spread.raw;
    }
  }
}

DispatchKernel<double> with(DispatchKernel<double> e, const Constants& v) {
  e.fixed = Seconds<double>(v[0]);
  e.rate = ByteRate<double>(v[1]);
  return e;
}

}  // namespace

std::optional<KernelModel> curve_model(const MeasuredSet& set, const Chip<double>& chip,
                                       const Kernels<double>& generic, CurveForm form,
                                       std::string& why_not) {
  for (const MeasuredPoint* p : timed_points(set)) {
    if (p->at(Column::kNodes, 1) <= 1) continue;
    why_not = "several nodes: the curve is of one";
    return {};
  }
  if (!chip.link) {
    why_not = fmt::format("chip '{}' states no link", chip.id);
    return {};
  }
  CollectiveCurve<double> proto;
  proto.op = op_of(set.kernel);
  std::set<double> groups;
  for (const MeasuredPoint* p : timed_points(set)) groups.insert(p->at(Column::kRanks));
  const CurveLayout layout{groups.size() > 1, form == CurveForm::kRamp};
  const auto cost = [](const CollectiveCurve<double>& e, const MeasuredPoint& p) {
    return curve_cost(Bytes<double>(p.at(Column::kBytes)), count(p, Column::kRanks), e).time.raw;
  };
  KernelModel m;
  curve_parameters(m, layout);
  add_usual(m, generic, chip.link->one_way.raw);
  m.seconds = [=](const Constants& v, const MeasuredPoint& p) { return cost(with(proto, v), p); };
  const double link = chip.link->one_way.raw;
  CollectiveCurve<double> flat = proto;
  const bool has_flat = !generic.collectives.empty();
  flat.wait = has_flat ? generic.collectives.front().wait : Seconds<double>{};
  flat.rate = ByteRate<double>(link * (generic.gemm.empty() ? 1 : generic.gemm.front().memory.raw));
  m.flat = [=](const MeasuredPoint& p) { return cost(flat, p); };
  CollectiveCurve<double> ideal = proto;
  ideal.rate = ByteRate<double>(link);
  m.peak = [=](const MeasuredPoint& p) { return cost(ideal, p); };
  const auto same = [op = proto.op](const CollectiveCurve<double>& e) { return e.op == op; };
  m.constants = [=](const Kernels<double>& k, std::string& whose) {
    const CollectiveCurve<double>* e = entry_for(k.collectives, set, same);
    if (!e) return std::optional<Constants>();
    whose = e->library;
    return std::optional(values_of(*e));
  };
  m.store = [=, points = timed_points(set)](const Constants& v, const FitRecord<double>& record,
                                            Kernels<double>& out) {
    CollectiveCurve<double> e = with(proto, v);
    set_record(e, record);
    e.library = set.library;
    e.ranks = range_of<Count<double>>(points, Column::kRanks);
    e.bytes = range_of<Bytes<double>>(points, Column::kBytes);
    out.collectives.push_back(std::move(e));
  };
  return m;
}

std::optional<KernelModel> dispatch_model(const MeasuredSet& set, const Chip<double>& chip,
                                          const Kernels<double>& generic, std::string& why_not) {
  const auto of_format = [&set](const GemmKernel<double>& e) { return e.format == set.format; };
  const GemmKernel<double>* operand = entry_for(generic.gemm, set, of_format);
  if (!operand || !chip.link) {
    why_not = operand
                  ? fmt::format("chip '{}' states no link", chip.id)
                  : fmt::format("nothing says how many bytes a number of '{}' takes", set.format);
    return {};
  }
  const auto timed = timed_points(set);
  for (const MeasuredPoint* p : timed) {
    if (p->at(Column::kNodes, 1) <= 1) continue;
    why_not = "several nodes: the constants are of one";
    return {};
  }
  DispatchKernel<double> proto;
  proto.step = std::string(name_of(set.kernel));
  proto.format = set.format;
  proto.size = operand->activation;
  const auto cost = [](const DispatchKernel<double>& e, const MeasuredPoint& p) {
    return dispatch_time(count(p, Column::kTokens), count(p, Column::kTopK),
                         count(p, Column::kHidden), e)
        .raw;
  };
  KernelModel m;
  m.parameters = {kFixed, {"rate", 1e8, 4e12}};
  m.dims = {kSecond, kByteRate};
  m.starts = {{11 * kMicro, 250 * kGiga}, {30 * kMicro, 60 * kGiga}};
  m.seconds = [=](const Constants& v, const MeasuredPoint& p) { return cost(with(proto, v), p); };
  const double link = chip.link->one_way.raw, share = generic.gemm.front().memory.raw;
  const double fixed = generic.gemm.front().fixed.raw;
  m.flat = [=](const MeasuredPoint& p) { return cost(with(proto, {fixed, share * link}), p); };
  m.peak = [=](const MeasuredPoint& p) { return cost(with(proto, {0, link}), p); };
  const auto same = [step = proto.step](const DispatchKernel<double>& e) { return e.step == step; };
  m.constants = [=](const Kernels<double>& k, std::string& whose) {
    const DispatchKernel<double>* e = entry_for(k.dispatch, set, same);
    if (!e) return std::optional<Constants>();
    whose = e->library;
    return std::optional<Constants>({e->fixed.raw, e->rate.raw});
  };
  m.store = [=](const Constants& v, const FitRecord<double>& record, Kernels<double>& out) {
    DispatchKernel<double> e = with(proto, v);
    set_record(e, record);
    e.library = set.library;
    e.ranks = count(*timed.front(), Column::kRanks);
    e.tokens = range_of<Count<double>>(timed, Column::kTokens);
    out.dispatch.push_back(std::move(e));
  };
  return m;
}

}  // namespace reckon::models
