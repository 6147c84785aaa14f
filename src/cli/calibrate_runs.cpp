// reckon calibrate runs STACK…: constants of software stacks from measured training runs.
#include "reckon/report/calibrate_runs.hpp"

#include <fmt/format.h>

#include "commands.hpp"

namespace reckon::cli {
namespace {

int write_stack(Session& session, const std::string& file, const std::string& name,
                const RunsCalibration& c) {
  Diagnostics& d = session.diagnostics();
  const std::string text = stack_text(session.work(), c, d, name);
  if (!d.has_errors() && is_yaml_file(file, d)) write_file(file, text, d);
  if (session.report_faults()) return kUsage;
  session.note(fmt::format("{} is written; stack: {} uses it", file, file));
  return kOk;
}

std::string text_of(Session& session, const Shared& shared,
                    const std::vector<RunsCalibration>& all) {
  if (shared.format == Format::kJson) return calibrate_runs_json(all);
  if (shared.format == Format::kMarkdown) return calibrate_runs_markdown(all);
  if (shared.format == Format::kCsv) return calibrate_runs_csv(all);
  return calibrate_runs_text(all, session.style());
}

// Options of measured kernels that say nothing about runs.
void refuse_others(const CalibrateCommand& o, Diagnostics& d) {
  const std::pair<const char*, bool> said[] = {
      {"--onto", !o.onto.empty()},       {"--form", !o.form.empty()},
      {"--chip", !o.chip.empty()},       {"--kernel", !o.kernel.empty()},
      {"--library", !o.library.empty()}, {"--dtype", !o.dtype.empty()},
      {"--column", !o.columns.empty()}};
  for (const auto& [option, is_said] : said)
    if (is_said) d.error({}, fmt::format("{} is of measured kernels, and not of runs", option));
}

}  // namespace

int calibrate_runs(Session& session, const Shared& shared, const CalibrateCommand& options) {
  Diagnostics& d = session.diagnostics();
  refuse_others(options, d);
  keeps_inputs(options.output, {options.rows}, d);
  if (!options.output.empty() && options.files.size() != 1)
    d.error({}, "--output holds one stack").help("calibrate them one by one");
  if (session.report_faults()) return kUsage;
  std::vector<RunsCalibration> all;
  for (const std::string& stack : options.files)
    all.push_back(reckon::calibrate_runs(session.work(), stack, options.rows, d));
  if (session.report_faults()) return kUsage;
  session.print(text_of(session, shared, all));
  if (!options.output.empty())
    return write_stack(session, options.output, options.name, all.front());
  session.note("--output FILE writes the constants to a file of kind stack");
  return kOk;
}

}  // namespace reckon::cli
