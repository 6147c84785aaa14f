// reckon eval PLAN…: a plan's full estimate.
#include <fmt/format.h>

#include <algorithm>

#include "commands.hpp"
#include "explain.hpp"
#include "plans.hpp"
#include "reckon/report/csv.hpp"
#include "reckon/report/html.hpp"
#include "reckon/report/json.hpp"
#include "reckon/report/markdown.hpp"
#include "reckon/report/question.hpp"
#include "reckon/report/text.hpp"

namespace reckon::cli {
namespace {

std::string as_text(const std::vector<Result>& results, const TextStyle& style) {
  std::string out;
  for (const Result& r : results)
    out += (out.empty() ? "" : "\n") +
           (r.is_question() ? question_text(r, style) : eval_text(r, style));
  return out;
}

std::string as_markdown(const std::vector<Result>& results) {
  std::string out;
  for (const Result& r : results)
    out +=
        (out.empty() ? "" : "\n") + (r.is_question() ? question_markdown(r) : eval_markdown({r}));
  return out;
}

std::string rendered(const std::vector<Result>& results, Format format, const TextStyle& style) {
  switch (format) {
    case Format::kText:
      return as_text(results, style);
    case Format::kJson:
      return eval_json(results);
    case Format::kCsv:
      return eval_csv(results);
    case Format::kMarkdown:
      return as_markdown(results);
  }
  return {};
}

// Faults of the options themselves, before anything is read.
void check_options(Session& session, const Shared& shared, const EvalOptions& options) {
  Diagnostics& d = session.diagnostics();
  for (const std::string& file : options.exports) {
    Format unused;
    if (!format_of_file(file, unused))
      d.error({}, fmt::format("--export {}: no format has this ending", file))
          .help("endings: .txt, .json, .csv, .md, .html");
  }
  for (std::size_t i = 0; i < options.exports.size(); ++i) {
    const std::string& file = options.exports[i];
    if (std::find(options.exports.begin(), options.exports.begin() + static_cast<long>(i), file) !=
        options.exports.begin() + static_cast<long>(i))
      d.error({}, fmt::format("--export {} is given twice", file));
  }
  check_explain(shared, !options.explain.empty(), options.depth,
                "add --explain step.time, or another metric", d);
  const bool from_flags = !options.model.empty() || !options.gpus.empty();
  if (options.plans.empty() && !from_flags)
    d.error({}, "no plan to evaluate")
        .help("reckon eval plan.yaml, or reckon eval --model llama-3-8b --gpus 8xh100-sxm");
  if (!options.plans.empty() && from_flags)
    d.error({}, "--model and --gpus make a plan of their own, and a plan is named too")
        .help("leave one out; --set model=NAME changes a plan's model");
  if (!options.explain.empty() && !options.exports.empty())
    d.error({}, "--export writes the estimate, --explain prints derivations instead")
        .help("leave one out");
}

int estimates(Session& session, const Shared& shared, const EvalOptions& options,
              const Plans& plans) {
  std::vector<Result> results;
  for (const auto& plan : plans) {
    results.push_back(plan->result(session.work()));
    write_equations(results.back(), *plan);
  }
  std::vector<Result> on_screen = results;
  if (shared.format == Format::kText) {                 // stderr shows them, with their places
    for (std::size_t i = 0; i < on_screen.size(); ++i)  // only those of loading
      on_screen[i].warnings.erase(
          on_screen[i].warnings.begin(),
          on_screen[i].warnings.begin() + static_cast<std::ptrdiff_t>(plans[i]->warnings.size()));
  }
  session.print(rendered(on_screen, shared.format, session.style(options.verbose)));
  for (const std::string& file : options.exports) {
    Format format{};
    format_of_file(file, format);
    const std::string text = rendered(results, format, {false, 100, true});
    write_file(file, file.ends_with(".html") ? page_of_markdown(text) : text,
               session.diagnostics());
  }
  if (session.report_faults()) return kUsage;
  return std::all_of(results.begin(), results.end(), [](const Result& r) { return r.fits(); })
             ? kOk
             : kNo;
}

int explanations(Session& session, const Shared& shared, const EvalOptions& options,
                 const Plans& plans) {
  bool fits = true;
  std::string out;
  const ExplainStyle style{options.depth.value_or(kDepth), session.width(),
                           shared.format == Format::kMarkdown};
  for (const auto& plan : plans) {
    const std::string derived = explain(*plan, options.explain, style, session.diagnostics());
    fits = fits && plan->judged(session.work()).no.empty();
    if (plans.size() > 1)
      out += fmt::format("{}== {}{}{} ==\n", out.empty() ? "" : "\n", plan->file,
                         plan->case_name.empty() ? "" : ", case ", plan->case_name);
    out += derived;
  }
  session.print(out);
  if (session.report_faults()) return kUsage;
  return fits ? kOk : kNo;
}

}  // namespace

int eval(Session& session, const Shared& shared, const EvalOptions& options) {
  check_options(session, shared, options);
  if (session.report_faults()) return kUsage;
  const PlanRequest request{options.plans, options.sets, options.which_case};
  Plans plans = load_plans(session, request);
  if (!options.model.empty() || !options.gpus.empty()) {
    const std::string text = new_training_text(session, options.model, options.gpus, options.sets);
    if (!text.empty())
      load_plan(session, "<new>", session.work().read_text("<new>", text, session.diagnostics()),
                request, plans);
  }
  if (session.report_faults()) return kUsage;
  return options.explain.empty() ? estimates(session, shared, options, plans)
                                 : explanations(session, shared, options, plans);
}

}  // namespace reckon::cli
