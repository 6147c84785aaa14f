// Commands of accuracy: validate, calibrate.
#include "command.hpp"
#include "reckon/engine/calibrate.hpp"

namespace reckon::cli {

void add_accuracy_commands(std::vector<Command>& all, Values& v) {
  all.push_back(
      {"validate",
       kAccuracy,
       "[WHAT]",
       "predicted against measured, held to error budgets",
       {"reckon validate", "reckon validate runs --source bloom --verbose",
        "reckon validate runs --leave-out source", "reckon validate runs --stack default",
        "reckon validate runs --rows mine.yaml --stack nemo-2024-h100",
        "reckon validate kernels --leave-out shape",
        "reckon validate collectives --leave-out group --format csv",
        "reckon validate serving --leave-out model"},
       [&v](Declare& d) {
         ValidateOptions& o = v.validate;
         d.positional(
              "WHAT", o.what,
              "runs (step times), memory, kernels, collectives or serving, all if left out; "
              "errors: whether measurements/errors.csv is fresh")
             .one_of(words_of_validate());
         d.word("--leave-out", o.leave_out, "WHAT",
                "fit anew without each: source, model (runs); shape, m, length, chip; size, group; "
                "model, "
                "chip (serving)")
             .one_of(LeaveOut{});
         d.word("--form", o.form, "WORD",
                "curve of a collective that is fitted: ramp, or root (group: root)")
             .one_of(CurveForm{});
         d.word("--source", o.source, "TEXT",
                "only rows whose file, stack, source, library or chip has it");
         d.word("--stack", o.stack, "NAME",
                "runs: by this stack, whatever they ran on; default: the usual one of each chip");
         d.word("--rows", o.rows, "FILE",
                "runs and memory: runs of your own (a plan whose cases state measured:) in place "
                "of plans/measured; no budget is of them");
         d.flag("--verbose", o.verbose, "every row, and what is not predicted");
         d.flag("--fit", o.fit, "serving: also fit each engine's constants on all its rows");
         d.flag("--update", o.update, "write measurements/errors.csv");
       },
       [&v](Session& s, const Shared& g) { return validate(s, g, v.validate); }});
  all.push_back(
      {"calibrate",
       kAccuracy,
       "WHAT FILE…",
       "measured times to a file of constants: of kernels, a chip, or a software stack",
       {"reckon calibrate runs nemo-2024-h100 --output my-stack.yaml",
        "reckon calibrate kernels measurements/h100-sxm.yaml --output my-h100.yaml",
        "reckon calibrate stack mine.json --onto generic-h100 --output my-stack.yaml",
        "reckon calibrate chip mine.json --name \"this machine\" --output mine-chip.yaml",
        "reckon calibrate collectives all_reduce.txt --chip h100-sxm --kernel all-reduce --output "
        "my-nccl.yaml",
        "reckon calibrate kernels gemm.csv --chip b200 --kernel gemm --column \"time us=latency\""},
       [&v](Declare& d) {
         CalibrateCommand& o = v.calibrate;
         d.positional("WHAT", o.what, "kernels, collectives, stack, chip or runs")
             .required()
             .one_of({"kernels", "collectives", "stack", "chip", "runs"});
         d.positional("FILE", o.files,
                      "kind: measurements, reckon-bench's JSON, nccl-tests' or nvbandwidth's "
                      "output, or CSV; of runs: a stack")
             .required();
         d.word("--output", o.output, "FILE", "write the constants there");
         d.word("--onto", o.onto, "NAME",
                "keep the rest of this file: of kernels, a stack, or a chip");
         d.word("--name", o.name, "TEXT", "of the file that is written");
         d.word("--rows", o.rows, "FILE",
                "runs: only these of plans/measured (a pattern with *), or a file of your own");
         d.word("--form", o.form, "WORD", "curve of a collective: ramp, or root for few sizes")
             .one_of(CurveForm{});
         d.word("--chip", o.chip, "NAME", "of a file that doesn't say");
         d.word("--kernel", o.kernel, "WORD", "of a file that doesn't say: gemm, all-reduce, …");
         d.word("--library", o.library, "TEXT", "of a file that doesn't say");
         d.word("--dtype", o.dtype, "FORMAT", "of a file that doesn't say: bf16, fp8, …");
         d.repeated("--column", o.columns, "OURS=THEIRS",
                    "a CSV's column: \"time us=latency\" (repeatable)");
       },
       [&v](Session& s, const Shared& g) { return calibrate(s, g, v.calibrate); }});
}

}  // namespace reckon::cli
