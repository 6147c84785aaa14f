// Constants from points and back: fits find what made the points, files are what fits write, nothing is half written.
#include "reckon/engine/calibrate.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "data.hpp"
#include "reckon/base/atomic_file.hpp"
#include "reckon/cost/kernels/gemm.hpp"
#include "reckon/engine/validate_kernels.hpp"

namespace reckon {
namespace {

namespace fs = std::filesystem;

// Points of an H100 that the model itself made.
MeasuredSet made(double fixed, double compute, double memory) {
  Diagnostics d;
  const Chip<double> chip = *load_chip(test::data(), "h100-sxm", {}, d);
  GemmKernel<double> k;
  k.weight = k.activation = k.output = Bytes<double>(2);
  k.fixed = Seconds<double>(fixed);
  k.compute = Ratio<double>(compute);
  k.memory = Ratio<double>(memory);
  MeasuredSet set;
  set.chip = "h100-sxm";
  set.library = "made";
  set.format = "bf16";
  set.source = "the model";
  set.columns = {MeasuredColumn::kM, MeasuredColumn::kN, MeasuredColumn::kK};
  for (const double m : {1., 32., 512., 4096.})
    for (const double n : {4096., 16384.})
      for (const double depth : {4096., 8192.}) {
        MeasuredPoint p{};
        p.values.fill(NAN);
        p.values[0] = m;
        p.values[1] = n;
        p.values[2] = depth;
        p.seconds = gemm_cost({Count<double>(m), Count<double>(n), Count<double>(depth)}, k,
                              {*chip.peak.bf16, chip.memory.bandwidth})
                        .time.raw;
        set.points.push_back(p);
      }
  return set;
}

Calibration calibrated(const std::vector<MeasuredSet>& sets, std::string& faults,
                       CalibrateWhat what = CalibrateWhat::kKernels) {
  Diagnostics d;
  Calibration c = calibrate(test::data(), sets, what, {}, d);
  faults = d.render();
  return c;
}

TEST_CASE("calibrating finds the constants that made the points") {
  std::string faults;
  const Calibration c = calibrated({made(5e-6, 0.7, 0.85)}, faults);
  INFO(faults);
  REQUIRE(c.kernels.gemm.size() == 1);
  const GemmKernel<double>& k = c.kernels.gemm[0];
  CHECK(k.fixed.raw == Approx(5e-6).epsilon(1e-3));
  CHECK(k.compute.raw == Approx(0.7).epsilon(1e-3));
  CHECK(k.memory.raw == Approx(0.85).epsilon(1e-3));
  CHECK(k.rows.raw == 16);
  CHECK(k.n[1].raw == 16384);
  CHECK(c.sets[0].left_out.mean < 1e-3);
}

TEST_CASE("too few points, other chips and nothing of the kind are faults") {
  std::string faults;
  MeasuredSet one = made(5e-6, 0.7, 0.85);
  one.points.resize(1);
  calibrated({one}, faults);
  CHECK(faults.find("1 point can't fix 3 constants") != std::string::npos);
  MeasuredSet other = made(5e-6, 0.7, 0.85);
  other.chip = "b200";
  calibrated({made(5e-6, 0.7, 0.85), other}, faults);
  CHECK(faults.find("points of b200 beside points of h100-sxm") != std::string::npos);
  calibrated({made(5e-6, 0.7, 0.85)}, faults, CalibrateWhat::kCollectives);
  CHECK(faults.find("no collective is measured here") != std::string::npos);
}

TEST_CASE("a written file is read back as the same constants, and lies over what was there") {
  std::string faults;
  const Calibration c = calibrated({made(5e-6, 0.7, 0.85)}, faults);
  const fs::path file = fs::temp_directory_path() / (std::to_string(getpid()) + "-kernels.yaml");
  CHECK(write_atomically(file, kernels_text(c.kernels)).empty());
  Workspace work({RECKON_SOURCE_DIR});
  Diagnostics d;
  const auto back = load_kernels(work, file.string(), {}, d);
  INFO(d.render());
  REQUIRE(back);
  CHECK(back->gemm[0].compute.raw == c.kernels.gemm[0].compute.raw);
  const auto base = load_kernels(work, "h100-sxm", {}, d);
  REQUIRE(base);
  const Kernels<double> onto = laid_onto(*base, *back);
  CHECK(onto.gemm.size() == base->gemm.size() + 1);
  CHECK(onto.gemm[0].library ==
        back->gemm[0].library);  // who names none gets what was measured last
  CHECK(laid_onto(onto, *back).gemm.size() == onto.gemm.size());
  CHECK(onto.collectives.size() == base->collectives.size());
  fs::remove(file);
}

std::string slurp(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST_CASE("a file is written whole or not at all") {
  const fs::path folder = fs::temp_directory_path() / (std::to_string(getpid()) + "-atomic");
  fs::create_directories(folder / "sub");
  CHECK(write_atomically(folder / "a", "one").empty());
  CHECK(write_atomically(folder / "a", "two").empty());
  CHECK(slurp(folder / "a") == "two");
  CHECK(!write_atomically(folder / "sub", "three").empty());         // a folder
  CHECK(!write_atomically(folder / "none" / "a", "three").empty());  // no such folder
  CHECK(slurp(folder / "a") == "two");
  for (const auto& path : {folder / "a", folder / "b"}) CHECK(why_not_written(path).empty());
  CHECK(why_not_written(folder / "sub") == (folder / "sub").string() + " is a folder");
  CHECK(why_not_written(folder / "none" / "a").starts_with("can't create a file in"));
  CHECK(std::distance(fs::directory_iterator(folder), fs::directory_iterator()) == 2);
  fs::remove_all(folder);
}

TEST_CASE(
    "what stands in a file's place is not destroyed: links are followed, a pipe is written to") {
  const fs::path folder = fs::temp_directory_path() / (std::to_string(getpid()) + "-targets");
  fs::create_directories(folder);
  std::ofstream(folder / "file") << "old";
  fs::permissions(folder / "file", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("file", folder / "link");
  CHECK(write_atomically(folder / "link", "new").empty());
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(slurp(folder / "file") == "new");
  CHECK(fs::status(folder / "file").permissions() ==
        (fs::perms::owner_read | fs::perms::owner_write));
  fs::create_symlink("not-yet", folder / "ahead");
  CHECK(write_atomically(folder / "ahead", "there").empty());
  CHECK(slurp(folder / "not-yet") == "there");
  fs::create_symlink("circle", folder / "circle");
  CHECK(!write_atomically(folder / "circle", "x").empty());
  CHECK(is_same_file(folder / "link", folder / "file"));
  CHECK(!is_same_file(folder / "file", folder / "not-yet"));
  CHECK(!is_same_file(folder / "file", folder / "nothing"));
  const std::string pipe = (folder / "pipe").string();
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const int end =
      open(pipe.c_str(), O_RDONLY | O_NONBLOCK);  // a reader, so that writing does not wait
  REQUIRE(end >= 0);
  CHECK(write_atomically(pipe, "through").empty());
  char text[16] = {};
  CHECK(read(end, text, sizeof text) == 7);
  CHECK(std::string(text) == "through");
  close(end);
  CHECK(fs::is_fifo(pipe));
  fs::remove_all(folder);
}

// The shipped constants against those that calibrate would write now: the same predictions, to 1 %.
TEST_CASE("the constants that ship are those that their points give") {
  Workspace work({RECKON_SOURCE_DIR});
  Diagnostics d;
  const auto sets = bundled_measurements(work, d);
  const auto generic = load_kernels(work, "generic", {}, d);
  REQUIRE(generic);
  int fitted = 0;
  for (const MeasuredSet& s : sets) {
    if (s.chip.empty() || s.held_out) continue;
    std::string why, whose;
    const auto model =
        model_of(s, *load_chip(work, s.chip, {}, d), *generic, CurveForm::kRamp, why);
    const auto points = timed_points(s);
    if (!model || points.size() <= model->parameters.size()) continue;
    const auto kernels = load_kernels(work, s.chip, {}, d);
    INFO(name_of(s) << " " << d.render());
    REQUIRE(kernels);
    const auto shipped = model->constants(*kernels, whose);
    REQUIRE(shipped);
    CHECK(whose == s.library);
    const FittedSet now = fit_points(*model, points);
    for (const MeasuredPoint* p : points)
      CHECK(model->seconds(*shipped, *p) ==
            Approx(model->seconds(now.outcome.values, *p)).epsilon(0.01));
    ++fitted;
  }
  CHECK(fitted > 50);
}

TEST_CASE("validate: every family beside its baselines, sets no fit has seen apart") {
  Workspace work({RECKON_SOURCE_DIR});
  Diagnostics d;
  const ValidateReport r = validate_kernels(work, {}, d);
  INFO(d.render());
  const auto at = std::find_if(r.families.begin(), r.families.end(),
                               [](const ValidateFamily& f) { return f.name == "gemm" && f.seen; });
  REQUIRE(at != r.families.end());
  const ValidateFamily& gemm = *at;
  CHECK(gemm.model.rows == 653);
  // The shared notes print 24.0 % and 43.6 % for these rows.
  CHECK(gemm.flat.mean == Approx(0.240).margin(0.0005));
  CHECK(gemm.peak.mean == Approx(0.436).margin(0.0005));
  CHECK(r.missed() == 0);
  bool unseen = false;
  for (const ValidateSet& s : r.sets) unseen = unseen || (!s.seen && s.constants != s.library);
  CHECK(unseen);
  CHECK(!r.not_predicted.empty());
  const ValidateReport h200 = validate_kernels(work, {.source = "h200-sxm"}, d);
  for (const ValidateSet& s : h200.sets) CHECK(s.chip == "h200-sxm");
  CHECK(h200.budgets.empty());
}

}  // namespace
}  // namespace reckon
