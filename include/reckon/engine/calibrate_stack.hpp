// The ceilings of a software stack from measured kernels: what `reckon calibrate stack MEASURED…` does.
//
//   StackCalibration c = calibrate_stack(work, sets, "generic-h100", diagnostics);
//   c.constants[0].constant.value        // gemm.ceiling, by the points of c.constants[0].from
//   stack_overlay(c, "our kernels")      // kind: stack, base: generic-h100, and those constants
//
// Fitted by the formulas that price a training step (cost/operators), robustly, with 95 % intervals: of matrix products
// the ceiling and the depth, in 16 bits and fp8; of flash attention the ceiling and the fill; the share of the memory
// bandwidth; a kernel's launch. Only products of at least kTrainingRows rows and prompts count: a training step has no
// others. Kernels measured alone reach more than they do in a run, where clocks fall and neighbours interfere: what is
// left to find is in `kept`, and `reckon calibrate runs` finds it.
#pragma once

#include <string>
#include <vector>

#include "reckon/engine/calibrate_runs.hpp"
#include "reckon/engine/measured.hpp"

namespace reckon {

inline constexpr double kTrainingRows = 512;

struct MeasuredConstant {
  FittedStackConstant constant;  // usual: that of the base
  std::string from;              // "gemm bf16, cuBLASLt 12.9: 14 points, 3.1 % mean error"
};

struct StackCalibration {
  std::string base, chip, source;
  std::vector<MeasuredConstant> constants;
  std::vector<std::string> kept;  // what nothing here measures: as in the base
};

// `base`: a stack of hardware/stacks or a file, whose other constants stay. Faults: points of two chips, a base for
// another chip, nothing of use among the points.
StackCalibration calibrate_stack(Workspace& work, const std::vector<MeasuredSet>& sets,
                                 const std::string& base, Diagnostics& diagnostics);

// The text of a file of kind stack.
std::string stack_overlay(const StackCalibration& calibration, const std::string& name);

}  // namespace reckon
