// reckon validate [runs|memory|kernels|collectives|serving|errors]: predicted against measured, held to error budgets.
#include "reckon/report/validate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "commands.hpp"
#include "reckon/base/atomic_file.hpp"
#include "reckon/base/text.hpp"
#include "reckon/engine/accuracy.hpp"
#include "reckon/report/validate_runs.hpp"
#include "reckon/report/validate_serving.hpp"

namespace reckon::cli {
namespace {

constexpr const char* kWhat[] = {"runs", "memory", "kernels", "collectives", "serving", "errors"};
enum What { kRuns, kMemory, kKernels, kCollectives, kServing, kErrors };

// A word of an enumeration as an option's value.
template <NamedEnum E>
bool word_of(const std::string& said, const char* option, E& out, Diagnostics& d) {
  if (said.empty()) return true;
  const auto words = names(E{});
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (said != words[i]) continue;
    out = static_cast<E>(i);
    return true;
  }
  d.error({}, fmt::format("{}: no '{}'", option, said))
      .help(fmt::format("one of {}", listed({words.begin(), words.end()}, "or")));
  return false;
}

// What can be left out of a word.
const char* leaves_out(What what) {
  constexpr const char* kWords[] = {"source or model", "nothing",       "shape, m, length or chip",
                                    "size or group",   "model or chip", "nothing"};
  return kWords[what];
}

bool is_idle(What what, LeaveOut l) {
  if (l == LeaveOut::kNothing) return false;
  if (what == kRuns) return l != LeaveOut::kSource && l != LeaveOut::kModel;
  if (what == kServing) return l != LeaveOut::kModel && l != LeaveOut::kChip;
  if (l == LeaveOut::kModel) return true;
  if (what == kMemory || what == kErrors || l == LeaveOut::kSource) return true;
  if (what == kCollectives)
    return l == LeaveOut::kShape || l == LeaveOut::kM || l == LeaveOut::kLength ||
           l == LeaveOut::kChip;
  return l == LeaveOut::kSize || l == LeaveOut::kGroup;
}

// Several reports as one document: a JSON array; CSVs, a heading and an empty line before it where columns change; an
// empty line between texts.
std::string joined(const std::vector<std::string>& texts, Format format) {
  if (format == Format::kJson)
    return texts.size() == 1 ? texts[0] : "[" + join(texts, ",\n") + "]\n";
  if (format == Format::kCsv) {
    std::string out, heading;
    for (const std::string& text : texts) {
      const std::string own = text.substr(0, text.find('\n') + 1);
      if (own == heading)
        out += text.substr(own.size());
      else
        out += (out.empty() ? "" : "\n") + text;
      heading = own;
    }
    return out;
  }
  return join(texts, "\n");
}

// What one word adds to the output.
struct Said {
  std::vector<std::string> texts;
  std::size_t missed = 0;
};

void say_kernels(Session& session, const Shared& shared, const ValidateOptions& options,
                 const ValidateRequest& request, Said& said) {
  const ValidateReport report = validate_kernels(session.work(), request, session.diagnostics());
  if (session.diagnostics().has_errors() || report.sets.empty()) return;
  said.missed += report.missed();
  said.texts.push_back(in_format(
      shared.format, [&] { return validate_text(report, session.style(options.verbose)); },
      [&] { return validate_json(report); }, [&] { return validate_csv(report); },
      [&] { return validate_markdown(report); }));
}

void say_runs(Session& session, const Shared& shared, const ValidateOptions& options,
              const RunsRequest& request, Said& said) {
  const RunsReport report = validate_runs(session.work(), request, session.diagnostics());
  if (session.diagnostics().has_errors() || (report.rows.empty() && report.verdicts.empty()))
    return;
  said.missed += report.missed();
  said.texts.push_back(in_format(
      shared.format, [&] { return validate_runs_text(report, session.style(options.verbose)); },
      [&] { return validate_runs_json(report); }, [&] { return validate_runs_csv(report); },
      [&] { return validate_runs_markdown(report); }));
}

// Rows of serving engines, with budgets of their own.
void say_serving(Session& session, const Shared& shared, const ValidateOptions& options,
                 LeaveOut leave, Said& said) {
  const ServingReport report =
      validate_serving(session.work(), {leave, options.source, options.fit}, session.diagnostics());
  if (session.diagnostics().has_errors() || report.rows.empty()) return;
  said.missed += report.missed();
  said.texts.push_back(in_format(
      shared.format, [&] { return validate_serving_text(report, session.style(options.verbose)); },
      [&] { return validate_serving_json(report); }, [&] { return validate_serving_csv(report); },
      [&] { return validate_serving_markdown(report); }));
}

// Whether measurements/errors.csv is what the runs say today.
int say_errors(Session& session) {
  const auto stale = stale_errors(session.work(), session.diagnostics());
  if (session.report_faults()) return kUsage;
  std::string out;
  for (const std::string& line : stale) out += line + '\n';
  out += stale.empty() ? "measurements/errors.csv is what the measured runs say\n"
                       : "`reckon validate --update` writes it anew\n";
  session.print(out);
  return stale.empty() ? kOk : kNo;
}

int update_errors(Session& session) {
  Diagnostics& d = session.diagnostics();
  const std::string text = errors_csv(session.work(), d);
  const auto file = errors_file(session.work());
  if (!d.has_errors() && file.empty()) d.error({}, "no data folder holds plans/measured");
  if (!d.has_errors())
    if (const std::string why = write_atomically(file, text); !why.empty()) d.error({}, why);
  if (session.report_faults()) return kUsage;
  session.note(fmt::format("{} is written", file.string()));
  return kOk;
}

bool is_wanted(What what, const ValidateOptions& options) {
  return options.what.empty() ? what != kErrors : options.what == kWhat[what];
}

// A word that was asked for by name and has nothing of the kind: a fault; else it is passed over.
bool passes(What what, const ValidateOptions& options, const ValidateRequest& request,
            Diagnostics& d) {
  if (is_idle(what, request.leave_out)) {
    if (!options.what.empty())
      d.error({}, fmt::format("validate {}: no {} to leave out", kWhat[what], options.leave_out))
          .help(what == kMemory || what == kErrors
                    ? "no constant of it is fitted on these rows"
                    : fmt::format("--leave-out {}", leaves_out(what)));
    return false;
  }
  if (request.form_stated && what != kCollectives) {
    if (!options.what.empty())
      d.error({}, "--form is of a collective's curve").help("reckon validate collectives");
    return false;
  }
  return true;
}

// Options that would say nothing about what was asked.
void refuse_idle(const Shared& shared, const ValidateOptions& o, Diagnostics& d) {
  if (o.fit && !o.what.empty() && o.what != kWhat[kServing])
    d.error({}, fmt::format("validate {}: --fit is of serving's engines", o.what))
        .help(o.what == kWhat[kRuns] ? "`reckon calibrate runs STACK` fits a training stack"
                                     : "`reckon calibrate kernels` fits kernels");
  if (!o.stack.empty() && o.what != kWhat[kRuns])
    d.error({}, "--stack is of training runs")
        .help(fmt::format("reckon validate runs --stack {}", o.stack));
  else if (!o.stack.empty() && !o.leave_out.empty())
    d.error({}, "--stack and --leave-out: a stack that is named is not fitted anew")
        .help("leave one of them out");
  if (!o.rows.empty() && o.what != kWhat[kRuns] && o.what != kWhat[kMemory])
    d.error({}, "--rows is of training runs")
        .help(fmt::format("reckon validate runs --rows {}", o.rows));
  else if (!o.rows.empty() && !o.leave_out.empty())
    d.error({}, "--rows and --leave-out: what is left out is fitted on plans/measured alone")
        .help(fmt::format("reckon calibrate runs STACK --rows {} says how far a fit on them goes",
                          o.rows));
  if (o.update && !o.what.empty() && o.what != kWhat[kErrors])
    d.error({}, fmt::format("validate {}: --update writes measurements/errors.csv alone", o.what))
        .help("reckon validate --update");
  if (o.what != kWhat[kErrors] && !o.update) return;
  const std::pair<const char*, bool> idle[] = {{"--source", !o.source.empty()},
                                               {"--leave-out", !o.leave_out.empty()},
                                               {"--form", !o.form.empty()},
                                               {"--format", shared.format != Format::kText}};
  for (const auto& [option, said] : idle)
    if (said)
      d.error({}, fmt::format("{}: errors.csv is of all runs, each without its source", option))
          .help("leave it out");
}

}  // namespace

