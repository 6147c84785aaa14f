// reckon compare A B [C…]: plans side by side, against the first.
#include "reckon/engine/compare.hpp"

#include <fmt/format.h>

#include "commands.hpp"
#include "plans.hpp"
#include "reckon/report/compare.hpp"

namespace reckon::cli {
namespace {

// One kind of plan, or nothing can be put side by side.
std::string kind_of_all(Session& session, const Plans& plans) {
  std::string kind;
  for (const auto& plan : plans) {
    if (!kind.empty() && kind != plan->kind) {
      session.diagnostics()
          .error({}, fmt::format("{} is of kind {}, {} of kind {}", plans.front()->file, kind,
                                 plan->file, plan->kind))
          .help("compare plans of one kind");
    }
    if (kind.empty()) kind = plan->kind;
  }
  return kind;
}

}  // namespace

int compare(Session& session, const Shared& shared, const CompareOptions& options) {
  Diagnostics& d = session.diagnostics();
  Plans plans = load_plans(session, {options.plans, options.sets, options.which_case});
  if (session.report_faults()) return kUsage;
  if (plans.size() < 2)
    d.error({}, "one plan alone has nothing to be compared with")
        .help("name another plan, or --case all for a file with cases");
  const std::string kind = kind_of_all(session, plans);
  if (session.report_faults()) return kUsage;
  PlansCompared all;
  for (const auto& plan : plans) all.push_back(plan.get());
  const Comparison c = reckon::compare(session.work(), all, kind, options.metrics, d);
  if (session.report_faults()) return kUsage;
  session.print(in_format(
      shared.format, [&] { return comparison_text(c, session.style()); },
      [&] { return comparison_json(c); }, [&] { return comparison_csv(c); },
      [&] { return comparison_markdown(c); }));
  return kOk;
}

}  // namespace reckon::cli
