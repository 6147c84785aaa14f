// kind: emergence
#include "reckon/cost/questions/emergence.hpp"

#include <fmt/format.h>

#include <cmath>

#include "law.hpp"
#include "needs.hpp"
#include "plot.hpp"
#include "questions.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

constexpr int kDecades = 4;  // either side of the threshold

class Emergence : public QuestionOf<EmergenceQuestion> {
 public:
  const QuestionInfo& info() const override {
    static const QuestionInfo info{
        "emergence",
        "exact match against token accuracy: whose jump is it?",
        "",
        {"reckon emergence --answer-tokens 5 --flops 1e24FLOP",
         "reckon emergence --answer-tokens 5 --accuracy 90%",
         "reckon emergence --answer-tokens 1,5,20 --floor 0.05"},
        {},
        {"threshold.flops", "threshold.slope.accuracy", "threshold.slope.exact_match"}};
    return info;
  }

 protected:
  // A floor that is too high leaves no compute at which the answer is right: nothing to read it.
  std::vector<std::string> steers(const Input&) const override { return {"floor"}; }

  void legal(const Input& q, const Asked& asked) const override {
    check_law(q.law, "law", asked);
    if (q.law.family != LawFamily::kLoss)
      asked
          .fault("law",
                 fmt::format("law: {} gives no loss for an amount of compute", law_name(q.law)))
          .help("law: besiroglu; `reckon list laws` prints those of family loss");
    if (q.flops && q.accuracy)
      asked.fault("accuracy", "accuracy: follows from the compute")
          .note(asked.places.of("flops"), "flops is stated here")
          .help("leave one out");
    if (q.target.raw >= 1)
      asked.fault("target", "target: an exact match of 100 % takes endless compute")
          .help("target: 90%");
  }

  void say(const Input& q, const Output& out, Result& r) const override {
    const std::string k = fmt::format("{:g}", q.answer_tokens.raw);
    if (r.name.empty())
      r.name = fmt::format("an answer of {} tokens, under {}", k, law_name(q.law));
    head_law(q.law, r);
    r.headline.emplace_back("accuracy",
                            fmt::format("a = e^−(reducible loss + {})",
                                        format_quantity(q.floor.raw, kOne, Hint::kRatio)));
    if (out.exact)
      r.answer.lines.push_back(fmt::format("{} of tokens right: {} of answers right",
                                           text(r, "accuracy"), text(r, "exact_match")));
    say_threshold(q, out, r);
    r.answer.formulas = {"threshold.accuracy"};
    if (out.exact) r.answer.formulas.insert(r.answer.formulas.begin(), "exact_match");
    if (out.threshold)
      r.answer.formulas.insert(
          r.answer.formulas.end(),
          {"threshold.flops", "threshold.slope.accuracy", "threshold.slope.exact_match"});
    if (out.threshold) table(q, *out.threshold, r);
    r.answer.notes = {
        "The loss has no jump, and neither has a token's accuracy; a^k has, because k tokens must "
        "all "
        "be right. In ln a^k = k·ln a it is gone again: the jump is the metric's, not the model's.",
        "A law of the loss of text stands for the answer's tokens here: the shape carries over, "
        "the "
        "place of the threshold does not."};
    if (!q.law.source.empty()) r.answer.notes.push_back("Source: " + q.law.source + ".");
    r.not_modelled = {"partial credit, several tries, reasoning before the answer",
                      "tokens of an answer that are harder than others"};
  }

 private:
  static void say_threshold(const Input& q, const Output& out, Result& r) {
    const std::string x = format_quantity(q.target.raw, kOne, Hint::kFraction);
    if (!out.threshold) {
      r.answer.lines.push_back(fmt::format(
          "{} of answers right takes {} of tokens right, and a floor of {} nats keeps it "
          "below that at any compute",
          x, text(r, "threshold.accuracy"), format_quantity(q.floor.raw, kOne, Hint::kRatio)));
      return;
    }
    r.answer.lines.push_back(fmt::format("{} of answers right takes {} of tokens right: {}", x,
                                         text(r, "threshold.accuracy"),
                                         text(r, "threshold.flops")));
    r.answer.lines.push_back(fmt::format(
        "there a decade of compute brings {} of exact match and {} of accuracy: {} × as steep",
        text(r, "threshold.slope.exact_match"), text(r, "threshold.slope.accuracy"),
        format_quantity(out.threshold->slopes.exact.raw / out.threshold->slopes.smooth.raw, kOne,
                        Hint::kRatio)));
  }

  static void table(const Input& q, const EmergenceAt<double>& threshold, Result& r) {
    Grid g{"Compute by decades",
           "compute",
           {{"accuracy", "a token right"}, {"exact_match", "the answer right"}},
           {}};
    Curve curve;
    curve.marked_x = threshold.C.raw;
    for (int i = -kDecades; i <= kDecades; ++i) {
      const EmergenceAt<double> x =
          emergence_at(q, Flops<double>(threshold.C.raw * std::pow(10.0, i)));
      const std::string id = fmt::format("decade.{}", i + kDecades + 1);
      const auto add = [&](const char* part, const char* what, double value) {
        Metric m;
        m.id = id + "." + part;
        m.title = fmt::format("{} at {}", what, format_quantity(x.C.raw, kFlop));
        m.value = value;
        m.hint = Hint::kFraction;
        r.metrics.push_back(std::move(m));
      };
      add("accuracy", "accuracy of one token", x.accuracy.raw);
      add("exact_match", "exact match", x.exact.raw);
      g.rows.push_back({id, format_quantity(x.C.raw, kFlop), "", i == 0});
    }
    constexpr int kSteps = 12;
    for (int i = -kDecades * kSteps; i <= kDecades * kSteps; ++i) {
      const double C = threshold.C.raw * std::pow(10.0, static_cast<double>(i) / kSteps);
      curve.points.emplace_back(C, emergence_at(q, Flops<double>(C)).exact.raw);
    }
    curve.show_x = [](double C) { return format_quantity(C, kFlop, Hint::kNone, 2); };
    curve.show_y = [](double y) { return format_quantity(y, kOne, Hint::kFraction, 2); };
    r.answer.grids.push_back(std::move(g));
    r.answer.pictures.push_back(
        plot("Exact match by compute (log scale; o: the threshold)", curve));
  }
};

}  // namespace

const Question& emergence_question() {
  static const Emergence kind;
  return kind;
}

}  // namespace reckon
