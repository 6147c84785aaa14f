#include "reckon/numerics/tensor.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernel.hpp"

namespace reckon {
namespace {

constexpr std::uint64_t kChunk = std::uint64_t{1} << 18;  // values read at once

// Hands out a source's values in order, in runs within a row or of whole rows.
template <class T>
class Runs {
 public:
  Runs(Source& source, std::uint64_t rows_at_once, std::uint64_t unit)
      : source_(source), shape_(source.shape()) {
    const std::uint64_t fit = shape_.columns > 0 ? kChunk / shape_.columns : 1;
    rows_ = std::max<std::uint64_t>(fit / rows_at_once * rows_at_once, rows_at_once);
    columns_ = fit > 0 || rows_at_once > 1 ? shape_.columns
                                           : std::max<std::uint64_t>(kChunk / unit * unit, unit);
    source.rewind();
  }
  // visit(first row, first column, rows, columns, values)
  template <class Visit>
  void each(Visit visit) {
    std::vector<T> values;
    const std::uint64_t rows_step = columns_ < shape_.columns ? 1 : rows_;
    for (std::uint64_t r = 0; r < shape_.rows; r += rows_step) {
      const std::uint64_t rows = std::min(rows_step, shape_.rows - r);
      for (std::uint64_t c = 0; c < shape_.columns; c += columns_) {
        const std::uint64_t columns = std::min(columns_, shape_.columns - c);
        values.resize(rows * columns);
        source_.read(std::span<T>(values));
        visit(r, c, rows, columns, std::span<const T>(values));
      }
    }
  }

 private:
  Source& source_;
  Shape shape_;
  std::uint64_t rows_ = 1, columns_ = 1;
};

template <class Visit>
void each_value(Source& source, Visit visit) {
  Runs<double>(source, 1, 1).each([&](auto r, auto c, auto rows, auto columns, auto values) {
    for (std::uint64_t i = 0; i < rows; ++i) {
      for (std::uint64_t j = 0; j < columns; ++j) visit(r + i, c + j, values[i * columns + j]);
    }
  });
}

constexpr std::uint64_t kMostCandidates = std::uint64_t{1} << 20;

// The value of a rank among magnitudes, by their bits, which order as they do: 16 bits a pass from the top, until few
// enough are left to look at one by one. Of single precision two passes do, of double mostly two as well.
template <class T, class Bits>
class Quantile {
 public:
  Quantile(Source& source, std::uint64_t rank) : source_(source), rank_(rank) {}

  double find() {
    for (int above = kBits; above > 0; above -= kDigit) {
      if (left_ <= kMostCandidates) return select(above);
      narrow(above);
    }
    return std::bit_cast<T>(prefix_);
  }

 private:
  static constexpr int kBits = 8 * sizeof(Bits), kDigit = 16;

  // visit(bits) of each magnitude that begins as the one sought: all bits from `above` up.
  template <class Visit>
  void candidates(int above, Visit visit) {
    Runs<T>(source_, 1, 1).each([&](auto, auto, auto, auto, std::span<const T> values) {
      for (const T x : values) {
        const auto bits = std::bit_cast<Bits>(std::abs(x));
        if (above == kBits || bits >> above == prefix_) visit(bits);
      }
    });
  }

  void narrow(int above) {
    std::vector<std::uint64_t> counts(std::size_t{1} << kDigit);
    const int shift = above - kDigit;
    candidates(above, [&](Bits bits) { ++counts[(bits >> shift) & 0xFFFF]; });
    std::size_t digit = 0;
    while (counts[digit] < rank_) rank_ -= counts[digit++];
    left_ = counts[digit];
    prefix_ = static_cast<Bits>(above == kBits ? digit : (prefix_ << kDigit) | digit);
  }

  double select(int above) {
    std::vector<Bits> all;
    all.reserve(left_);
    candidates(above, [&](Bits bits) { all.push_back(bits); });
    const auto nth = all.begin() + static_cast<std::ptrdiff_t>(rank_ - 1);
    std::nth_element(all.begin(), nth, all.end());
    return std::bit_cast<T>(*nth);
  }

