#include "reckon/engine/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "check_law.hpp"
#include "reckon/engine/kinds.hpp"
#include "reckon/engine/metric_named.hpp"
#include "reckon/engine/space.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

double deviation(double value, double expected) {
  if (value == expected) return 0;
  if (expected == 0) return std::numeric_limits<double>::infinity();
  return (value - expected) / std::abs(expected);
}

bool close(double dev, double tolerance) {
  // The last bit of a decimal tolerance must not decide: 48.125 printed as 48 within 0.26 %.
  return std::abs(dev) <= tolerance * (1 + 1e-9);
}

bool whole_count(const Metric& m, double expected) {
  return m.hint == Hint::kCount && expected == std::floor(expected);
}

// Half a unit of the last digit of a figure's text: of 74.62 GB it is 0.005 GB. The rest of the text stays as it is,
// so that its unit is read as it was.
double half_of_last_digit(const Metric& m, const std::string& text) {
  const std::size_t from = text.find_first_of("0123456789");
  if (from == text.npos) return 0;
  const std::size_t end = std::min(text.find_first_not_of("0123456789.,_", from), text.size());
  const std::size_t last = text.find_last_of("0123456789", end - 1);
  std::string unit;
  for (std::size_t i = from; i < text.size(); ++i) {
    if (i >= end || text[i] == '.')
      unit += text[i];
    else if (text[i] >= '0' && text[i] <= '9')
      unit += i == last ? '1' : '0';
  }
  Diagnostics scratch;
  double out = 0;
  return read_metric_value(m, unit, {}, scratch, out) ? out / 2 : 0;
}

void judge_printed(const Expectation& e, const Metric& m, Diagnostics& diagnostics,
                   CheckLine& line) {
  line.has_printed =
      read_metric_value(m, e.printed, e.printed_span, diagnostics, line.printed_number);
  line.printed_deviation = deviation(m.value, line.printed_number);
  const double half = e.within ? 0 : half_of_last_digit(m, e.printed);
  if (!e.within && line.printed_number != 0) line.within = half / std::abs(line.printed_number);
  const bool near =
      close(line.printed_deviation, line.within) || close(m.value - line.printed_number, half);
  if (!near) {
    line.pass = false;
    line.why += fmt::format(
        "{}{} is not {}the printed {}{}", line.why.empty() ? "" : "; ", line.value,
        e.within ? fmt::format("within {} of ", format_quantity(line.within, kOne, Hint::kFraction))
                 : "",
        e.printed, e.within ? "" : ", to half a unit of its last digit");
  }
  line.pass = line.pass && line.has_printed;
}

void judge_bound(const char* word, const std::string& text, Span span, bool most, const Metric& m,
                 Diagnostics& diagnostics, double& bound, CheckLine& line) {
  if (text.empty()) return;
  if (!read_metric_value(m, text, span, diagnostics, bound)) {
    line.pass = false;
    return;
  }
  const double slack = std::abs(bound) * 1e-9;  // the last bit must not decide
  if (most ? m.value <= bound + slack : m.value >= bound - slack) return;
  line.pass = false;
  line.why +=
      fmt::format("{}expected {} {}, got {}", line.why.empty() ? "" : "; ", word, text, line.value);
}

void judge_number(const Expectation& e, const Metric& m, Diagnostics& diagnostics,
                  CheckLine& line) {
  line.number = m.value;
  line.value = format_quantity(m.value, m.dim, m.hint, 6);
  line.pass = true;
  if (!e.exact.empty()) {
    line.has_exact = read_metric_value(m, e.exact, e.exact_span, diagnostics, line.exact_number);
    line.exact_deviation = deviation(m.value, line.exact_number);
    if (!close(line.exact_deviation, whole_count(m, line.exact_number) ? 0 : kExactTolerance)) {
      line.pass = false;
      line.why = m.hint == Hint::kYesNo
                     ? fmt::format("{}: expected {}, got {}", m.id, e.exact, line.value)
                     : fmt::format("{} is not {}", line.value, e.exact);
      if (std::isfinite(line.exact_deviation) && m.hint != Hint::kYesNo)
        line.why += fmt::format(" ({:+.3g} %)", 100 * line.exact_deviation);
    }
    line.pass = line.pass && line.has_exact;
  }
  if (!e.printed.empty()) judge_printed(e, m, diagnostics, line);
  judge_bound("at most", e.at_most, e.at_most_span, true, m, diagnostics, line.most, line);
  judge_bound("at least", e.at_least, e.at_least_span, false, m, diagnostics, line.least, line);
}

void judge_text(const Expectation& e, const Metric& m, Diagnostics& diagnostics, CheckLine& line) {
  for (const Span& bound :
       {e.at_most.empty() ? Span{} : e.at_most_span, e.at_least.empty() ? Span{} : e.at_least_span})
    if (bound) diagnostics.error(bound, fmt::format("{} is a word, which has no bounds", m.id));
  line.is_text = true;
  line.value = m.text;
  line.pass = (e.exact.empty() || e.exact == m.text) && (e.printed.empty() || e.printed == m.text);
  line.has_exact = !e.exact.empty();
  if (!line.pass)
    line.why = fmt::format("'{}' is not '{}'", m.text, e.exact.empty() ? e.printed : e.exact);
}

}  // namespace

