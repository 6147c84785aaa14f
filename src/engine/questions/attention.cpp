// kind: attention
#include "reckon/cost/questions/attention.hpp"

#include <fmt/format.h>

#include "kernels.hpp"
#include "needs.hpp"
#include "question_of.hpp"
#include "questions.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

class Attention : public QuestionOf<AttentionQuestion> {
 public:
  const QuestionInfo& info() const override {
    static const QuestionInfo info{
        "attention",
        "time of a layer's attention: a prompt, or a token over its cache",
        "phase",
        {"reckon attention prefill --length 8192 --heads 32 --head-width 128 --chip h200-sxm",
         "reckon attention decode --batch 32 --length 1024,4096,16384 --kv-heads 8 "
         "--head-width 128 --chip h200-sxm",
         "reckon attention latent --batch 128 --length 4096 --heads 128 --cached 576 "
         "--read-out 512 --chip h800-sxm"},
        {},
        {"time", "flops", "bytes", "attention.rate_flops", "attention.rate_bytes"}};
    return info;
  }

 protected:
  bool fills() const override { return true; }
  void fill(Workspace& work, doc::Value& tree, Diagnostics& d) const override {
    const doc::Value* chip = tree.find("chip");
    if (!chip || !chip->is_mapping()) return;
    const std::string format = said(tree, "dtype", "bf16");
    const std::string kv = said(tree, "kv_dtype", format), phase = said(tree, "phase", "prefill");
    WantedKernel wanted{phase, phase, {{"kv_format", kv}}, ""};
    if (phase == "prefill") {
      const std::string causal = said(tree, "causal", "yes");
      const bool all = causal == "no" || causal == "false";
      wanted.match.insert(wanted.match.end(), {{"format", format}, {"causal", all ? "no" : "yes"}});
      if (const std::string width = said(tree, "head_width"); !width.empty())
        wanted.match.emplace_back("head_width", width);
      wanted.what = fmt::format("{}attention of a prompt in {} over a cache in {}",
                                all ? "non-causal " : "", format, kv);
    } else if (phase == "decode") {
      wanted.what = fmt::format("attention of a token over a cache in {}", kv);
    } else if (phase == "latent") {
      wanted.what = fmt::format("attention over a latent cache in {}", kv);
    } else {
      return;  // binding says so
    }
    fill_kernel(work, said(*chip, "id"), wanted, tree, d);
  }

  void legal(const Input& q, const Asked& asked) const override {
    const auto need = [&](const std::optional<Count<double>>& x, const char* field,
                          const char* flag) {
      if (!x)
        asked.fault(field, fmt::format("{}: {} is not stated", name_of(q.phase), field)).help(flag);
    };
    if (q.phase != AttentionPhase::kDecode) need(q.heads, "heads", "--heads 32");
    if (q.phase != AttentionPhase::kLatent) need(q.head_width, "head_width", "--head-width 128");
    if (q.phase == AttentionPhase::kDecode) need(q.kv_heads, "kv_heads", "--kv-heads 8");
    if (q.phase == AttentionPhase::kLatent) {
      need(q.cached, "cached", "--cached 576, as DeepSeek-V3 keeps of a token");
      need(q.read_out, "read_out", "--read-out 512, as DeepSeek-V3 reads out");
    }
    if (q.window && q.phase == AttentionPhase::kPrefill)
      asked.fault("window", "prefill: a window is not modelled here")
          .help("`reckon prefill` prices windowed layers of a model");
    const bool computes = q.phase != AttentionPhase::kDecode;
    const Compute peak = q.prefill ? q.prefill->peak : Compute::kBf16;
    if (computes && !q.chip->peak.of(peak))
      asked.fault("chip", fmt::format("{} computes no {}", q.chip->name, name_of(peak)));
  }

  void say(const Input& q, const Output&, Result& r) const override {
    if (r.name.empty()) r.name = title(q);
    const bool reads = q.phase != AttentionPhase::kPrefill,
               computes = q.phase != AttentionPhase::kDecode;
    std::string line = text(r, "time");
    if (computes) line += fmt::format(": {}", text(r, "attention.rate_flops"));
    if (reads)
      line += fmt::format("{} {} of cache", computes ? "," : ":", text(r, "attention.rate_bytes"));
    r.answer.lines.push_back(line);
    r.answer.formulas = {"time"};
    if (q.prefill) {
      say_kernel(*q.prefill, "lengths", r);
      warn_outside(*q.length, q.prefill->length, r);
    } else if (q.decode) {
      say_kernel(*q.decode, "lengths", r);
    } else if (q.latent) {
      say_kernel(*q.latent, "lengths", r);
    }
    if (q.decode && q.decode->kv_read.size() == 2) warn_of_bytes(*q.decode, r);
    r.not_modelled = {"projections before and after, rotary positions, the cache's write"};
  }

 private:
  static std::string title(const Input& q) {
    return fmt::format("{} of {} × {} tokens on {}", name_of(q.phase), grouped(q.batch.raw),
                       grouped(q.length->raw), q.chip->name);
  }

  template <class Kernel>
  static void say_kernel(const Kernel& k, const char* left, Result& r) {
    std::string line = fmt::format("Constants: {}", k.library);
    if (k.rows.raw > 0) line += fmt::format(", fitted on {} points", grouped(k.rows.raw));
    if (k.error)
      line += fmt::format(" to {}", format_quantity(k.error->raw, kOne, Hint::kFraction));
    if (k.left_out)
      line += fmt::format("; on {} left out {}", left,
                          format_quantity(k.left_out->raw, kOne, Hint::kFraction));
    if (k.rows.raw <= 0 && !k.source.empty()) line += ": " + k.source;
    r.answer.notes.push_back(line + ".");
  }

  static void warn_outside(Count<double> length, const std::vector<Count<double>>& range,
                           Result& r) {
    if (range.size() != 2 || (length.raw >= range[0].raw && length.raw <= range[1].raw)) return;
    r.warnings.push_back(
        fmt::format("length {} lies outside what was measured, {} … {}: the "
                    "constants are carried beyond it",
                    grouped(length.raw), grouped(range[0].raw), grouped(range[1].raw)));
  }

  static void warn_of_bytes(const DecodeKernel<double>& k, Result& r) {
    const Metric* read = find_metric(r.metrics, "bytes");
    if (!read || (read->value >= k.kv_read[0].raw && read->value <= k.kv_read[1].raw)) return;
    r.warnings.push_back(fmt::format(
        "{} of cache lie outside what was measured, {} … {}: the constants are carried beyond it",
        format_quantity(read->value, kByte), format_quantity(k.kv_read[0].raw, kByte),
        format_quantity(k.kv_read[1].raw, kByte)));
  }
};

}  // namespace

const Question& attention_question() {
  static const Attention kind;
  return kind;
}

}  // namespace reckon
