// What a quantize question asks for, checked against what its format can do.
#include <fmt/format.h>

#include <cmath>

#include "quantize.hpp"
#include "reckon/units/formula/formula.hpp"

namespace reckon {
namespace {

constexpr double kComputedScaleBits = 32;  // a scale kept as computed is counted as fp32

class Setup {
 public:
  Setup(const QuantizeAsked& q, const NumbersAsked& asked) : q_(q), asked_(asked) {}

  std::optional<QuantizeSetup> make() {
    const auto format = asked_.computable("to", q_.to);
    const auto original = asked_.format("original", q_.original);
    if (!format || !original) return std::nullopt;
    out_.format = *format;
    out_.scheme = format->scheme;
    out_.original_bits = original->spec.bits_per_weight.raw;
    rules();
    scale_format();
    ways();
    out_.tensor_bits = format->spec.tensor_scale_bits.value_or(Ratio<double>(0)).raw;
    if (asked_.failed()) return std::nullopt;
    return std::move(out_);
  }

 private:
  bool ggml() const { return out_.scheme.rule >= ScaleRule::kGgmlAbsmax; }

  void rules() {
    Scheme& s = out_.scheme;
    if (s.rule == ScaleRule::kNone && (!q_.per.empty() || q_.block)) s.rule = ScaleRule::kAbsmax;
    s.rounding = rounding_of(q_.rounding);
    if (s.rounding != Rounding::kNearestEven && ggml())
      asked_.fault("rounding", fmt::format("rounding: {} rounds as ggml's code does", q_.to))
          .help("leave rounding out");
    if (s.rounding == Rounding::kStochastic) {
      auto random = std::make_shared<Random>(static_cast<std::uint64_t>(q_.from.seed.raw));
      s.uniform = [random] { return random->unit(); };
    }
    const bool mx = s.rule == ScaleRule::kPowerOfTwo;
    const bool of_mx = q_.scale_rule == ScaleChoice::kFloor || q_.scale_rule == ScaleChoice::kCeil;
    if (of_mx && !mx)
      asked_
          .fault("scale_rule",
                 fmt::format("scale_rule: {} is of MX formats", name_of(q_.scale_rule)))
          .help("to: mxfp4, mxfp8-e4m3, …");
    if (q_.scale_rule == ScaleChoice::kPow2 && s.rule != ScaleRule::kAbsmax)
      asked_.fault("scale_rule", "scale_rule: pow2 is of formats scaled by their largest magnitude")
          .help("to: int8, fp8-e4m3-1x128, …");
    if (q_.scale_rule == ScaleChoice::kCeil) s.power = Power::kCeil;
    s.pow2 = q_.scale_rule == ScaleChoice::kPow2;
  }

  void scale_format() {
    Scheme& s = out_.scheme;
    const auto& said = out_.format.spec.scale_bits_per_block;
    const bool affine = s.rule == ScaleRule::kAffine;
    out_.scale_bits = said ? said->raw
                      : s.rule == ScaleRule::kNone
                          ? 0
                          : kComputedScaleBits + (affine ? out_.format.element.bits : 0);
    if (q_.scale_format.empty()) return;
    const bool fixed = ggml() || s.rule == ScaleRule::kTwoLevel || s.rule == ScaleRule::kPowerOfTwo;
    if (fixed || s.rule == ScaleRule::kNone) {
      asked_
          .fault("scale_format",
                 fmt::format("scale_format: {} {}", q_.to, fixed ? "has its own" : "has no scale"))
          .help("leave scale_format out");
      return;
    }
    const double zero = said && s.stored ? said->raw - s.stored->bits
                        : affine         ? out_.format.element.bits
                                         : 0;
    if (q_.scale_format == "exact") {
      s.stored.reset();
      out_.scale_bits = kComputedScaleBits + zero;
      return;
    }
    const auto f = asked_.computable("scale_format", q_.scale_format);
    if (!f) return;
    if (f->element.kind != ElementKind::kFloat || f->block > 0) {
      asked_.fault("scale_format", "scale_format: a scale is stored as a float")
          .help("fp32, fp16, bf16, e8m0 or exact");
      return;
    }
    s.stored = f->element;
    out_.scale_bits = f->spec.bits_per_weight.raw + zero;
  }