std::vector<CheckLine> check_expectations(const std::vector<Expectation>& expect,
                                          const Result& result, Diagnostics& diagnostics) {
  std::vector<CheckLine> out;
  for (const Expectation& e : expect) {
    const Metric* m = metric_named(result.metrics, e.metric, e.span, diagnostics, "expect: ");
    if (!m) continue;
    CheckLine& line = out.emplace_back();
    line.id = e.id;
    line.file = result.file;
    line.case_name = result.case_name;
    line.metric = e.metric;
    line.source = e.source;
    line.span = e.span;
    line.exact = e.exact;
    line.printed = e.printed;
    line.at_most = e.at_most;
    line.at_least = e.at_least;
    line.within = e.within ? value_of(e.within->raw) : 0;
    line.unit = unit_name(m->dim, m->hint);
    const std::size_t before = diagnostics.error_count();
    if (!m->has_value()) {
      line.number = std::numeric_limits<double>::quiet_NaN();
      line.value = "none";
      line.why = "no value: " + m->reason;
    } else if (m->is_text()) {
      judge_text(e, *m, diagnostics, line);
    } else {
      judge_number(e, *m, diagnostics, line);
    }
    if (diagnostics.error_count() > before) out.pop_back();  // a fault of the file is no miss
  }
  return out;
}

std::size_t CheckReport::misses() const {
  return static_cast<std::size_t>(
      std::count_if(lines.begin(), lines.end(), [](const CheckLine& l) { return !l.pass; }));
}

namespace {

void check_plan(Workspace& work, const PlanFile& plan, const std::string& which_case,
                Diagnostics& diagnostics, CheckReport& report) {
  const auto add = [&](const PlanFile::Case* which, const std::vector<Expectation>& expect) {
    if (!which && expect.empty() && !plan.cases.empty()) return;  // may be whole only with a case
    if (!expect.empty()) ++report.plans;
    const std::size_t errors = diagnostics.error_count();
    const std::unique_ptr<Loaded> loaded = load_plan(work, plan, which, diagnostics);
    if (!loaded || diagnostics.error_count() > errors || expect.empty()) return;
    const auto lines = check_expectations(expect, loaded->result(work), diagnostics);
    report.lines.insert(report.lines.end(), lines.begin(), lines.end());
  };
  if (which_case.empty()) add(nullptr, plan.expect);
  for (const PlanFile::Case& c : plan.cases)
    if (which_case.empty() || c.name == which_case) add(&c, c.expect);
}

}  // namespace

bool is_companion(const doc::Value& tree) {
  const doc::Value* kind = tree.is_mapping() ? tree.find("kind") : nullptr;
  return kind && (kind->text == "run-budgets" || kind->text == "stack-constants");
}

CheckReport check_file(Workspace& work, const std::string& file, Diagnostics& diagnostics,
                       const CheckOnly& only) {
  CheckReport report;
  const std::size_t before = diagnostics.error_count();
  doc::Value tree = work.read(file, {}, diagnostics);
  if (diagnostics.error_count() > before || is_companion(tree)) return report;
  if (is_space(tree)) {  // expects nothing; that it can be read is all there is to hold it to
    OpenSpace space;
    read_space(work, file, std::move(tree), only.sets, diagnostics, space);
    return report;
  }
  if (is_law(tree) && !only.sets.empty()) {
    diagnostics.error(tree.span, fmt::format("{}: a law, and --set changes plans", file))
        .help("change a copy of its file");
    return report;
  }
  const std::vector<PlanFile> plans =
      is_law(tree) ? law_questions(work, file, tree, diagnostics)
                   : std::vector{open_plan(work, file, std::move(tree), only.sets, diagnostics)};
  if (diagnostics.error_count() > before) return report;
  for (const PlanFile& plan : plans) check_plan(work, plan, only.which_case, diagnostics, report);
  report.files = report.plans > 0 ? 1 : 0;
  return report;
}

std::vector<std::string> plan_files(const std::string& path, Diagnostics& diagnostics) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<std::string> out;
  if (fs::is_regular_file(path, error)) return {path};
  if (!fs::is_directory(path, error)) {
    diagnostics.error({}, fmt::format("{} does not exist", path));
    return out;
  }
  for (const auto& entry : fs::recursive_directory_iterator(path, error)) {
    const auto ending = entry.path().extension();
    if (ending == ".yaml" || ending == ".yml" || ending == ".json")
      out.push_back(entry.path().string());
  }
  std::sort(out.begin(), out.end());
  if (out.empty()) diagnostics.error({}, fmt::format("{} holds no .yaml file", path));
  return out;
}

}  // namespace reckon
