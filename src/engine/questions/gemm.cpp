// kind: gemm
#include "reckon/cost/questions/gemm.hpp"

#include <fmt/format.h>

#include "kernels.hpp"
#include "needs.hpp"
#include "question_of.hpp"
#include "questions.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

// Where the shape lies beside what was measured: "n 1024 lies below 4096 … 65536".
void warn_outside(const char* name, const Count<double>& x, const std::vector<Count<double>>& range,
                  Result& r) {
  if (range.size() != 2 || (x.raw >= range[0].raw && x.raw <= range[1].raw)) return;
  r.warnings.push_back(
      fmt::format("{} = {} lies outside what was measured, {} … {}: the constants "
                  "are carried beyond it",
                  name, grouped(x.raw), grouped(range[0].raw), grouped(range[1].raw)));
}

class Gemm : public QuestionOf<GemmQuestion> {
 public:
  const QuestionInfo& info() const override {
    static const QuestionInfo info{
        "gemm",
        "time of one matrix product on a chip, and what bounds it",
        "",
        {"reckon gemm --m 64 --n 28672 --k 8192 --dtype fp8 --chip h100-sxm",
         "reckon gemm --m 1,16,64,256,1024,4096 --n 8192 --k 8192 --chip h200-sxm",
         "reckon gemm --m 1024 --n 4096 --k 7168 --groups 16 --chip h800-sxm"},
        {},
        {"time", "bound", "rate.flops", "rate.peak_share", "rate.bytes"}};
    return info;
  }

 protected:
  bool fills() const override { return true; }
  void fill(Workspace& work, doc::Value& tree, Diagnostics& d) const override {
    const doc::Value* chip = tree.find("chip");
    if (!chip || !chip->is_mapping()) return;
    const std::string format = said(tree, "dtype", "bf16");
    fill_kernel(work, said(*chip, "id"),
                {"gemm", "kernel", {{"format", format}}, "matrix product in " + format}, tree, d);
    if (said(tree, "launch") == "stream") fill_launch(work, said(*chip, "id"), tree, d);
  }

  void legal(const Input& q, const Asked& asked) const override {
    if (!q.kernel) return;  // its fault has been reported
    const Chip<double>& chip = *q.chip;
    if (!chip.peak.of(q.kernel->peak))
      asked
          .fault("dtype", fmt::format("dtype {}: {} computes no {}", q.dtype, chip.name,
                                      name_of(q.kernel->peak)))
          .help(fmt::format("`reckon show {}` prints the peaks it has", chip.id));
    if (q.groups && value_of(q.groups->raw) > value_of(q.m->raw))
      asked.fault("groups", "groups: more matrices than rows, so some have none")
          .help("state those that have rows");
  }

  void say(const Input& q, const Output& out, Result& r) const override {
    if (r.name.empty()) r.name = title(q);
    r.answer.lines.push_back(fmt::format("{}, bound by {}: {}, {} of the peak; {} of memory",
                                         text(r, "time"), out.bound(), text(r, "rate.flops"),
                                         text(r, "rate.peak_share"), text(r, "rate.bytes")));
    r.answer.formulas = {"time", "time.compute", "time.memory"};
    say_kernel(*q.kernel, r);
    if (!out.grouped) warn_outside("m", *q.m, q.kernel->m, r);
    warn_outside("n", *q.n, q.kernel->n, r);
    warn_outside("k", *q.k, q.kernel->k, r);
    r.not_modelled = {"the clock that falls under long load", "tiles and waves of small outputs"};
    if (out.grouped)
      r.not_modelled.emplace_back("what a grouped product loses to a dense one of its size");
  }

 private:
  static std::string title(const Input& q) {
    std::string shape =
        fmt::format("{} × {} × {}", grouped(q.m->raw), grouped(q.n->raw), grouped(q.k->raw));
    if (q.groups) shape += fmt::format(" in {} groups", grouped(q.groups->raw));
    return fmt::format("{} in {} on {}", shape, q.dtype, q.chip->name);
  }

  static void say_kernel(const GemmKernel<double>& k, Result& r) {
    std::string line = fmt::format("Constants: {}", k.library);
    if (k.rows.raw > 0) line += fmt::format(", fitted on {} points", grouped(k.rows.raw));
    if (k.error)
      line += fmt::format(" to {}", format_quantity(k.error->raw, kOne, Hint::kFraction));
    if (k.left_out)
      line += fmt::format("; on shapes left out {}",
                          format_quantity(k.left_out->raw, kOne, Hint::kFraction));
    r.answer.notes.push_back(line + ".");
  }
};

}  // namespace

const Question& gemm_question() {
  static const Gemm kind;
  return kind;
}

}  // namespace reckon
