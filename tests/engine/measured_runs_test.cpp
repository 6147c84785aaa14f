// Measured runs: what a file of them may not say, what is made of it, and constants of a stack back from times that
// such constants made.
#include "reckon/engine/measured_runs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "data.hpp"
#include "reckon/cost/training.hpp"
#include "reckon/engine/accuracy.hpp"
#include "reckon/engine/calibrate_runs.hpp"
#include "reckon/engine/evaluate.hpp"
#include "reckon/engine/validate_runs.hpp"

namespace reckon {
namespace {

namespace fs = std::filesystem;

// A file of measured runs in a folder of its own, gone with the test.
class File {
 public:
  explicit File(const std::string& text, const char* name = "mine.yaml")
      : folder_(fs::temp_directory_path() / ("reckon-runs-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    path_ = folder_ / name;
    std::ofstream(path_) << text;
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { fs::remove_all(folder_); }
  const fs::path& path() const { return path_; }

 private:
  fs::path folder_, path_;
};

constexpr const char* kShared = R"(kind: training
model: llama-3-8b
cluster: 8xh100-sxm
sharding: zero-1
batch: {global: 128, micro: 1, sequence: 8192}
stack: nemo-2024-h100
assume: {preset: physical}
measured: {tier: A, source: a test}
cases:
)";

std::string faults_of(const std::string& text) {
  const File file(text);
  Workspace work({RECKON_SOURCE_DIR});
  Diagnostics d;
  measured_runs_of(work, file.path(), d);
  return d.render();
}

std::string faults_of_row(const std::string& measured) {
  return faults_of(std::string(kShared) + "  - {name: one, measured: {" + measured + "}}\n");
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("A row that contradicts itself is refused, and points at both figures") {
  // 128 · 8192 tokens over 8 GPUs in 12.78 s are 10256 tokens/s a GPU.
  CHECK(faults_of_row("step.time: 12.78 s, throughput.per_gpu: 10256 tokens/s").empty());
  const std::string text = faults_of_row("step.time: 12.78 s, throughput.per_gpu: 5128 tokens/s");
  INFO(text);
  CHECK(says(text, "throughput.per_gpu means 25.56 s a step, step.time means 12.78 s"));
  CHECK(says(text, "the other figure"));
}

TEST_CASE("What no measured row may say") {
  const std::pair<const char*, const char*> rows[] = {
      {"step.tme: 12 s", "did you mean 'step.time'?"},
      {"step.time: 12 s, tier: D", "one of A, B, C"},
      {"step.time: 12 GB", "expected a time"},
      {"step.time: 0 s", "is not positive"},
      {"mfu.full: 40%", "an MFU has many conventions"},
      {"parameters.total: 8B", "is not judged"},
      {"caveat: a text", "measures nothing"},
      {"step.time: 12 s, colour: red", "unknown key 'colour'"}};
  for (const auto& [row, said] : rows) {
    const std::string text = faults_of_row(row);
    INFO(row << "\n" << text);
    CHECK(says(text, said));
  }
}

TEST_CASE("A file of measured runs that measures nothing") {
  CHECK(says(faults_of(""), "expected a plan"));
  CHECK(says(faults_of("kind: training\nmodel: llama-3-8b\n"), "no measured training runs"));
  CHECK(says(faults_of(std::string(kShared) + "  - {name: one}\n"), "states no measured:"));
  CHECK(says(faults_of(std::string(kShared) +
                       "  - {name: one, mesh: {tensor: 3}, measured: {step.time: 1 s}}\n"),
             "tensor"));
}

TEST_CASE("The runs that ship are read whole") {
  Diagnostics d;
  const auto runs = measured_runs(test::data(), "", d);
  INFO(d.render());
  CHECK_FALSE(d.has_errors());
  std::size_t core = 0, memory = 0, failed = 0;
  for (const MeasuredRun& r : runs) {
    core += r.facts.core && r.time() ? 1 : 0;
    failed += r.ran_out_of_memory() ? 1 : 0;
    for (const MeasuredFigure& f : r.figures) memory += f.metric == "memory.total" ? 1 : 0;
  }
  CHECK(core == 139);   // the 141 of the notes without two of DeepSeek-V3 in unequal chunks
  CHECK(memory == 51);  // figures of memory
  CHECK(failed == 5);   // BLOOM's
}

// Rows of one stack whose times a stack with other constants made.
std::string made_by(double ceiling, double growth, Workspace& work) {
  std::string out = kShared;
  for (const auto& [nodes, global] :
       {std::pair(1, 128), {2, 256}, {4, 512}, {8, 1024}, {16, 2048}, {64, 2048}, {256, 2048}}) {
    const std::string cluster = fmt::format("{}xh100-sxm", 8 * nodes);
    Diagnostics d;
    doc::Value tree = work.read_text("made.yaml",
                                     fmt::format(R"(model: llama-3-8b
cluster: {}
sharding: zero-1
batch: {{global: {}, micro: 1, sequence: 8192}}
stack: {{base: nemo-2024-h100, gemm: {{ceiling: {}}}, fixed: {{growth: {}, sync: 15 ms}}}}
assume: {{preset: physical}}
)",
                                                 cluster, global, ceiling, growth),
                                     d);
    const LoadedTraining plan = load_training(work, std::move(tree), d);
    INFO(d.render());
    REQUIRE_FALSE(d.has_errors());
    out += fmt::format(
        "  - {{name: {0}, cluster: {0}, batch: {{global: {1}}}, measured: {{step.time: {2:.9g} s, "
        "core: "
        "yes}}}}\n",
        cluster, global, estimate(plan.plan).step->time.raw);
  }
  return out;
}

TEST_CASE("Constants come back from times that they made, near where a prior holds the rest") {
  Workspace work({RECKON_SOURCE_DIR});
  const File file(made_by(0.6, 0.008, work));
  Diagnostics d;
  const RunsCalibration c = calibrate_runs(work, "nemo-2024-h100", file.path().string(), d);
  INFO(d.render());
  REQUIRE_FALSE(d.has_errors());
  CHECK(c.rows == 7);
  CHECK(c.in_sample.mean < 0.005);  // as good as what made them
  CHECK(c.in_sample.mean < c.before.mean / 4);
  double growth = 0, sync = 0;
  for (const FittedStackConstant& k : c.constants) {
    INFO(k.field << " " << k.value);
    CHECK(std::isnan(k.low) == !k.at_bound);  // 7 rows don't fix these constants: no interval
    if (k.field == "fixed.growth") growth = k.value;
    if (k.field == "fixed.sync") sync = k.value;
  }
  // Steps of about 13 s: whether they grow by a share or a time, rows equally long can't tell.
  CHECK(growth + (sync - 0.015) / 13 == Approx(0.008).margin(0.002));
  // Nothing here runs in fp8, eagerly, or over stages.
  for (const char* idle : {"gemm.ceiling_fp8", "traffic.eager_passes", "overlap.pipeline"})
    CHECK(std::find(c.idle.begin(), c.idle.end(), idle) != c.idle.end());
  const std::string text = stack_text(work, c, d);
  INFO(text);
  CHECK(says(text, "base: generic-h100"));
  CHECK(says(text, "rows: 7\n"));
  CHECK(says(text, "gpus: [8, 2048]"));
}

TEST_CASE(
    "Runs of one's own: what is left out, what no constants explain, and where the file is from") {
  Workspace work({RECKON_SOURCE_DIR});
  const char* const plan = R"(kind: training
model: llama-3-8b
cluster: {node: hgx-h100, nodes: 1}
sharding: zero-1
batch: {global: 128, micro: 1, sequence: 8192}
stack: nemo-2024-h100
assume: {preset: physical, attention: flash, dropout: no}
measured: {source: ours, tier: A}
cases:
  - name: hour
    measured: {step.time: 3600 s}
  - name: elsewhere
    cluster: {node: hgx-a100}
    stack: default
    measured: {step.time: 12 s}
  - name: kept
    measured: {step.time: 12 s, fit: no}
)";
  const File file(plan);
  Diagnostics d;
  const RunsCalibration c = calibrate_runs(work, "nemo-2024-h100", file.path().string(), d);
  const std::string said = d.render();
  INFO(said);
  REQUIRE_FALSE(d.has_errors());
  CHECK(c.rows == 1);
  REQUIRE(c.apart.size() == 2);
  CHECK(c.apart[0] == "elsewhere: its stack is 'generic-a100'");
  CHECK(c.apart[1] == "kept: it says fit: no");
  CHECK(says(said, "hour: measured 3,600 s a step, and the constants that fit best make it"));
  CHECK(says(said, "constants are pushed to their bounds"));
  const std::string text = stack_text(work, c, d, "our NeMo");
  INFO(text);
  CHECK(says(text, "name: our NeMo\n"));
  CHECK(says(text, "rows: 1\n"));
  CHECK(says(text, "starting values, 1 run, "));
  CHECK(says(text, "fit on 1 run of " + file.path().string() +
                       "; as in nemo-2024-h100, since those runs don't tell: gemm.ceiling_fp8"));
  Diagnostics missing;
  calibrate_runs(work, "nemo-2024-h100", "no-such.yaml", missing);
  CHECK(says(missing.render(), "--rows no-such.yaml does not exist"));
}

TEST_CASE("A stack without rows can't be calibrated") {
  Diagnostics d;
  calibrate_runs(test::data(), "nemo-2024-h100", "bloom", d);  // runs on A100s, by other software
  CHECK(says(d.render(), "no measured run of stack 'nemo-2024-h100' in bloom"));
}

TEST_CASE(
    "An estimate says how good such a prediction has been, or that nothing like it was measured") {
  const auto texts_of = [](const char* stack, const char* cluster) {
    Workspace work({RECKON_SOURCE_DIR});
    Diagnostics d;
    doc::Value tree = work.read_text(
        "plan.yaml",
        fmt::format(
            "model: llama-3-8b\ncluster: {}\nsharding: zero-1\nbatch: {{global: 128, micro: "
            "1, sequence: 8192}}\nassume: physical\n{}",
            cluster, stack),
        d);
    const LoadedTraining plan = load_training(work, std::move(tree), d);
    INFO(d.render());
    REQUIRE_FALSE(d.has_errors());
    return plan.result(work).accuracy;
  };
  const auto known = texts_of("stack: nemo-2024-h100\n", "8xh100-sxm");
  REQUIRE(known.size() == 2);
  CHECK(known[0].metric == "step.time");
  CHECK(known[0].like == "nemo-2024-h100, dense 16 bit");
  CHECK(known[0].rows >= kRowsThatProve);
  CHECK(known[0].median <= known[0].p90);
  CHECK(says(known[0].text, "each predicted without its source"));
  const auto unknown = texts_of("", "8xmi300x");
  REQUIRE(unknown.size() == 1);  // no efficiency, no time
  CHECK(says(unknown[0].text, "nothing comparable was measured"));
}

TEST_CASE("What a stack's file says of its error is what its runs give today") {
  Workspace work({RECKON_SOURCE_DIR});
  Diagnostics d;
  const RunsReport report = validate_runs(work, {}, d);
  std::size_t compared = 0;
  for (const RunGroup& g : report.stacks) {
    const auto file = work.find(Shelf::kStacks, g.name);
    const doc::Value tree = work.read_data(file, {}, d);
    const doc::Value* rows = tree.find("rows");
    const doc::Value* fitted = tree.find("fitted");
    // Rows that were left out of the fit count among the errors, but not in the file.
    if (!rows || !fitted || std::stoul(rows->text) != g.model.rows) continue;
    INFO(g.name << ": " << fitted->text);
    if (says(fitted->text, " mean")) {
      CHECK(says(fitted->text, fmt::format("{:.1f} % mean", 100 * g.model.mean)));
      ++compared;
    }
  }
  CHECK_FALSE(d.has_errors());
  CHECK(compared > 10);
}

TEST_CASE("A row's error is of the time, whichever figure states it") {
  const std::string rows = std::string(kShared) +
                           "  - {name: time, measured: {step.time: 10 s, core: yes}}\n"
                           "  - {name: rate, measured: {throughput.per_gpu: 13107.2 "
                           "tokens/s, core: yes}}\n";
  const File file(rows);
  Workspace work({RECKON_SOURCE_DIR});
  Diagnostics d;
  const auto runs = measured_runs_of(work, file.path(), d);
  REQUIRE(runs.size() == 2);
  RunsReport report;
  predict_rows(runs, BudgetOf::kRuns, report);
  REQUIRE(report.rows.size() == 2);
  CHECK(report.rows[0].error == Approx(report.rows[1].error));  // 131072 tokens a GPU in 10 s
}

}  // namespace
}  // namespace reckon
