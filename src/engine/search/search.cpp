#include "reckon/engine/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "assemble.hpp"
#include "points_search.hpp"
#include "reckon/engine/field_at.hpp"
#include "reckon/engine/load.hpp"
#include "reckon/engine/metric_named.hpp"
#include "reckon/engine/points.hpp"
#include "reckon/engine/sweep.hpp"
#include "said.hpp"

namespace reckon {

using namespace searching;

namespace {

using Clock = std::chrono::steady_clock;
using SetList = std::vector<std::pair<std::string, std::string>>;

class Searcher {
 public:
  Searcher(Workspace& work, const SearchRequest& request, Diagnostics& diagnostics)
      : work_(work),
        request_(request),
        diagnostics_(diagnostics),
        errors_(diagnostics.error_count()) {}

  Found run() {
    const auto begin = Clock::now();
    begin_ = begin;
    if (!read_given() || !read_criteria()) return std::move(out_);
    axes();
    if (failed()) return std::move(out_);
    const std::size_t n = points_of(axes_);
    for (std::size_t i = 0; i < n && !stopped(); ++i) one_base(i);
    if (bases_.empty() && !stopped()) none_loads();
    if (failed()) return std::move(out_);
    assemble();
    out_.stopped = stopped();
    out_.tally.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    return std::move(out_);
  }

 private:
  struct Base {  // one point of the axes: what to set, and the plan before its layout is chosen
    SetList sets;
    TrainingPlan<double> plan;
  };
  struct Kept {
    std::size_t base;
    Entry entry;
  };

  bool opens(Opened group) const {
    const auto& opened = request_.space.search;
    return std::any_of(opened.begin(), opened.end(),
                       [group](Opened o) { return o == group || o == Opened::kAll; });
  }
  bool failed() const { return diagnostics_.error_count() > errors_; }
  bool stopped() const { return request_.stop && request_.stop->load(); }

  bool read_given() {
    const auto plan = load_plan(work_, request_.file, request_.which, diagnostics_);
    if (!plan) return false;
    out_.given.metrics = plan->metrics(work_);
    if (const auto* training = dynamic_cast<const LoadedTraining*>(plan.get()))
      out_.given.fields = fields_of(training->plan, candidate_of(training->plan));
    std::vector<Axis> shown = request_.axes;
    if (opens(Opened::kPrecision)) shown.push_back({"precision", {}, {}});
    add_given_fields(shown, plan->resolved, out_.given.fields);
    out_.said = held_words(request_.space, request_.axes, out_.given.fields, plan->resolved);
    return true;
  }

  const Metric* named(const std::string& id, const char* said_by) {
    const Metric* m = metric_named(out_.given.metrics, id, {}, diagnostics_, said_by);
    if (m && !m->has_value() && m->reason.find("fit") == std::string::npos) {
      diagnostics_.error({}, fmt::format("{}{}: {}", said_by, id, m->reason));
      return nullptr;
    }
    return m;
  }

  bool read_criteria() {
    const Space<double>& s = request_.space;
    const std::string said = s.objective.empty() ? std::string(kStepTime.id) : s.objective;
    out_.objective = objective_id(said);
    const Metric* m = named(out_.objective, "objective: ");
    if (!m || !read_objective(said, *m, diagnostics_, out_.maximize)) return false;
    criteria_.fits = s.limits.fits;
    criteria_.objective = criterion(out_.objective, out_.maximize);
    if (!s.pareto.empty() && s.pareto.size() != 2) {
      diagnostics_.error({}, "pareto: two metrics are needed").help("write step.time,memory.total");
      return false;
    }
    for (std::size_t i = 0; i < s.pareto.size(); ++i) {
      const std::string id = objective_id(s.pareto[i]);
      bool maximize = false;
      const Metric* x = named(id, "pareto: ");
      if (!x || !read_objective(s.pareto[i], *x, diagnostics_, maximize)) return false;
      criteria_.pareto[i] = criterion(id, maximize);
      out_.pareto.push_back(id);
    }
    return read_conditions();
  }

  bool read_conditions() {
    for (const Goal& g : request_.where) {
      const Metric* m = metric_named(out_.given.metrics, g.metric, g.span, diagnostics_, "where: ");
      double target = 0;
      if (!m || !goal_value(g, *m, diagnostics_, target)) return false;
      criteria_.where.push_back({criterion(g.metric, false), g.compare, target});
    }
    return true;
  }

