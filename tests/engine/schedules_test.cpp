// Pipeline schedules and runs that can't be: what is said, where, and what would work.
#include <fmt/format.h>

#include "data.hpp"

namespace reckon {
namespace {

// The faults of Llama 3 8B over `stages` stages with so many micro-batches, one fault and its help a line.
std::string faults(int stages, int micro_batches, const std::string& schedule,
                   const std::string& more = "") {
  Diagnostics diagnostics;
  doc::Value tree =
      test::data().read_text("plan.yaml",
                             fmt::format("model: llama-3-8b\n"
                                         "cluster: {{node: hgx-h100, nodes: {}}}\n"
                                         "mesh: {{tensor: 8, pipeline: {}}}\n"
                                         "schedule: {}\n"
                                         "batch: {{global: {}, micro: 1, sequence: 8192}}\n{}",
                                         stages, stages, schedule, micro_batches, more),
                             diagnostics);
  load_training(test::data(), std::move(tree), diagnostics);
  std::string out;
  for (const Diagnostic& d : diagnostics.all()) out += d.message + " | " + d.help_text + "\n";
  return out;
}

TEST_CASE("schedules: each is legal where it can be laid out") {
  CHECK(faults(8, 16, "{kind: zb-h1}") == "");
  CHECK(faults(8, 16, "{kind: zb-h2}") == "");
  CHECK(faults(8, 16, "{kind: zb-v}") == "");
  CHECK(faults(8, 16, "{kind: zb-v, chunks: 2}") == "");
  CHECK(faults(8, 16, "{kind: dualpipe}") == "");
  CHECK(faults(8, 16, "{kind: dualpipe-v}") == "");
  CHECK(faults(8, 16, "{kind: breadth-first, chunks: 4}") == "");
  CHECK(faults(8, 16, "{kind: 1f1b, first: 3, last: 2}") == "");
}

TEST_CASE(
    "schedules: DualPipe's stages are even, its micro-batches too, and two a stage at least") {
  CHECK(faults(5, 20, "{kind: dualpipe}") ==
        "DualPipe feeds micro-batches in at both ends: its stages are even, and there are 5 | "
        "nearest stages that work: 4 or 6; or schedule: {kind: dualpipe-v}\n");
  CHECK(faults(8, 12, "{kind: dualpipe}") ==
        "12 micro-batches for 8 stages: DualPipe needs 16 at least, two a stage | "
        "at least 16 micro-batches, or at most 6 stages\n");
  CHECK(faults(4, 9, "{kind: dualpipe}") ==
        "9 micro-batches: DualPipe feeds half of them in at each end | "
        "nearest micro-batches that work: 8 or 10\n");
  CHECK(faults(8, 12, "{kind: dualpipe-v}") ==
        "12 micro-batches for 8 stages: DualPipeV needs 16 at least, two a stage | "
        "at least 16 micro-batches, or at most 6 stages\n");
}

TEST_CASE("schedules: chunks are of schedules that take them") {
  CHECK(faults(8, 16, "{kind: zb-v, chunks: 4}") ==
        "ZB-V cuts a stage into 2 chunks, not 4 | leave chunks out\n");
  CHECK(faults(8, 16, "{kind: dualpipe, chunks: 2}") ==
        "2 chunks belong to the interleaved schedule | "
        "write schedule: {kind: interleaved, chunks: 2}\n");
  CHECK(faults(8, 16, "{kind: breadth-first}") ==
        "a breadth-first schedule has at least 2 chunks a stage | "
        "write schedule: {kind: breadth-first, chunks: 2}, or kind: 1f1b\n");
  CHECK(faults(32, 64, "{kind: zb-v}") ==
        "32 stages · 2 chunks do not divide 32 layers | "
        "nearest pipeline degrees that work: 16\n");
  CHECK(faults(8, 12, "{kind: interleaved, chunks: 2}") ==
        "12 micro-batches are no multiple of the 8 stages, as an interleaved schedule needs | "
        "nearest micro-batches that work: 8 or 16\n");
}

TEST_CASE("schedules: layers of the ends leave one at least for each stage between") {
  CHECK(faults(8, 16, "{kind: 1f1b, first: 20, last: 10}") ==
        "the ends hold 30 of 32 layers, and 6 stages between hold one at least | "
        "at most 26 for the ends\n");
  CHECK(faults(8, 16, "{kind: zb-v, first: 3}") ==
        "layers of the ends are stated for stages of one piece, and this schedule cuts them in 2 | "
        "leave it out, or write schedule: {kind: 1f1b}\n");
  CHECK(faults(1, 16, "{kind: 1f1b, first: 3}") ==
        "layers of an end are stated, and mesh.pipeline is 1: one stage holds them all | "
        "leave it out\n");
}

TEST_CASE("schedules: what would take too long to play is refused") {
  CHECK(faults(8, 1'000'000, "{kind: zb-v}").find("48000000 passes are too many") !=
        std::string::npos);
  CHECK(faults(8, 1'000'000, "{kind: 1f1b}") == "");
}

TEST_CASE("runs: failures, checkpoints and restarts go together") {
  const auto run = [](const char* text) {
    return faults(1, 16, "{kind: 1f1b}", fmt::format("run: {}\n", text));
  };
  CHECK(run("{mtbf_per_gpu: 50000 h, checkpoint: {write_bandwidth: 10 GB/s}, restart: 10 min}") ==
        "");
  CHECK(run("{checkpoint: {write_bandwidth: 10 GB/s, interval: 1 h}, evaluation: 5%}") == "");
  CHECK(run("{mtbf_per_gpu: 50000 h}") ==
        "a run that fails needs checkpoints, and run.checkpoint is not stated | "
        "add checkpoint: {write_bandwidth: 100 GB/s}, of your storage\n");
  CHECK(run("{restart: 10 min}") ==
        "a restart follows a failure, and run.mtbf_per_gpu is not stated | "
        "add mtbf_per_gpu: how long one GPU runs without a failure, on average\n");
  CHECK(
      run("{checkpoint: {write_bandwidth: 10 GB/s}}") ==
      "how often checkpoints are written is not stated, and no interval is best without a failure "
      "rate | add run.mtbf_per_gpu, or checkpoint.interval\n");
  CHECK(run("{mtbf_per_gpu: 50000 h, checkpoint: {write_bandwidth: 10 GB/s, stall: 1 s}}") ==
        "training waits for all of the writing, unless checkpoints are written beside it | "
        "add async: yes, or leave stall out\n");
  CHECK(run("{mtbf_per_gpu: 0 h, checkpoint: {write_bandwidth: 10 GB/s}}")
            .find("must be more than 0") != std::string::npos);
}

}  // namespace
}  // namespace reckon
