// kind: bench. What reckon-bench (microkernels/) writes: one machine, and a point for each thing measured.
//
//   {"kind": "bench", "version": 1, "units": {"time": "us", "bytes": "B", "flops": "FLOP", "clock": "MHz"},
//    "chip": "h100-sxm", "machine": {"devices": ["NVIDIA H100 80GB HBM3"], "driver": "580.65", …},
//    "points": [{"op": "gemm", "dtype": "bf16", "library": "cuBLASLt", "launch": "graph", "cache": "cold",
//                "shape": {"m": 64, "n": 4096, "k": 4096}, "bytes": 34603008, "flops": 2147483648,
//                "median": 13.5, "p10": 13.4, "p90": 13.9, "samples": 40, "stop": "steady"}]}
//
// Numbers carry the units that are said once. Read by engine/measured.hpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reckon/spec/measurements.hpp"

namespace reckon {

enum class CacheState { kCold, kHot };
constexpr auto names(CacheState) { return std::array{"cold", "hot"}; }

struct BenchUnits {
  std::string time, bytes, flops, clock;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("time", "", "of median, p10 and p90").required(), s.time...);
    v(Field("bytes", "", "of bytes").required(), s.bytes...);
    v(Field("flops", "", "of flops").required(), s.flops...);
    v(Field("clock", "", "of clocks").required(), s.clock...);
  }
};

template <class R>
struct BenchMachine {
  std::string backend, host, processor, driver, runtime, date, command;
  std::vector<std::string> devices;
  std::optional<Count<R>> units;
  doc::Value clock, memory, cache;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("backend", "", "cuda or cpu"), s.backend...);
    v(Field("host", "", "its name"), s.host...);
    v(Field("processor", "", "the host's"), s.processor...);
    v(Field("driver", "", "version"), s.driver...);
    v(Field("runtime", "", "version"), s.runtime...);
    v(Field("date", "", "of the measurement"), s.date...);
    v(Field("command", "", "arguments"), s.command...);
    v(Field("devices", "", "names, one a rank; all the same").required(), s.devices...);
    v(Field("units", "", "SMs, or cores used").count(), s.units...);
    v(Field("clock", "", "as the device states it"), s.clock...);
    v(Field("memory", "", "bytes of the device"), s.memory...);
    v(Field("cache", "", "bytes of its last-level cache"), s.cache...);
  }
};

template <class R>
struct BenchPoint {
  MeasuredKernel op = MeasuredKernel::kGemm;
  std::string dtype, library, stop, note;
  LaunchedBy launch = LaunchedBy::kStream;
  CacheState cache = CacheState::kCold;
  doc::Value shape, bytes, flops, median, p10, p90, clock, check;
  Count<R> samples;
  bool throttled = false;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("op", "", "what was run").required(), s.op...);
    v(Field("dtype", "", "of the operands, the array or the cache"), s.dtype...);
    v(Field("library", "", "whose kernel, with its version").required(), s.library...);
    v(Field("launch", "", "in a stream, or inside a CUDA graph"), s.launch...);
    v(Field("cache", "", "cold: no cache holds the inputs; hot: the same buffers over and over"),
      s.cache...);
    v(Field("shape", "", "sizes by name, as columns of kind measurements").required(), s.shape...);
    v(Field("bytes", "", "that must move in one run"), s.bytes...);
    v(Field("flops", "", "that must be done in one run"), s.flops...);
    v(Field("median", "", "time of one run").required(), s.median...);
    v(Field("p10", "", "a tenth of the samples took less").required(), s.p10...);
    v(Field("p90", "", "a tenth of the samples took more").required(), s.p90...);
    v(Field("samples", "", "behind the median").required().count().limit(Limit::kAtLeastOne),
      s.samples...);
    v(Field("stop", "", "why no more were taken"), s.stop...);
    v(Field("clock", "", "median during the samples"), s.clock...);
    v(Field("throttled", "", "the clock fell: kept apart from every fit"), s.throttled...);
    v(Field("check", "", "largest error over what rounding explains"), s.check...);
    v(Field("note", "", "for people"), s.note...);
  }
};

template <class R>
struct Bench {
  std::string id, chip, comment;
  Count<R> version;
  BenchUnits units;
  BenchMachine<R> machine;
  std::vector<BenchPoint<R>> points;
  std::vector<std::string> left_out;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("id", "", "the file's name, filled in by the program"), s.id...);
    v(Field("version", "", "of this format: 1").required().count(), s.version...);
    v(Field("units", "", "of all numbers").required(), s.units...);
    v(Field("chip", "", "a file in hardware/chips"), s.chip...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("machine", "", "where it was measured").required(), s.machine...);
    v(Field("points", "", "what was measured").required(), s.points...);
    v(Field("left_out", "", "what was asked for and not measured, with why"), s.left_out...);
  }
};

}  // namespace reckon
