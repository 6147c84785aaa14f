// The kernel model of a set of measured points: which constants it has, what it predicts with them, where they are
// kept.
//
//   const auto model = model_of(set, chip, generic, form, why_not);
//   model->seconds(values, point);                 // predicted
//   model->constants(kernels)                      // the values a file of kind `kernels` has for the set, if any
//   model->store(values, record, kernels);         // as an entry of such a file
//
// Predictions are the formulas of cost/kernels on doubles. `generic` (hardware/kernels/generic.yaml) says how many
// bytes an operand of each format takes; the peak and bandwidth are the chip's.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reckon/engine/measured.hpp"
#include "reckon/numerics/robust_fit.hpp"
#include "reckon/spec/kernels.hpp"

namespace reckon {

// How a collective's rate ramps up: by a fitted power, or by the square root, which alone serves unseen group sizes.
enum class CurveForm { kRamp, kRoot };
constexpr auto names(CurveForm) { return std::array{"ramp", "root"}; }

using Constants = std::vector<double>;

struct KernelModel {
  std::vector<FitParameter> parameters;
  std::vector<Dim> dims;  // of the constants, to print them
  std::vector<Constants> starts;
  std::function<double(const Constants&, const MeasuredPoint&)> seconds;
  // Baselines: everything at a flat share of what the chip could do, and at all of it.
  std::function<double(const MeasuredPoint&)> flat, peak;
  // Of the same library if the file has it, else of the first of the format; `whose` says which.
  std::function<std::optional<Constants>(const Kernels<double>&, std::string& whose)> constants;
  std::function<void(const Constants&, const FitRecord<double>&, Kernels<double>&)> store;
};

std::optional<KernelModel> model_of(const MeasuredSet& set, const Chip<double>& chip,
                                    const Kernels<double>& generic, CurveForm form,
                                    std::string& why_not);

// A chip by name, and the kernels of a file on the shelf; nothing after a fault.
std::optional<Chip<double>> load_chip(Workspace& work, const std::string& id, Span said,
                                      Diagnostics& diagnostics);
std::optional<Kernels<double>> load_kernels(Workspace& work, const std::string& id, Span said,
                                            Diagnostics& diagnostics);

// The points of a set that the kernel model speaks of: those with a time.
std::vector<const MeasuredPoint*> timed_points(const MeasuredSet& set);

struct FittedSet {
  FitOutcome outcome;
  ErrorSummary in_sample;
};
FittedSet fit_points(const KernelModel& model, const std::vector<const MeasuredPoint*>& points);

// ln(predicted/measured) of each point, its constants fitted without the points that share its `key`.
// `start`: constants to start from.
std::vector<double> left_out_errors(const KernelModel& model,
                                    const std::vector<const MeasuredPoint*>& points,
                                    const std::vector<double>& keys, const Constants& start);

}  // namespace reckon
