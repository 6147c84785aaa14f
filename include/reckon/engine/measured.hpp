// Measured points, read from files of kind `measurements` and from the outputs of other tools.
//
//   std::vector<MeasuredSet> sets = read_measured(work, "measurements/h100-sxm.yaml", {}, diagnostics);
//   sets[0].points[0].at(MeasuredColumn::kM)       // 4096; NaN where the set has no such column
//   sets[0].points[0].seconds                      // NaN where a rate was measured and nothing says of how much
//
// Files: our own YAML or JSON, reckon-bench's JSON, nccl-tests' table or JSON, nvbandwidth's JSON or text, CSV
// with columns mapped (FileFacts::columns). Faults are located: a missing unit, a number that is none, a time that is
// not positive, a row too short, a point that stands twice, several chips in one file, a file of another kind.
#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "reckon/engine/workspace.hpp"
#include "reckon/spec/measurements.hpp"

namespace reckon {

enum class MeasuredColumn {
  kM,
  kN,
  kK,
  kGroups,
  kBatch,
  kLength,
  kHeads,
  kKvHeads,
  kHeadWidth,
  kHidden,
  kInner,
  kTopK,
  kTokens,
  kRanks,
  kNodes,
  kBytes,
  kTime,
  kRate,
  kBusRate,
  kBandwidth
};
inline constexpr std::size_t kMeasuredColumns = 20;

struct MeasuredColumnInfo {
  std::string_view name;
  Dim dim;
  std::string_view example;  // how it is written with a unit
};
const MeasuredColumnInfo& column_info(MeasuredColumn column);

struct MeasuredPoint {
  Span span;
  std::array<double, kMeasuredColumns> values;  // SI; NaN where there is none
  double seconds = 0;

  double at(MeasuredColumn c) const { return values[static_cast<std::size_t>(c)]; }
  double at(MeasuredColumn c, double otherwise) const {
    return std::isnan(at(c)) ? otherwise : at(c);
  }
  bool has_time() const { return !std::isnan(seconds); }
};

// Of the machine, as reckon-bench writes it; zeros where nothing says.
struct MeasuredMachine {
  std::string name;  // "NVIDIA H100 80GB HBM3"
  double memory = 0, units = 0;
};

struct MeasuredSet {
  MeasuredKernel kernel = MeasuredKernel::kGemm;
  std::string chip, device, library, format, kv_format, conditions, source, file;
  LaunchedBy launch = LaunchedBy::kStream;
  bool causal = true, held_out = false;
  std::optional<bool> quantizes;
  double head_width = 0;  // 0: a column, or not stated
  MeasuredMachine machine;
  std::vector<MeasuredColumn> columns;
  std::vector<MeasuredPoint> points;
  Span span;
};

// "gemm bf16, TensorRT-LLM 1.3.0rc20, h100-sxm"
std::string name_of(const MeasuredSet& set);
// "m=64 n=4096 k=4096": what a row is, without what was measured.
std::string shape_of(const MeasuredSet& set, const MeasuredPoint& point);

bool is_collective(MeasuredKernel kernel);

// What a foreign file doesn't say of itself.
// The chip of points from which a chip's own file is to be written.
inline constexpr std::string_view kChipToWrite = "measured";

struct FileFacts {
  std::string chip, kernel, library, format;
  std::vector<std::pair<std::string, std::string>> columns;  // of a CSV: theirs, ours with its unit
};

// Null sets after a fault. `notes`: what was taken for granted of a foreign file.
std::vector<MeasuredSet> read_measured(Workspace& work, const std::string& file,
                                       const FileFacts& facts, Diagnostics& diagnostics,
                                       std::vector<std::string>& notes);

// A warning if the device that was measured doesn't bear the name of the chip it is said to be. A chip's file of one's
// own, and one that is yet to be written, say nothing of that.
void check_device(const std::string& device, const std::string& chip, Span at,
                  Diagnostics& diagnostics);

// All files of measurements/ in the data roots; a file in an earlier root hides one of the same name.
std::vector<MeasuredSet> bundled_measurements(Workspace& work, Diagnostics& diagnostics);

}  // namespace reckon
