#include "one_plan.hpp"

#include <fmt/format.h>

#include "reckon/base/edit_distance.hpp"

namespace reckon::cli {

bool open_one_plan(Session& session, const std::string& plan, const std::string& which_case,
                   const std::vector<std::string>& words, OnePlan& out) {
  Diagnostics& d = session.diagnostics();
  Sets sets;
  const std::size_t before = d.error_count();
  split_sets(words, sets, d);
  doc::Value tree = session.read_plan(plan);
  if (d.error_count() > before) return false;
  out.file = open_plan(session.work(), plan, std::move(tree), sets, d);
  if (d.error_count() > before) return false;
  if (which_case.empty()) return true;
  std::vector<std::string> known;
  for (const PlanFile::Case& c : out.file.cases) {
    if (c.name == which_case) out.which = &c;
    known.push_back(c.name);
  }
  if (out.which) return true;
  const std::string near = closest(which_case, known);
  d.error({}, fmt::format("{} has no case '{}'", plan, which_case))
      .help(!near.empty()   ? fmt::format("did you mean '{}'?", near)
            : known.empty() ? std::string("it has no cases: leave --case out")
                            : fmt::format("its cases: '{}'", fmt::join(known, "', '")));
  return false;
}

}  // namespace reckon::cli
