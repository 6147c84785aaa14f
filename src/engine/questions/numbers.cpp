#include "numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "reckon/base/json.hpp"
#include "reckon/engine/tensor_file.hpp"
#include "reckon/units/formula/formula.hpp"

namespace reckon {
namespace {

constexpr std::uint64_t kMostRandom = std::uint64_t{1} << 26;

Distribution distribution_of(DistributionWord word) {
  constexpr Distribution kWords[] = {Distribution::kNormal, Distribution::kNormal,
                                     Distribution::kUniform, Distribution::kPositive,
                                     Distribution::kLaplace};
  return kWords[static_cast<std::size_t>(word)];
}

std::unique_ptr<Source> random_numbers(const NumbersFrom<double>& from, const NumbersAsked& asked) {
  Shape shape;
  if (!read_shape(from.shape, "shape", asked, shape)) return nullptr;
  if (shape.size() > kMostRandom) {
    asked
        .fault("shape", fmt::format("shape: {} numbers are more than the {} drawn here",
                                    shape.size(), kMostRandom))
        .help("write them to a .npy file and give file:");
    return nullptr;
  }
  Random random(static_cast<std::uint64_t>(from.seed.raw));
  std::vector<double> values(shape.size());
  for (double& x : values) x = random.draw(distribution_of(from.random));
  const auto columns = static_cast<std::uint64_t>(std::min(
      from.outlier_columns.value_or(Count<double>(0)).raw, static_cast<double>(shape.columns)));
  const double factor = from.outlier_factor.value_or(Ratio<double>(1)).raw;
  for (std::uint64_t i = 0; i < values.size(); ++i) {
    // Spread over the row, so that they fall into different blocks.
    const std::uint64_t c = i % shape.columns;
    if (columns > 0 && c * columns / shape.columns != (c + 1) * columns / shape.columns)
      values[i] *= factor;
  }
  return std::make_unique<HeldMatrix>(shape, std::move(values));
}

std::unique_ptr<Source> typed_numbers(const NumbersFrom<double>& from, const NumbersAsked& asked) {
  std::vector<double> values;
  for (std::size_t i = 0; i < from.values.size(); ++i) {
    Typed typed;
    if (asked.number(fmt::format("values.{}", i), from.values[i], typed))
      values.push_back(typed.nearest);
  }
  const Shape shape{1, values.size()};
  return std::make_unique<HeldMatrix>(shape, std::move(values));
}

}  // namespace

Metric& Figures::add(std::string id, std::string title) const {
  Metric& m = out_.emplace_back();
  m.id = std::move(id);
  m.title = std::move(title);
  return m;
}

void Figures::number(std::string id, std::string title, double value, Hint hint) const {
  if (!std::isfinite(value)) return text(std::move(id), std::move(title), exact_text(value));
  Metric& m = add(std::move(id), std::move(title));
  m.value = value;
  m.hint = hint;
}

void Figures::none(std::string id, std::string title, std::string reason) const {
  Metric& m = add(std::move(id), std::move(title));
  m.hint = Hint::kRatio;
  m.reason = std::move(reason);
}

void Figures::text(std::string id, std::string title, std::string value) const {
  add(std::move(id), std::move(title)).text = std::move(value);
}

std::string exact_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (value == 0) return std::signbit(value) ? "-0" : "0";
  return shortest_number(value);
}

std::string power_text(double value) {
  int exponent = 0;
  const bool everyday = std::abs(value) >= 0.05 && std::abs(value) < 1e7;
  if (!everyday && std::frexp(value, &exponent) == 0.5) return fmt::format("2^{}", exponent - 1);
  return exact_text(value);
}

std::string short_text(double value, int digits) {
  if (!std::isfinite(value) || value == 0) return exact_text(value);
  return fmt::format("{:.{}g}", value, digits);
}

std::optional<NumberFormatInUse> NumbersAsked::format(std::string_view field,
                                                      const std::string& name) const {
  return load_number_format(work, name, places.of(field), diagnostics);
}

std::optional<NumberFormatInUse> NumbersAsked::computable(std::string_view field,
                                                          const std::string& name) const {
  auto f = format(field, name);
  if (!f || f->size_only.empty()) return f;
  fault(field, f->size_only).help("`reckon dtype " + name + "` prints what is known");
  return std::nullopt;
}

bool NumbersAsked::number(std::string_view field, const std::string& word, Typed& out) const {
  std::string why;
  if (read_decimal(word, out, why)) return true;
  fault(field, why).help("numbers are written 257, -0.5, .12, 1e-8, 2^-24, inf, nan");
  return false;
}

Rounding rounding_of(RoundingWord word) { return static_cast<Rounding>(word); }

bool read_shape(const std::string& text, std::string_view field, const NumbersAsked& asked,
                Shape& out) {
  const std::size_t x = text.find('x');
  const auto whole_number = [](std::string_view word, std::uint64_t& number) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    return error == std::errc() && end == word.data() + word.size() && number > 0 &&
           number < std::uint64_t{1} << 31;
  };
  out.rows = 1;
  const bool good = x == text.npos
                        ? whole_number(text, out.columns)
                        : whole_number(std::string_view(text).substr(0, x), out.rows) &&
                              whole_number(std::string_view(text).substr(x + 1), out.columns);
  if (!good)
    asked
        .fault(field, text.empty() ? "shape: how many random numbers is not stated"
                                   : fmt::format("shape: '{}' is no shape", text))
        .help("shape: 64x256, rows and columns");
  return good;
}

std::unique_ptr<Source> numbers_from(const NumbersFrom<double>& from, const NumbersAsked& asked) {
  const bool random = from.random != DistributionWord::kNone;
  const std::pair<const char*, bool> said[] = {{"values", !from.values.empty()},
                                               {"rows", !from.rows.empty()},
                                               {"file", !from.file.empty()},
                                               {"random", random}};
  std::vector<const char*> places;
  for (const auto& [field, is] : said) {
    if (is) places.push_back(field);
  }
  if (places.empty()) {
    asked.fault("values", "no numbers are given")
        .help(
            "values: [0.3, -0.5], rows: \"1 2; 3 4\", file: weights.npy, or random: normal with a "
            "shape");
    return nullptr;
  }
  if (places.size() > 1) {
    asked
        .fault(places[1],
               fmt::format("numbers are given twice, by {} and by {}", places[0], places[1]))
        .help("leave one out");
    return nullptr;
  }
  if (!random && (from.outlier_columns || from.outlier_factor || !from.shape.empty())) {
    const char* field = from.outlier_columns  ? "outlier_columns"
                        : from.outlier_factor ? "outlier_factor"
                                              : "shape";
    asked.fault(field, fmt::format("{}: is of random numbers", field)).help("random: normal");
    return nullptr;
  }
  if (random) return random_numbers(from, asked);
  if (!from.rows.empty()) return tensor_of_text(asked.work, "rows", from.rows, asked.diagnostics);
  if (!from.file.empty()) return open_tensor(asked.work, from.file, asked.diagnostics);
  return typed_numbers(from, asked);
}

Result AnsweredNumbers::result(Workspace&) const {
  Result r = answer;
  r.file = file;
  r.case_name = case_name;
  r.warnings = warnings;
  return r;
}

}  // namespace reckon
