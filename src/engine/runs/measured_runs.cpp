#include "reckon/engine/measured_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reckon/base/text.hpp"
#include "reckon/engine/evaluate.hpp"
#include "reckon/engine/metric_named.hpp"
#include "reckon/spec/compiled_once.hpp"

namespace reckon {
namespace {

namespace fs = std::filesystem;

constexpr double kSameFigure = 0.015;  // two figures of one run, as sources round them

// Metrics stand under their ids; what remains are facts of the row.
bool is_metric(const std::string& key) { return key.find('.') != key.npos || key == "fits"; }

bool judged_as(const Metric& m, MeasuredAs& as) {
  if (m.id == "fits") {
    as = MeasuredAs::kFits;
  } else if (m.dim == kSecond && m.id.starts_with("step.")) {
    as = MeasuredAs::kTime;
  } else if (m.id.starts_with("throughput.")) {
    as = MeasuredAs::kRate;
  } else if (m.dim == kByte && m.id.starts_with("memory.")) {
    as = MeasuredAs::kMemory;
  } else {
    return false;
  }
  return true;
}

void refuse_metric(const doc::Entry& e, Diagnostics& d) {
  auto& fault = d.error(e.key_span, fmt::format("measured: {} is not judged", e.key));
  fault.help(e.key.starts_with("mfu")
                 ? "an MFU has many conventions: state step.time or throughput.per_gpu"
                 : "state step.time, a throughput, a memory.* or fits");
}

// Facts of the row over those of the file.
doc::Value facts_tree(const doc::Value& shared, const doc::Value& own) {
  doc::Value out = doc::mapping(own.span ? own.span : shared.span);
  for (const doc::Value* said : {&shared, &own})
    for (const doc::Entry& e : said->entries)
      if (!is_metric(e.key)) {
        doc::set(out, e.key, e.value);
        for (doc::Entry& kept : out.entries)
          if (kept.key == e.key) kept.key_span = e.key_span;
      }
  return out;
}

void read_figures(const doc::Value& own, const std::vector<Metric>& metrics, MeasuredRun& run,
                  Diagnostics& d) {
  for (const doc::Entry& e : own.entries) {
    if (!is_metric(e.key)) continue;
    const Metric* m = metric_named(metrics, e.key, e.key_span, d, "measured: ");
    if (!m) continue;
    MeasuredFigure f{e.key, {}, 0, e.value.span};
    if (!judged_as(*m, f.as)) {
      refuse_metric(e, d);
    } else if (read_metric_value(*m, e.value.text, e.value.span, d, f.value)) {
      if (f.as != MeasuredAs::kFits && !(f.value > 0))
        d.error(e.value.span, fmt::format("measured: {} is not positive", e.key));
      run.figures.push_back(std::move(f));
    }
  }
}

// Time and throughput say the same thing twice: their ratio to the plan's own must agree.
void find_contradictions(const std::vector<Metric>& metrics, const MeasuredRun& run,
                         Diagnostics& d) {
  const MeasuredFigure* first = nullptr;
  double first_time = 0;
  for (const MeasuredFigure& f : run.figures) {
    if (f.as != MeasuredAs::kTime && f.as != MeasuredAs::kRate) continue;
    const Metric* m = find_metric(metrics, f.metric);
    const Metric* whole = find_metric(metrics, "step.time");
    if (!m || !whole || !m->has_value() || !whole->has_value()) continue;
    if (f.as == MeasuredAs::kTime && f.metric != "step.time") continue;  // a part of the step
    const double time = f.as == MeasuredAs::kTime ? f.value : whole->value * m->value / f.value;
    if (!first) {
      first = &f;
      first_time = time;
    } else if (std::abs(time / first_time - 1) > kSameFigure) {
      d.error(f.span, fmt::format("measured: {} means {:.4g} s a step, {} means {:.4g} s", f.metric,
                                  time, first->metric, first_time))
          .note(first->span, "the other figure")
          .help("leave out the one that the source has wrong, with a caveat");
    }
  }
}

// What the run states of its own software, such as that gradients don't overlap, stays.
void replace_stack(doc::Value& tree, const std::string& stack, Span at) {
  doc::Value* stated = tree.find("stack");
  if (stated && stated->is_mapping())
    doc::set(*stated, "base", doc::scalar(stack, at));
  else
    doc::set(tree, "stack", doc::scalar(stack, at));
}

// One case; false if it measures nothing.
void add_run(Workspace& work, const PlanFile& file, const PlanFile::Case& c,
             const std::string& stack, Diagnostics& d, std::vector<MeasuredRun>& out) {
  const std::size_t before = d.error_count();
  MeasuredRun run;
  run.file = fs::path(file.name).stem().string();
  run.name = c.name;
  run.span = c.span;
  if (!c.measured.is_mapping()) {
    d.error(c.measured.span ? c.measured.span : c.span,
            fmt::format("case '{}' of a measured plan states no measured:", c.name))
        .help("write measured: {step.time: 14.61 s, tier: A}");
    return;
  }
  Origins unused;
  bind(facts_tree(file.measured, c.measured), run.facts, {d, unused, "measured"});
  doc::Value tree = case_tree(file, &c, d);
  if (!stack.empty()) replace_stack(tree, stack, c.span);
  // A plan's warnings are for whoever asks about that plan; here they would stand once for every run.
  Diagnostics of_plan;
  LoadedTraining loaded = load_training(work, std::move(tree), of_plan);
  for (const Diagnostic& fault : of_plan.all())
    if (fault.severity == Severity::kError) {
      Diagnostic& said = d.error(fault.span, fault.message);
      said.help_text = fault.help_text;
      said.notes = fault.notes;
    }
  if (d.error_count() > before) return;
  run.plan = std::move(loaded.plan);
  const std::vector<Metric> metrics = metrics_of(run.plan);
  read_figures(c.measured, metrics, run, d);
  if (d.error_count() == before && run.figures.empty())
    d.error(c.measured.span, fmt::format("case '{}' measures nothing", c.name))
        .help("write measured: {step.time: 14.61 s, tier: A}");
  find_contradictions(metrics, run, d);
  if (d.error_count() == before) out.push_back(std::move(run));
}

bool has_experts(const Model<double>& model) {
  return std::any_of(model.layers.begin(), model.layers.end(),
                     [](const LayerGroup<double>& g) { return g.mlp.kind == MlpKind::kMoe; });
}

}  // namespace

const MeasuredFigure* MeasuredRun::time() const {
  for (const MeasuredFigure& f : figures)
    if (f.as == MeasuredAs::kTime || f.as == MeasuredAs::kRate) return &f;
  return nullptr;
}

bool MeasuredRun::ran_out_of_memory() const {
  return std::any_of(figures.begin(), figures.end(), [](const MeasuredFigure& f) {
    return f.as == MeasuredAs::kFits && f.value < 0.5;
  });
}

std::string kind_of_run(const TrainingPlan<double>& plan) {
  const Compute peak = plan.precision.compute;
  const char* width = peak == Compute::kFp8 ? "8 bit" : peak == Compute::kFp4 ? "4 bit" : "16 bit";
  return fmt::format("{} {}", has_experts(plan.model) ? "MoE" : "dense", width);
}

static std::vector<fs::path> files_of_runs(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() == ".yaml" && name != "budgets" && name != "constants")
      out.push_back(entry.path());
  }
  return out;
}

