#include "reckon/engine/kernel_model.hpp"

#include <cmath>
#include <set>

#include "models.hpp"

namespace reckon {
namespace {

using Points = std::vector<const MeasuredPoint*>;

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
      return models::gemm_model(set, chip, generic, why_not);
    case MeasuredKernel::kAttentionDecode:
      return models::decode_model(set, chip, generic, why_not);
    case MeasuredKernel::kAttentionPrefill:
      return models::prefill_model(set, chip, generic, why_not);
    case MeasuredKernel::kDispatch:
    case MeasuredKernel::kCombine:
      return models::dispatch_model(set, chip, generic, why_not);
    case MeasuredKernel::kNorm:
    case MeasuredKernel::kSwiglu:
    case MeasuredKernel::kQuantize:
      return models::stream_model(set, chip, generic, why_not);
    default:
      if (is_collective(set.kernel)) return models::curve_model(set, chip, generic, form, why_not);
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
