// A whole matrix of weights or activations, quantized in one, two or three passes over it in bounded memory.
//
//   HeldMatrix x({2, 2}, {0.3, -0.5, 0.12, 30});
//   TensorReport r = quantize_tensor(x, int8, {.share = Share::kBlock, .block = 2});
//   r.error.sqnr(), r.groups, r.codes                 // codes and values where `keep` asks for them
//
// A row is an output channel of a weight, or a token of an activation. Blocks run along a row and do not cross it;
// the last one of a row may be shorter. Memory: a chunk of values, and one scale per group where a group is a row or
// column.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reckon/numerics/error.hpp"
#include "reckon/numerics/scheme.hpp"

namespace reckon {

struct Shape {
  std::uint64_t rows = 0, columns = 0;
  std::uint64_t size() const { return rows * columns; }
};

// Values in row order, from wherever they lie. Sources that can't deliver throw SourceFailed.
class Source {
 public:
  virtual ~Source() = default;
  virtual Shape shape() const = 0;
  virtual void rewind() = 0;
  virtual void read(std::span<double> to) = 0;
  // Single precision, for what can do without the detour; false if the values have more bits.
  virtual bool is_float() const { return false; }
  virtual void read(std::span<float> to);
};

struct SourceFailed {
  std::string what;
};

class HeldMatrix : public Source {
 public:
  HeldMatrix(Shape shape, std::vector<double> values);
  Shape shape() const override { return shape_; }
  void rewind() override { at_ = 0; }
  void read(std::span<double> to) override;
  const std::vector<double>& values() const { return values_; }

 private:
  Shape shape_;
  std::vector<double> values_;
  std::size_t at_ = 0;
};

enum class Share { kTensor, kRow, kColumn, kBlock };

struct Grouping {
  Share share = Share::kTensor;
  std::uint64_t block = 0;       // values of a block, along the row
  std::uint64_t block_rows = 1;  // of two-dimensional blocks: block columns times these
  double clip = 1;               // share of |values| that the scale covers; 1: all
  bool keep = false;             // codes, values and scales in the report
  bool histogram = false;
};

struct TensorReport {
  std::uint64_t values = 0, groups = 0;
  double largest_scale = 0, smallest_scale = 0, tensor_scale = 1;
  ErrorStats error;
  std::uint64_t codes_used = 0;
  std::uint64_t overflowed = 0;                        // scales that their own format does not hold
  std::uint64_t non_finite = 0, first_non_finite = 0;  // inputs; then nothing else is computed
  ErrorHistogram histogram;
  // with `keep`
  std::vector<std::int64_t> codes;
  std::vector<double> dequantized;
  std::vector<Scale> scales;
  std::vector<std::uint64_t> group_of;  // each value's scale
};

TensorReport quantize_tensor(Source& source, const Scheme& scheme, const Grouping& grouping);

// The value that `share` of all |values| do not exceed (nearest rank), without sorting: a count by leading bits, then a
// selection among those that share the right ones, at most a million at a time.
double magnitude_quantile(Source& source, double share);

}  // namespace reckon