// One root's set, not two of them mixed.
fs::path measured_folder(const Workspace& work) {
  for (const fs::path& root : work.roots())
    if (fs::path folder = root / "plans/measured"; !files_of_runs(folder).empty()) return folder;
  return {};
}

bool are_own_rows(const std::string& rows, Diagnostics& d) {
  std::error_code error;
  if (rows.empty()) return false;
  if (fs::is_regular_file(rows, error)) return true;
  const bool path = rows.find('/') != std::string::npos || rows.ends_with(".yaml") ||
                    rows.ends_with(".yml") || rows.ends_with(".json");
  if (path)
    d.error({}, fmt::format("--rows {} {}", rows,
                            fs::is_directory(rows, error) ? "is a folder"
                            : fs::exists(rows, error)     ? "can't be read"
                                                          : "does not exist"))
        .help("a file of kind training whose cases state measured:, or a name in plans/measured");
  return false;
}

std::vector<MeasuredRun> measured_runs_of(Workspace& work, const fs::path& file, Diagnostics& d,
                                          const std::string& stack) {
  std::vector<MeasuredRun> out;
  const std::size_t before = d.error_count();
  doc::Value tree = work.read_data(file, {}, d);
  if (d.error_count() > before) return out;
  const Span top = tree.span;
  const PlanFile plan = open_plan(work, file.string(), std::move(tree), {}, d);
  if (d.error_count() > before) return out;
  if (plan.kind != "training" || plan.cases.empty()) {
    d.error(top, fmt::format("{}: no measured training runs", plan.name))
        .help("write kind: training, and cases: with measured: beside each");
    return out;
  }
  for (const PlanFile::Case& c : plan.cases) add_run(work, plan, c, stack, d, out);
  return out;
}

std::vector<MeasuredRun> measured_runs(Workspace& work, const std::string& pattern, Diagnostics& d,
                                       const std::string& stack) {
  std::vector<fs::path> files;
  for (const fs::path& file : files_of_runs(measured_folder(work)))
    if (pattern.empty() || matches_pattern(file.stem().string(), pattern)) files.push_back(file);
  std::sort(files.begin(), files.end());
  std::vector<MeasuredRun> out;
  for (const fs::path& f : files) {
    std::vector<MeasuredRun> some = measured_runs_of(work, f, d, stack);
    std::move(some.begin(), some.end(), std::back_inserter(out));
  }
  return out;
}

}  // namespace reckon
