#include "plans.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reckon/base/edit_distance.hpp"
#include "reckon/engine/kinds.hpp"

namespace reckon::cli {

void unknown_case(Session& session, const PlanFile& file, const std::string& wanted,
                  bool all_would_do) {
  std::vector<std::string> known;
  for (const PlanFile::Case& c : file.cases) known.push_back(c.name);
  auto& fault =
      session.diagnostics().error({}, fmt::format("{} has no case '{}'", file.name, wanted));
  const std::string near = closest(wanted, known);
  if (!near.empty())
    fault.help(fmt::format("did you mean '{}'?", near));
  else if (!known.empty())
    fault.help(
        fmt::format("its cases: '{}'{}", fmt::join(known, "', '"), all_would_do ? "; or all" : ""));
  else
    fault.help("it has no cases: leave --case out");
}

namespace {

// Of a file that is no plan by itself: whether it is one with its first case; true after the fault that names them.
bool is_plan_of_a_case(Session& session, const PlanFile& file) {
  if (file.cases.empty()) return false;
  Diagnostics with;
  if (!load_plan(session.work(), file, &file.cases.front(), with) || with.has_errors())
    return false;
  constexpr std::size_t kShown = 4;
  std::vector<std::string> names;
  for (const PlanFile::Case& c : file.cases)
    if (names.size() < kShown) names.push_back(fmt::format("'{}'", c.name));
  const std::size_t more = file.cases.size() - names.size();
  session.diagnostics()
      .error({}, fmt::format("{} is a plan only with one of its {} cases", file.name,
                             file.cases.size()))
      .help(fmt::format("choose a --case: {}{}; or --case all", fmt::join(names, ", "),
                        more > 0 ? fmt::format(" and {} more", more) : ""));
  return true;
}

// `asked`: for this case, or for all; who asked for none may need one.
void load_case(Session& session, const PlanFile& file, const PlanFile::Case* which, bool asked,
               Plans& out) {
  Diagnostics said;
  std::unique_ptr<Loaded> loaded = load_plan(session.work(), file, which, said);
  if (!loaded && said.has_errors() && !asked && is_plan_of_a_case(session, file)) return;
  for (const Diagnostic& d : said.all()) {
    session.diagnostics().add(d);
    if (loaded) loaded->warnings.push_back(d.message);
  }
  if (loaded) out.push_back(std::move(loaded));
}

}  // namespace

bool needs_case(Session& session, const PlanFile& file) {
  if (file.cases.empty()) return false;
  Diagnostics alone;
  if (load_plan(session.work(), file, nullptr, alone) || !alone.has_errors()) return false;
  return is_plan_of_a_case(session, file);
}

void load_plan(Session& session, const std::string& name, doc::Value tree,
               const PlanRequest& request, Plans& out) {
  Diagnostics& d = session.diagnostics();
  Sets sets;
  const std::size_t before = d.error_count();
  split_sets(request.sets, sets, d);
  const PlanFile file = open_plan(session.work(), name, std::move(tree), sets, d);
  if (d.error_count() > before) return;
  const std::string& wanted = request.which_case;
  const bool all = wanted == "all";
  if (wanted.empty() || all) load_case(session, file, nullptr, all, out);
  bool found = wanted.empty() || all;
  for (const PlanFile::Case& c : file.cases) {
    if (!all && wanted != c.name) continue;
    found = true;
    load_case(session, file, &c, true, out);
  }
  if (!found) unknown_case(session, file, wanted, true);
}

Plans load_plans(Session& session, const PlanRequest& request) {
  Plans out;
  for (const std::string& name : request.plans) {
    const std::size_t before = session.diagnostics().error_count();
    doc::Value tree = session.read_plan(name);
    if (session.diagnostics().error_count() == before)
      load_plan(session, name, std::move(tree), request, out);
  }
  return out;
}

}  // namespace reckon::cli
