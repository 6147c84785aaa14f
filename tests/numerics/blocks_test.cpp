// Blocks that share a scale: tests/numerics/vectors/blocks.txt, codes exactly, scales and values within 1e-12.
#include <cmath>
#include <fstream>
#include <sstream>

#include "formats.hpp"

namespace reckon {
namespace {

constexpr double kTolerance = 1e-12;

double number(const std::string& text) {
  const std::size_t slash = text.find('/');
  const double p = std::stod(text.substr(0, slash));
  return slash == text.npos ? p : p / std::stod(text.substr(slash + 1));
}

bool close(double a, double b) { return std::abs(a - b) <= kTolerance * std::abs(b); }

// "absmax_int4_block2", "affine_uint8", "mx_fp6_e3m2", "nvfp4", "fp8_e4m3_group64_pow2"
Scheme scheme_of(const std::string& name) {
  const auto is = [&](const char* part) { return name.find(part) != name.npos; };
  if (is("absmax_int8")) return test::number_format("int8").scheme;
  if (is("absmax_int4")) return test::number_format("int4").scheme;
  if (is("affine_uint8")) return test::number_format("uint8").scheme;
  if (is("affine_int8")) return test::number_format("int8-affine").scheme;
  if (is("mx_int8")) return test::number_format("mxint8").scheme;
  if (is("mx_fp4")) return test::number_format("mxfp4").scheme;
  if (is("mx_fp6_e3m2")) return test::number_format("mxfp6-e3m2").scheme;
  if (is("mx_fp6_e2m3")) return test::number_format("mxfp6-e2m3").scheme;
  if (is("mx_fp8_e4m3")) return test::number_format("mxfp8-e4m3").scheme;
  if (is("mx_fp8_e5m2")) return test::number_format("mxfp8-e5m2").scheme;
  if (is("nvfp4")) return test::number_format("nvfp4").scheme;
  Scheme group = test::number_format("fp8-e4m3-1x128").scheme;  // with the scale as computed
  group.stored.reset();
  group.pow2 = is("pow2");
  return group;
}

std::int64_t code_of(const Element& e, const std::string& text) {
  if (!text.starts_with("0x")) return std::stoll(text);
  const auto bits = std::stoull(text, nullptr, 16);
  return e.kind == ElementKind::kInteger ? as_integer(e, bits) : static_cast<std::int64_t>(bits);
}

struct Expected {
  std::string scale, scale_code, tensor;
  std::vector<std::string> in, codes, values;
};

std::vector<std::string> words_of(std::istringstream& line) {
  std::vector<std::string> out;
  for (std::string w; line >> w;) out.push_back(w);
  return out;
}

std::vector<std::pair<std::string, std::vector<Expected>>> read_all() {
  std::ifstream file(RECKON_SOURCE_DIR "/tests/numerics/vectors/blocks.txt");
  std::vector<std::pair<std::string, std::vector<Expected>>> out;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    if (key.starts_with("[")) out.push_back({key.substr(1, key.size() - 2), {}});
    if (key == "scale") {
      Expected& e = out.back().second.emplace_back();
      words >> e.scale >> e.scale_code >> e.tensor;
    }
    if (key == "in") out.back().second.back().in = words_of(words);
    if (key == "codes") out.back().second.back().codes = words_of(words);
    if (key == "values") out.back().second.back().values = words_of(words);
  }
  return out;
}

void check_block(const Scheme& scheme, const Expected& expected, double tensor) {
  std::vector<double> in;
  for (const std::string& text : expected.in) in.push_back(number(text));
  const Block b = quantize_block(scheme, in, tensor);
  CHECK(close(b.scale.scale, number(expected.scale)));
  if (expected.scale_code.starts_with("zp="))
    CHECK(b.scale.zero_point == std::stoll(expected.scale_code.substr(3)));
  if (expected.scale_code.starts_with("0x"))
    CHECK(hex_code(*scheme.stored, b.scale.code).substr(2) == expected.scale_code.substr(2));
  if (expected.tensor.starts_with("t="))
    CHECK(close(b.scale.tensor, number(expected.tensor.substr(2))));
  for (std::size_t i = 0; i < in.size(); ++i) {
    CAPTURE(i, expected.in[i]);
    CHECK(b.codes[i] == code_of(scheme.element, expected.codes[i]));
    CHECK(close(b.values[i], number(expected.values[i])));
  }
}

}  // namespace

