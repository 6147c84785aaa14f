#include "reckon/engine/number_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reckon/doc/bind.hpp"
#include "reckon/numerics/decimal.hpp"
#include "reckon/units/formula/formula.hpp"

namespace reckon {
namespace {

using Layout = ElementLayout<double>;

int whole_or_zero(const std::optional<Count<double>>& x) { return x ? whole(*x) : 0; }

// Reports what is wrong with a file, at the file.
class Checker {
 public:
  Checker(Span file, std::string id, Diagnostics& diagnostics)
      : file_(file), id_(std::move(id)), diagnostics_(diagnostics) {}
  bool operator()(bool holds, const std::string& fault) {
    if (!holds) {
      diagnostics_.error(file_, fmt::format("format '{}': {}", id_, fault));
      good_ = false;
    }
    return holds;
  }
  bool good() const { return good_; }

 private:
  Span file_;
  std::string id_;
  Diagnostics& diagnostics_;
  bool good_ = true;
};

void make_float(const NumberFormat<double>& spec, Element& e, Checker& check) {
  const Layout& l = spec.element;
  constexpr int kMostExponent = 11, kMostMantissa = 52;  // of a double
  e.exponent = whole_or_zero(l.exponent);
  e.mantissa = whole_or_zero(l.mantissa);
  e.bias = whole_or_zero(l.bias);
  e.sign = l.sign;
  e.subnormals = l.subnormals;
  e.infinity = spec.inf == InfinityCode::kIeee;
  constexpr NanCode kCodes[] = {NanCode::kNone, NanCode::kIeee, NanCode::kAllOnes,
                                NanCode::kNegativeZero};
  e.nan = kCodes[static_cast<std::size_t>(spec.nan)];
  check(l.mantissa && l.bias, "a float states exponent, mantissa and bias");
  check(e.exponent >= 1 && e.exponent <= kMostExponent && e.mantissa <= kMostMantissa,
        fmt::format("at most {} exponent and {} mantissa bits, those of a double", kMostExponent,
                    kMostMantissa));
  check(e.bits == e.exponent + e.mantissa + (e.sign ? 1 : 0),
        fmt::format("{} bits are not {}{} exponent + {} mantissa", e.bits,
                    e.sign ? "1 sign + " : "", e.exponent, e.mantissa));
  check(e.bias <= 1023 && (1 << std::min(e.exponent, kMostExponent)) - e.bias <= 1025,
        "its range is wider than a double's");
  check(e.nan != NanCode::kIeee || e.mantissa > 0, "NaN codes of ieee need a mantissa");
  check(e.nan != NanCode::kNegativeZero || e.sign, "without a sign there is no negative zero");
}

void make_integer(const Layout& l, Element& e, Checker& check) {
  constexpr int kMostBits = 32;
  e.kind = ElementKind::kInteger;
  e.point = whole(l.point);
  if (!check(e.bits <= kMostBits, fmt::format("integers have at most {} bits", kMostBits))) return;
  const bool is_unsigned = l.codes == IntegerCodes::kUnsigned;
  check(is_unsigned || e.bits >= 2, "signed integers have at least 2 bits");
  e.highest = (std::int64_t{1} << (is_unsigned ? e.bits : e.bits - 1)) - 1;
  e.lowest = is_unsigned ? 0 : l.codes == IntegerCodes::kFull ? -e.highest - 1 : -e.highest;
}

void make_codebook(const Layout& l, Element& e, Checker& check) {
  e.kind = ElementKind::kCodebook;
  for (const std::string& text : l.codebook) {
    Typed typed;
    std::string fault;
    const bool read = read_decimal(text, typed, fault);
    if (read && !std::isfinite(typed.nearest)) fault = fmt::format("'{}' is not finite", text);
    if (check(fault.empty(), "codebook: " + fault)) e.codebook.push_back(typed.nearest);
  }
  check(e.bits <= 16 && e.codebook.size() == std::size_t{1} << e.bits,
        fmt::format("{} bits have {} codes, and the codebook {} values", e.bits,
                    std::size_t{1} << std::min(e.bits, 16), e.codebook.size()));
  check(std::is_sorted(e.codebook.begin(), e.codebook.end(), std::less_equal<>()),
        "the codebook is not ascending");
}

bool make_element(const NumberFormat<double>& spec, Element& e, Checker& check) {
  e.bits = whole(spec.element.bits);
  const bool in_range = e.bits >= 1 && e.bits <= 64 && e.bits == spec.element.bits.raw;
  if (!check(in_range, "an element has 1 to 64 bits")) return false;
  if (spec.element.exponent)
    make_float(spec, e, check);
  else if (spec.element.codes != IntegerCodes::kNone)
    make_integer(spec.element, e, check);
  else
    make_codebook(spec.element, e, check);
  return check.good();
}

// What a file says beside the layout must be what the codes say.
void check_figures(const NumberFormat<double>& spec, const Element& e, Checker& check) {
  const auto same = [&](const char* key, const std::string& said, double is) {
    Typed typed;
    std::string fault;
    if (said.empty()) return;
    const bool read = read_decimal(said, typed, fault);
    if (check(read, fmt::format("{}: {}", key, fault)))
      check(typed.nearest == is,
            fmt::format("{}: {} is not {}, which its codes give", key, said, is));
  };
  same("max", spec.max, largest(e));
  same("min_normal", spec.min_normal, smallest_normal(e));
  same("min_subnormal", spec.min_subnormal, smallest(e));
  if (e.kind == ElementKind::kFloat && !spec.block)
    check(spec.signed_zero == e.signed_zero(), "signed_zero is not what its codes give");
}

bool has_codes(const NumberFormat<double>& spec) {
  return spec.element.exponent || spec.element.codes != IntegerCodes::kNone ||
         !spec.element.codebook.empty();
}

constexpr ScaleRule kRules[] = {ScaleRule::kNone,          ScaleRule::kAbsmax,
                                ScaleRule::kAffine,        ScaleRule::kPowerOfTwo,
                                ScaleRule::kTwoLevel,      ScaleRule::kGgmlAbsmax,
                                ScaleRule::kGgmlSignedMax, ScaleRule::kGgmlRange,
                                ScaleRule::kGgmlMxfp4,     ScaleRule::kGgmlNvfp4};

void check_rule(const NumberFormatInUse& f, Checker& check) {
  const ScaleRule rule = f.scheme.rule;
  const bool ggml_fp4 = rule == ScaleRule::kGgmlMxfp4 || rule == ScaleRule::kGgmlNvfp4;
  const bool needs_integers =
      rule == ScaleRule::kAffine || (rule >= ScaleRule::kGgmlAbsmax && !ggml_fp4);
  check(!needs_integers || f.element.kind == ElementKind::kInteger,
        "this scale rule is for integer codes");
  check(!ggml_fp4 || (f.element.kind == ElementKind::kFloat && f.element.bits == 4),
        "this scale rule is for 4-bit floats");
  check((rule != ScaleRule::kTwoLevel && !ggml_fp4) || f.scheme.stored,
        "this scale rule needs a scale_format");
  check(rule == ScaleRule::kNone || f.element.kind == ElementKind::kFloat ||
            f.element.highest > 0 || !f.element.codebook.empty(),
        "this scale rule needs a largest value");
  check(f.block % f.block_rows == 0, "block_rows does not divide block");
}

}  // namespace

std::optional<NumberFormatInUse> load_number_format(Workspace& work, const std::string& name,
                                                    Span said, Diagnostics& diagnostics) {
  const doc::Value* tree = work.load(Shelf::kFormats, name, said, diagnostics);
  if (!tree) return std::nullopt;
  const std::size_t before = diagnostics.error_count();
  NumberFormatInUse out;
  Origins origins;
  bind(*tree, out.spec, {diagnostics, origins, name});
  if (diagnostics.error_count() > before) return std::nullopt;
  out.id = out.spec.id;
  out.block = whole_or_zero(out.spec.block);
  out.block_rows = std::max(1, whole_or_zero(out.spec.block_rows));
  if (out.block == 0) out.block_rows = 1;
  const bool shares = out.block > 0 || out.spec.scale != ScaleWord::kNone;
  if (!has_codes(out.spec) || (out.block > 0 && out.spec.scale == ScaleWord::kNone)) {
    out.size_only = fmt::format("{} is known by its size alone: its codes are not described", name);
    return out;
  }
  Checker check(tree->span, name, diagnostics);
  if (!make_element(out.spec, out.element, check)) return std::nullopt;
  check_figures(out.spec, out.element, check);
  out.scheme.element = out.element;
  if (shares) out.scheme.rule = kRules[static_cast<std::size_t>(out.spec.scale)];
  if (!out.spec.scale_format.empty()) {
    const auto stored = load_number_format(work, out.spec.scale_format, tree->span, diagnostics);
    if (!stored) return std::nullopt;
    check(stored->size_only.empty() && stored->element.kind == ElementKind::kFloat &&
              stored->block == 0,
          "a scale is stored as a float");
    out.scheme.stored = stored->element;
  }
  check_rule(out, check);
  if (!check.good()) return std::nullopt;
  return out;
}

}  // namespace reckon
