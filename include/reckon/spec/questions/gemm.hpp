// kind: gemm. How long does one matrix product take on a chip, and what bounds it?
//
//   kind: gemm
//   m: 64                   # rows: tokens
//   n: 28672
//   k: 8192
//   dtype: fp8
//   chip: h100-sxm
#pragma once

#include <array>
#include <optional>
#include <string>

#include "reckon/spec/assume.hpp"
#include "reckon/spec/kernels.hpp"

namespace reckon {

enum class LaunchKind { kGraph, kStream };
constexpr auto names(LaunchKind) { return std::array{"graph", "stream"}; }

template <class R>
struct GemmQuestion {
  std::string name, comment, dtype = "bf16", library, kernels;
  std::optional<Count<R>> m, n, k, groups;
  std::optional<Chip<R>> chip;
  std::optional<GemmKernel<R>> kernel;
  LaunchKind launch = LaunchKind::kGraph;
  std::optional<LaunchCost<R>> host;
  Assume<R> assume;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "for people"), s.name...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("m", "m", "rows: tokens; of all groups together").required().degree(), s.m...);
    v(Field("n", "n", "columns: width of the output").required().degree(), s.n...);
    v(Field("k", "k", "depth: width of the input").required().degree(), s.k...);
    v(Field("groups", "d", "matrices that have rows: the experts a grouped product touches")
          .degree(),
      s.groups...);
    v(Field("dtype", "", "of the operands: bf16, fp8, fp8-block, nvfp4, …"), s.dtype...);
    v(Field("chip", "", "a file in hardware/chips").by_name().required(), s.chip...);
    v(Field("library", "", "whose kernel; the first of the format if not stated"), s.library...);
    v(Field("kernels", "", "a file in hardware/kernels or a path; the chip's if not stated"),
      s.kernels...);
    v(Field("kernel", "", "its constants, filled in from that file"), s.kernel...);
    v(Field("launch", "", "inside a CUDA graph, or one by one in a stream"), s.launch...);
    v(Field("host", "", "what launching costs, filled in from that file"), s.host...);
    v(Field("assume", "", "no convention bears on it"), s.assume...);
  }
};

}  // namespace reckon
