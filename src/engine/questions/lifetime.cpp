// kind: lifetime
#include "reckon/cost/questions/lifetime.hpp"

#include <fmt/format.h>

#include <cmath>

#include "law.hpp"
#include "needs.hpp"
#include "questions.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

class Lifetime : public QuestionOf<LifetimeQuestion> {
 public:
  const QuestionInfo& info() const override {
    static const QuestionInfo info{
        "lifetime",
        "the size that is cheapest to train and then to serve",
        "",
        {"reckon lifetime --quality 13B --demand 2T --law hoffmann_a3_336 --size 7B",
         "reckon lifetime --loss 2.0 --demand 1T,10T,100T",
         "reckon lifetime --quality 70B --demand 5T --hardware h100-sxm --price 2.50USD/h --mfu "
         "40% "
         "--output-mfu 10%"},
        {},
        {"best.params", "best.tokens", "best.flops", "best.saving"}};
    return info;
  }

 protected:
  void legal(const Input& q, const Asked& asked) const override {
    check_law(q.law, "law", asked);
    if (q.law.family != LawFamily::kLoss)
      asked
          .fault("law", fmt::format("law: {} has no loss that could be solved for N and D",
                                    law_name(q.law)))
          .help("law: besiroglu; `reckon list laws` prints those of family loss");
    if (q.quality.has_value() == q.loss.has_value())
      asked
          .fault(q.loss ? "loss" : "", q.loss
                                           ? "loss: quality says it already"
                                           : "lifetime: how good the model must be is not stated")
          .help("quality: 13B (as good as the compute-optimal model of that size), or loss: 2.0");
    money(q, asked);
    if (asked.diagnostics.has_errors()) return;
    reachable(q, asked);
  }

  void say(const Input& q, const Output& out, Result& r) const override {
    const std::string T = format_quantity(q.demand.raw, kOne, Hint::kTokens);
    if (r.name.empty())
      r.name =
          fmt::format("a loss of {} and {} served, under {}", text(r, "loss"), T, law_name(q.law));
    head_law(q.law, r);
    r.answer.lines.push_back(fmt::format(
        "cheapest: {} on {}, {} a parameter: {} in all, {} less than the compute-optimal {} on {}",
        text(r, "best.params"), text(r, "best.tokens"), text(r, "best.tokens_per_param"),
        text(r, "best.flops"), text(r, "best.saving"), text(r, "optimal.params"),
        text(r, "optimal.tokens")));
    if (out.best.break_even)
      r.answer.lines.push_back(
          fmt::format("it is cheaper than that from {} served on", text(r, "best.break_even")));
    if (out.best.cost)
      r.answer.lines.push_back(
          fmt::format("{} in place of {}", text(r, "best.cost"), text(r, "optimal.cost")));
    if (out.size) say_size(r);
    r.answer.formulas = {"capacity_share", "best.params", "best.tokens", "best.flops"};
    r.answer.grids.push_back(grid(out));
    warn_outside(q.law, {out.best.at.N.raw, out.best.at.D.raw, out.best.training.raw}, r);
    notes(q, out, r);
    r.not_modelled = {"memory and bandwidth, which bound answers (decode) more than FLOPs do",
                      "attention over the context",
                      "another data set, tokenizer or architecture than the law's"};
  }

 private:
  static void say_size(Result& r) {
    const Metric* saving = r.find("size.saving");
    std::string s =
        fmt::format("{} must read {} for that quality: {} in all, ", text(r, "size.params"),
                    text(r, "size.tokens"), text(r, "size.flops"));
    s += saving->value >= 0
             ? fmt::format("{} ({}) less", text(r, "size.saved"), text(r, "size.saving"))
             : fmt::format("{} more", format_quantity(-saving->value, kOne, Hint::kFraction));
    s += " than the compute-optimal one";
    const Metric* even = r.find("size.break_even");
    if (even && even->has_value())
      s += fmt::format("; it wins from {} served on", text(r, "size.break_even"));
    r.answer.lines.push_back(s);
  }

  static Grid grid(const Output& out) {
    Grid g{"Models of that quality",
           "model",
           {{"params", "parameters"},
            {"tokens", "tokens"},
            {"tokens_per_param", "D/N"},
            {"training", "training"},
            {"flops", "with serving"},
            {"cost", "cost"},
            {"saving", "saved"},
            {"break_even", "wins from"}},
           {{"best", "cheapest over its life", "", true}, {"optimal", "compute-optimal"}}};
    if (out.size) g.rows.push_back({"size", "stated size"});
    return g;
  }