  Source& source_;
  std::uint64_t rank_, left_ = source_.shape().size();
  Bits prefix_ = 0;
};

std::uint64_t group_count(const Shape& s, const Grouping& g) {
  switch (g.share) {
    case Share::kTensor:
      return 1;
    case Share::kRow:
      return s.rows;
    case Share::kColumn:
      return s.columns;
    case Share::kBlock:
      break;
  }
  const auto up = [](std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; };
  return up(s.rows, g.block_rows) * up(s.columns, g.block);
}

class Run {
 public:
  Run(Source& source, const Scheme& scheme, const Grouping& grouping)
      : source_(source),
        scheme_(scheme),
        g_(grouping),
        shape_(source.shape()),
        used_(scheme.element) {
    out_.values = shape_.size();
    out_.groups = group_count(shape_, g_);
    if (!g_.keep) return;
    out_.codes.resize(shape_.size());
    out_.dequantized.resize(shape_.size());
    out_.group_of.resize(shape_.size());
  }

  TensorReport run() {
    if (shape_.size() == 0) return std::move(out_);
    if (g_.share != Share::kBlock || scheme_.rule == ScaleRule::kTwoLevel) look_ahead();
    if (out_.non_finite > 0) return std::move(out_);
    if (g_.clip < 1 && g_.share == Share::kTensor)
      scheme_.clip = magnitude_quantile(source_, g_.clip);
    out_.tensor_scale = tensor_scale(scheme_, magnitude_);
    if (g_.share != Share::kBlock && !clips_groups()) {
      for (const Extremes& e : extremes_)
        scales_.push_back(noted(scale_of(scheme_, e, out_.tensor_scale)));
    }
    if (quick())
      quick_pass();
    else
      pass();
    out_.codes_used = used_.count();
    return std::move(out_);
  }

 private:
  bool clips_groups() const { return g_.clip < 1 && g_.share != Share::kTensor; }
  bool quick() const {
    const Element& e = scheme_.element;
    return source_.is_float() && !g_.keep && !g_.histogram && g_.block_rows == 1 &&
           g_.share != Share::kColumn && scheme_.rule == ScaleRule::kAbsmax &&
           e.kind == ElementKind::kInteger && e.lowest == -e.highest && e.bits <= 16 &&
           e.point == 0 && scheme_.rounding == Rounding::kNearestEven;
  }

  bool finite(double x, std::uint64_t at) {
    if (std::isfinite(x)) return true;
    if (out_.non_finite++ == 0) out_.first_non_finite = at;
    return false;
  }

  // The same in single precision, where only magnitudes matter.
  void quick_look_ahead() {
    const bool by_row = g_.share == Share::kRow;
    extremes_.resize(by_row ? shape_.rows : 1);
    Runs<float>(source_, 1, 1).each([&](auto r, auto c, auto rows, auto columns, auto values) {
      for (std::uint64_t i = 0; i < rows; ++i) {
        const auto row = values.subspan(i * columns, columns);
        const float magnitude = detail::largest_magnitude(row);
        if (std::isfinite(magnitude)) {
          extremes_[by_row ? r + i : 0].add(magnitude);
          continue;
        }
        for (std::uint64_t j = 0; j < columns; ++j)
          finite(row[j], (r + i) * shape_.columns + c + j);
      }
    });
  }

  void look_ahead() {
    if (quick()) return quick_look_ahead();
    const bool by_row = g_.share == Share::kRow, by_column = g_.share == Share::kColumn;
    extremes_.resize(by_row ? shape_.rows : by_column ? shape_.columns : 1);
    each_value(source_, [&](std::uint64_t r, std::uint64_t c, double x) {
      if (!finite(x, r * shape_.columns + c)) return;
      extremes_[by_row ? r : by_column ? c : 0].add(x);
      magnitude_ = std::max(magnitude_, std::abs(x));
    });
  }

