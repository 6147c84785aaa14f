// reckon params MODEL: parameters by part, FLOPs of a token, what a decode step reads, KV cache; and
// with --stored what its files hold. The exit status says whether a published total is met by the
// parameters or by what is stored (0), by other terms (4, of one given with --published), or by none
// (1), also of the one that the model's own file states.
#include "commands.hpp"
#include "reckon/engine/model.hpp"
#include "reckon/report/model.hpp"

namespace reckon::cli {

int params(Session& session, const Shared& shared, const ParamsOptions& options) {
  const ModelReport report =
      report_model(session.work(),
                   {options.model, options.sequence, options.batch, options.format, options.state,
                    options.windows, options.stored, options.published, options.assume},
                   session.diagnostics());
  if (session.report_faults()) return kUsage;
  switch (shared.format) {
    case Format::kText:
      session.print(model_text(report, session.style()));
      break;
    case Format::kJson:
      session.print(model_json(report));
      break;
    case Format::kCsv:
      session.print(model_csv(report));
      break;
    case Format::kMarkdown:
      session.print(model_markdown(report));
      break;
  }
  if (!report.total) return kOk;
  switch (report.total->verdict) {
    case PublishedVerdict::kMatch:
      return kOk;
    case PublishedVerdict::kExplained:
      return options.published.empty() ? kOk : kExplained;
    case PublishedVerdict::kUnexplained:
      break;
  }
  return kNo;
}

}  // namespace reckon::cli