TEST_CASE("Every block vector") {
  std::size_t values = 0;
  for (const auto& [name, blocks] : read_all()) {
    CAPTURE(name);
    const Scheme scheme = scheme_of(name);
    double magnitude = 0;
    for (const Expected& e : blocks) {
      for (const std::string& x : e.in) magnitude = std::max(magnitude, std::abs(number(x)));
    }
    const double tensor = name == "nvfp4_no_tensor_scale" ? 1 : tensor_scale(scheme, magnitude);
    for (const Expected& e : blocks) {
      check_block(scheme, e, tensor);
      values += e.in.size();
    }
  }
  CHECK(values == 688);
}

TEST_CASE("What the notes on blocks say of edges") {
  const auto one = [](const char* id, std::vector<double> x) {
    return quantize_block(test::number_format(id).scheme, x);
  };
  SECTION("MX clips at the top of a binade, its ceiling rule does not") {
    CHECK(one("mxfp4", {7}).values[0] == 6);
    CHECK(one("mxfp8-e4m3", {500}).values[0] == 448);
    Scheme ceil = test::number_format("mxfp4").scheme;
    ceil.power = Power::kCeil;
    CHECK(quantize_block(ceil, std::vector{7.0}).scale.scale == 2);
    CHECK(quantize_block(ceil, std::vector{6.0}).scale.scale == 1);
  }
  SECTION("blocks of zeros") {
    const Block mx = one("mxfp4", {0, 0});
    CHECK(mx.scale.scale == std::ldexp(1.0, -127));
    CHECK(mx.scale.code == 0);
    CHECK(mx.values == std::vector<double>{0, 0});
    for (const char* id :
         {"int8", "uint8", "nvfp4", "fp8-e4m3-1x128", "q4_0", "q4_1", "q8_0", "nf4"}) {
      CAPTURE(id);
      const Block b = quantize_block(test::number_format(id).scheme, std::vector{0.0, 0.0}, 0);
      CHECK(b.values == std::vector<double>{0, 0});
      CHECK(b.scale.scale == 0);
    }
  }
  SECTION("all of one sign: the range is widened to hold 0, and 0 is exact") {
    const Block b = one("uint8", {2, 4, 0});
    CHECK(b.scale.zero_point == 0);
    CHECK(b.scale.scale == 4.0 / 255);
    CHECK(b.values[2] == 0);
    CHECK(one("uint8", {-2, -4, 0}).scale.zero_point == 255);
  }
}

// Worked by hand from ggml's reference code; blocks may be shorter than 32 here.
TEST_CASE("ggml's plain types") {
  const auto block = [](const char* id, std::vector<double> x) {
    return quantize_block(test::number_format(id).scheme, x);
  };
  using Codes = std::vector<std::int64_t>;
  using Values = std::vector<double>;
  SECTION("Q4_0: the value of largest magnitude becomes -8 steps; x / d + 8.5, cut off") {
    const Block down = block("q4_0", {-8, 7, 3.5, 1});
    CHECK(down.scale.scale == 1);
    CHECK(down.codes == Codes{0, 15, 12, 9});
    CHECK(down.values == Values{-8, 7, 4, 1});
    const Block up = block("q4_0", {8, -8, 1});  // the first of equals; -8 would need code 16
    CHECK(up.scale.scale == -1);
    CHECK(up.codes == Codes{0, 15, 7});
    CHECK(up.values == Values{8, -7, 1});
  }
  SECTION("Q5_0: the same with -16") {
    const Block b = block("q5_0", {-16, 15, 0.5});
    CHECK(b.codes == Codes{0, 31, 17});
    CHECK(b.values == Values{-16, 15, 1});
  }
  SECTION("Q4_1 and Q5_1: from the minimum up, + 0.5, cut off") {
    const Block b = block("q4_1", {2, 17, 4.5, 4.25});
    CHECK(b.scale.minimum == 2);
    CHECK(b.codes == Codes{0, 15, 3, 2});
    CHECK(b.values == Values{2, 17, 5, 4});
    CHECK(block("q5_1", {-1, 30, 0}).codes == Codes{0, 31, 1});
  }
  SECTION("Q8_0: halves go away from zero; d is kept as fp16, codes are made with fp32") {
    CHECK(block("q8_0", {127, 0.5, -0.5, 2.5}).codes == Codes{127, 1, -1, 3});
    const Block one = block("q8_0", {1});
    CHECK(one.codes == Codes{127});
    CHECK(one.scale.scale == 1032 * std::ldexp(1.0, -17));  // fp16 of 1/127
    CHECK(one.values[0] == 127 * 1032 * std::ldexp(1.0, -17));
  }
  SECTION("a range wider than fp16 holds has an infinite scale, which callers refuse") {
    CHECK(std::isinf(block("q8_0", {1e10}).scale.scale));
  }
}

