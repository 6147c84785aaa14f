// Metrics and pictures of a quantized tensor.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "quantize.hpp"
#include "reckon/base/table.hpp"

namespace reckon {
namespace {

constexpr std::size_t kListed = 256;  // values whose codes are metrics
constexpr std::size_t kDrawn = 32;    // and lines of the table: all of them, or
constexpr std::size_t kFirst = 8;     // the first of many

std::vector<std::string> lines_of(const Table& t) {
  std::vector<std::string> out(1);
  for (const char c : t.text()) {
    if (c == '\n')
      out.emplace_back();
    else
      out.back() += c;
  }
  while (!out.empty() && out.back().empty()) out.pop_back();
  return out;
}

// Codes that values from -size to size get with this scale.
double levels_within(const Scheme& s, double scale, double size) {
  if (scale == 0) return 1;
  Scale sc;
  sc.scale = scale;
  Scheme plain = s;
  if (s.rule == ScaleRule::kAffine) {  // the zero point shifts codes, not their number
    plain.element.lowest = -(s.element.highest - s.element.lowest);
    plain.element.highest = -plain.element.lowest;
    plain.element.bits = 63;
  }
  const Coded up = encode(plain.element, size / scale, {.saturate = true});
  const Coded down = encode(plain.element, -size / scale, {.saturate = true});
  if (s.element.kind == ElementKind::kFloat) {
    const double positive = static_cast<double>(up.code);
    return positive * (s.element.sign ? 2 : 1) + 1;
  }
  const double step =
      s.element.kind == ElementKind::kInteger ? std::ldexp(1.0, -s.element.point) : 0;
  return step > 0 ? (up.value - down.value) / step + 1
                  : static_cast<double>(up.code - down.code) + 1;
}

std::string code_text(const Element& e, std::int64_t code) {
  return e.kind == ElementKind::kFloat ? hex_code(e, static_cast<std::uint64_t>(code))
                                       : std::to_string(code);
}

void listed(const TensorReport& r, const std::string& p, const Element& e, const Figures& out) {
  if (r.codes.empty() || r.codes.size() > kListed) return;
  for (std::size_t g = 0; g < r.scales.size(); ++g) {
    const std::string id = fmt::format("{}scales.{}.", p, g);
    out.number(id + "scale", fmt::format("scale {}", g), r.scales[g].scale);
    if (r.scales[g].zero_point != 0)
      out.number(id + "zero_point", fmt::format("zero point {}", g),
                 static_cast<double>(r.scales[g].zero_point), Hint::kCount);
  }
  for (std::size_t i = 0; i < r.codes.size(); ++i) {
    if (e.kind == ElementKind::kFloat)
      out.text(fmt::format("{}codes.{}", p, i), fmt::format("code of value {}", i),
               code_text(e, r.codes[i]));
    else
      out.number(fmt::format("{}codes.{}", p, i), fmt::format("code of value {}", i),
                 static_cast<double>(r.codes[i]), Hint::kCount);
    out.number(fmt::format("{}values.{}", p, i), fmt::format("what value {} becomes", i),
               r.dequantized[i]);
  }
}

}  // namespace

void report_metrics(const QuantizeSetup& setup, const SharedScales& way, const TensorReport& r,
                    const QuantizeAsked& q, const std::string& p, const Figures& out) {
  const Element& e = setup.scheme.element;
  const ErrorStats& err = r.error;
  const std::string& of = way.title;
  const auto title = [&](const char* what) { return fmt::format("{}, {}", what, of); };
  const double n = static_cast<double>(r.values), groups = static_cast<double>(r.groups);
  if (setup.scheme.rule != ScaleRule::kNone) {
    out.number(p + "scale", title("scale, the largest"), r.largest_scale);
    if (r.groups > 1)
      out.number(p + "scale_smallest", title("scale, the smallest"), r.smallest_scale);
    out.number(p + "groups", title("scales"), groups, Hint::kCount);
  }
  out.number(p + "error.max", title("largest error"), err.largest);
  out.number(p + "error.rms", title("RMS error"), err.rms());
  out.number(p + "error.mean", title("mean error"), err.mean());
  if (err.value_squares == 0)
    out.none(p + "error.sqnr_db", title("signal to noise, dB"),
             "all values are 0, or too small to be squared");
  else
    out.number(p + "error.sqnr_db", title("signal to noise, dB"), err.sqnr());
  out.number(p + "clipped", title("values clipped"), static_cast<double>(err.clipped),
             Hint::kCount);
  out.number(p + "zeroed", title("values that became 0"), static_cast<double>(err.zeroed),
             Hint::kCount);
  out.number(p + "levels", title("values the codes stand for"), levels(e), Hint::kCount);
  out.number(p + "levels_used", title("codes used"), static_cast<double>(r.codes_used),
             Hint::kCount);
  if (q.within)
    out.number(
        p + "levels_within",
        fmt::format("codes for values up to {} beside the largest scale, {}",
                    short_text(q.within->raw), of),
        levels_within(setup.scheme, setup.scheme.rule == ScaleRule::kNone ? 1 : r.largest_scale,
                      q.within->raw),
        Hint::kCount);
  const double overhead = (groups * setup.scale_bits + setup.tensor_bits) / n;
  const double bits = e.bits + overhead;
  out.number(p + "overhead", title("bits per value for scales"), overhead);
  out.number(p + "bits_per_value", title("bits per value"), bits);
  out.number(p + "size_ratio", fmt::format("size of {} over this, {}", q.original, of),
             setup.original_bits / bits);
  listed(r, p, e, out);
}

Picture value_picture(const std::string& title, const HeldMatrix& values,
                      const std::vector<Column>& columns, const Element& element) {
  const bool matrix = values.shape().rows > 1;
  std::vector<Table::Column> heads;
  if (matrix) heads.push_back({"row,column", Align::kRight});
  heads.push_back({"value", Align::kRight});
  for (const Column& c : columns) {
    heads.push_back({"code", Align::kRight});
    heads.push_back({c.title, Align::kRight});
    heads.push_back({"error", Align::kRight});
  }
  Table t(heads);
  const std::vector<double>& x = values.values();
  const std::size_t drawn = x.size() <= kDrawn ? x.size() : kFirst;
  for (std::size_t i = 0; i < drawn; ++i) {
    std::vector<std::string> cells;
    if (matrix)
      cells.push_back(
          fmt::format("{},{}", i / values.shape().columns + 1, i % values.shape().columns + 1));
    cells.push_back(short_text(x[i], 7));
    for (const Column& c : columns) {
      const double y = c.report->dequantized[i];
      cells.push_back(code_text(element, c.report->codes[i]));
      cells.push_back(short_text(y));
      cells.push_back(y == x[i] ? "0" : fmt::format("{:+.2g}", y - x[i]));
    }
    t.row(std::move(cells));
  }
  Picture out{title, lines_of(t)};
  if (x.size() > drawn) out.lines.push_back(fmt::format("… {} more", x.size() - drawn));
  return out;
}

Picture histogram_picture(const std::string& title, const ErrorHistogram& histogram) {
  constexpr int kBars = 16, kWidth = 40;
  const auto bars = histogram.bars(kBars);
  std::uint64_t most = 1;
  for (const auto& b : bars) most = std::max(most, b.count);
  Table t({{"error from", Align::kRight}, {"to", Align::kRight}, {"values", Align::kRight}, {""}});
  for (const auto& b : bars) {
    const auto cells = static_cast<std::size_t>(
        std::lround(static_cast<double>(b.count) / static_cast<double>(most) * kWidth));
    std::string bar;
    for (std::size_t i = 0; i < cells; ++i) bar += "█";
    if (cells == 0 && b.count > 0) bar = "▏";
    t.row({short_text(b.from, 3), short_text(b.to, 3), std::to_string(b.count), bar});
  }
  return {title, lines_of(t)};
}

}  // namespace reckon
