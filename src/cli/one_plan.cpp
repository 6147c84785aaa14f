#include "one_plan.hpp"

#include "plans.hpp"

namespace reckon::cli {

bool open_one_plan(Session& session, const std::string& plan, const std::string& which_case,
                   const std::vector<std::string>& words, OnePlan& out) {
  const std::size_t before = session.diagnostics().error_count();
  doc::Value tree = session.read_plan(plan);
  if (session.diagnostics().error_count() > before) return false;
  return open_one_plan(session, plan, std::move(tree), which_case, words, out);
}

bool open_one_plan(Session& session, const std::string& plan, doc::Value tree,
                   const std::string& which_case, const std::vector<std::string>& words,
                   OnePlan& out) {
  Diagnostics& d = session.diagnostics();
  Sets sets;
  const std::size_t before = d.error_count();
  if (!split_sets(words, sets, d)) return false;
  out.file = open_plan(session.work(), plan, std::move(tree), sets, d);
  if (d.error_count() > before) return false;
  if (which_case.empty()) return !needs_case(session, out.file);
  for (const PlanFile::Case& c : out.file.cases) {
    if (c.name == which_case) out.which = &c;
  }
  if (!out.which) unknown_case(session, out.file, which_case, false);
  return out.which != nullptr;
}

}  // namespace reckon::cli
