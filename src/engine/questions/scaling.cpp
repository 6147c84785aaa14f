// kind: scaling
#include "reckon/cost/questions/scaling.hpp"

#include <fmt/format.h>

#include <cmath>

#include "law.hpp"
#include "needs.hpp"
#include "questions.hpp"
#include "reckon/base/text.hpp"
#include "reckon/units/format.hpp"
#include "reckon/units/parse.hpp"
#include "scaling_legal.hpp"
#include "scaling_tables.hpp"

namespace reckon {
namespace {

bool is_bare_number(const std::string& text) {
  return std::holds_alternative<double>(parse_quantity(text, kOne, Hint::kNone)) &&
         text.find('%') == text.npos;
}

// Two runs so close are one.
constexpr double kSame = 1e-6;

class Scaling : public QuestionOf<ScalingQuestion> {
 public:
  const QuestionInfo& info() const override {
    static const QuestionInfo info{
        "scaling",
        "compute, parameters, tokens, loss and cost of a training run, by a law",
        "",
        {"reckon scaling --flops 1e24",
         "reckon scaling --budget 100000USD --price 2.50USD/h --hardware h100-sxm --mfu 40%",
         "reckon scaling --days 30 --gpus 512 --hardware h100-sxm --mfu 40% --isoflop",
         "reckon scaling --params 8B --tokens 15T --law besiroglu,hoffmann_a3,muennighoff_c4",
         "reckon scaling --flops 1e24 --compare-laws", "reckon scaling --flops 5.88e23 --explain"},
        {"power", "pue"},
        {"params", "tokens", "tokens_per_param", "flops", "loss", "confidence"}};
    return info;
  }

 protected:
  // `days: 30`, `gpu_hours: 1000`, `flops: 1e24`: the key says the unit.
  void write_out(Workspace&, doc::Value& tree, Diagnostics&) const override {
    for (const auto& [key, unit] :
         {std::pair{"days", " days"}, {"gpu_hours", " GPU-hours"}, {"flops", " FLOP"}}) {
      doc::Value* v = tree.is_mapping() ? tree.find(key) : nullptr;
      if (v && v->is_scalar() && is_bare_number(v->text)) v->text += unit;
    }
  }

  void legal(const Input& q, const Asked& asked) const override { check_scaling(q, asked); }

  void say(const Input& q, const Output& out, Result& r) const override {
    if (r.name.empty())
      r.name = fmt::format("scaling under {}: {}", law_name(q.law), text(r, "flops"));
    head_law(q.law, r);
    say_run(q, out, r);
    if (out.optimum) say_optimum(out, r);
    if (q.against) say_against(q, r);
    add_intervals(q, out, r);
    say_bill(out, r);
    warn_outside(q.law, {out.run.N.raw, out.run.D.raw, (out.C_min ? *out.C_min : out.C).raw}, r);
    r.answer.formulas = formulas(q, out);
    if (q.isoflop) add_isoflop(q, out, r);
    notes(q, out, r);
    r.not_modelled = {"attention over the context (6·N·D counts none)",
                      "learning rate and schedule",
                      "another data set, tokenizer or architecture than the law's"};
  }

  std::vector<Alternative> alternatives(const Input& q) const override {
    std::vector<Alternative> out;
    if (q.law.family == LawFamily::kKaplan)
      out.push_back({q.critical_batch ? "the compute is C_min itself"
                                      : "the compute is of a run at the critical batch",
                     {{"critical_batch", q.critical_batch ? "no" : "yes"}},
                     {"params", "tokens"}});
    return out;
  }

  void beside(Workspace& work, const LoadedQuestion<ScalingQuestion>& loaded, const Output&,
              Result& r) const override {
    if (!loaded.question.compare_laws) return;
    Grid g{"The same question under every law",
           "law",
           {{"params", "parameters"},
            {"tokens", "tokens"},
            {"tokens_per_param", "D/N"},
            {"flops", "compute"},
            {"loss", "loss"},
            {"optimum_params", "N*"},
            {"optimum_tokens", "D*"}},
           {}};
    std::vector<std::string> silent;
    for (const std::string& id : work.ids(Shelf::kLaws)) {
      const auto other = changed(work, loaded, {{"law", id}});
      if (!other || other->question.law.confidence == Confidence::kQualitative) {
        silent.push_back(id);
        continue;
      }
      std::vector<Metric> metrics;
      answer(other->question).metrics(Collect(metrics));
      add_row(id, other->question.law, metrics, g, r);
    }
    r.answer.grids.push_back(std::move(g));
    if (!silent.empty())
      r.answer.notes.push_back(fmt::format(
          "Left out: {}: qualitative, of another subject, or not able to answer this question.",
          join(silent, ", ")));
  }

 private:
  static void add_row(const std::string& id, const Law<double>& law,
                      const std::vector<Metric>& metrics, Grid& g, Result& r) {
    const std::pair<const char*, const char*> shown[] = {{"params", "params"},
                                                         {"tokens", "tokens"},
                                                         {"tokens_per_param", "tokens_per_param"},
                                                         {"flops", "flops"},
                                                         {"loss", "loss"},
                                                         {"optimum.params", "optimum_params"},
                                                         {"optimum.tokens", "optimum_tokens"}};
    for (const auto& [from, to] : shown) {
      const Metric* m = find_metric(metrics, from);
      if (!m || !m->has_value()) continue;
      Metric copy = *m;
      copy.id = fmt::format("laws.{}.{}", id, to);
      copy.title += " under " + id;
      copy.node = -1;
      r.metrics.push_back(std::move(copy));
    }
    g.rows.push_back({"laws." + id, id, std::string(name_of(law.confidence))});
  }