  void ways() {
    std::vector<std::string> words = q_.per;
    if (words.empty()) words = {out_.format.block > 0 || q_.block ? "block" : "tensor"};
    for (const std::string& word : words) {
      const auto way = way_of(word);
      if (way) out_.ways.push_back(*way);
    }
    if (q_.block && std::find(words.begin(), words.end(), "block") == words.end())
      asked_.fault("block", "block: no block is asked for").help("per: [block]");
  }

  std::optional<SharedScales> way_of(const std::string& word) {
    const auto known = names(PerWord{});
    const auto at = std::find(known.begin(), known.end(), word);
    if (at == known.end()) {
      asked_.fault(
          "per",
          fmt::format("per: '{}' is none of tensor, channel, token, row, column, block", word));
      return std::nullopt;
    }
    SharedScales out{word, "per " + word, {}};
    Grouping& g = out.grouping;
    g.histogram = q_.histogram;
    if (q_.clip) g.clip = q_.clip->raw;
    constexpr Share kShares[] = {Share::kTensor, Share::kRow,    Share::kRow,
                                 Share::kRow,    Share::kColumn, Share::kBlock};
    g.share = kShares[at - known.begin()];
    if (g.share != Share::kBlock) {
      const ScaleRule rule = out_.scheme.rule;
      if (rule == ScaleRule::kPowerOfTwo || rule == ScaleRule::kTwoLevel || ggml())
        asked_.fault("per", fmt::format("per: {} shares scales by block", q_.to))
            .help("leave per out");
      if (g.share == Share::kColumn && g.clip < 1)
        asked_.fault("clip", "clip: not by column; a column's values do not lie together")
            .help("transpose the matrix and ask per row");
      return out;
    }
    return blocks(std::move(out));
  }

  std::optional<SharedScales> blocks(SharedScales out) {
    const NumberFormatInUse& f = out_.format;
    if (!q_.block && f.block == 0) {
      asked_.fault("per", "block: how many values share a scale is not stated").help("block: 32");
      return std::nullopt;
    }
    if (q_.block && ggml() && static_cast<long>(q_.block->raw) != f.block)
      asked_.fault("block", fmt::format("block: {} has blocks of {}", q_.to, f.block))
          .help("leave block out");
    if (q_.block && q_.block->raw > 1e9) asked_.fault("block", "block: at most 1e9 values");
    const long block = q_.block ? static_cast<long>(q_.block->raw) : f.block / f.block_rows;
    out.grouping.block = static_cast<std::uint64_t>(block);
    out.grouping.block_rows = static_cast<std::uint64_t>(q_.block ? 1 : f.block_rows);
    out.title = out.grouping.block_rows > 1
                    ? fmt::format("per block of {} × {}", out.grouping.block_rows, block)
                    : fmt::format("per block of {}", block);
    return out;
  }

  const QuantizeAsked& q_;
  const NumbersAsked& asked_;
  QuantizeSetup out_;
};

}  // namespace

std::optional<QuantizeSetup> set_up(const QuantizeAsked& q, const NumbersAsked& asked) {
  return Setup(q, asked).make();
}

std::optional<TensorReport> quantized(Source& source, const Scheme& scheme,
                                      const Grouping& grouping, const NumbersAsked& asked) {
  TensorReport r = quantize_tensor(source, scheme, grouping);
  const Shape shape = source.shape();
  if (r.non_finite > 0) {
    const std::uint64_t row = r.first_non_finite / shape.columns,
                        column = r.first_non_finite % shape.columns;
    asked
        .fault(asked.places.stated("file") ? "file" : "values",
               fmt::format("{} of {} values {} not finite, the first in row {}, column {}",
                           r.non_finite, shape.size(), r.non_finite == 1 ? "is" : "are", row + 1,
                           column + 1))
        .help("a scale follows from the largest magnitude: take NaN and infinities out first");
    return std::nullopt;
  }
  if (r.overflowed > 0) {
    asked
        .fault("to", fmt::format("{} scale{} too large for {}", r.overflowed,
                                 r.overflowed == 1 ? " is" : "s are",
                                 "the format that scales are stored in"))
        .help("divide the values by a power of two, or take another format");
    return std::nullopt;
  }
  if (!std::isfinite(r.error.squares) || !std::isfinite(r.error.value_squares)) {
    asked
        .fault(asked.places.stated("file") ? "file" : "values",
               "the squares of the values or of their errors add up to more than a double holds, "
               "1.8e308")
        .help("divide the values by a power of two");
    return std::nullopt;
  }
  return r;
}

}  // namespace reckon
