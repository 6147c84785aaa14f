// reckon collective|pipeline|…: one back-of-the-envelope question from flags.
#include "reckon/report/question.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "commands.hpp"
#include "explain.hpp"
#include "plans.hpp"
#include "reckon/base/text.hpp"
#include "reckon/engine/field_at.hpp"
#include "reckon/engine/kinds.hpp"
#include "reckon/engine/metric_named.hpp"
#include "reckon/report/csv.hpp"
#include "reckon/report/json.hpp"
#include "said_value.hpp"

namespace reckon::cli {
namespace {

constexpr std::size_t kMostRows = 1000;

// A flag's words; several where a comma parts them.
struct Flag {
  std::string name;
  std::vector<doc::Value> values;
  std::vector<std::string> words;
};

std::vector<Flag> read_flags(Session& session, const QuestionOptions& options) {
  std::vector<Flag> out;
  for (const auto& [key, word] : options.values) {
    Flag flag{key, {}, split_values(word)};
    for (const std::string& one : flag.words) flag.values.push_back(said_value(session, key, one));
    if (!word.empty()) out.push_back(std::move(flag));
  }
  for (const auto& [key, words] : options.lists) {  // one value, a list
    doc::Value list = doc::sequence();
    for (const std::string& word : words) list.items.push_back(said_value(session, key, word));
    if (!list.items.empty()) list.span = list.items.front().span;
    out.push_back({key, {std::move(list)}, {join(words, " ")}});
  }
  return out;
}

// `--assume textbook --assume ring_factor=drop`: a preset's name, or a key.
void add_assumptions(const std::vector<std::string>& words, Sets& sets, Diagnostics& d) {
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == 0 || equals + 1 == word.size()) {
      d.error({}, fmt::format("--assume {}: expected a preset or KEY=VALUE", word))
          .help("--assume physical, or --assume ring_factor=drop");
    } else if (equals == word.npos) {
      sets.emplace_back("assume.preset", word);
    } else {
      sets.emplace_back("assume." + word.substr(0, equals), word.substr(equals + 1));
    }
  }
}

// Every combination of the flags' values.
std::size_t combinations(const std::vector<Flag>& flags) {
  std::size_t n = 1;
  for (const Flag& f : flags) n = std::min(n * f.values.size(), kMostRows + 1);
  return n;
}

struct Asking {
  doc::Value tree;
  std::vector<std::string> varied;
};

Asking combination(const Question& question, const std::vector<Flag>& flags, std::size_t index) {
  Asking out{doc::mapping(), {}};
  doc::set(out.tree, "kind", doc::scalar(std::string(question.word())));
  std::size_t below = 1;  // the last flag varies fastest
  for (const Flag& f : flags) below *= f.values.size();
  for (const Flag& f : flags) {
    below /= f.values.size();
    const std::size_t at = index / below % f.values.size();
    doc::set(out.tree, f.name, f.values[at]);
    if (f.values.size() > 1) out.varied.push_back(f.words[at]);
  }
  return out;
}

bool needs_recording(const Shared& shared) { return shared.format != Format::kCsv; }

Result result_of(Session& session, const Loaded& plan, bool with_formulas) {
  Result r = plan.result(session.work());
  if (with_formulas) write_equations(r, plan);
  return r;
}

std::string one_answer(Session& session, const Shared& shared, const QuestionOptions& options,
                       const Result& r) {
  switch (shared.format) {
    case Format::kJson:
      return eval_json({r});
    case Format::kCsv:
      return eval_csv({r});
    case Format::kMarkdown:
      return question_markdown(r);
    case Format::kText:
      break;
  }
  return question_text(r, session.style(options.verbose));
}

// With `only_named` the metrics of the table alone, in every format.
std::string table(Session& session, const Shared& shared, const QuestionTable& t, bool only_named) {
  std::vector<Result> results;
  for (const QuestionRow& row : t.rows) {
    results.push_back(row.result);
    if (only_named)
      std::erase_if(results.back().metrics, [&](const Metric& m) {
        return std::find(t.metrics.begin(), t.metrics.end(), m.id) == t.metrics.end();
      });
  }
  switch (shared.format) {
    case Format::kJson:
      return eval_json(results);
    case Format::kCsv:
      return eval_csv(results);
    case Format::kMarkdown:
      return question_table_markdown(t);
    case Format::kText:
      break;
  }
  return question_table_text(t, session.style());
}

// Those that are named; else the question's own, where any row has a value.
std::vector<std::string> columns(const Question& question, const QuestionOptions& options,
                                 const std::vector<QuestionRow>& rows) {
  if (!options.metrics.empty()) return options.metrics;
  std::vector<std::string> out;
  for (const std::string_view id : question.info().columns)
    if (std::any_of(rows.begin(), rows.end(), [&](const QuestionRow& row) {
          const Metric* m = row.result.find(id);
          return m && m->has_value();
        }))
      out.emplace_back(id);
  return out;
}

// What a metric asked for by name must be.
void check_metrics(const Result& r, const std::vector<std::string>& ids, Diagnostics& d) {
  for (const std::string& id : ids)
    if (id.find('*') == id.npos && id != "all") metric_named(r.metrics, id, {}, d, "--metric: ");
}

// The first of these metrics that a formula gives; "" if none is.
std::string first_derived(Loaded& plan, const std::vector<std::string>& metrics) {
  for (const std::string& id : metrics) {
    Diagnostics none;
    const std::string text = explain(plan, {id}, ExplainStyle{1, 100, false}, none);
    if (!none.has_errors() && text.find(" = ") != std::string::npos) return id;
  }
  return "";
}

