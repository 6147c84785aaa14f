// Values in files: what is read, and what is said of files that can't be.
#include "reckon/engine/tensor_file.hpp"

#include <filesystem>
#include <fstream>

#include "formats.hpp"
#include "reckon/numerics/random.hpp"

namespace reckon {
namespace {

struct Opened {
  std::unique_ptr<Source> source;
  std::string faults;  // on one line
};

Opened open(const std::string& ending, const std::string& bytes) {
  const auto file = std::filesystem::temp_directory_path() / ("reckon-tensor-test" + ending);
  std::ofstream(file, std::ios::binary) << bytes;
  Workspace work({RECKON_SOURCE_DIR});
  Diagnostics d;
  Opened out{open_tensor(work, file.string(), d), ""};
  for (const char c : d.render())
    if (c != '\n' && !(c == ' ' && out.faults.ends_with(' ')))
      out.faults += c;
    else if (!out.faults.ends_with(' '))
      out.faults += ' ';
  return out;
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::string npy(const std::string& descr, const std::string& shape, const std::string& data,
                const char* fortran = "False", char version = 1) {
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
  std::string out = "\x93NUMPY";
  out += version;
  out += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    out += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  return out + header + data;
}

std::vector<double> values_of(Source& s) {
  std::vector<double> out(s.shape().size());
  s.rewind();
  s.read(std::span<double>(out));
  return out;
}

const std::vector<double> kFour{0.5, -1.5, 2, 30};

}  // namespace

TEST_CASE(".npy files of each type and version") {
  const std::string floats = bytes_of(std::vector<float>{0.5F, -1.5F, 2, 30});
  const std::string doubles = bytes_of(kFour);
  const std::string halves = bytes_of(std::vector<std::uint16_t>{0x3800, 0xBE00, 0x4000, 0x4F80});
  for (const int version : {1, 2, 3}) {
    const Opened f =
        open(".npy", npy("<f4", "(2, 2)", floats, "False", static_cast<char>(version)));
    REQUIRE(f.source);
    CHECK(f.source->is_float());
    CHECK(f.source->shape().rows == 2);
    CHECK(values_of(*f.source) == kFour);
  }
  const Opened d = open(".npy", npy("<f8", "(4,)", doubles));
  REQUIRE(d.source);
  CHECK_FALSE(d.source->is_float());
  CHECK(d.source->shape().columns == 4);
  CHECK(values_of(*d.source) == kFour);
  const Opened h = open(".npy", npy("<f2", "(1, 2, 2)", halves));
  REQUIRE(h.source);
  CHECK(h.source->shape().rows == 2);
  CHECK(values_of(*h.source) == kFour);
  std::vector<float> single(4);
  h.source->rewind();
  h.source->read(std::span<float>(single));
  CHECK(single == std::vector<float>{0.5F, -1.5F, 2, 30});
  CHECK(open(".npy", npy("<f4", "(0, 7)", "")).source->shape().size() == 0);
  CHECK(open(".npy", npy("<f4", "()", bytes_of(std::vector<float>{1}))).source->shape().size() ==
        1);
  CHECK(open(".npy", npy("<f4", "(4,)", floats, "True")).source);  // one dimension has one order
}

TEST_CASE(".npy files that can't be read say why") {
  const std::string floats = bytes_of(std::vector<float>{1, 2, 3, 4});
  const auto says = [](const std::string& bytes, const char* what) {
    const Opened o = open(".npy", bytes);
    CAPTURE(o.faults, what);
    CHECK_FALSE(o.source);
    CHECK(o.faults.find(what) != std::string::npos);
  };
  says("", "no whole .npy file");
  says("1,2,3", "no whole .npy file");
  says(npy("<f4", "(4,)", floats).substr(0, 20), "no whole .npy file");
  says(npy("<f4", "(4, -1)", floats), "no whole .npy file");
  says(npy("<f4", "4", floats), "no whole .npy file");
  says(npy("<i8", "(2,)", floats), "holds <i8, not floating-point numbers");
  says(npy(">f4", "(4,)", floats), "in this byte order");
  says(npy("<f4", "(2, 2)", floats, "True"), "Fortran order");
  says(npy("<f4", "(5,)", floats), "cut short");
  says(npy("<f4", "(3,)", floats), "no single array");
  says(npy("<f4", "(999999999999, 999999999999)", floats), "more values than there can be");
}

TEST_CASE("Texts of numbers") {
  const Opened o = open(".csv", "# weights\n0.5, -1.5\n\n2\t30  # the outlier\n");
  REQUIRE(o.source);
  CHECK(o.source->shape().rows == 2);
  CHECK(values_of(*o.source) == kFour);
  CHECK(open(".csv", "1,2\n3\n").faults.find("csv:2:1: error: this row has 1 values") !=
        std::string::npos);
  CHECK(open(".csv", "1,two\n").faults.find("csv:1:3: error: 'two' is no number") !=
        std::string::npos);
  CHECK(open(".csv", "").source->shape().size() == 0);
}

TEST_CASE("A file is quantized in pieces as it is whole") {
  Random random(3);
  std::vector<float> x(300 * 1000);
  for (float& v : x) v = static_cast<float>(random.draw(Distribution::kNormal));
  const Opened o = open(".npy", npy("<f4", "(300, 1000)", bytes_of(x)));
  REQUIRE(o.source);
  HeldMatrix whole({300, 1000}, {x.begin(), x.end()});
  for (const char* id : {"int8", "mxfp4"}) {
    const Scheme scheme = test::number_format(id).scheme;
    const Grouping g{.share = Share::kBlock, .block = 32};
    const TensorReport a = quantize_tensor(*o.source, scheme, g),
                       b = quantize_tensor(whole, scheme, g);
    CHECK(a.error.largest == b.error.largest);
    CHECK(a.error.largest_at == b.error.largest_at);
    CHECK(a.error.squares == Approx(b.error.squares).epsilon(1e-12));
    CHECK(a.groups == 300 * 32);
  }
}

}  // namespace reckon
