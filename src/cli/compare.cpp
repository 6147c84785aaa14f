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
    const std::string of_this = plan->result(session.work()).kind;
    if (!kind.empty() && kind != of_this) {
      session.diagnostics()
          .error({}, fmt::format("{} is of kind {}, {} of kind {}", plans.front()->file, kind,
                                 plan->file, of_this))
          .help("compare plans of one kind");
    }
    if (kind.empty()) kind = of_this;
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
  switch (shared.format) {
    case Format::kText:
      session.print(comparison_text(c, {session.colour(), session.width(), false}));
      break;
    case Format::kJson:
      session.print(comparison_json(c));
      break;
    case Format::kCsv:
      session.print(comparison_csv(c));
      break;
    case Format::kMarkdown:
      session.print(comparison_markdown(c));
      break;
  }
  return kOk;
}

}  // namespace reckon::cli