  // What a served FLOP costs beside a trained one must be known whole, or not be asked about.
  static void money(const Input& q, const Asked& asked) {
    const auto fault = [&](const char* key, const char* why, const char* help) {
      asked.fault(key, fmt::format("{}: {}", key, why)).help(help);
    };
    const ServingBill<double>& s = q.serving;
    if (s.output_mfu && !q.hire.mfu)
      fault("output_mfu", "the MFU of training is not stated beside it", "mfu: 40%");
    if (s.prompt_mfu && !s.prompt_share)
      fault("prompt_mfu", "how much of the demand is prompts is not stated", "prompt_share: 80%");
    if (s.prompt_share && !s.output_mfu)
      fault("prompt_share", "bears on nothing without output_mfu", "output_mfu: 10%");
    if (q.hire.mfu && !s.output_mfu)
      fault("mfu", "the MFU of serving is not stated beside it", "output_mfu: 10%");
    if (s.serve_hardware && !s.output_mfu)
      fault("serve_hardware", "the MFU of serving is not stated", "output_mfu: 10%, mfu: 40%");
    if (s.serve_hardware && !(hired_peak(q.hire) && q.hire.price))
      fault("serve_hardware", "the chip and price of training are not stated beside it",
            "hardware: h100-sxm, price: 2.50 USD/h");
    if (s.serve_hardware && !s.serve_hardware->peak.of(q.hire.chip.compute))
      fault("serve_hardware", "the chip has no such peak", "compute: bf16");
    if (s.serve_price && !s.serve_hardware)
      fault("serve_price", "the chip that serves is not stated", "serve_hardware: l40s");
    if (q.hire.price && !hired_peak(q.hire))
      fault("price", "how fast a GPU computes is not stated", "hardware: h100-sxm");
    if (q.hire.price && !q.hire.mfu)
      fault("price", "how well the peak is used is not stated", "mfu: 40%, output_mfu: 10%");
    if (q.hire.hardware && !q.hire.price)
      fault("hardware", "FLOPs cost the same on any: only its price matters here",
            "price: 2.50 USD/h, or leave hardware out");
    if (q.hire.carbon) fault("carbon", "is not reckoned here", "`reckon scaling` has it");
    if (q.hire.power) fault("power", "is not reckoned here", "`reckon scaling` has it");
  }

  static void reachable(const Input& q, const Asked& asked) {
    const LossTerms<double>& t = *q.law.loss;
    if (q.loss && q.loss->raw <= t.E.raw) {
      asked
          .fault("loss", fmt::format("loss: {:g} is not above the irreducible {:g} of {}",
                                     q.loss->raw, t.E.raw, law_name(q.law)))
          .help("no size and no amount of data goes below that");
      return;
    }
    if (!q.size) return;
    const double loss = answer([&] {
                          Input plain = q;
                          plain.size = {};
                          return plain;
                        }())
                            .loss.raw;
    const double least = std::pow(t.A.raw / (loss - t.E.raw), 1 / t.alpha.raw);
    if (q.size->raw > least) return;
    asked
        .fault("size", fmt::format("size: {} never reach that quality, whatever the tokens",
                                   format_quantity(q.size->raw, kOne, Hint::kParams)))
        .help(fmt::format("it takes more than {}", format_quantity(least, kOne, Hint::kParams)));
  }

  static void notes(const Input& q, const Output& out, Result& r) {
    r.answer.notes.push_back(
        out.weight ? fmt::format("A served FLOP costs {} × a trained one: prices over what each "
                                 "reaches of its peak.",
                                 text(r, "served.weight"))
                   : "A served FLOP counts as a trained one. Answers are bound by memory and reach "
                     "less of the peak: state mfu and output_mfu to weigh them.");
    if (out.best.at.D.raw / out.best.at.N.raw > 200)
      r.answer.notes.emplace_back(
          "Laws fitted at ordinary ratios overstate what tokens are worth at extreme ones (Sardana "
          "2024, who trained up to 10,000 tokens a parameter).");
    if (!q.law.comment.empty()) r.answer.notes.push_back(q.law.comment);
    r.answer.notes.push_back("Source: " + q.law.source + ".");
  }
};

}  // namespace

const Question& lifetime_question() {
  static const Lifetime kind;
  return kind;
}

}  // namespace reckon
