// reckon new KIND: a commented plan that evaluates as it is.
#include <fmt/format.h>

#include "commands.hpp"
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

int new_plan(Session& session, const Shared&, const NewOptions& options) {
  if (options.kind != "training") {
    session.diagnostics()
        .error({}, fmt::format("no kind of plan is called '{}'", options.kind))
        .help("kinds of plan: training");
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
