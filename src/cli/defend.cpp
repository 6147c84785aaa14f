// reckon defend PLAN: the argument for a plan in six steps.
#include "reckon/engine/defend.hpp"

#include <fmt/format.h>

#include "commands.hpp"
#include "plans.hpp"
#include "reckon/base/text.hpp"
#include "reckon/engine/said_model.hpp"
#include "reckon/report/defend.hpp"

namespace reckon::cli {
namespace {

// 7B alone has no dimensions, and activations need them: a generic model of that size has.
std::string with_dimensions(Session& session, const std::string& model) {
  if (!is_bare_count(model)) return model;
  const std::string id = "generic-" + lowered(model);
  if (session.work().find(Shelf::kModels, id).empty()) return model;
  session.note(fmt::format("{} says no dimensions: those of the model {} are taken", model, id));
  return id;
}

}  // namespace

int defend(Session& session, const Shared& shared, const DefendOptions& options) {
  Diagnostics& d = session.diagnostics();
  const bool from_flags = !options.model.empty() || !options.gpus.empty();
  if (options.plan.empty() && !from_flags)
    d.error({}, "no plan to defend")
        .help("reckon defend plan.yaml, or reckon defend --model 7B --gpus 8xh100-sxm");
  if (!options.plan.empty() && from_flags)
    d.error({}, "--model and --gpus make a plan of their own, and a plan is named too")
        .help("leave one out");
  if (shared.format == Format::kJson || shared.format == Format::kCsv)
    d.error({}, "defend prints an argument: as text or md")
        .help("`reckon eval` has the numbers in every format");
  if (session.report_faults()) return kUsage;
  Plans plans;
  const PlanRequest request{{}, options.sets, options.which_case};
  if (from_flags) {
    const std::string text = new_training_text(session, with_dimensions(session, options.model),
                                               options.gpus, options.sets, "sharding");
    if (!text.empty())
      load_plan(session, "<new>", session.work().read_text("<new>", text, d), request, plans);
  } else {
    plans = load_plans(session, {{options.plan}, options.sets, options.which_case});
  }
  if (session.report_faults()) return kUsage;
  std::string out;
  for (const auto& plan : plans) {
    const auto* training = dynamic_cast<const LoadedTraining*>(plan.get());
    if (!training) {
      d.error({}, fmt::format("{}: a question is no plan that could be defended", plan->file))
          .help("`reckon eval` answers it");
      continue;
    }
    const Defence argument = defend(session.work(), *training, from_flags);
    if (!out.empty()) out += '\n';
    out += shared.format == Format::kMarkdown ? defence_markdown(argument)
                                              : defence_text(argument, session.style());
  }
  if (session.report_faults()) return kUsage;
  session.print(out);
  return kOk;
}

}  // namespace reckon::cli