std::vector<std::string> words_of_validate() { return {std::begin(kWhat), std::end(kWhat)}; }

int validate(Session& session, const Shared& shared, const ValidateOptions& options) {
  Diagnostics& d = session.diagnostics();
  ValidateRequest request;
  request.source = options.source;
  request.form_stated = !options.form.empty();
  if (!options.what.empty() &&
      std::find(std::begin(kWhat), std::end(kWhat), options.what) == std::end(kWhat))
    d.error({}, fmt::format("validate: nothing is called '{}'", options.what))
        .help(listed(words_of_validate(), "or"));
  word_of(options.leave_out, "--leave-out", request.leave_out, d);
  word_of(options.form, "--form", request.form, d);
  refuse_idle(shared, options, d);
  if (session.report_faults()) return kUsage;
  if (options.update) return update_errors(session);
  if (options.what == kWhat[kErrors]) return say_errors(session);
  Said said;
  for (const What what : {kRuns, kMemory, kKernels, kCollectives, kServing}) {
    if (!is_wanted(what, options) || d.has_errors() || !passes(what, options, request, d)) continue;
    request.collectives = what == kCollectives;
    if (what == kRuns || what == kMemory)
      say_runs(session, shared, options,
               {what == kRuns ? BudgetOf::kRuns : BudgetOf::kMemory,
                request.leave_out == LeaveOut::kSource, request.leave_out == LeaveOut::kModel,
                options.source, options.stack, options.rows},
               said);
    else if (what == kServing)
      say_serving(session, shared, options, request.leave_out, said);
    else
      say_kernels(session, shared, options, request, said);
  }
  if (session.report_faults()) return kUsage;
  if (said.texts.empty()) {
    d.error({}, options.source.empty() ? "validate: no measurements found"
                                       : fmt::format("--source {}: no set matches", options.source))
        .help("`reckon validate --format csv` lists the sets with their sources");
    session.report_faults();
    return kUsage;
  }
  session.print(joined(said.texts, shared.format));
  return said.missed == 0 ? kOk : kNo;
}

}  // namespace reckon::cli
