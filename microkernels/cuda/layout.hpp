// Where the tensor cores' instructions find and leave what they multiply: index arithmetic alone, which kernels use and
// the tests run on the CPU against the instructions' definitions (tests/microkernels/layout_test.cpp).
//
//   tile_of(5, 64, 32, 16)             // {row 5, column 0}: down a band of 16 rows, then the next column
//   accumulator_row(37, 2)             // 25: thread 37 of a warpgroup, third register
//   operand(address)                   // wgmma's descriptor of rows of 128 swizzled bytes
//
// PTX ISA 8.7: 9.7.15.5 (fragments of mma.m16n8k16 and ldmatrix), 9.7.16.5 (wgmma's descriptors and accumulators).
#pragma once

#include <cstdint>

#include "core/check.hpp"

namespace reckon::bench::cuda {

// Lane `lane` gives ldmatrix.x4 this row and column of a 16 × 16 piece: of A, [row][depth], and, turned, of B kept as
// [depth][column]; and of B kept as [column][depth].
RECKON_BOTH constexpr int a_row(int lane) { return lane % 16; }
RECKON_BOTH constexpr int a_column(int lane) { return lane / 16 * 8; }
RECKON_BOTH constexpr int b_row(int lane) { return lane % 8 + lane / 16 * 8; }
RECKON_BOTH constexpr int b_column(int lane) { return lane / 8 % 2 * 8; }

// Register `i` of a thread's accumulators, by mma.m16n8 as by wgmma.m64nN: which row and column it is. Four registers
// a block of eight columns; warps of a warpgroup take sixteen rows each.
RECKON_BOTH constexpr int accumulator_row(int thread, int i) {
  return thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
}
RECKON_BOTH constexpr int accumulator_column(int thread, int i) {
  return i / 4 * 8 + thread % 4 * 2 + i % 2;
}

// Rows of 64 bf16: 128 bytes, the width of the swizzle.
inline constexpr int kRowBytes = 128;

// wgmma's descriptor of a matrix in shared memory with the depth innermost: rows of 128 swizzled bytes from an address
// that is a multiple of 1024, eight rows to the next eight 1024 bytes apart.
RECKON_BOTH constexpr std::uint64_t operand(std::uint32_t shared_address) {
  constexpr std::uint64_t kLeading = 1;  // not used with this swizzle
  constexpr std::uint64_t kStride = 8 * kRowBytes >> 4, kSwizzle128 = 1;
  return (shared_address & 0x3ffffU) >> 4 | kLeading << 16 | kStride << 32 | kSwizzle128 << 62;
}
// The same rows, sixteen further along the depth: 32 bytes.
RECKON_BOTH constexpr std::uint64_t deeper(std::uint64_t operand, int sixteens) {
  return operand + static_cast<std::uint64_t>(sixteens) * (32 >> 4);
}

// Of rows × columns tiles, the one that is index-th: down a band of so many rows, then the next column of it, so that
// those under way together share what they read.
struct Tile {
  unsigned row, column;
};
RECKON_BOTH constexpr Tile tile_of(unsigned index, unsigned rows, unsigned columns, unsigned band) {
  const unsigned first = index / (band * columns) * band, in_band = index % (band * columns);
  const unsigned tall = rows - first < band ? rows - first : band;
  return {first + in_band % tall, in_band / tall};
}

}  // namespace reckon::bench::cuda
