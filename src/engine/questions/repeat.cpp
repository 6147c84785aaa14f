// kind: repeat
#include "reckon/cost/questions/repeat.hpp"

#include <fmt/format.h>

#include "law.hpp"
#include "needs.hpp"
#include "questions.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

constexpr double kEpochRows[] = {1, 2, 4, 8, 16, 40};

class Repeat : public QuestionOf<RepeatQuestion> {
 public:
  const QuestionInfo& info() const override {
    static const QuestionInfo info{
        "repeat",
        "what repeated tokens are worth, and when to stop",
        "",
        {"reckon repeat --unique 25B --params 7B --epochs 4",
         "reckon repeat --unique 25B --flops 1e22FLOP", "reckon repeat --unique 25B"},
        {},
        {"params", "epochs", "effective.tokens", "loss"}};
    return info;
  }

 protected:
  void write_out(Workspace&, doc::Value& tree, Diagnostics&) const override {
    if (tree.is_mapping() && !tree.find("law"))
      doc::set(tree, "law", doc::scalar("muennighoff_c4"));
  }

  void legal(const Input& q, const Asked& asked) const override {
    check_law(q.law, "law", asked);
    if (q.law.family != LawFamily::kLoss || !q.law.repeat)
      asked
          .fault("law", fmt::format("law: {} does not say what a repeated token is worth",
                                    law_name(q.law)))
          .help("law: muennighoff_c4, or a law file with repeat: {tokens: …, params: …}");
    if (q.epochs && q.tokens)
      asked.fault("tokens", "epochs and tokens both say how much is read")
          .note(asked.places.of("epochs"), "epochs is stated here")
          .help("leave one out");
    const bool reads = q.epochs || q.tokens;
    if (q.flops && (reads || q.params))
      asked.fault("flops", "flops: a budget is split here; size, epochs and tokens follow")
          .help("state flops alone, or params with epochs or tokens");
    if (!q.flops && reads != q.params.has_value())
      asked
          .fault(reads ? "epochs" : "params", reads ? "repeat: the size is not stated"
                                                    : "repeat: how much is read is not stated")
          .help(reads ? "params: 7B" : "epochs: 4, or tokens: 100B");
  }

  void say(const Input& q, const Output& out, Result& r) const override {
    const std::string U = format_quantity(q.unique.raw, kOne, Hint::kTokens);
    if (r.name.empty())
      r.name = fmt::format("{} read again and again, under {}", U, law_name(q.law));
    head_law(q.law, r);
    if (out.run) say_run(q, U, r);
    r.answer.lines.push_back(fmt::format(
        "a token is worth half a fresh one after {} epochs; endless repeating makes {} worth {}",
        text(r, "half_worth.epochs"), U, text(r, "ceiling.tokens")));
    if (out.run) r.answer.formulas = {"effective.tokens", "effective.params", "loss"};
    r.answer.formulas.insert(r.answer.formulas.end(), {"half_worth.epochs", "ceiling.tokens"});
    epochs_table(q, out, r);
    if (out.run) warn_outside(q.law, {out.run->N.raw, out.run->D.raw, out.C->raw}, r);
    if (!q.law.comment.empty()) r.answer.notes.push_back(q.law.comment);
    r.answer.notes.push_back("Source: " + q.law.source + ".");
    r.not_modelled = {"over-fitting: by this law a repetition never hurts",
                      "mixing in other data, and its quality"};
  }

 private:
  static void say_run(const Input& q, const std::string& U, Result& r) {
    r.answer.lines.push_back(q.flops ? fmt::format("{} is best spent on {} and {} epochs of {}",
                                                   text(r, "flops"), text(r, "params"),
                                                   text(r, "epochs"), U)
                                     : fmt::format("{} on {} epochs of {}: {}", text(r, "params"),
                                                   text(r, "epochs"), U, text(r, "flops")));
    r.answer.lines.push_back(fmt::format(
        "{} are worth {} read for the first time, {} worth {}; loss {}, {} above fresh data",
        text(r, "tokens"), text(r, "effective.tokens"), text(r, "params"),
        text(r, "effective.params"), text(r, "loss"), text(r, "loss.penalty")));
    r.answer.lines.push_back(
        fmt::format("one more token is worth {} of a fresh one", text(r, "next_token")));
  }

  static void epochs_table(const Input& q, const Output& out, Result& r) {
    Grid g{"Epochs, and what they are worth",
           "epochs",
           {{"tokens", "read"},
            {"effective", "worth"},
            {"next_token", "next token"},
            {"loss", "loss"}},
           {}};
    const LossCurve<double> l = loss_curve(*q.law.loss);
    const double N = out.run ? out.run->N.raw : out.fit_params.raw;
    for (const double n : kEpochRows) {
      const Count<double> D(n * q.unique.raw);
      const Repeated<double> x = repeated(l, *q.law.repeat, {Count<double>(N), D}, q.unique);
      const std::string id = fmt::format("epochs.{:g}", n);
      const auto add = [&](const char* part, const char* what, double value, Hint hint) {
        Metric m;
        m.id = id + "." + part;
        m.title = fmt::format("{} of {:g} epochs", what, n);
        m.value = value;
        m.hint = hint;
        r.metrics.push_back(std::move(m));
      };
      add("tokens", "tokens", D.raw, Hint::kTokens);
      add("effective", "fresh tokens they are worth", x.effective_tokens.raw, Hint::kTokens);
      add("next_token", "worth of one more token", x.next_token.raw, Hint::kFraction);
      add("loss", fmt::format("loss of {}", format_quantity(N, kOne, Hint::kParams)).c_str(),
          x.loss.total.raw, Hint::kRatio);
      g.rows.push_back({id, fmt::format("{:g}", n)});
    }
    g.title += fmt::format(" ({})", format_quantity(N, kOne, Hint::kParams));
    r.answer.grids.push_back(std::move(g));
  }
};

}  // namespace

const Question& repeat_question() {
  static const Repeat kind;
  return kind;
}

}  // namespace reckon
