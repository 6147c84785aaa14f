// Constants of the kernel model from measured points: what `reckon calibrate kernels|collectives` does.
//
//   Calibration c = calibrate(work, sets, CalibrateWhat::kKernels, {}, diagnostics);
//   c.kernels                     // a file of kind `kernels`: each entry with its points, errors, source
//   c.sets[0].constants[1].low    // with 95 % intervals
//
// A set with fewer points than constants is skipped, and said to be; nothing to fit is a fault. As many points as
// constants give them, and prove nothing. Constants are rounded to four digits. The measured range goes with each
// entry, so that whoever uses it can say when a shape lies outside.
#pragma once

#include <string>
#include <vector>

#include "reckon/engine/kernel_model.hpp"

namespace reckon {

enum class CalibrateWhat { kKernels, kCollectives };

struct CalibrateOptions {
  CurveForm form = CurveForm::kRamp;
  std::string name;  // of the file that is written
};

struct CalibratedConstant {
  std::string name;
  Dim dim;
  double value, low, high;
  bool at_bound;
};

struct CalibratedSet {
  std::string name;
  std::vector<CalibratedConstant> constants;
  ErrorSummary in_sample, left_out, flat;
  std::string left_what;  // "shape"
  Span span;
};

struct Calibration {
  Kernels<double> kernels;
  std::vector<CalibratedSet> sets;
  std::vector<std::string> skipped;
};

Calibration calibrate(Workspace& work, const std::vector<MeasuredSet>& sets, CalibrateWhat what,
                      const CalibrateOptions& options, Diagnostics& diagnostics);

// Entries of `fresh` stand in place of those of `base` that speak of the same kernel.
Kernels<double> laid_onto(Kernels<double> base, const Kernels<double>& fresh);

// The file's text, with `kind:` at its top.
std::string kernels_text(const Kernels<double>& kernels);

// What of a set can be left out, and each point's key: points of one key are left out together.
// A source: of measured runs (engine/validate_runs.hpp).
enum class LeaveOut { kNothing, kShape, kM, kSize, kLength, kGroup, kChip, kSource };
constexpr auto names(LeaveOut) {
  return std::array{"nothing", "shape", "m", "size", "length", "group", "chip", "source"};
}
// Empty if the set has nothing of the kind to leave out.
std::vector<double> keys_of(const MeasuredSet& set, const std::vector<const MeasuredPoint*>& points,
                            LeaveOut what);
// A shape of a product, a length of attention, a size of a collective.
LeaveOut usual_leave_out(MeasuredKernel kernel);

}  // namespace reckon
