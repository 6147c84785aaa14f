// formats/*.yaml: each can be computed with, or says that it is known by its size alone; a file that contradicts itself
// is refused.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "formats.hpp"

namespace reckon {
namespace {

std::string faults_of(const std::string& text) {
  const auto file = std::filesystem::temp_directory_path() / "reckon-format-test.yaml";
  std::ofstream(file) << "kind: format\nname: x\nbits_per_weight: 8\n" << text;
  Workspace work({RECKON_SOURCE_DIR});
  Diagnostics d;
  CHECK_FALSE(load_number_format(work, file.string(), {}, d));
  std::string words;  // lines are wrapped anywhere
  for (const char c : d.render()) {
    const bool space = c == ' ' || c == '\n';
    if (!space || (!words.empty() && words.back() != ' ')) words += space ? ' ' : c;
  }
  return words;
}

bool says(const std::string& text, const std::string& what) {
  return faults_of(text).find(what) != std::string::npos;
}

}  // namespace

TEST_CASE("Every format file loads, and its bits add up") {
  Workspace work({RECKON_SOURCE_DIR});
  std::vector<std::string> size_only;
  for (const std::string& id : work.ids(Shelf::kFormats)) {
    CAPTURE(id);
    const NumberFormatInUse f = test::number_format(id);
    const double overhead =
        f.spec.block
            ? f.spec.scale_bits_per_block.value_or(Ratio<double>(0)).raw / f.spec.block->raw
            : 0;
    const bool in_a_byte = id == "ue4m3" || id == "tf32";  // kept in more bits than they have
    if (!in_a_byte && !f.spec.scale_format.empty() && f.size_only.empty())
      CHECK(f.spec.bits_per_weight.raw ==
            Approx(f.spec.element.bits.raw + overhead).epsilon(1e-12));
    if (!f.size_only.empty()) size_only.push_back(id);
  }
  // ggml's types with codebooks or super-blocks, and two whose maps no source here states.
  // nf4-double has its scales in an 8-bit map of bitsandbytes, less their mean over the tensor.
  const std::vector<std::string> expected{
      "int8-block256", "iq1_m",  "iq1_s",      "iq2_s", "iq2_xs", "iq2_xxs", "iq3_s", "iq3_xxs",
      "iq4_nl",        "iq4_xs", "nf4-double", "q1_0",  "q2_0",   "q2_k",    "q3_k",  "q4_k",
      "q5_k",          "q6_k",   "q8_1",       "q8_k",  "tq1_0",  "tq2_0"};
  CHECK(size_only == expected);
}

TEST_CASE("A format that contradicts itself is refused") {
  CHECK(says("element: {bits: 9, exponent: 4, mantissa: 3, bias: 7}",
             "9 bits are not 1 sign + 4 exponent + 3 mantissa"));
  CHECK(says("element: {bits: 8, exponent: 4, mantissa: 3, bias: 7}\nmax: 448",
             "max: 448 is not 480"));
  CHECK(says("element: {bits: 8, exponent: 4, bias: 7}", "states exponent, mantissa and bias"));
  CHECK(says("element: {bits: 70, exponent: 4, mantissa: 65, bias: 7}", "1 to 64 bits"));
  CHECK(says("element: {bits: 20, exponent: 16, mantissa: 3, bias: 7}", "those of a double"));
  CHECK(says("element: {bits: 8, exponent: 4, mantissa: 3, bias: 5000}", "wider than a double's"));
  CHECK(says("element: {bits: 2, codebook: [1, 0, 2, 3]}", "not ascending"));
  CHECK(says("element: {bits: 2, codebook: [0, 1, two, 3]}", "'two' is no number"));
  CHECK(says("element: {bits: 2, codebook: [0, 1, 2]}", "2 bits have 4 codes"));
  CHECK(says("element: {bits: 40, codes: full}", "at most 32 bits"));
  CHECK(
      says("element: {bits: 8, exponent: 4, mantissa: 3, bias: 7}\nscale: affine\nsigned_zero: yes",
           "for integer codes"));
  CHECK(says("element: {bits: 8, codes: full}\nscale: affine\nblock: 32\nblock_rows: 5",
             "block_rows does not divide"));
  CHECK(says("element: {bits: 8, codes: full}\nscale: absmax\nscale_format: int8",
             "stored as a float"));
}

}  // namespace reckon
