// reckon solve PLAN --vary FIELD --for METRIC=TARGET: the value that meets a target.
#include "reckon/engine/solve.hpp"

#include <fmt/format.h>

#include "commands.hpp"
#include "one_plan.hpp"
#include "reckon/engine/axes.hpp"
#include "reckon/report/solve.hpp"

namespace reckon::cli {
namespace {

// FIELD, or FIELD=a..b.
bool read_unknown(const std::string& word, Sources& sources, Diagnostics& d, SolveRequest& out) {
  out.span = {sources.add("--vary", word), 1, 1, static_cast<int>(word.size())};
  const std::size_t equals = word.find('=');
  out.path = word.substr(0, equals);
  if (equals == std::string::npos) return true;
  const std::string range = word.substr(equals + 1);
  const std::size_t dots = range.find("..");
  if (dots == std::string::npos || range.find(':') != std::string::npos) {
    d.error(out.span, fmt::format("--vary {}: bounds are written a..b", word))
        .help(fmt::format("write --vary {}=1..64, or --vary {} alone", out.path, out.path));
    return false;
  }
  if (dots + 2 < range.size()) out.to = range.substr(dots + 2);
  if (dots > 0) {
    const std::string from = range.substr(0, dots);
    out.from = out.to ? with_unit_of(from, *out.to) : from;
  }
  return true;
}

}  // namespace

int solve(Session& session, const Shared& shared, const SolveOptions& options) {
  Diagnostics& d = session.diagnostics();
  OnePlan plan;
  SolveRequest request{plan.file, nullptr, {}, {}, {}, {}, {}};
  read_unknown(options.vary, session.work().sources(), d, request);
  read_goal(options.target, "--for", session.work().sources(), d, request.target);
  if (session.report_faults()) return kUsage;
  open_one_plan(session, options.plan, options.which_case, options.sets, plan);
  if (session.report_faults()) return kUsage;
  request.which = plan.which;
  const Solution s = reckon::solve(session.work(), request, d);
  if (session.report_faults()) return kUsage;
  session.print(in_format(
      shared.format, [&] { return solution_text(s, session.style()); },
      [&] { return solution_json(s); }, [&] { return solution_csv(s); },
      [&] { return solution_markdown(s); }));
  return s.outcome == Outcome::kMet || s.outcome == Outcome::kAlways ? kOk : kNo;
}

}  // namespace reckon::cli
