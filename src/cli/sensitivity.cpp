// reckon sensitivity PLAN [METRIC]: what 1 % of each input is worth, and where the time goes.
#include "reckon/engine/sensitivity.hpp"

#include <fmt/format.h>

#include "commands.hpp"
#include "plans.hpp"
#include "reckon/engine/kinds.hpp"
#include "reckon/report/sensitivity.hpp"

namespace reckon::cli {
namespace {

// What is asked about where nothing is named: the first metric of a table of such plans.
std::string metric_of(const Loaded& plan, const std::string& asked) {
  if (!asked.empty()) return asked;
  const PlanKind* kind = plan_kind(plan.kind);
  if (!kind || plan.kind == "training" || kind->columns().empty()) return "step.time";
  return std::string(kind->columns().front());
}

}  // namespace

int sensitivity(Session& session, const Shared& shared, const SensitivityOptions& options) {
  const Plans plans = load_plans(session, {{options.plan}, options.sets, options.which_case});
  if (session.report_faults()) return kUsage;
  const bool data = shared.format == Format::kJson || shared.format == Format::kCsv;
  if (data && plans.size() > 1) {
    session.diagnostics()
        .error({}, "several plans do not go into one JSON or CSV of sensitivities")
        .help("name one case, or leave --format out");
    session.report_faults();
    return kUsage;
  }
  std::string out;
  for (const auto& plan : plans) {
    const Sensitivity s =
        sensitivities(*plan, metric_of(*plan, options.metric), session.diagnostics());
    if (session.report_faults()) return kUsage;
    if (plans.size() > 1)
      out += fmt::format("{}== {}{}{} ==\n", out.empty() ? "" : "\n", plan->file,
                         plan->case_name.empty() ? "" : ", case ", plan->case_name);
    switch (shared.format) {
      case Format::kText:
        out += sensitivity_text(s, session.style());
        break;
      case Format::kJson:
        out += sensitivity_json(s);
        break;
      case Format::kCsv:
        out += sensitivity_csv(s);
        break;
      case Format::kMarkdown:
        out += sensitivity_markdown(s);
        break;
    }
  }
  session.print(out);
  return kOk;
}

}  // namespace reckon::cli
