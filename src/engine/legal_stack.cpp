#include "legal_stack.hpp"

#include <fmt/format.h>

#include "reckon/cost/operators/machine.hpp"

namespace reckon {
namespace {

class StackCheck {
 public:
  StackCheck(const TrainingPlan<double>& plan, const Places& places, Diagnostics& out)
      : plan_(plan), places_(places), out_(out) {}

  void run() {
    stated_twice();
    shapes();
    formats();
    curves();
    adapters();
    idle_switches();
    ranges();
  }

 private:
  Diagnostic& fault(std::string_view path, std::string message) {
    return out_.error(places_.of(path), std::move(message));
  }
  const Stack<double>& stack() const { return *plan_.stack; }

  // What the constants were fitted on: the least, then the most.
  void ranges() {
    const StackRange<double>& r = stack().range;
    for (const auto& [key, range] :
         {std::pair{"gpus", &r.gpus}, std::pair{"tokens", &r.tokens},
          std::pair{"sequence", &r.sequence}, std::pair{"hidden", &r.hidden}}) {
      const std::string path = fmt::format("stack.range.{}", key);
      if (!range->empty() && range->size() != 2)
        fault(path, fmt::format("range.{}: {} numbers", key, range->size()))
            .help("the least and the most: [8, 6144]");
      else if (!range->empty() && range->at(1) < range->at(0))
        fault(path, fmt::format("range.{}: from {:.0f} to {:.0f} is backwards", key,
                                range->at(0).raw, range->at(1).raw))
            .help(fmt::format("the least comes first: [{:.0f}, {:.0f}]", range->at(1).raw,
                              range->at(0).raw));
    }
  }

  // Either an assumed efficiency or the stack's kernels give the compute time.
  void stated_twice() {
    if (!places_.stated("assume.train.mfu") || !plan_.assume.train.mfu) return;
    fault("assume.train.mfu",
          "compute time has two sources: an assumed MFU, and the kernels of a software stack")
        .note(places_.of("stack"), "the stack is named here")
        .help("leave one of them out");
  }

  void shapes() {
    if (plan_.model.abstract() || !plan_.model.hidden || plan_.model.layers.empty()) {
      fault("stack", "kernels have shapes, which an abstract model does not state")
          .note(places_.of("model"), "the model is stated here")
          .help(
              "name a model (`reckon list models`), or assume an efficiency: assume: "
              "{train.mfu: 40%}");
    }
    if (!plan_.batch.sequence || !plan_.batch.micro)
      fault("stack", "kernels have shapes: the batch must state micro and sequence")
          .note(places_.of("batch"), "the batch is stated here");
    if (!plan_.cluster.node.chip.units)
      fault("stack", "tiles are dealt to the chip's units, which are not stated")
          .note(places_.of("cluster.node.chip"), "units is missing here")
          .help("state them: chip: {units: 132}");
  }

  void needs(Compute format, bool has, const char* key) {
    if (plan_.precision.compute != format || has) return;
    fault("precision.compute",
          fmt::format("stack '{}' states no ceiling for {} GEMMs", stack().id, name_of(format)))
        .note(places_.of("stack"), "the stack is named here")
        .help(
            fmt::format("state it: stack: {{base: {}, gemm.{}: 60%}}, or choose another precision",
                        stack().id, key));
  }

  void formats() {
    needs(Compute::kFp8, stack().gemm.ceiling_fp8.has_value(), "ceiling_fp8");
    needs(Compute::kFp4, stack().gemm.ceiling_fp4.has_value(), "ceiling_fp4");
    const Compute format = plan_.precision.compute, wide = wide_format(plan_);
    const bool known = format == wide || format == Compute::kFp8 || format == Compute::kFp4;
    if (!known)
      fault("precision.compute", fmt::format("stacks price no {} GEMMs", name_of(format)))
          .help("bf16, fp16, tf32, fp8 and fp4 are priced");
    if (!plan_.cluster.node.chip.peak.of(wide))
      fault("precision.compute",
            fmt::format("attention and head run in {}, for which the chip states no peak",
                        name_of(wide)))
          .note(places_.of("cluster.node.chip.peak"), "peaks are stated here");
    if (format == Compute::kFp32 || format == Compute::kTf32)
      out_.warning(places_.of("precision.compute"),
                   fmt::format("no GEMM in {} was measured under stack '{}': the share of the peak "
                               "that 16-bit ones reach stands in, and no run vouches for it",
                               name_of(format), stack().id));
    if (stack().gemm.tiles.empty()) fault("stack", "the stack states no tiles for its GEMMs");
  }

  void curves() {
    if (stack().tier == CollectiveModel::kNccl) return generation();
    if (stack().tier != CollectiveModel::kCalibrated) return;
    for (const CollectiveOp op : {CollectiveOp::kAllReduce, CollectiveOp::kAllGather,
                                  CollectiveOp::kReduceScatter, CollectiveOp::kAllToAll}) {
      bool has = false;
      for (const auto& c : stack().collectives.curves) has = has || c.op == op;
      if (has) continue;
      fault("stack", fmt::format("no curve of the {} was measured on {}", name_of(op), chip_name()))
          .help(
              "name kernels that have one (stack: {collectives: h100-sxm}), or stack: {tier: "
              "line_rate}");
      return;
    }
  }

  void generation() {
    if (!stack().nccl || generation_of(plan_.cluster.node.chip.id, *stack().nccl)) return;
    fault("stack.tier", fmt::format("{} has no figures of {}", stack().nccl->name, chip_name()))
        .help("stack: {tier: calibrated}, or line_rate");
  }

  std::string chip_name() const {
    const Chip<double>& chip = plan_.cluster.node.chip;
    return chip.id.empty() ? "this chip" : chip.id;
  }

  // A switch that a plan turns on, and that turns nothing.
  void idle_switches() {
    const Stack<double>& s = stack();
    const bool fp8 = plan_.precision.compute == Compute::kFp8;
    idle("rowwise", s.rowwise, fp8, value_of(s.gemm.rowwise.raw), "gemm.rowwise");
    idle("blockwise", s.blockwise, fp8, value_of(s.gemm.blockwise.raw), "gemm.blockwise");
    idle("eager", s.eager, true, value_of(s.traffic.eager_passes.raw), "traffic.eager_passes");
  }
  void idle(const char* name, bool on, bool used, double factor, const char* field) {
    const std::string path = fmt::format("stack.{}", name);
    const bool known = factor != 1 || places_.stated(fmt::format("stack.{}", field));
    if (!on || !places_.stated(path) || (used && known)) return;
    if (!used)
      out_.warning(places_.of(path),
                   fmt::format("{} changes nothing: products run in {}, and it is a way of fp8",
                               name, name_of(plan_.precision.compute)));
    else
      out_.warning(
          places_.of(path),
          fmt::format("{} changes nothing: stack '{}' has no figure for it (stack.{} is 1)", name,
                      stack().id, field));
  }

  void adapters() {
    if (plan_.trainable.adapters)
      fault("stack", "the kernels of adapter training are not priced")
          .note(places_.of("trainable"), "adapters are stated here")
          .help("assume an efficiency instead of a stack: assume: {train.mfu: 40%}");
  }

  const TrainingPlan<double>& plan_;
  const Places& places_;
  Diagnostics& out_;
};

}  // namespace

void check_stack(const TrainingPlan<double>& plan, const Places& places, Diagnostics& out) {
  if (plan.stack) StackCheck(plan, places, out).run();
}

}  // namespace reckon