  // What is varied beside layouts; every recipe, where precision is opened.
  void axes() {
    axes_ = request_.axes;
    if (opens(Opened::kPrecision)) axes_.push_back({"precision", work_.ids(Shelf::kRecipes), {}});
    if (axes_.empty()) return;
    check_axes(axes_, request_.file, diagnostics_);
    for (const Axis& a : request_.axes) check_chosen(a);
  }

  // A field that the search chooses anyway: every value of what is varied would give the same plans again.
  void check_chosen(const Axis& axis) {
    for (const ChosenField& c : chosen_fields(request_.space)) {
      if (!is_within(c.path, axis.path) && !is_within(axis.path, c.path)) continue;
      diagnostics_
          .error(axis.span,
                 fmt::format("{} is varied, and {} chooses it too", axis.path, c.said_by))
          .help(fmt::format(
              "leave one of them out; a space's file opens a field to the values it lists: {}",
              c.example));
      return;
    }
  }

  bool load_base(std::size_t i, Base& base) {
    const std::vector<std::string> values = point(axes_, i);
    PlanFile file = request_.file;
    for (std::size_t k = 0; k < axes_.size(); ++k) {
      base.sets.emplace_back(axes_[k].path, values[k]);
      file.sets.emplace_back(axes_[k].path, doc::scalar(values[k], axes_[k].span));
    }
    Diagnostics d;
    const auto plan = load_plan(work_, file, request_.which, d);
    const auto* training = dynamic_cast<const LoadedTraining*>(plan.get());
    if (training) {
      base.plan = training->plan;
      return true;
    }
    std::string why = "no such plan";
    for (const Diagnostic& x : d.all()) {
      if (x.severity != Severity::kError) continue;
      why = x.message;
      no_base_ = x;
    }
    if (axes_.size() == 1 || points_of(axes_) <= 64)
      out_.notes.push_back(fmt::format("not searched: {}: {}", in_words(base.sets), why));
    return false;
  }

  // Not one value of what is varied makes a plan: a misspelt field, or values that can't be.
  void none_loads() {
    if (!no_base_ || axes_.empty()) return;
    const bool one = points_of(axes_) == 1;
    auto& f = diagnostics_.error(
        axes_.front().span,
        one ? no_base_->message
            : fmt::format("no point of what is varied is a plan; the last: {}", no_base_->message));
    if (!no_base_->help_text.empty()) f.help(no_base_->help_text);
  }

  // A space chooses whether modules run again; which ones is the plan's to say.
  bool lacks_modules(const TrainingPlan<double>& plan) {
    const auto& policies = request_.space.recompute;
    if (!plan.recompute_modules.empty() ||
        std::find(policies.begin(), policies.end(), Recompute::kModules) == policies.end())
      return false;
    diagnostics_.error({}, "recompute: modules are to be searched, and the plan names none")
        .help(
            "write recompute: {modules: [layernorm, …]} in the plan, or leave modules out of the "
            "space");
    return true;
  }

  void one_base(std::size_t i) {
    Base base;
    if (!load_base(i, base) || lacks_modules(base.plan)) return;
    const Choices choices = choices_of(request_.space, base.plan);
    const auto progress = [this](std::uint64_t done, std::uint64_t all) {
      if (request_.progress)
        request_.progress(
            {done, all, std::chrono::duration<double>(Clock::now() - begin_).count()});
    };
    const auto top = static_cast<std::size_t>(std::max(1.0, request_.space.top.raw));
    Layouts found = look_at_all({base.plan, choices, criteria_, std::max<std::size_t>(top, 2),
                                 request_.threads, request_.prune, progress, request_.stop});
    add_tally(base.plan, base.sets, request_, out_.given.metrics, found, out_.tally);
    if (found.plans == 0 && points_of(axes_) == 1)
      empty_space(base.plan, choices, found, {}, diagnostics_);
    for (const Entry& e : found.ranking.best()) kept_.push_back({bases_.size(), e});
    for (const Entry& e : found.ranking.front()) front_.push_back({bases_.size(), e});
    bases_.push_back(std::move(base));
  }

  FoundPlan loaded(const Kept& k) {
    SetList sets = bases_[k.base].sets;
    for (auto& s : sets_of(bases_[k.base].plan, k.entry.candidate)) sets.push_back(std::move(s));
    SetList fields = fields_of(bases_[k.base].plan, k.entry.candidate);
    for (const auto& s : bases_[k.base].sets)
      if (!has_field(fields, s.first)) fields.push_back(s);
    FoundPlan out = load_found(work_, request_, std::move(sets));
    out.fields = std::move(fields);
    hold(out, criteria_.objective, k.entry.objective);
    for (std::size_t i = 0; i < 2; ++i)
      if (criteria_.pareto[i]) hold(out, *criteria_.pareto[i], k.entry.pareto[i]);
    return out;
  }