  // "2.571 (qualitative)"
  static std::string marked(const Input& q, const Result& r, const char* id) {
    const std::string mark = law_mark(q.law);
    return text(r, id) + (mark.empty() ? "" : " (" + mark + ")");
  }

  static void say_run(const Input& q, const Output& out, Result& r) {
    std::string s = fmt::format("{} on {}, {} a parameter: {}", text(r, "params"),
                                text(r, "tokens"), text(r, "tokens_per_param"), text(r, "flops"));
    if (out.C_min) s += fmt::format(", {} as the law counts it", text(r, "flops.c_min"));
    r.answer.lines.push_back(s);
    if (out.total) {
      s = fmt::format("loss {} nats a token", marked(q, r, "loss"));
      if (out.loss)
        s += fmt::format(": {} irreducible + {} for want of parameters + {} for want of data",
                         text(r, "loss.irreducible"), text(r, "loss.capacity"),
                         text(r, "loss.data"));
      r.answer.lines.push_back(s);
    } else if (!out.variant.leverage) {
      r.answer.lines.push_back(fmt::format("{} says nothing about the loss", law_name(q.law)));
    }
    if (out.variant.leverage)
      r.answer.lines.push_back(
          fmt::format("the mixture stands for {} × its compute in a dense model",
                      marked(q, r, "moe.leverage")));
    if (out.variant.kept)
      r.answer.lines.push_back(fmt::format("{} of the parameters count: {}",
                                           marked(q, r, "precision.share"),
                                           text(r, "precision.params")));
  }

  static bool at_optimum(const Output& out) {
    return std::abs(out.run.N.raw / out.optimum->N.raw - 1) < kSame &&
           std::abs(out.run.D.raw / out.optimum->D.raw - 1) < kSame;
  }

  static void say_optimum(const Output& out, Result& r) {
    if (at_optimum(out)) {
      r.answer.lines.emplace_back("that is the law's optimum for the compute");
      return;
    }
    std::string s = fmt::format("the law's optimum for that compute: {} on {}, {} a parameter",
                                text(r, "optimum.params"), text(r, "optimum.tokens"),
                                text(r, "optimum.tokens_per_param"));
    if (out.optimum_loss) s += fmt::format(", loss {}", text(r, "optimum.loss"));
    r.answer.lines.push_back(s);
    s = fmt::format("trained on {} × the optimum's tokens per parameter",
                    text(r, "overtraining.factor"));
    if (out.extra)
      s += fmt::format(": {} nats above it, a loss it has with 1/{} of the compute",
                       text(r, "overtraining.extra_loss"), text(r, "overtraining.compute"));
    r.answer.lines.push_back(s);
  }

  static void say_against(const Input& q, Result& r) {
    std::string s = fmt::format("{} would take {} on {}", law_name(*q.against),
                                text(r, "against.params"), text(r, "against.tokens"));
    const Metric* extra = r.find("against.extra_loss");
    if (extra && extra->has_value())
      s += fmt::format(": loss {}, and the run lies {} {} it", text(r, "against.loss"),
                       format_quantity(std::abs(extra->value), kOne, Hint::kRatio),
                       extra->value < 0 ? "below" : "above");
    r.answer.lines.push_back(s);
  }

  static void say_bill(const Output& out, Result& r) {
    if (!out.hired.gpu_time) return;
    std::vector<std::string> parts{text(r, "run.gpu_hours")};
    if (out.hired.days)
      parts.push_back(fmt::format("{} on {} GPUs", text(r, "run.days"), text(r, "run.gpus")));
    for (const char* id : {"run.cost", "run.energy"})
      if (text(r, id) != "–") parts.push_back(text(r, id));
    if (out.hired.carbon) parts.push_back(text(r, "run.carbon") + " of CO2");
    r.answer.lines.push_back(join(parts, ", "));
  }

  static std::vector<std::string> formulas(const Input& q, const Output& out) {
    std::vector<std::string> ids;
    const bool both = (q.params || q.model) && q.tokens;
    if (both) ids.emplace_back("flops");
    if (!both) ids.insert(ids.end(), {"params", "tokens"});
    if (out.total) ids.emplace_back("loss");
    if (out.optimum && both) ids.insert(ids.end(), {"optimum.params", "optimum.tokens"});
    if (out.marginal)
      ids.insert(ids.end(), {"marginal.params", "marginal.tokens", "marginal.ratio"});
    if (out.variant.leverage) ids.emplace_back("moe.leverage");
    if (out.hired.gpu_time) ids.emplace_back("run.gpu_hours");
    return ids;
  }

  static void notes(const Input& q, const Output& out, Result& r) {
    if (out.marginal)
      r.answer.notes.push_back(
          "Lagrange: along C = k·N·D a per cent more parameters is a per cent fewer tokens, so the "
          "loss is least where both are worth the same, α·A·N^−α = β·B·D^−β. " +
          std::string(std::abs(out.marginal->over.raw - 1) < kSame ? "Here they are."
                      : out.marginal->over.raw > 1
                          ? "Here a larger model on fewer tokens would do better."
                          : "Here a smaller model on more tokens would do better."));
    if (q.law.family == LawFamily::kKaplan)
      r.answer.notes.emplace_back(
          "Kaplan counts C_min, the compute at a batch far below the critical one; at the critical "
          "batch a run takes twice that (critical_batch: yes), and D is what it reads then.");
    if (!q.law.comment.empty()) r.answer.notes.push_back(q.law.comment);
    if (!q.law.source.empty()) r.answer.notes.push_back("Source: " + q.law.source + ".");
  }
};

}  // namespace

const Question& scaling_question() {
  static const Scaling kind;
  return kind;
}

}  // namespace reckon
