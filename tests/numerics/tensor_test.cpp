// Whole matrices: what shares a scale, clipping, streams, and the quick kernel against the plain way.
#include "reckon/numerics/tensor.hpp"

#include <algorithm>
#include <cmath>

#include "formats.hpp"
#include "reckon/numerics/random.hpp"

namespace reckon {
namespace {

Scheme scheme(const char* id) { return test::number_format(id).scheme; }

// Single precision, so that the quick kernel is used.
class FloatMatrix : public HeldMatrix {
 public:
  using HeldMatrix::HeldMatrix;
  bool is_float() const override { return true; }
};

std::vector<double> floats(std::size_t n, std::uint64_t seed = 1) {
  Random random(seed);
  std::vector<double> out(n);
  for (double& x : out) x = static_cast<float>(random.draw(Distribution::kNormal));
  return out;
}

TensorReport run(std::vector<double> x, Shape shape, const char* id, Grouping g) {
  HeldMatrix m(shape, std::move(x));
  return quantize_tensor(m, scheme(id), g);
}

const std::vector<double> kOutlier{0.3, -0.5, 0.12, 30};

}  // namespace

TEST_CASE("An outlier spoils its tensor, and in blocks only its block") {
  const TensorReport tensor = run(kOutlier, {1, 4}, "int8", {.keep = true});
  CHECK(tensor.codes == std::vector<std::int64_t>{1, -2, 1, 127});
  CHECK(tensor.groups == 1);
  const TensorReport blocks =
      run(kOutlier, {1, 4}, "int8", {.share = Share::kBlock, .block = 2, .keep = true});
  CHECK(blocks.codes == std::vector<std::int64_t>{76, -127, 1, 127});
  CHECK(blocks.groups == 2);
  CHECK(blocks.group_of == std::vector<std::uint64_t>{0, 0, 1, 1});
  CHECK(blocks.scales[0].scale == Approx(0.5 / 127).epsilon(1e-15));
  CHECK(blocks.error.rms() < tensor.error.rms());
}

TEST_CASE("Rows, columns and two-dimensional blocks") {
  const Shape shape{2, 2};
  CHECK(run(kOutlier, shape, "int8", {.share = Share::kRow, .keep = true}).codes ==
        std::vector<std::int64_t>{76, -127, 1, 127});
  CHECK(run(kOutlier, shape, "int8", {.share = Share::kColumn, .keep = true}).codes ==
        std::vector<std::int64_t>{127, -2, 51, 127});
  const auto square = run(floats(130 * 200), {130, 200}, "fp8-e4m3-128x128",
                          {.share = Share::kBlock, .block = 128, .block_rows = 128, .keep = true});
  CHECK(square.groups == 4);  // 2 × 2, the last ones shorter
  CHECK(square.group_of[129 * 200] == 2);
  CHECK(*std::max_element(square.group_of.begin(), square.group_of.end()) == 3);
}

TEST_CASE("Blocks that don't divide a row end with a shorter one") {
  const auto r =
      run(floats(30), {3, 10}, "int8", {.share = Share::kBlock, .block = 4, .keep = true});
  CHECK(r.groups == 9);
  CHECK(r.group_of[9] == 2);
  CHECK(r.group_of[10] == 3);
}

TEST_CASE("The quick kernel gives what the plain way gives") {
  for (const std::uint64_t columns : {1U, 7U, 8U, 64U, 1000U}) {
    for (const Share share : {Share::kTensor, Share::kRow, Share::kBlock}) {
      const Shape shape{23, columns};
      std::vector<double> x = floats(shape.size(), columns);
      for (std::size_t i = 0; i < x.size() / 3; ++i) x[i] = 0;  // whole blocks of zeros among them
      const Grouping g{.share = share, .block = 32};
      HeldMatrix plain(shape, x);
      FloatMatrix quick(shape, x);
      const TensorReport a = quantize_tensor(plain, scheme("int8"), g);
      const TensorReport b = quantize_tensor(quick, scheme("int8"), g);
      CHECK(a.codes_used == b.codes_used);
      CHECK(a.error.count == b.error.count);
      CHECK(a.error.zeroed == b.error.zeroed);
      CHECK(a.error.clipped == b.error.clipped);
      CHECK(a.error.largest == b.error.largest);
      CHECK(a.error.largest_at == b.error.largest_at);
      CHECK(a.error.squares == Approx(b.error.squares).epsilon(1e-12));
      CHECK(a.error.value_squares == Approx(b.error.value_squares).epsilon(1e-12));
      CHECK(a.largest_scale == b.largest_scale);
      CHECK(a.smallest_scale == b.smallest_scale);
    }
  }
}

TEST_CASE("A stored scale that is too small makes the kernel clip as the plain way does") {
  const Shape shape{4, 64};
  const std::vector<double> x = floats(shape.size());
  const Grouping g{.share = Share::kBlock, .block = 32};
  HeldMatrix plain(shape, x);
  FloatMatrix quick(shape, x);
  Scheme coarse = scheme("int8");
  coarse.stored = test::element("fp8-e5m2");
  const TensorReport a = quantize_tensor(plain, coarse, g), b = quantize_tensor(quick, coarse, g);
  CHECK(a.error.clipped > 0);
  CHECK(a.error.clipped == b.error.clipped);
  CHECK(a.error.largest_at == b.error.largest_at);
}

TEST_CASE("A scale may cover a share of the values only") {
  std::vector<double> x(1000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i + 1) * (i % 2 ? 1 : -1);
  HeldMatrix m({1, 1000}, x);
  CHECK(magnitude_quantile(m, 1) == 1000);
  CHECK(magnitude_quantile(m, 0.99) == 990);
  CHECK(magnitude_quantile(m, 0.0001) == 1);
  const TensorReport r = quantize_tensor(m, scheme("int8"), {.clip = 0.99});
  CHECK(r.largest_scale == 990.0 / 127);
  CHECK(r.error.clipped > 0);
  const TensorReport rows = run(x, {2, 500}, "int8", {.share = Share::kRow, .clip = 0.99});
  CHECK(rows.smallest_scale == 495.0 / 127);
}

TEST_CASE("Clipping gives the same the quick way and the plain way") {
  const Shape shape{37, 1000};
  std::vector<double> x = floats(shape.size());
  std::fill_n(x.begin() + 5000, 1000, 0.0);  // a row of zeros
  for (const double clip : {0.5, 0.99, 0.9999}) {
    for (const Share share : {Share::kTensor, Share::kRow, Share::kBlock}) {
      HeldMatrix plain(shape, x);
      FloatMatrix quick(shape, x);
      const Grouping g{.share = share, .block = 48, .clip = clip};
      const TensorReport a = quantize_tensor(plain, scheme("int8"), g);
      const TensorReport b = quantize_tensor(quick, scheme("int8"), g);
      CHECK(a.largest_scale == b.largest_scale);
      CHECK(a.smallest_scale == b.smallest_scale);
      CHECK(a.error.clipped == b.error.clipped);
      CHECK(a.error.zeroed == b.error.zeroed);
      CHECK(a.error.largest == b.error.largest);
      CHECK(a.error.largest_at == b.error.largest_at);
      CHECK(a.codes_used == b.codes_used);
      CHECK(a.error.squares == Approx(b.error.squares).epsilon(1e-12));
    }
  }
}

TEST_CASE("A quantile is the value of its rank, however many lie close or alike") {
  constexpr std::size_t kMany =
      (std::size_t{1} << 20) + 500'000;  // more than are looked at one by one
  const auto by_sorting = [](std::vector<double> x, double share) {
    for (double& v : x) v = std::abs(v);
    std::sort(x.begin(), x.end());
    return x[static_cast<std::size_t>(std::ceil(share * static_cast<double>(x.size()))) - 1];
  };
  const std::vector<double> spread = floats(kMany);
  std::vector<double> close = spread,
                      alike(kMany, -3.0);  // close: apart in the last bits of a double
  for (double& v : close) v = 1 + std::ldexp(v, -50);
  for (const double share : {1e-6, 0.25, 0.5, 0.999, 1.0}) {
    for (const auto& values : {spread, close, alike}) {
      HeldMatrix m({1, kMany}, values);
      CHECK(magnitude_quantile(m, share) == by_sorting(values, share));
    }
    FloatMatrix single({1, kMany}, spread);
    CHECK(magnitude_quantile(single, share) == by_sorting(spread, share));
  }
}

TEST_CASE("Values that are not finite are counted, and nothing else is computed") {
  std::vector<double> x = floats(100);
  x[42] = NAN;
  x[77] = INFINITY;
  for (const Share share : {Share::kTensor, Share::kRow, Share::kBlock}) {
    FloatMatrix quick({10, 10}, x);
    HeldMatrix plain({10, 10}, x);
    for (Source* source : {static_cast<Source*>(&quick), static_cast<Source*>(&plain)}) {
      const TensorReport r = quantize_tensor(*source, scheme("int8"), {.share = share, .block = 4});
      CHECK(r.non_finite == 2);
      CHECK(r.first_non_finite == 42);
    }
  }
}

TEST_CASE("Nothing, zeros, denormals") {
  CHECK(run({}, {0, 0}, "int8", {}).error.count == 0);
  const TensorReport zeros = run({0, -0.0, 0}, {1, 3}, "int8", {.keep = true});
  CHECK(zeros.largest_scale == 0);
  CHECK(zeros.dequantized == std::vector<double>{0, 0, 0});
  CHECK(std::isnan(zeros.error.sqnr()));
  const TensorReport tiny = run({5e-324, -1e-310, 0}, {1, 3}, "int8", {});
  CHECK(tiny.error.largest <= 1e-310);
  CHECK(std::isfinite(tiny.error.rms()));
}

TEST_CASE("Codes used are counted as values: 0 and -0 are one") {
  std::vector<double> all;
  for (const double x : {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0}) {
    all.push_back(x);
    all.push_back(-x);
  }
  const Grouping g{.share = Share::kBlock, .block = 16};
  const Shape shape{1, 16};
  CHECK(run(all, shape, "mxfp4", g).codes_used == 15);
  CHECK(levels(scheme("mxfp4").element) == 15);
}

TEST_CASE("A histogram loses no error and widens as it must") {
  ErrorHistogram h;
  for (const double e : {0.0, 1e-9, 3e-3, -2.5, 1.0, -1e3}) h.add(e);
  std::uint64_t n = 0;
  for (const auto& bar : h.bars(21)) n += bar.count;
  CHECK(n == 6);
  CHECK(h.bars(21).front().from <= -1e3);
  CHECK(h.bars(21).size() <= 22);
}

}  // namespace reckon
