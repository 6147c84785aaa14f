// reckon check FILE|DIR…: holds plans to their `expect:` lines.
#include "reckon/engine/check.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "commands.hpp"
#include "reckon/report/check.hpp"

namespace reckon::cli {
namespace {

// What of a file can't be read, for reports that travel without stderr.
void note_faults(const std::string& file, std::size_t from, const Diagnostics& d,
                 CheckReport& report) {
  for (std::size_t i = from; i < d.all().size(); ++i) {
    const Diagnostic& x = d.all()[i];
    if (x.severity != Severity::kError) continue;
    report.faults.push_back(
        {file,
         x.span ? fmt::format("{}:{}:{}", x.span.file->name, x.span.line, x.span.column) : file,
         x.message});
  }
}

}  // namespace

int check(Session& session, const Shared& shared, const CheckOptions& options) {
  CheckReport report;
  Diagnostics& d = session.diagnostics();
  CheckOnly only{{}, options.which_case};
  if (!split_sets(options.sets, only.sets, d)) {
    session.report_faults();
    return kUsage;
  }
  std::set<std::filesystem::path> seen;  // a file named twice, or inside a folder named too, is one
  for (const std::string& path : options.paths) {
    if (path == "-") {
      d.error({}, "check reads files, not stdin").help("write the plan to a file and name it");
      continue;
    }
    for (const std::string& file : plan_files(path, d)) {
      std::error_code error;
      if (!seen.insert(std::filesystem::weakly_canonical(file, error)).second) continue;
      const std::size_t said = d.all().size();
      CheckReport one = check_file(session.work(), file, d, only);
      note_faults(file, said, d, report);
      report.files += one.files;
      report.plans += one.plans;
      for (CheckLine& line : one.lines) report.lines.push_back(std::move(line));
    }
  }
  if (report.lines.empty()) {
    if (!d.has_errors())
      d.error({}, options.which_case.empty()
                      ? "nothing to check: no file carries expect:"
                      : fmt::format("nothing to check: no file has a case '{}' with expect:",
                                    options.which_case))
          .help("add expect: lines, or evaluate with `reckon eval`");
    if (!options.junit.empty()) write_file(options.junit, check_junit(report), d);
    session.report_faults();
    return kUsage;
  }
  switch (shared.format) {
    case Format::kText:
      session.print(check_text(report, session.style()));
      break;
    case Format::kJson:
      session.print(check_json(report));
      break;
    case Format::kCsv:
      session.print(check_csv(report));
      break;
    case Format::kMarkdown:
      session.print(check_markdown(report));
      break;
  }
  if (!options.junit.empty()) write_file(options.junit, check_junit(report), d);
  if (session.report_faults()) return kUsage;
  return report.misses() == 0 ? kOk : kNo;
}

}  // namespace reckon::cli
