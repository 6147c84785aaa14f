// The index arithmetic of the tensor cores' kernels, against the instructions as the PTX manual defines them, played on
// the CPU: what ldmatrix and mma do with the addresses of cuda/layout.hpp, and what wgmma reads through a descriptor of
// what the tensor memory accelerator has swizzled.
#include "cuda/layout.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <vector>

#include "catch.hpp"
#include "cuda/splits.hpp"

namespace reckon::bench::cuda {
namespace {

constexpr int kLanes = 32;
double left(int row, int depth) { return 1 + row * 31 + depth * 7 % 13; }
double right(int depth, int column) { return 2 + column * 17 + depth * 5 % 11; }

// ldmatrix.x4 of pairs of 16-bit numbers: register j of a lane is row lane/4 of matrix j, columns 2·(lane%4) and the
// next; the row of matrix j that lane 8·j + r names. Turned: the matrix is read with rows and columns exchanged.
struct Fragment {
  double of[kLanes][4][2];
};
struct Block {
  double at[16][8];
};
Fragment load(const std::function<double(int, int)>& shared, int (*row)(int), int (*column)(int),
              bool turned = false) {
  Fragment out{};
  for (int lane = 0; lane < kLanes; ++lane)
    for (int j = 0; j < 4; ++j)
      for (int e = 0; e < 2; ++e) {
        const int r = turned ? lane % 4 * 2 + e : lane / 4,
                  c = turned ? lane / 4 : lane % 4 * 2 + e;
        out.of[lane][j][e] = shared(row(8 * j + r), column(8 * j + r) + c);
      }
  return out;
}

// mma.m16n8k16: of A registers 0 … 3 are (g, 2t), (g + 8, 2t), (g, 2t + 8), (g + 8, 2t + 8); of B, (2t, g) and
// (2t + 8, g); with g = lane/4 and t = lane%4.
Block multiply(const Fragment& a, const Fragment& b, int first) {
  double x[16][16] = {}, y[16][8] = {};
  for (int lane = 0; lane < kLanes; ++lane)
    for (int e = 0; e < 2; ++e) {
      const int g = lane / 4, t = lane % 4 * 2 + e;
      for (int j = 0; j < 4; ++j) x[g + j % 2 * 8][t + j / 2 * 8] = a.of[lane][j][e];
      for (int j = 0; j < 2; ++j) y[t + j * 8][g] = b.of[lane][first + j][e];
    }
  Block out{};
  for (int m = 0; m < 16; ++m)
    for (int n = 0; n < 8; ++n)
      for (int k = 0; k < 16; ++k) out.at[m][n] += x[m][k] * y[k][n];
  return out;
}

double product(int row, int column, int depths) {
  double sum = 0;
  for (int k = 0; k < depths; ++k) sum += left(row, k) * right(k, column);
  return sum;
}

void check_product(const Fragment& a, const Fragment& b) {
  for (int half = 0; half < 2; ++half) {  // the two blocks of eight columns of B's sixteen
    const Block c = multiply(a, b, 2 * half);
    for (int lane = 0; lane < kLanes; ++lane)
      for (int i = 0; i < 4; ++i) {
        // The manual: c0, c1 in row g and c2, c3 in row g + 8, columns 2t and 2t + 1.
        const int row = lane / 4 + (i >= 2 ? 8 : 0), column = lane % 4 * 2 + i % 2;
        REQUIRE(accumulator_row(lane, i) == row);
        REQUIRE(accumulator_column(lane, 4 * half + i) == 8 * half + column);
        CHECK(c.at[row][column] == product(row, 8 * half + column, 16));
      }
  }
}

TEST_CASE("mma: A by rows and B by columns, as products and scores load them") {
  const Fragment a = load(left, a_row, a_column);
  const Fragment b =
      load([](int column, int depth) { return right(depth, column); }, b_row, b_column);
  check_product(a, b);
}

TEST_CASE("mma: B by depth, turned while it is loaded, as values are") {
  const Fragment a = load(left, a_row, a_column);
  const Fragment b = load(right, a_row, a_column, true);
  check_product(a, b);
}

// Shared memory as numbers of two bytes.
struct Shared {
  std::vector<double> cells = std::vector<double>(128 << 10);
  // The swizzle of 128 bytes: of an address, bits 4 to 6 are changed by bits 7 to 9.
  static std::uint32_t swizzled(std::uint32_t address) { return address ^ (address >> 7 & 7) << 4; }
  double& at(std::uint32_t address) { return cells[swizzled(address) / 2]; }
};

// A box of rows × 64, as the accelerator leaves it.
void fetch(Shared& s, std::uint32_t to, int rows, const std::function<double(int, int)>& matrix) {
  for (int r = 0; r < rows; ++r)
    for (int k = 0; k < 64; ++k)
      s.at(to + static_cast<std::uint32_t>(r * kRowBytes + 2 * k)) = matrix(r, k);
}

// What wgmma reads for element (row, depth) of the sixteen depths behind a descriptor with the depth innermost: start
// address in bits 0 to 13 and stride of eight rows in bits 32 to 45, both in 16 bytes; swizzle in bits 62 and 63.
double read(Shared& s, std::uint64_t descriptor, int row, int depth) {
  REQUIRE(descriptor >> 62 == 1);        // 128 bytes
  REQUIRE((descriptor >> 49 & 7) == 0);  // the base lies at a multiple of 1024
  const auto start = static_cast<std::uint32_t>((descriptor & 0x3fff) << 4);
  const auto eight = static_cast<std::uint32_t>((descriptor >> 32 & 0x3fff) << 4);
  return s.at(start + static_cast<std::uint32_t>(row / 8) * eight +
              static_cast<std::uint32_t>(row % 8 * kRowBytes + 2 * depth));
}

TEST_CASE(
    "wgmma: descriptors find what the accelerator has swizzled, and accumulators cover the tile") {
  Shared s;
  constexpr std::uint32_t kA = 3 * 1024, kB = kA + 128 * kRowBytes;
  fetch(s, kA, 128, left);
  // W in two parts, as two blocks of a cluster load it.
  const auto turned = [](int column, int depth) { return right(depth, column); };
  fetch(s, kB, 128, turned);
  fetch(s, kB + 128 * kRowBytes, 128, [&](int r, int k) { return turned(r + 128, k); });
  std::set<std::pair<int, int>> covered;
  for (int group = 0; group < 2; ++group) {
    const std::uint64_t a = operand(kA + static_cast<std::uint32_t>(group * 64 * kRowBytes)),
                        b = operand(kB);
    for (int thread = 0; thread < 128; thread += 5)
      for (int i = 0; i < 128; i += 3) {
        const int row = accumulator_row(thread, i), column = accumulator_column(thread, i);
        REQUIRE(row < 64);
        REQUIRE(column < 256);
        double sum = 0;
        for (int d = 0; d < 4; ++d)
          for (int k = 0; k < 16; ++k)
            sum += read(s, deeper(a, d), row, k) * read(s, deeper(b, d), column, k);
        CHECK(sum == product(group * 64 + row, column, 64));
      }
  }
  for (int thread = 0; thread < 128; ++thread)
    for (int i = 0; i < 128; ++i)
      covered.emplace(accumulator_row(thread, i), accumulator_column(thread, i));
  CHECK(covered.size() == std::size_t{64} * 256);
}

TEST_CASE("every page of a cache is one block's, and no block is without") {
  for (int pages = 1; pages < 300; ++pages)
    for (const int pairs : {1, 8, 64, 256, 1024}) {
      const Splits s = splits_of(pages, pairs, 132);
      CAPTURE(pages, pairs, s.count, s.each);
      CHECK(s.count * s.each >= pages);
      CHECK((s.count - 1) * s.each < pages);
      CHECK((s.each >= 2 || pages == 1));
    }
  CHECK(splits_of(64, 256, 132).count == 1);
  CHECK(splits_of(64, 8, 132).count == 32);
}

TEST_CASE("every tile is one block's, in bands") {
  for (const auto& [rows, columns, band] :
       {std::array<unsigned, 3>{64, 32, 16}, {32, 32, 8}, {1, 7, 8}, {5, 3, 2}, {17, 4, 8}}) {
    std::set<std::pair<unsigned, unsigned>> seen;
    for (unsigned i = 0; i < rows * columns; ++i) {
      const Tile t = tile_of(i, rows, columns, band);
      CHECK(t.row < rows);
      CHECK(t.column < columns);
      CHECK(t.row / band == i / (band * columns));
      seen.emplace(t.row, t.column);
    }
    CHECK(seen.size() == std::size_t{rows} * columns);
  }
}

}  // namespace
}  // namespace reckon::bench::cuda
