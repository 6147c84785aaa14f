// kind: critical-batch
#include "reckon/cost/questions/critical_batch.hpp"

#include <fmt/format.h>

#include "law.hpp"
#include "needs.hpp"
#include "questions.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

class CriticalBatch : public QuestionOf<CriticalBatchQuestion> {
 public:
  const QuestionInfo& info() const override {
    static const QuestionInfo info{
        "critical-batch",
        "how many tokens of a step still buy time",
        "",
        {"reckon critical-batch --loss 2.0 --batch 4M",
         "reckon critical-batch --params 8B --tokens 15T --batch 1M,4M,16M",
         "reckon critical-batch --loss 2.0 --per-rank 16384"},
        {},
        {"batch.critical", "batch.over_critical", "batch.steps", "batch.compute"}};
    return info;
  }

 protected:
  void write_out(Workspace&, doc::Value& tree, Diagnostics&) const override {
    if (!tree.is_mapping()) return;
    if (!tree.find("law")) doc::set(tree, "law", doc::scalar("kaplan_batch"));
    if (!tree.find("loss") && !tree.find("loss_law"))
      doc::set(tree, "loss_law", doc::scalar("besiroglu"));
  }

  void legal(const Input& q, const Asked& asked) const override {
    check_law(q.law, "law", asked);
    if (q.law.family != LawFamily::kBatch)
      asked.fault("law", fmt::format("law: {} is no law of the critical batch", law_name(q.law)))
          .help("law: kaplan_batch");
    const bool point = q.params || q.tokens;
    if (q.loss && point)
      asked.fault("loss", "loss: params and tokens say it already")
          .help("leave the loss out, or params and tokens");
    if (!q.loss && !(q.params && q.tokens))
      asked.fault("", "critical-batch: the loss that the run is to reach is not stated")
          .help("loss: 2.0, or params and tokens");
    if (q.loss && q.loss_law)
      asked.fault("loss_law", "loss_law: bears on nothing beside a stated loss")
          .help("leave it out");
    if (!q.loss_law) return;
    check_law(*q.loss_law, "loss_law", asked);
    if (q.loss_law->family != LawFamily::kLoss)
      asked
          .fault("loss_law", fmt::format("loss_law: {} gives no loss of a size and tokens",
                                         law_name(*q.loss_law)))
          .help("loss_law: besiroglu");
  }

  void say(const Input& q, const Output& out, Result& r) const override {
    if (r.name.empty()) r.name = fmt::format("critical batch at a loss of {}", text(r, "loss"));
    head_law(q.law, r);
    if (q.loss_law) {
      r.headline.emplace_back(
          "loss", fmt::format("{} ({})", law_name(*q.loss_law), law_constants(*q.loss_law)));
      warn_outside(*q.loss_law, {q.params->raw, q.tokens->raw, {}}, r);
    }
    r.answer.lines.push_back(
        fmt::format("critical batch {} ({})", text(r, "batch.critical"), words(q.law.confidence)));
    r.answer.formulas = {"batch.critical"};
    if (out.cost) {
      r.answer.lines.push_back(fmt::format(
          "{} of it: {} × the fewest steps, {} × the least compute; twice the batch takes {} × the "
          "steps and {} × the compute",
          text(r, "batch.over_critical"), text(r, "batch.steps"), text(r, "batch.compute"),
          text(r, "batch.doubled.steps"), text(r, "batch.doubled.compute")));
      r.answer.formulas.insert(r.answer.formulas.end(), {"batch.steps", "batch.compute"});
    }
    if (out.largest_data)
      r.answer.lines.push_back(fmt::format("at {} a rank, {} data ranks stay below it",
                                           format_quantity(q.per_rank->raw, kOne, Hint::kTokens),
                                           text(r, "batch.largest_data")));
    if (!q.law.comment.empty()) r.answer.notes.push_back(q.law.comment);
    r.answer.notes.push_back("Source: " + q.law.source + ".");
    r.not_modelled = {"learning rate and schedule, which set how well a large batch is used",
                      "the loss while training: early on the critical batch is smaller"};
  }

 private:
  static std::string words(Confidence c) {
    return c == Confidence::kOrderOfMagnitude ? "an order of magnitude" : std::string(name_of(c));
  }
};

}  // namespace

const Question& critical_batch_question() {
  static const CriticalBatch kind;
  return kind;
}

}  // namespace reckon