int derivations(Session& session, const Shared& shared, const QuestionOptions& options,
                const std::vector<std::unique_ptr<Loaded>>& plans) {
  std::string out;
  bool fits = true;
  const ExplainStyle style{options.depth.value_or(kDepth), session.width(),
                           shared.format == Format::kMarkdown};
  for (const auto& plan : plans) {
    const Result r = plan->result(session.work());
    fits = fits && r.fits();
    if (!out.empty()) out += '\n';
    if (plans.size() > 1) out += fmt::format("== {} ==\n", r.case_name);
    out += explain(*plan, options.metrics.empty() ? r.answer.formulas : options.metrics, style,
                   session.diagnostics());
    for (const std::string& note : r.answer.notes) out += '\n' + wrap(note, session.width()) + '\n';
  }
  session.print(out);
  if (session.report_faults()) return kUsage;
  // As the answer itself: one that is a no.
  return plans.size() == 1 && !fits ? kNo : kOk;
}

void check_options(const Question& question, const Shared& shared, const QuestionOptions& options,
                   Diagnostics& d) {
  check_explain(shared, options.explain, options.depth, "add --explain", d);
  if (options.as_plan && shared.format != Format::kText)
    d.error({}, "--as-plan prints a plan file").help("leave --format out");
  if (options.values.empty() && options.lists.empty() && options.assume.empty() &&
      options.sets.empty())
    d.error({}, fmt::format("reckon {}: nothing is asked", question.word()))
        .help(std::string(question.info().examples.front()));
}

// --ranks 8 --set ranks=4: one of them would count for nothing.
void check_sets(const std::vector<Flag>& flags, const Sets& sets, Diagnostics& d) {
  for (const auto& [path, value] : sets) {
    for (const Flag& f : flags)
      if (is_within(f.name, path))
        d.error({},
                fmt::format("--{} and --set {}={}: {} is said twice", f.name, path, value, f.name))
            .help("leave one of them out");
  }
}

// The question with all that was said of it, as a file.
int print_plan(Session& session, const Question& kind, doc::Value tree, const Sets& sets) {
  Diagnostics& d = session.diagnostics();
  const PlanFile file = open_plan(session.work(), "", std::move(tree), sets, d);
  const doc::Value whole = case_tree(file, nullptr, d);
  if (session.report_faults()) return kUsage;
  session.print(fmt::format("kind: {}\n", kind.word()) + doc::write_yaml(whole));
  return kOk;
}

}  // namespace

int question(Session& session, const Shared& shared, const QuestionOptions& options) {
  const auto& kind = dynamic_cast<const Question&>(*plan_kind(options.word));
  Diagnostics& d = session.diagnostics();
  check_options(kind, shared, options, d);
  if (session.report_faults()) return kUsage;
  const std::vector<Flag> flags = read_flags(session, options);
  Sets sets;
  add_assumptions(options.assume, sets, d);
  split_sets(options.sets, sets, d);
  check_sets(flags, sets, d);
  if (session.report_faults()) return kUsage;
  const std::size_t rows = combinations(flags);
  if (rows > kMostRows) {
    d.error({}, fmt::format("more than {} combinations of values", kMostRows))
        .help("give fewer values");
    session.report_faults();
    return kUsage;
  }
  if (options.as_plan && rows > 1) {
    d.error({}, "--as-plan: a plan file asks one question, and several values are given")
        .help("give one value each; cases: in the file can vary them");
    session.report_faults();
    return kUsage;
  }
  QuestionTable t{{}, {}, {}};
  for (const Flag& f : flags)
    if (f.values.size() > 1) t.varied.push_back(f.name);
  std::vector<std::unique_ptr<Loaded>> plans;
  for (std::size_t i = 0; i < rows; ++i) {
    Asking asking = combination(kind, flags, i);
    if (options.as_plan) return print_plan(session, kind, std::move(asking.tree), sets);
    const PlanFile file = open_plan(session.work(), "", std::move(asking.tree), sets, d);
    if (session.report_faults()) return kUsage;
    auto plan = load_plan(session.work(), file, nullptr, d);
    if (session.report_faults() || !plan) return kUsage;
    std::vector<std::string> named;
    for (std::size_t k = 0; k < t.varied.size(); ++k)
      named.push_back(fmt::format("{} {}", t.varied[k], asking.varied[k]));
    plan->case_name = join(named, ", ");
    if (!options.explain) {
      t.rows.push_back({asking.varied, result_of(session, *plan, needs_recording(shared))});
      check_metrics(t.rows.back().result, options.metrics, d);
    }
    plans.push_back(std::move(plan));
  }
  if (options.explain && options.metrics.empty() &&
      plans.front()->result(session.work()).answer.formulas.empty()) {
    const auto& own = kind.info().columns;
    if (const std::string one = first_derived(*plans.front(), {own.begin(), own.end()});
        !one.empty())
      d.error({}, "--explain: which of the answer's metrics?")
          .help(fmt::format("--metric {}; --verbose prints every metric", one));
    else
      d.error({}, fmt::format("--explain: nothing in a {} has a formula to derive", kind.word()))
          .help("--verbose prints every metric");
    session.report_faults();
    return kUsage;
  }
  t.metrics = columns(kind, options, t.rows);
  if (options.explain) return derivations(session, shared, options, plans);
  if (session.report_faults()) return kUsage;
  session.print(t.rows.size() == 1 && options.metrics.empty()
                    ? one_answer(session, shared, options, t.rows.front().result)
                    : table(session, shared, t, !options.metrics.empty()));
  // As `eval`: one answer that does not fit is a no.
  return t.rows.size() == 1 && !t.rows.front().result.fits() ? kNo : kOk;
}

}  // namespace reckon::cli
