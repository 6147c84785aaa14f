// reckon import CONFIG: a Hugging Face config.json as a model, and what says each of its figures.
#include "reckon/engine/import.hpp"

#include <fmt/format.h>

#include "commands.hpp"
#include "reckon/engine/legal.hpp"
#include "reckon/engine/resolve.hpp"
#include "reckon/report/import.hpp"
#include "reckon/spec/compiled_once.hpp"

namespace reckon::cli {
namespace {

// The imported model goes the way of any other, so that what can't exist is refused before it is written.
void check(Session& session, const Imported& in) {
  Diagnostics& d = session.diagnostics();
  const std::size_t before = d.error_count();
  const doc::Value tree = resolve_model(session.work(), in.model, d);
  Model<double> model;
  Origins origins;
  if (d.error_count() == before) bind(tree, model, {d, origins, "model"});
  if (d.error_count() > before) return;
  doc::Value plan = doc::mapping();
  doc::set(plan, "model", tree);
  check_model(model, "model", origins, plan, d);
}

std::string rendered(const Imported& in, Format format, const ImportOptions& options,
                     std::size_t width) {
  if (format == Format::kJson) return import_json(in);
  if (format == Format::kCsv) return import_csv(in);
  if (format == Format::kMarkdown) return import_markdown(in);
  return options.explain ? import_text(in, width) : model_file_text(in);
}

}  // namespace

int import_config(Session& session, const Shared& shared, const ImportOptions& options) {
  Diagnostics& d = session.diagnostics();
  const Imported in = import_model(session.work(), options.config, {}, options.request, d);
  if (in.model.is_mapping()) check(session, in);
  keeps_inputs(options.output, {options.config}, d);
  if (d.has_errors()) {
    session.report_faults();
    return kUsage;
  }
  if (!options.output.empty()) {
    if (is_yaml_file(options.output, d)) write_file(options.output, model_file_text(in), d);
    if (options.explain) session.print(rendered(in, shared.format, options, session.width()));
  } else {
    session.print(rendered(in, shared.format, options, session.width()));
  }
  if (!in.unexplained.empty())
    d.warning({}, in.unexplained)
        .help("is it this model's count? `reckon params FILE --stored` lists what it may contain");
  if (session.report_faults()) return kUsage;
  return in.unexplained.empty() ? kOk : kNo;
}

}  // namespace reckon::cli
