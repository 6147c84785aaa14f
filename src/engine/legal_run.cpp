#include "legal_run.hpp"

namespace reckon {

void check_run(const TrainingPlan<double>& plan, const Places& places, Diagnostics& out) {
  const Run<double>& run = plan.run;
  const auto& saved = run.checkpoint;
  const auto fault = [&](std::string_view path, const char* message) -> Diagnostic& {
    return out.error(places.of(path), message);
  };
  if (run.mtbf_per_gpu && !saved)
    fault("run.mtbf_per_gpu",
          "a run that fails needs checkpoints, and run.checkpoint is not stated")
        .help("add checkpoint: {write_bandwidth: 100 GB/s}, of your storage");
  if (!run.mtbf_per_gpu && value_of(run.restart.raw) > 0)
    fault("run.restart", "a restart follows a failure, and run.mtbf_per_gpu is not stated")
        .help("add mtbf_per_gpu: how long one GPU runs without a failure, on average");
  if (!saved) return;
  if (!run.mtbf_per_gpu && !saved->interval)
    fault("run.checkpoint",
          "how often checkpoints are written is not stated, and no interval is best without a "
          "failure rate")
        .help("add run.mtbf_per_gpu, or checkpoint.interval");
  if (saved->async && !saved->stall && !plan.cluster.node.chip.host)
    fault("run.checkpoint.async",
          "how fast the GPUs copy to host memory is not known: the chip states no host link")
        .help("state checkpoint.stall, or the chip's host link");
  if (saved->stall && !saved->async)
    fault("run.checkpoint.stall",
          "training waits for all of the writing, unless checkpoints are written beside it")
        .help("add async: yes, or leave stall out");
}

}  // namespace reckon
