// What the two outputs of nccl-tests, its table and its JSON (-J), say of a run.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tables.hpp"

namespace reckon {

// Ranks, where they ran, and what was run.
struct NcclRun {
  std::set<std::string> devices;  // names of GPUs
  std::set<std::string> hosts;
  int ranks = 0;
  std::string op;           // our word; empty: not said
  int each = 0;             // ranks of one process, by threads and GPUs; 0: not said
  bool of_heading = false;  // ranks are one process's, for no list says more
  int version = 0;          // of the library, as NCCL_VERSION_CODE; 0: not said
};

// One row: texts with their places. `algbw` and `busbw`, in GB/s, may be empty. `wrong` is the count of wrong elements;
// empty or N/A where it was not checked.
struct NcclRow {
  Span span;
  TableCell bytes;
  TableCell us;
  TableCell algbw, busbw;
  std::string wrong;
};

// "…/all_reduce_perf" -> "all-reduce"; empty if the text names no collective.
std::string nccl_operation(std::string_view text);

// A set of the run's rows; none after a fault. Rows of 0 bytes are left out: there is nothing to fit.
std::vector<MeasuredSet> nccl_set(const SourceFile* file, const FileFacts& facts, NcclRun run,
                                  const std::vector<NcclRow>& rows, Diagnostics& diagnostics,
                                  std::vector<std::string>& notes);

}  // namespace reckon
