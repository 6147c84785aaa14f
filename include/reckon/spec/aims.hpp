// kind: aims. What our own kernels are held against on the device that was measured, and which share of it they are to
// reach.
//
//   kind: aims
//   aims:
//     - {op: gemm, dtype: bf16, library: wgmma, sizes: {m: 8192, n: 8192, k: 8192}, of: cuBLASLt, at_least: 80 %,
//        on: sm_90, source: …}
//     - {op: attention-decode, of: memory-read}
//
// `of` is a library, whose kernel did the same work, or an operation, whose best rate is the yardstick. What is not
// stated holds for every point: the second line shows decode attention of any shape. Without `at_least` a comparison is
// shown and not judged. Read by microkernels/core/aims.hpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reckon/spec/measurements.hpp"

namespace reckon {

template <class R>
struct AimOfKernel {
  MeasuredKernel op = MeasuredKernel::kGemm;
  std::string dtype, library, of, on, source;
  std::optional<Ratio<R>> at_least;
  doc::Value sizes;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("op", "", "what was run").required(), s.op...);
    v(Field("dtype", "", "number format; else any"), s.dtype...);
    v(Field("library", "", "whose kernel; else any but that of `of`"), s.library...);
    v(Field("sizes", "", "of the shape, by name; what is not stated may be anything"), s.sizes...);
    v(Field("of", "", "a library that did the same work, or an operation, by its best rate")
          .required(),
      s.of...);
    v(Field("at_least", "", "the share that is to be reached; else it is only shown").efficiency(),
      s.at_least...);
    v(Field("on", "", "a word of machine.runtime or of the device's name; else everywhere"),
      s.on...);
    v(Field("source", "", "who set the aim"), s.source...);
  }
};

template <class R>
struct Aims {
  std::string id, comment;
  std::vector<AimOfKernel<R>> aims;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("id", "", "the file's name, filled in by the program"), s.id...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("aims", "", "what is held against what; the first that fits a point counts").required(),
      s.aims...);
  }
};

}  // namespace reckon
