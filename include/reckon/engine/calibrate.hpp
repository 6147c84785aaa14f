// Constants of the kernel model from measured points: what `reckon calibrate kernels|collectives` does.
//
//   Calibration c = calibrate(work, sets, CalibrateWhat::kKernels, {}, diagnostics);
//   c.kernels                     // a file of kind `kernels`: each entry with its points, errors, source
//   c.sets[0].constants[1].low    // with 95 % intervals
//
// Of whole decoder layers among the points, c.layers says what the constants just fitted come to, beside what was
// measured: no constant is fitted on them. calibrate_chip writes the chip's file for a machine that has none: the
// arithmetic, memory and copies that reckon-bench measured.
//
// A fit that explains nothing (every constant at a bound, off by half on average, no nearer than one flat efficiency)
// is said to be none: `failed`, and no file is to be written of it. A time that the chip's peak does not allow is a
// fault. A set with fewer points than constants is skipped, and
// said to be; nothing to fit is a fault. As many points as constants give them, and prove nothing. Constants are
// rounded to four digits. The measured range goes with each entry, so that whoever uses it can say when a shape
// lies outside.
#pragma once

#include <string>
#include <vector>

#include "reckon/engine/kernel_model.hpp"

namespace reckon {

// Faster than the chip's printed peak by more than a clock above the stated one explains: another chip, another unit,
// or inputs that lay in a cache.
inline constexpr double kAbovePeak = 1.1;

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

// A whole layer, held against the sum of its kernels.
struct LayerCheck {
  std::string name, shape;
  double measured = 0, predicted = 0;  // seconds
  std::vector<std::string> outside;  // "gemm n = 8,192 (1,024 … 4,096)": beyond what was measured
};

// What a copy, a read or a product reached at best, beside what the chip's file prints.
struct Ceiling {
  std::string name, shape;
  Dim dim;
  double value = 0, printed = 0;  // 0: nothing is printed
};

struct Calibration {
  Kernels<double> kernels;
  std::vector<CalibratedSet> sets;
  std::vector<LayerCheck> layers;
  std::vector<Ceiling> ceilings;
  std::vector<std::string> skipped;
  std::vector<std::string> failed;  // sets whose fit explains nothing, and why
};

Calibration calibrate(Workspace& work, const std::vector<MeasuredSet>& sets, CalibrateWhat what,
                      const CalibrateOptions& options, Diagnostics& diagnostics);

// A chip's file of what was measured: peak, memory, link between units and to the host. Nothing after a fault; that of
// measured links alone says what else is needed.
std::optional<Chip<double>> calibrate_chip(const std::vector<MeasuredSet>& sets,
                                           const CalibrateOptions& options,
                                           Diagnostics& diagnostics);
std::string chip_text(const Chip<double>& chip);

// The file of the chip `base` with the links that were measured in place of those that its vendor prints: to the host,
// and to one peer; to all at once too where the file has both the same. Empty after a fault.
std::string chip_onto(Workspace& work, const std::string& base,
                      const std::vector<MeasuredSet>& sets, const CalibrateOptions& options,
                      Diagnostics& diagnostics);

// Entries of `fresh` stand before those of `base`, so that who names no library gets them, and in place of those that
// speak of the same kernel of the same library.
Kernels<double> laid_onto(Kernels<double> base, const Kernels<double>& fresh);

// The file's text, with `kind:` at its top.
std::string kernels_text(const Kernels<double>& kernels);

// What of a set can be left out, and each point's key: points of one key are left out together.
// A source: of measured runs (engine/validate_runs.hpp).
enum class LeaveOut { kNothing, kShape, kM, kSize, kLength, kGroup, kChip, kModel, kSource };
constexpr auto names(LeaveOut) {
  return std::array{"nothing", "shape", "m", "size", "length", "group", "chip", "model", "source"};
}
// Empty if the set has nothing of the kind to leave out.
std::vector<double> keys_of(const MeasuredSet& set, const std::vector<const MeasuredPoint*>& points,
                            LeaveOut what);
// A shape of a product, a length of attention, a size of a collective.
LeaveOut usual_leave_out(MeasuredKernel kernel);

}  // namespace reckon
