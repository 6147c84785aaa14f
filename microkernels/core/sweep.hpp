// Which problems are measured: lists of shapes are data, in files of kind `sweep`.
//
//   kind: sweep
//   cases:
//     - {op: gemm, dtypes: [bf16], libraries: [cuBLASLt, wgmma], caches: [cold, hot],
//        sizes: {m: [1, 64], n: 4096, k: 4096}}
//
//   std::vector<Problem> all = read_sweep(work, "microkernels/sweeps/gpu.yaml", diagnostics);
//
// A case stands for the product of all its lists. A size may be written with a unit: `bytes: [1 MiB, 1 GiB]`.
#pragma once

#include "problem.hpp"
#include "reckon/engine/workspace.hpp"

namespace reckon::bench {

// Nothing after a fault.
std::vector<Problem> read_sweep(Workspace& work, const std::string& file, Diagnostics& diagnostics);

// A whole number of at least 1, with or without a unit of bytes; false after saying that it is none.
bool read_size(const doc::Value& value, std::int64_t& out, Diagnostics& diagnostics);

// Whether the problem's name holds each of the words, separated by commas any of them: "gemm bf16,attention".
bool wanted(const Problem& problem, const std::string& only);

}  // namespace reckon::bench
