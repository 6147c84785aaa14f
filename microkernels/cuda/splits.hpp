// How the pages of a sequence's cache are shared out among blocks, in decode attention.
//
//   splits_of(64, 256, 132)            // one block of all 64 pages: 256 blocks already fill 132 multiprocessors
//   splits_of(64, 8, 132)              // {32, 2}: 32 blocks of two pages each
//
// `pairs`: sequences × kv heads. Three blocks a multiprocessor in all where the pages suffice, of two pages at least:
// a block's first loads are not all that it does. None is without a page.
#pragma once

#include <algorithm>

#include "core/check.hpp"

namespace reckon::bench::cuda {

struct Splits {
  int count, each;  // blocks, and pages of a block; the last may have fewer
};

constexpr Splits splits_of(int pages, int pairs, int sms) {
  constexpr int kBlocks = 3, kLeast = 2;
  const int wanted = std::max(1, kBlocks * sms / std::max(1, pairs));
  const int most = std::max(1, std::min(wanted, pages / kLeast));
  const int each = (pages + most - 1) / most;
  return {(pages + each - 1) / each, each};
}

}  // namespace reckon::bench::cuda
