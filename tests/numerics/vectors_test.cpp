// What each input rounds to, format by format: tests/numerics/vectors/*.txt. Inputs and codes were checked against
// ml_dtypes, Eigen's bfloat16, gcc's _Float16 and numpy (docs/accuracy.md).
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "formats.hpp"

namespace reckon {
namespace {

namespace fs = std::filesystem;

double number(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

bool same(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

// "[stochastic 0.25]", "[rne saturate]", "[decode]"
RoundingMode mode_of(const std::string& header) {
  std::istringstream words(header);
  std::string word;
  words >> word;
  RoundingMode m;
  const std::pair<const char*, Rounding> names[] = {
      {"rne", Rounding::kNearestEven}, {"rna", Rounding::kNearestAway},
      {"rtz", Rounding::kTowardZero},  {"rup", Rounding::kUp},
      {"rdn", Rounding::kDown},        {"stochastic", Rounding::kStochastic}};
  for (const auto& [name, rounding] : names) {
    if (word == name) m.rounding = rounding;
  }
  if (m.rounding == Rounding::kStochastic) words >> m.u;
  m.saturate = words >> word && word == "saturate";
  return m;
}

std::size_t check_file(const fs::path& file) {
  const Element e = test::element(file.stem().string());
  std::ifstream in(file);
  std::string line, header;
  std::size_t rows = 0;
  while (std::getline(in, line)) {
    if (line.starts_with("#")) continue;
    if (line.starts_with("[")) {
      header = line.substr(1, line.size() - 2);
      continue;
    }
    INFO(file.stem().string() << " " << header << ": " << line);
    ++rows;
    std::istringstream words(line);
    std::string input, code, value;
    words >> input >> code >> value;
    if (header == "decode") {
      CHECK(same(decode(e, std::stoull(input, nullptr, 16)), number(code)));
      continue;
    }
    const Coded c = encode(e, number(input), mode_of(header));
    CHECK(c.holds == (code != "!"));
    if (!c.holds) continue;
    CHECK(hex_code(e, c.code) == code);
    CHECK(same(c.value, number(value)));
  }
  return rows;
}

}  // namespace

TEST_CASE("Every vector of every element format: code and value, exactly") {
  std::size_t rows = 0;
  for (const auto& entry : fs::directory_iterator(RECKON_SOURCE_DIR "/tests/numerics/vectors")) {
    if (entry.path().stem() != "blocks") rows += check_file(entry.path());
  }
  CHECK(rows == 3759);
}

}  // namespace reckon
