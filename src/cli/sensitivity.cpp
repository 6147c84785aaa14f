// reckon sensitivity PLAN [METRIC]: what 1 % of each input is worth, and where the time goes.
#include "reckon/engine/sensitivity.hpp"

#include "commands.hpp"
#include "plans.hpp"
#include "reckon/report/sensitivity.hpp"

namespace reckon::cli {

int sensitivity(Session& session, const Shared& shared, const SensitivityOptions& options) {
  const std::vector<LoadedTraining> plans =
      load_plans(session, {{options.plan}, options.sets, options.which_case});
  if (session.report_faults()) return kUsage;
  std::string out;
  for (const LoadedTraining& plan : plans) {
    const Sensitivity s = sensitivities(plan, options.metric, session.diagnostics());
    if (session.report_faults()) return kUsage;
    switch (shared.format) {
      case Format::kText:
        out += sensitivity_text(s, {session.colour(), session.width(), false});
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
