// reckon sweep PLAN --vary FIELD=VALUES…: one row a point.
#include "reckon/engine/sweep.hpp"

#include "commands.hpp"
#include "one_plan.hpp"
#include "reckon/report/plan_table.hpp"

namespace reckon::cli {

int sweep(Session& session, const Shared& shared, const SweepOptions& options) {
  Diagnostics& d = session.diagnostics();
  std::vector<Axis> axes;
  if (options.vary.empty())
    d.error({}, "nothing is varied")
        .help("add --vary cluster.nodes=1..64:x2, or --vary batch.micro=1,2,4");
  for (const std::string& word : options.vary) {
    Axis axis;
    if (read_axis(word, "--vary", session.work().sources(), d, axis))
      axes.push_back(std::move(axis));
  }
  if (options.plot && shared.format != Format::kText)
    d.error({}, "--plot draws for a terminal").help("leave --format out");
  if (session.report_faults()) return kUsage;
  OnePlan plan;
  open_one_plan(session, options.plan, options.which_case, options.sets, plan);
  if (session.report_faults()) return kUsage;
  const PlanTable t =
      reckon::sweep(session.work(), {plan.file, plan.which, std::move(axes), options.metrics}, d);
  if (session.report_faults()) return kUsage;
  const TextStyle style = session.style();
  std::string out;
  switch (shared.format) {
    case Format::kText:
      out = plan_table_text(t, style);
      if (options.plot) out += "\n" + plan_plot(t, style, d);
      break;
    case Format::kJson:
      out = plan_table_json(t, "sweep");
      break;
    case Format::kCsv:
      out = plan_table_csv(t);
      break;
    case Format::kMarkdown:
      out = plan_table_markdown(t);
      break;
  }
  if (session.report_faults()) return kUsage;
  session.print(out);
  return kOk;
}

}  // namespace reckon::cli
