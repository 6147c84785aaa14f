// One thing to measure: an operation, a number format, a shape, and under which conditions.
//
//   Problem p{"gemm", "bf16", "cuBLASLt", "graph", "cold", {{"m", 64}, {"n", 4096}, {"k", 4096}}};
//   p.size("m")                     // 64; a size that is missing is a fault of the sweep, found by `fault_of`
//   amounts_of(p).flops             // 2·m·n·k, by the formulas of cost/kernels
//   fault_of(p)                     // "" or "gemm: size 'k' is missing"
//
// Operations and sizes have the names that files of kind `measurements` use. `launch`: stream or graph. `cache`: cold
// (every sample reads buffers that no cache holds) or hot (the same buffers over and over).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace reckon::bench {

struct Problem {
  std::string op, dtype, library, launch = "stream", cache = "cold";
  std::vector<std::pair<std::string, std::int64_t>> shape;

  std::int64_t size(std::string_view name, std::int64_t otherwise = 0) const;
};

// "gemm bf16 m=64 n=4096 k=4096 cold, cuBLASLt"
std::string name_of(const Problem& problem);

// Bytes that must move and FLOP that must be done, each counted once; 0 where the operation has none. A copy reads and
// writes: twice its array. A collective's bytes are the whole array's, as nccl-tests counts them.
struct Amounts {
  double bytes = 0, flops = 0;
};
Amounts amounts_of(const Problem& problem);

// Bytes of one number: 2 for bf16. 0: no such format here.
double element_bytes(const std::string& dtype);

// What a sweep may say of an operation: which sizes it needs. Empty text: nothing is wrong.
std::string fault_of(const Problem& problem);
const std::vector<std::string>& known_operations();
bool has_size(std::string_view op, std::string_view size);

}  // namespace reckon::bench