// Worked by hand from ggml's reference code.
TEST_CASE("ggml's 4-bit floats") {
  const auto block = [](const char* id, std::vector<double> x) {
    return quantize_block(test::number_format(id).scheme, x);
  };
  using Codes = std::vector<std::int64_t>;
  using Values = std::vector<double>;
  const std::vector<double> ties{6, 0.25, -0.25, 0.75, -0.75, 1.75, 2.5, 3.5, -5};
  SECTION("ties go to the lower code, towards zero, and nothing becomes -0") {
    const Block b = block("ggml-mxfp4", ties);
    CHECK(b.scale.scale == 1);
    CHECK(b.scale.code == 127);
    CHECK(b.codes == Codes{7, 0, 0, 1, 9, 3, 4, 5, 14});
    CHECK(b.values == Values{6, 0, 0, 0.5, -0.5, 1.5, 2, 3, -4});
    CHECK(block("mxfp4", ties).codes == Codes{7, 0, 8, 2, 10, 4, 4, 6, 14});  // to even
    CHECK(block("ggml-nvfp4", ties).codes == b.codes);
  }
  SECTION("MXFP4: the scale clips as OCP's does, and ends at 2^-127") {
    const Block b = block("ggml-mxfp4", {7.5, -3});
    CHECK(b.values == Values{6, -3});
    CHECK(block("ggml-mxfp4", {0, 0}).scale.code == 0);
    CHECK(block("ggml-mxfp4", {1e-44}).scale.code == 0);
  }
  SECTION("NVFP4: scales are E4M3, halves up") {
    CHECK(block("ggml-nvfp4", {6}).scale.code == 56);
    CHECK(block("ggml-nvfp4", {6.375}).scale.scale == 1.125);  // 1 + 1/16, to even it would be 1
    CHECK(block("ggml-nvfp4", {11.8125}).scale.scale == 2);    // 2 - 1/32, up into the next binade
  }
  SECTION("NVFP4: a subnormal scale never becomes a normal one") {
    CHECK(block("ggml-nvfp4", {46.5 / 512}).scale.scale == 7.0 / 512);  // of 7.75/512
    CHECK(block("ggml-nvfp4", {48.0 / 512}).scale.scale == 8.0 / 512);
    const Block none = block("ggml-nvfp4", {1e-4, -1e-4});
    CHECK(none.scale.scale == 0);
    CHECK(none.codes == Codes{0, 0});
  }
  SECTION("NVFP4: from 256 on every scale is 448") {
    const Block b = block("ggml-nvfp4", {1632, 100});  // 1632/6 = 272; 1632/448 = 3.64
    CHECK(b.scale.scale == 448);
    CHECK(b.values == Values{1792, 0});
    CHECK(block("ggml-nvfp4", {1e6}).values == Values{2688});
  }
}

TEST_CASE("NF4: the nearest of sixteen, scaled by the largest magnitude") {
  const Block b =
      quantize_block(test::number_format("nf4").scheme, std::vector{-2.0, 0.0, 2.0, 0.2});
  CHECK(b.scale.scale == 2);
  CHECK(b.codes ==
        std::vector<std::int64_t>{0, 7, 15, 8});  // 0.1 lies nearer to 0.0796 than to 0.1609
  CHECK(b.values[3] == 2 * 0.0795803);
}

}  // namespace reckon