  Scale noted(const Scale& s) {
    const double size = std::abs(s.scale);
    if (!std::isfinite(size)) ++out_.overflowed;
    out_.smallest_scale = noted_ == 0 ? size : std::min(out_.smallest_scale, size);
    out_.largest_scale = std::max(out_.largest_scale, size);
    ++noted_;
    if (g_.keep) out_.scales.push_back(s);
    return s;
  }

  // One value, its error and what is kept of it.
  void value(std::uint64_t at, double x, const Scale& scale, std::uint64_t group) {
    const Quantized q = quantize(scheme_, scale, x);
    out_.error.add(x, q, at);
    // 0 and -0 are one value.
    used_.add(q.value == 0 && scheme_.element.signed_zero() ? 0 : q.code);
    if (g_.histogram) out_.histogram.add(q.value - x);
    if (!g_.keep) return;
    out_.codes[at] = q.code;
    out_.dequantized[at] = q.value;
    out_.group_of[at] = group;
  }

  // A block's scale from its own values: `at` lists where they lie in the run.
  Scale scale_from(std::span<const double> values, const std::vector<std::uint64_t>& at) {
    Extremes extremes;
    for (const std::uint64_t i : at) extremes.add(values[i]);
    if (!clips_groups()) return noted(scale_of(scheme_, extremes, out_.tensor_scale));
    Scheme clipping = scheme_;
    std::vector<double> sizes;
    for (const std::uint64_t i : at) sizes.push_back(std::abs(values[i]));
    clipping.clip = covered(sizes);
    return noted(scale_of(clipping, extremes, out_.tensor_scale));
  }

  // Of a group's magnitudes, the one that the share of them asked for does not exceed. Reorders them.
  template <class T>
  T covered(std::vector<T>& sizes) const {
    const auto rank =
        static_cast<std::ptrdiff_t>(std::ceil(g_.clip * static_cast<double>(sizes.size())) - 1);
    const auto nth = sizes.begin() + std::max<std::ptrdiff_t>(rank, 0);
    std::nth_element(sizes.begin(), nth, sizes.end());
    return *nth;
  }

  void blocks(std::uint64_t r, std::uint64_t c, std::uint64_t rows, std::uint64_t columns,
              std::span<const double> values) {
    const std::uint64_t width = g_.share == Share::kBlock ? g_.block : columns;
    const std::uint64_t height = g_.share == Share::kBlock ? g_.block_rows : 1;
    std::vector<std::uint64_t> at;
    for (std::uint64_t br = 0; br < rows; br += height) {
      for (std::uint64_t bc = 0; bc < columns; bc += width) {
        at.clear();
        bool good = true;
        for (std::uint64_t i = br; i < std::min(br + height, rows); ++i) {
          for (std::uint64_t j = bc; j < std::min(bc + width, columns); ++j) {
            good = finite(values[i * columns + j], (r + i) * shape_.columns + c + j) && good;
            at.push_back(i * columns + j);
          }
        }
        const std::uint64_t group = noted_;
        if (!good) continue;
        const Scale scale = scale_from(values, at);
        for (const std::uint64_t i : at)
          value((r + i / columns) * shape_.columns + c + i % columns, values[i], scale, group);
      }
    }
  }

  void pass() {
    const bool own_scales = g_.share == Share::kBlock || clips_groups();
    const std::uint64_t unit = g_.share == Share::kBlock ? g_.block
                               : own_scales              ? shape_.columns
                                                         : 1;
    const std::uint64_t rows = g_.share == Share::kBlock ? g_.block_rows : 1;
    Runs<double>(source_, rows, unit).each([&](auto r, auto c, auto n, auto m, auto values) {
      if (own_scales) return blocks(r, c, n, m, values);
      for (std::uint64_t i = 0; i < n * m; ++i) {
        const std::uint64_t row = r + i / m, column = c + i % m;
        const std::uint64_t group = g_.share == Share::kRow      ? row
                                    : g_.share == Share::kColumn ? column
                                                                 : 0;
        value(row * shape_.columns + column, values[i], scales_[group], group);
      }
    });
  }

