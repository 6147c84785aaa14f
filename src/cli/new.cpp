// reckon new KIND: a commented plan that evaluates as it is.
#include <fmt/format.h>

#include "commands.hpp"
#include "reckon/base/edit_distance.hpp"
#include "reckon/base/text.hpp"
#include "reckon/engine/kinds.hpp"
#include "reckon/engine/propose.hpp"

namespace reckon::cli {

std::string new_training_text(Session& session, const std::string& model, const std::string& gpus,
                              const std::vector<std::string>& sets, std::string_view silent_about) {
  Diagnostics& d = session.diagnostics();
  if (model.empty())
    d.error({}, "no model is named")
        .help("add --model llama-3-8b (`reckon list models`), or --model 7B");
  if (gpus.empty())
    d.error({}, "no GPUs are named").help("add --gpus 8xh100-sxm (`reckon list chips`)");
  if (d.has_errors()) return "";
  Sets said;
  Diagnostics unused;  // loading the plan reports it
  split_sets(sets, said, unused);
  const Proposal p = propose_training(session.work(), model, gpus, d, said);
  if (d.has_errors()) return "";
  for (const std::string& note : p.notes)
    if (silent_about.empty() || !note.starts_with(silent_about)) session.note(note);
  return p.text;
}

namespace {

// Plans of the other kinds are questions, whose commands write them from their flags.
void say_other_kind(Diagnostics& d, const std::string& kind) {
  std::vector<std::string> words;
  for (const PlanKind* k : plan_kinds()) words.emplace_back(k->word());
  const PlanKind* known = plan_kind(kind);
  if (!known) {
    const std::string near = closest(kind, words);
    d.error({}, fmt::format("no kind of plan is called '{}'", kind))
        .help(near.empty()
                  ? "`reckon new training` writes a training plan; the others: " + join(words, ", ")
                  : fmt::format("did you mean '{}'?", near));
    return;
  }
  const auto* question = dynamic_cast<const Question*>(known);
  const std::string example =
      question && !question->info().examples.empty()
          ? std::string(question->info().examples.front()) + " --as-plan > plan.yaml"
          : fmt::format("reckon {} … --as-plan > plan.yaml", kind);
  d.error({},
          fmt::format("new writes training plans, and a {} plan is written from its flags", kind))
      .help(example);
}

}  // namespace

int new_plan(Session& session, const Shared&, const NewOptions& options) {
  if (options.kind != "training") {
    say_other_kind(session.diagnostics(), options.kind);
    session.report_faults();
    return kUsage;
  }
  const std::string text = new_training_text(session, options.model, options.gpus, {});
  if (session.report_faults()) return kUsage;
  if (options.output.empty()) {
    session.print(text);
  } else if (is_yaml_file(options.output, session.diagnostics())) {
    write_file(options.output, text, session.diagnostics());
  }
  return session.report_faults() ? kUsage : kOk;
}

}  // namespace reckon::cli
