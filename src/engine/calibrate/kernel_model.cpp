#include "reckon/engine/kernel_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "reckon/cost/kernels/attention.hpp"
#include "reckon/cost/kernels/collective_curve.hpp"
#include "reckon/cost/kernels/dispatch.hpp"

namespace reckon {
namespace {

using Column = MeasuredColumn;
using Points = std::vector<const MeasuredPoint*>;

constexpr double kMicro = 1e-6, kGiga = 1e9, kMega = 1e6;

Count<double> count(const MeasuredPoint& p, Column c, double otherwise = 1) {
  return Count<double>(p.at(c, otherwise));
}

GemmShape<double> gemm_shape(const MeasuredPoint& p) {
  return {count(p, Column::kM), count(p, Column::kN), count(p, Column::kK)};
}
GroupedShape<double> grouped_shape(const MeasuredPoint& p) {
  const Count<double> groups = count(p, Column::kGroups);
  return {groups * count(p, Column::kM), groups, count(p, Column::kN), count(p, Column::kK),
          Ratio<double>(1)};
}
AttentionCall<double> attention_shape(const MeasuredPoint& p) {
  return {count(p, Column::kBatch), count(p, Column::kLength), count(p, Column::kHeads),
          count(p, Column::kKvHeads), count(p, Column::kHeadWidth)};
}

// [from, to] of a column.
template <class Q>
std::vector<Q> range_of(const Points& points, Column c) {
  double low = HUGE_VAL, high = 0;
  for (const MeasuredPoint* p : points) {
    low = std::min(low, p->at(c));
    high = std::max(high, p->at(c));
  }
  return {Q(low), Q(high)};
}

template <class Entry>
void set_record(Entry& e, const FitRecord<double>& record) {
  static_cast<FitRecord<double>&>(e) = record;
}

// The entry whose library is the set's, else the first that speaks of the same thing.
template <class Entry, class Same>
const Entry* entry_for(const std::vector<Entry>& entries, const MeasuredSet& set, Same same) {
  const Entry* first = nullptr;
  for (const Entry& e : entries) {
    if (!same(e)) continue;
    if (e.library == set.library) return &e;
    if (!first) first = &e;
  }
  return first;
}

const FitParameter kFixed{"fixed", 1e-8, 1e-3}, kCompute{"compute", 0.02, 1},
    kMemory{"memory", 0.02, 1};

GemmKernel<double> with(GemmKernel<double> e, const Constants& v) {
  e.fixed = Seconds<double>(v[0]);
  e.compute = Ratio<double>(v[1]);
  e.memory = Ratio<double>(v[2]);
  return e;
}

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

DecodeKernel<double> with(DecodeKernel<double> e, const Constants& v) {
  e.fixed = Seconds<double>(v[0]);
  e.memory = Ratio<double>(v[1]);
  e.blend = Ratio<double>(v[2]);
  return e;
}

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

PrefillKernel<double> with(PrefillKernel<double> e, const Constants& v, bool has_fixed) {
  e.compute = Ratio<double>(v[0]);
  e.ramp = Count<double>(v[1]);
  e.fixed = Seconds<double>(has_fixed ? v[2] : 0);
  return e;
}

std::optional<KernelModel> prefill_model(const MeasuredSet& set, const Chip<double>& chip,
                                         const Kernels<double>& generic, std::string& why_not) {
  PrefillKernel<double> proto;
  proto.format = set.format;
  proto.kv_format = set.kv_format;
  proto.causal = set.causal;
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

DispatchKernel<double> with(DispatchKernel<double> e, const Constants& v) {
  e.fixed = Seconds<double>(v[0]);
  e.rate = ByteRate<double>(v[1]);
  return e;
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

LogErrors errors_of(const KernelModel& model, const Points& points) {
  return [&model, &points](const Constants& v) {
    std::vector<double> out;
    out.reserve(points.size());
    for (const MeasuredPoint* p : points)
      out.push_back(std::log(model.seconds(v, *p) / p->seconds));
    return out;
  };
}

}  // namespace

std::optional<KernelModel> model_of(const MeasuredSet& set, const Chip<double>& chip,
                                    const Kernels<double>& generic, CurveForm form,
                                    std::string& why_not) {
  if (timed_points(set).empty()) {
    why_not = "a rate alone, of an amount that is not stated";
    return {};
  }
  switch (set.kernel) {
    case MeasuredKernel::kGemm:
    case MeasuredKernel::kGroupedGemm:
      return gemm_model(set, chip, generic, why_not);
    case MeasuredKernel::kAttentionDecode:
      return decode_model(set, chip, generic, why_not);
    case MeasuredKernel::kAttentionPrefill:
      return prefill_model(set, chip, generic, why_not);
    case MeasuredKernel::kDispatch:
    case MeasuredKernel::kCombine:
      return dispatch_model(set, chip, generic, why_not);
    default:
      if (is_collective(set.kernel)) return curve_model(set, chip, generic, form, why_not);
      why_not = "no model of its time";
      return {};
  }
}

Points timed_points(const MeasuredSet& set) {
  Points out;
  for (const MeasuredPoint& p : set.points)
    if (p.has_time()) out.push_back(&p);
  return out;
}

FittedSet fit_points(const KernelModel& model, const Points& points) {
  FittedSet out{fit_robustly(model.parameters, model.starts, errors_of(model, points)), {}};
  out.in_sample = summarize_log_errors(out.outcome.errors);
  return out;
}

std::vector<double> left_out_errors(const KernelModel& model, const Points& points,
                                    const std::vector<double>& keys, const Constants& start) {
  std::vector<double> out(points.size(), 0);
  for (const double key : std::set<double>(keys.begin(), keys.end())) {
    Points kept;
    for (std::size_t i = 0; i < points.size(); ++i)
      if (keys[i] < key || keys[i] > key) kept.push_back(points[i]);
    auto starts = model.starts;
    starts.insert(starts.begin(), start);
    const FitOutcome fit = fit_robustly(model.parameters, starts, errors_of(model, kept));
    for (std::size_t i = 0; i < points.size(); ++i)
      if (!(keys[i] < key || keys[i] > key))
        out[i] = std::log(model.seconds(fit.values, *points[i]) / points[i]->seconds);
  }
  return out;
}

}  // namespace reckon