  void quick_run(detail::SymmetricKernel& kernel, std::uint64_t first,
                 std::span<const float> values, const Scale& scale) {
    if (scale.scale == 0) {
      out_.error.count += values.size();
      used_.add(0);
      return;
    }
    kernel.run(values, scale.scale, first);
  }

  void quick_pass() {
    const bool own_scales = g_.share == Share::kBlock || clips_groups();
    const std::uint64_t unit = g_.share == Share::kBlock ? g_.block
                               : own_scales              ? shape_.columns
                                                         : 1;
    detail::SymmetricKernel kernel(scheme_.element.highest, used_.flags());
    Runs<float>(source_, 1, unit).each([&](auto r, auto c, auto rows, auto columns, auto values) {
      for (std::uint64_t i = 0; i < rows; ++i) {
        const auto row = values.subspan(i * columns, columns);
        const std::uint64_t first = (r + i) * shape_.columns + c;
        if (!own_scales) {
          quick_run(kernel, first, row, scales_[g_.share == Share::kRow ? r + i : 0]);
          continue;
        }
        for (std::uint64_t j = 0; j < columns; j += unit)
          quick_block(kernel, first + j, row.subspan(j, std::min(unit, columns - j)));
      }
    });
    kernel.add_to(out_.error);
  }

  Scale quick_scale(double magnitude) const {
    Scale plain;
    plain.scale = magnitude / static_cast<double>(scheme_.element.highest);
    if (!scheme_.stored && !scheme_.pow2) return plain;
    Extremes extremes;
    extremes.add(magnitude);
    return scale_of(scheme_, extremes);
  }

  // What the scale of a group is to cover.
  float quick_largest(std::span<const float> values, float magnitude) {
    if (!clips_groups()) return magnitude;
    sizes_.resize(values.size());
    std::transform(values.begin(), values.end(), sizes_.begin(),
                   [](float x) { return std::abs(x); });
    return covered(sizes_);
  }

  void quick_block(detail::SymmetricKernel& kernel, std::uint64_t first,
                   std::span<const float> values) {
    const float magnitude = detail::largest_magnitude(values);
    if (!std::isfinite(magnitude)) {
      for (std::uint64_t i = 0; i < values.size(); ++i) finite(values[i], first + i);
      return;
    }
    quick_run(kernel, first, values, noted(quick_scale(quick_largest(values, magnitude))));
  }

  Source& source_;
  Scheme scheme_;
  Grouping g_;
  Shape shape_;
  CodesUsed used_;
  std::vector<Extremes> extremes_;
  std::vector<Scale> scales_;
  std::vector<float> sizes_;  // of one group
  double magnitude_ = 0;
  std::uint64_t noted_ = 0;
  TensorReport out_;
};

}  // namespace

void Source::read(std::span<float> to) {
  std::vector<double> values(to.size());
  read(std::span<double>(values));
  std::transform(values.begin(), values.end(), to.begin(),
                 [](double x) { return static_cast<float>(x); });
}

HeldMatrix::HeldMatrix(Shape shape, std::vector<double> values)
    : shape_(shape), values_(std::move(values)) {}

void HeldMatrix::read(std::span<double> to) {
  std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(at_), to.size(), to.begin());
  at_ += to.size();
}

TensorReport quantize_tensor(Source& source, const Scheme& scheme, const Grouping& grouping) {
  return Run(source, scheme, grouping).run();
}

double magnitude_quantile(Source& source, double share) {
  const std::uint64_t count = source.shape().size();
  if (count == 0) return 0;
  auto rank = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count)));
  rank = std::clamp<std::uint64_t>(rank, 1, count);
  if (source.is_float()) return Quantile<float, std::uint32_t>(source, rank).find();
  return Quantile<double, std::uint64_t>(source, rank).find();
}

}  // namespace reckon