  // `eval` must compute the same bits.
  static void hold(const FoundPlan& plan, const Criterion& c, double searched) {
    const double x = metric_of(plan, c.id) * (c.maximize ? -1 : 1);
    if (std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(searched)) return;
    throw std::logic_error(fmt::format("search and eval differ: {} is {} and {} of {}", c.id,
                                       searched, x, in_words(plan.sets)));
  }

  void assemble() {
    const auto top = static_cast<std::size_t>(std::max(1.0, request_.space.top.raw));
    std::stable_sort(kept_.begin(), kept_.end(), [](const Kept& a, const Kept& b) {
      return std::pair(a.entry.objective, a.base) < std::pair(b.entry.objective, b.base);
    });
    for (std::size_t i = 0; i < kept_.size() && out_.best.size() < std::max<std::size_t>(top, 2);
         ++i)
      add_once(loaded(kept_[i]), out_.best);
    assemble_front();
    if (!kept_.empty()) without_best(kept_.front().entry.part, out_.tally);
    explain();
    if (out_.best.size() > top) out_.best.resize(top);
    std::vector<const std::vector<Metric>*> points{&out_.given.metrics};
    for (const FoundPlan& p : out_.best) points.push_back(&p.metrics);
    out_.columns = table_columns(*plan_kind(request_.file.kind), {}, points, diagnostics_);
    add_ranked(out_);
    note_warnings(out_);
    sort_reasons();
    note_schedules();
    say_precision(out_);
    add_accuracy(work_, out_);
  }

  void assemble_front() {
    if (!criteria_.pareto[0]) return;
    std::stable_sort(front_.begin(), front_.end(),
                     [](const Kept& a, const Kept& b) { return a.entry.pareto < b.entry.pareto; });
    double best = std::numeric_limits<double>::infinity();
    for (const Kept& k : front_) {
      if (k.entry.pareto[1] >= best) continue;
      best = k.entry.pareto[1];
      add_once(loaded(k), out_.front);
    }
  }

  void explain() {
    if (out_.best.empty()) return;
    const std::string metric =
        criteria_.objective.follows_step ? std::string(kStepTime.id) : out_.objective;
    const Recorded best(*out_.best.front().plan);
    if (out_.best.size() > 1) {
      const Recorded second(*out_.best[1].plan);
      out_.runner_up = explain_difference(best, second, metric);
    }
    Diagnostics d;
    const auto given = load_plan(work_, request_.file, request_.which, d);
    const Recorded as_given(*given);
    out_.over_given = explain_difference(as_given, best, metric);
  }

  void sort_reasons() {
    std::stable_sort(out_.tally.reasons.begin(), out_.tally.reasons.end(),
                     [](const auto& a, const auto& b) { return a.plans > b.plans; });
  }

  void note_schedules() {
    if (request_.space.schedule.kind.empty() && opens(Opened::kSchedule))
      out_.notes.emplace_back(
          "Schedules that are timed by playing them out (breadth-first, ZB-V, DualPipe, DualPipeV; "
          "ZB-H1 and ZB-H2 "
          "with few micro-batches) are searched where schedule.kind lists them, or where the plan "
          "has one.");
  }

  Workspace& work_;
  const SearchRequest& request_;
  Diagnostics& diagnostics_;
  std::size_t errors_;
  Clock::time_point begin_;
  Criteria criteria_;
  std::vector<Axis> axes_;
  std::vector<Base> bases_;
  std::optional<Diagnostic> no_base_;  // why the last point is no plan
  std::vector<Kept> kept_, front_;
  Found out_;
};

}  // namespace

Found search(Workspace& work, const SearchRequest& request, Diagnostics& diagnostics) {
  if (request.file.kind != "training") return search_points(work, request, diagnostics);
  return Searcher(work, request, diagnostics).run();
}

std::string found_plan_text(Workspace&, const SearchRequest& request, const FoundPlan& found,
                            Diagnostics& diagnostics) {
  PlanFile file = request.file;
  for (const auto& [path, value] : found.sets) file.sets.emplace_back(path, doc::scalar(value));
  const doc::Value tree = case_tree(file, request.which, diagnostics);
  return fmt::format("kind: {}\n{}", file.kind, doc::write_yaml(tree));
}

}  // namespace reckon
