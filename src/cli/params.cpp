// reckon params MODEL: parameters by part, FLOPs of a token, what a decode step reads, KV cache; and
// with --stored what its files hold. The exit status says whether a published total is met by the
// parameters or by what is stored (0), by other terms (4, of one given with --published), or by none
// (1), also of the one that the model's own file states.
#include "commands.hpp"
#include "explain.hpp"
#include "reckon/engine/model.hpp"
#include "reckon/report/model.hpp"

namespace reckon::cli {

namespace {

void check_options(const Shared& shared, const ParamsOptions& o, Diagnostics& d) {
  if (!o.explain && !o.metrics.empty())
    d.error({}, "--metric is of a derivation, and --explain is not given")
        .help("add --explain; --format csv prints every metric");
  check_explain(shared, o.explain, o.depth, "add --explain", d);
}

// What `params` is asked for most: the total, and the cache of a sequence.
int derivations(Session& session, const Shared& shared, const ParamsOptions& o,
                const ModelRequest& request) {
  Diagnostics& d = session.diagnostics();
  const auto loaded = load_model(session.work(), request, d);
  if (session.report_faults() || !loaded) return kUsage;
  const std::vector<std::string> ids =
      o.metrics.empty() ? std::vector<std::string>{"parameters.total", "kv.batch"} : o.metrics;
  const std::string text =
      explain(*loaded, ids,
              {o.depth.value_or(kDepth), session.width(), shared.format == Format::kMarkdown}, d);
  if (session.report_faults()) return kUsage;
  session.print(text);
  return kOk;
}

}  // namespace

int params(Session& session, const Shared& shared, const ParamsOptions& options) {
  const ModelRequest request{options.model,  options.sequence,  options.batch,
                             options.format, options.state,     options.windows,
                             options.stored, options.published, options.assume};
  check_options(shared, options, session.diagnostics());
  if (session.report_faults()) return kUsage;
  if (options.explain) return derivations(session, shared, options, request);
  const ModelReport report = report_model(session.work(), request, session.diagnostics());
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
