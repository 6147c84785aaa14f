// kind: loss-error
#include "reckon/cost/questions/loss_error.hpp"

#include <fmt/format.h>

#include "needs.hpp"
#include "questions.hpp"
#include "reckon/numerics/quantile.hpp"
#include "reckon/units/format.hpp"
#include "reckon/units/parse.hpp"

namespace reckon {
namespace {

class LossError : public QuestionOf<LossErrorQuestion> {
 public:
  const QuestionInfo& info() const override {
    static const QuestionInfo info{
        "loss-error",
        "how many tokens tell a loss to so many nats",
        "",
        {"reckon loss-error --deviation 2.4 --error 0.01",
         "reckon loss-error --deviation 2.4 --error 0.01 --document 1000 --correlation 0.02",
         "reckon loss-error --deviation 2.4 --tokens 1M --confidence 99%"},
        {},
        {"tokens", "error", "documents"}};
    return info;
  }

 protected:
  // The confidence that a stated z stands for.
  static void set_confidence(doc::Value& tree) {
    const doc::Value* z = tree.find("z");
    if (!z->is_scalar()) return;
    const auto parsed = parse_quantity(z->text, kOne, Hint::kRatio);
    const double* x = std::get_if<double>(&parsed);
    const double p = x ? 2 * normal_share(*x) - 1 : 0;
    if (p > 0 && p < 1)
      doc::set(tree, "confidence", doc::scalar(write_quantity(p, kOne, Hint::kRatio), z->span));
  }

  // z follows from the confidence; a stated z stands.
  void write_out(Workspace&, doc::Value& tree, Diagnostics& d) const override {
    if (!tree.is_mapping() || tree.find("z")) {
      const doc::Value* z = tree.is_mapping() ? tree.find("confidence") : nullptr;
      if (z)
        d.error(z->span, "confidence: z says it already")
            .note(tree.find("z")->span, "z is stated here")
            .help("leave one out");
      else if (tree.is_mapping())
        set_confidence(tree);
      return;
    }
    const doc::Value* said = tree.find("confidence");
    double p = 0.95;
    if (said && said->is_scalar()) {
      const auto parsed = parse_quantity(said->text, kOne, Hint::kFraction);
      if (const double* x = std::get_if<double>(&parsed)) p = *x;
    }
    if (p > 0 && p < 1)
      doc::set(tree, "z",
               doc::scalar(write_quantity(normal_quantile((1 + p) / 2), kOne, Hint::kRatio)));
  }

  // Each says the other.
  std::vector<std::string> steers(const Input&) const override { return {"confidence", "z"}; }

  void legal(const Input& q, const Asked& asked) const override {
    if (q.confidence.raw >= 1)
      asked.fault("confidence", "confidence: no number of tokens makes sure of a loss")
          .help("confidence: 95%, or 99.9%");
    if (q.error.has_value() == q.tokens.has_value())
      asked
          .fault(q.error ? "error" : "", q.error
                                             ? "error: follows from the tokens"
                                             : "loss-error: neither error nor tokens are stated")
          .help("error: 0.01 (how many tokens?), or tokens: 1M (how well do they tell?)");
    if (q.document.has_value() != q.correlation.has_value())
      asked
          .fault(q.document ? "document" : "correlation",
                 q.document ? "document: how alike its tokens are is not stated"
                            : "correlation: how long a document is is not stated")
          .help(q.document ? "correlation: 0.02, measured between tokens of one document"
                           : "document: 1000");
  }

  void say(const Input& q, const Output& out, Result& r) const override {
    if (r.name.empty()) r.name = "a loss measured on tokens";
    const std::string p = format_quantity(q.confidence.raw, kOne, Hint::kFraction);
    std::string s = fmt::format("{} tell the loss to ± {} nats with {} confidence",
                                text(r, "tokens"), text(r, "error"), p);
    if (out.documents) s += fmt::format(": {} documents", text(r, "documents"));
    r.answer.lines.push_back(s);
    if (q.document)
      r.answer.lines.push_back(
          fmt::format("tokens of a document are alike: it takes {} of them for one independent one",
                      text(r, "design_effect")));
    r.answer.formulas = {q.tokens ? "error" : "tokens"};
    if (q.document) r.answer.formulas.insert(r.answer.formulas.begin(), "design_effect");
    r.answer.notes = {
        "The deviation is that of single tokens' losses: of your model, on your text. It has no "
        "default because no source says one that holds elsewhere."};
    if (!q.document)
      r.answer.notes.emplace_back(
          "Tokens are taken as independent. They are not: state document and correlation.");
    r.not_modelled = {"a loss that differs between the evaluated and the real text"};
  }
};

}  // namespace

const Question& loss_error_question() {
  static const LossError kind;
  return kind;
}

}  // namespace reckon
