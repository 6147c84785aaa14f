// A stack's ceilings from kernels: what made the points is found again, and what nothing measures stays.
#include "reckon/engine/calibrate_stack.hpp"

#include <cmath>

#include "catch.hpp"
#include "data.hpp"

namespace reckon {
namespace {

using C = MeasuredColumn;

constexpr double kPeak = 989.4e12, kBandwidth = 3.35e12;  // hardware/chips/h100-sxm.yaml

MeasuredSet set_of(MeasuredKernel kernel, std::string conditions = "cold") {
  MeasuredSet s;
  s.kernel = kernel;
  s.chip = "h100-sxm";
  s.format = "bf16";
  s.library = "made";
  s.source = "this test";
  s.causal = true;
  s.conditions = std::move(conditions);
  return s;
}

MeasuredPoint& add(MeasuredSet& s) {
  MeasuredPoint p{};
  p.values.fill(NAN);
  p.seconds = NAN;
  return s.points.emplace_back(p);
}

void put(MeasuredPoint& p, C column, double x) { p.values[static_cast<std::size_t>(column)] = x; }

// A causal flash kernel at `ceiling`·s/(s + fill) of the peak, by hand: half of 4·b·s²·h·d FLOPs, and a launch.
MeasuredSet attention(double ceiling, double fill, double launch) {
  MeasuredSet s = set_of(MeasuredKernel::kAttentionPrefill);
  for (const double length : {512., 1024., 2048., 4096., 16384.}) {
    MeasuredPoint& p = add(s);
    put(p, C::kBatch, 1);
    put(p, C::kLength, length);
    put(p, C::kHeads, 32);
    put(p, C::kHeadWidth, 128);
    put(p, C::kTime, 0);  // a time, not a rate
    p.seconds =
        2 * length * length * 32 * 128 / (kPeak * ceiling * length / (length + fill)) + launch;
  }
  return s;
}

const FittedStackConstant* constant(const StackCalibration& c, const std::string& field) {
  for (const MeasuredConstant& m : c.constants)
    if (m.constant.field == field) return &m.constant;
  return nullptr;
}

StackCalibration calibrated(const std::vector<MeasuredSet>& sets, std::string& faults,
                            const std::string& base = "generic-h100") {
  Diagnostics d;
  StackCalibration c = calibrate_stack(test::data(), sets, base, d);
  faults = d.render();
  return c;
}

TEST_CASE("calibrate stack: attention, memory and launch are found; the rest stays the base's") {
  MeasuredSet copy = set_of(MeasuredKernel::kMemoryCopy), launch = set_of(MeasuredKernel::kLaunch);
  put(add(copy), C::kBandwidth, 0.8 * kBandwidth);
  put(add(copy), C::kBandwidth, 0.5 * kBandwidth);
  launch.launch = LaunchedBy::kStream;
  add(launch).seconds = 3e-6;
  put(launch.points[0], C::kTime, 3e-6);
  std::string faults;
  const StackCalibration c = calibrated({attention(0.5, 600, 3e-6), copy, launch}, faults);
  INFO(faults);
  REQUIRE(faults.empty());
  REQUIRE(constant(c, "attention.ceiling"));
  CHECK(constant(c, "attention.ceiling")->value == Approx(0.5).epsilon(1e-3));
  CHECK(constant(c, "attention.fill")->value == Approx(600).epsilon(2e-3));
  CHECK(constant(c, "traffic.efficiency")->value == Approx(0.8).epsilon(1e-3));
  CHECK(constant(c, "fixed.kernel")->value == Approx(3e-6));
  CHECK(!constant(c, "gemm.ceiling"));
  CHECK(c.kept == std::vector<std::string>{"gemm", "network", "overlap"});
  const std::string text = stack_overlay(c, "mine");
  INFO(text);
  CHECK(text.find("base: generic-h100") != std::string::npos);
  CHECK(text.find("source: \"this test; ") != std::string::npos);
}

TEST_CASE("calibrate stack: other chips, other bases and points that tell nothing are faults") {
  std::string faults;
  MeasuredSet other = attention(0.5, 600, 0);
  other.chip = "a100-sxm";
  calibrated({attention(0.5, 600, 0), other}, faults);
  CHECK(faults.find("points of a100-sxm beside points of h100-sxm") != std::string::npos);
  calibrated({attention(0.5, 600, 0)}, faults, "generic-a100");
  CHECK(faults.find("--onto generic-a100: a stack of") != std::string::npos);
  MeasuredSet small = set_of(MeasuredKernel::kGemm);  // decoding's: no training step has such
  MeasuredPoint& p = add(small);
  put(p, C::kM, 16);
  put(p, C::kN, 4096);
  put(p, C::kK, 4096);
  p.seconds = 1e-5;
  calibrated({small}, faults);
  CHECK(faults.find("no point tells a constant of a stack") != std::string::npos);
}

}  // namespace
}  // namespace reckon
