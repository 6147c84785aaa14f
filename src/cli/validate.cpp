// reckon validate [kernels|collectives]: predicted against measured, held to error budgets.
#include "reckon/report/validate.hpp"

#include <fmt/format.h>

#include "commands.hpp"
#include "reckon/base/edit_distance.hpp"
#include "reckon/base/text.hpp"
#include "reckon/report/validate_serving.hpp"

namespace reckon::cli {
namespace {

constexpr const char* kWhat[] = {"kernels", "collectives"};

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

bool is_idle(const ValidateRequest& r) {
  const LeaveOut l = r.leave_out;
  if (r.collectives)
    return l == LeaveOut::kShape || l == LeaveOut::kM || l == LeaveOut::kLength ||
           l == LeaveOut::kChip;
  return l == LeaveOut::kSize || l == LeaveOut::kGroup;
}

std::string text_of(Session& session, const Shared& shared, const ValidateOptions& options,
                    const ValidateReport& report) {
  switch (shared.format) {
    case Format::kJson:
      return validate_json(report);
    case Format::kCsv:
      return validate_csv(report);
    case Format::kMarkdown:
      return validate_markdown(report);
    case Format::kText:
      break;
  }
  return validate_text(report, {session.colour(), session.width(), options.verbose});
}

// Several reports as one document: a JSON array, one heading of a CSV, an empty line between texts.
std::string joined(std::vector<std::string> texts, Format format) {
  if (format == Format::kJson)
    return texts.size() == 1 ? texts[0] : "[" + join(texts, ",\n") + "]\n";
  if (format == Format::kCsv) {
    for (std::size_t i = 1; i < texts.size(); ++i) texts[i].erase(0, texts[i].find('\n') + 1);
    return join(texts, "");
  }
  return join(texts, "\n");
}

// Rows of serving engines, with budgets of their own.
int validate_serving_rows(Session& session, const Shared& shared, const ValidateOptions& options,
                          LeaveOut leave) {
  Diagnostics& d = session.diagnostics();
  if (leave != LeaveOut::kNothing && leave != LeaveOut::kModel && leave != LeaveOut::kChip)
    d.error({}, fmt::format("validate serving: no {} to leave out", options.leave_out))
        .help("--leave-out model or chip");
  if (session.report_faults()) return kUsage;
  const ServingReport report =
      validate_serving(session.work(), {leave, options.source, options.fit}, d);
  if (!d.has_errors() && report.rows.empty())
    d.error({}, "validate serving: no measured rows found")
        .help("plans/measured/serving holds them");
  if (session.report_faults()) return kUsage;
  switch (shared.format) {
    case Format::kJson:
      session.print(validate_serving_json(report));
      break;
    case Format::kCsv:
      session.print(validate_serving_csv(report));
      break;
    case Format::kMarkdown:
      session.print(validate_serving_markdown(report));
      break;
    case Format::kText:
      session.print(
          validate_serving_text(report, {session.colour(), session.width(), options.verbose}));
  }
  return report.missed() == 0 ? kOk : kNo;
}

}  // namespace

int validate(Session& session, const Shared& shared, const ValidateOptions& options) {
  Diagnostics& d = session.diagnostics();
  ValidateRequest request;
  request.source = options.source;
  request.form_stated = !options.form.empty();
  const bool serving = options.what == "serving";
  const bool known =
      options.what.empty() || options.what == kWhat[0] || options.what == kWhat[1] || serving;
  if (!known) {
    d.error({}, fmt::format("validate: nothing is called '{}'", options.what))
        .help("kernels, collectives or serving");
  }
  word_of(options.leave_out, "--leave-out", request.leave_out, d);
  word_of(options.form, "--form", request.form, d);
  if (session.report_faults()) return kUsage;
  if (serving) return validate_serving_rows(session, shared, options, request.leave_out);
  std::size_t missed = 0;
  std::vector<std::string> texts;
  for (const char* what : kWhat) {
    if (!options.what.empty() && options.what != what) continue;
    request.collectives = what == kWhat[1];
    if (is_idle(request)) {
      if (options.what.empty()) continue;
      d.error({}, fmt::format("validate {}: no {} to leave out", what, options.leave_out))
          .help(request.collectives ? "--leave-out size or group"
                                    : "--leave-out shape, m, length or chip");
      break;
    }
    if (!request.collectives && request.form_stated) {
      if (options.what.empty()) continue;
      d.error({}, "--form is of a collective's curve").help("reckon validate collectives");
      break;
    }
    const ValidateReport report = validate_kernels(session.work(), request, d);
    if (d.has_errors()) break;
    if (report.sets.empty()) continue;
    missed += report.missed();
    texts.push_back(text_of(session, shared, options, report));
  }
  if (session.report_faults()) return kUsage;
  if (texts.empty()) {
    d.error({}, options.source.empty() ? "validate: no measurements found"
                                       : fmt::format("--source {}: no set matches", options.source))
        .help("`reckon validate --format csv` lists the sets with their sources");
    session.report_faults();
    return kUsage;
  }
  session.print(joined(std::move(texts), shared.format));
  return missed == 0 ? kOk : kNo;
}

}  // namespace reckon::cli
