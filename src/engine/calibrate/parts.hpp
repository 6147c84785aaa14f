// What calibrating does beside fitting: whole layers held against their kernels, and the best rates of plain copies.
#pragma once

#include "reckon/engine/calibrate.hpp"

namespace reckon {

inline bool is_layer(MeasuredKernel k) {
  return k == MeasuredKernel::kLayerDecode || k == MeasuredKernel::kLayerPrefill;
}

// Measured for its rate alone: no constants of its own.
bool is_ceiling(MeasuredKernel kernel);

// The layer's time by the constants in `out.kernels`, beside the measured one.
void check_layers(const MeasuredSet& set, const Chip<double>& chip, const Kernels<double>& generic,
                  Calibration& out);
void add_ceilings(const std::vector<const MeasuredSet*>& sets, const Chip<double>& chip,
                  Calibration& out);

// Measured with its inputs in a cache.
inline bool is_hot(const MeasuredSet& s) { return s.conditions.starts_with("hot"); }

// One file of constants is of one chip: a fault if the points are of several.
bool one_chip(const std::vector<const MeasuredSet*>& sets, Diagnostics& diagnostics);

// The same point in two files: a fault. Files measured apart say so in their conditions.
bool stand_once(const std::vector<const MeasuredSet*>& sets, Diagnostics& diagnostics);

// The point of the highest rate (in `rate`), or null.
const MeasuredPoint* best_of(const MeasuredSet& set, MeasuredColumn rate);

}  // namespace reckon
