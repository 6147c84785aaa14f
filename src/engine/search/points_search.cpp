#include "points_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "assemble.hpp"
#include "reckon/engine/metric_named.hpp"
#include "reckon/engine/points.hpp"
#include "reckon/engine/sweep.hpp"

namespace reckon::searching {
namespace {

using Clock = std::chrono::steady_clock;

class PointSearch {
 public:
  PointSearch(Workspace& work, const SearchRequest& request, Diagnostics& diagnostics)
      : work_(work),
        request_(request),
        diagnostics_(diagnostics),
        errors_(diagnostics.error_count()) {}

  Found run() {
    if (!prepare()) return std::move(out_);
    name_criteria();
    const auto begin = Clock::now();
    std::vector<std::string> paths;
    for (const Axis& a : request_.axes) paths.push_back(a.path);
    PlanPoints points(work_, request_.file, request_.which, paths, request_.axes.front().span);
    const std::size_t n = points_of(request_.axes);
    for (std::size_t i = 0; i < n && !stopped(); ++i) {
      look(points, i);
      if (failed()) return std::move(out_);
      if (request_.progress && i % 256 == 0)
        request_.progress({i, n, std::chrono::duration<double>(Clock::now() - begin).count()});
    }
    name_missing();
    if (failed()) return std::move(out_);
    out_.tally.plans = n;
    out_.stopped = stopped();
    assemble();
    out_.tally.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kLook = 64;

  struct Kept {
    double objective;
    std::size_t point;
    std::array<double, 2> pareto{};
  };
  static bool better(const Kept& a, const Kept& b) {
    return std::pair(a.objective, a.point) < std::pair(b.objective, b.point);
  }
  bool failed() const { return diagnostics_.error_count() > errors_; }
  bool stopped() const { return request_.stop && request_.stop->load(); }

  bool prepare() {
    const Space<double>& s = request_.space;
    if (!s.search.empty())
      diagnostics_
          .error({}, fmt::format("search: layouts are of training plans, and this is a {} plan",
                                 request_.file.kind))
          .help("name the fields and their values: --vary tensor=1,2,4,8 --vary batch=1..512:x2");
    if (request_.axes.empty())
      diagnostics_.error({}, "nothing is varied").help("add --vary FIELD=VALUES");
    if (s.objective.empty())
      diagnostics_
          .error({}, fmt::format("which metric ranks {} plans is not said", request_.file.kind))
          .help("add --objective METRIC; `reckon eval PLAN --format csv` lists them");
    if (failed()) return false;
    check_axes(request_.axes, request_.file, diagnostics_);
    out_.objective = objective_id(s.objective);
    for (const std::string& p : s.pareto) out_.pareto.push_back(objective_id(p));
    if (!s.pareto.empty() && s.pareto.size() != 2)
      diagnostics_.error({}, "pareto: two metrics are needed")
          .help("write two, with a comma between");
    Diagnostics unused;
    if (const auto given = load_plan(work_, request_.file, request_.which, unused)) {
      Judged j = given->judged(work_);
      out_.given.metrics = std::move(j.metrics);
      out_.given.no = std::move(j.no);
      add_given_fields(request_.axes, given->resolved, out_.given.fields);
    }
    return !failed();
  }

  // A metric that ranks plans or that they must keep to. Its unit says which way and how much; a plan that has no
  // use for it (no room for one sequence, say) doesn't list it, so the first that does is asked.
  struct Named {
    std::string id, by;
    Span span;
    std::function<void(const Metric&)> read;
    bool known = false;
  };

  void name_criteria() {
    const auto direction = [this](const std::string& said, const char* by, bool& maximize) {
      named_.push_back({objective_id(said), by, {}, [this, said, &maximize](const Metric& m) {
                          read_objective(said, m, diagnostics_, maximize);
                        }});
    };
    direction(request_.space.objective, "objective: ", out_.maximize);
    for (std::size_t i = 0; i < request_.space.pareto.size(); ++i)
      direction(request_.space.pareto[i], "pareto: ", maximize_[i]);
    targets_.resize(request_.where.size());
    for (std::size_t k = 0; k < request_.where.size(); ++k)
      named_.push_back(
          {request_.where[k].metric, "where: ", request_.where[k].span, [this, k](const Metric& m) {
             goal_value(request_.where[k], m, diagnostics_, targets_[k]);
           }});
  }

  // False after a fault: of a name that none of so many plans has, too.
  bool read_criteria(const PlanPoint& p) {
    for (Named& n : named_) {
      const Metric* m = n.known ? nullptr : find_metric(p.metrics, n.id);
      if (!m) continue;
      n.known = true;
      n.read(*m);
    }
    const bool all =
        std::all_of(named_.begin(), named_.end(), [](const Named& n) { return n.known; });
    if (all || !p.no.empty()) return !failed();  // one that doesn't fit lists little
    if (seen_.size() < kLook) seen_.push_back(p.metrics);
    if (seen_.size() == kLook) name_missing();
    return !failed();
  }

  // Of what the plans that were looked at have between them.
  void name_missing() {
    std::vector<Metric> all;
    for (const std::vector<Metric>& metrics : seen_)
      for (const Metric& m : metrics)
        if (!find_metric(all, m.id)) all.push_back(m);
    if (all.empty()) return;
    for (const Named& n : named_)
      if (!n.known) metric_named(all, n.id, n.span, diagnostics_, n.by);
  }

  void lost(const std::string& why) { ++reasons_[why]; }

  void look(PlanPoints& points, std::size_t i) {
    const PlanPoint p = points.at(point(request_.axes, i));
    if (!p.legal()) {
      ++out_.tally.rejected;
      return lost("no such plan: " + p.fault);
    }
    if (!read_criteria(p)) return;
    ++out_.tally.evaluated;
    if (first_.empty()) first_ = p.metrics;
    for (const No why : p.no)
      if (why != No::kMemory || request_.space.limits.fits) return lost(words_of(why));
    for (std::size_t k = 0; k < request_.where.size(); ++k) {
      const Goal& g = request_.where[k];
      const Metric* m = p.number(g.metric);
      if (!m || !holds(g.compare, m->value, targets_[k]))
        return lost(fmt::format("not {} {} {}", g.metric, sign_of(g.compare), g.text));
    }
    keep(p, i);
  }

  void keep(const PlanPoint& p, std::size_t i) {
    const Metric* m = p.number(out_.objective);
    if (!m) return lost(fmt::format("{} has no value", out_.objective));
    Kept k{m->value * (out_.maximize ? -1 : 1), i, {}};
    bool both = out_.pareto.size() == 2;
    for (std::size_t a = 0; a < out_.pareto.size(); ++a) {
      const Metric* x = p.number(out_.pareto[a]);
      both = both && x;
      if (x) k.pareto[a] = x->value * (maximize_[a] ? -1 : 1);
    }
    if (both) front_.push_back(k);
    if (front_.size() > 100000) thin_front();
    best_.insert(std::upper_bound(best_.begin(), best_.end(), k, better), k);
    const auto top = static_cast<std::size_t>(std::max(2.0, request_.space.top.raw));
    if (best_.size() > top) best_.pop_back();
    ++kept_;
  }

  void thin_front() {
    std::stable_sort(front_.begin(), front_.end(), [](const Kept& a, const Kept& b) {
      return std::pair(a.pareto, a.point) < std::pair(b.pareto, b.point);
    });
    double least = std::numeric_limits<double>::infinity();
    std::erase_if(front_, [&](const Kept& k) {
      const bool beaten = k.pareto[1] >= least;
      least = std::min(least, k.pareto[1]);
      return beaten;
    });
  }

  FoundPlan loaded(std::size_t i) {
    const std::vector<std::string> values = point(request_.axes, i);
    std::vector<std::pair<std::string, std::string>> sets;
    for (std::size_t k = 0; k < values.size(); ++k)
      sets.emplace_back(request_.axes[k].path, values[k]);
    return load_found(work_, request_, std::move(sets));
  }

  void assemble() {
    for (const auto& [why, n] : reasons_) out_.tally.reasons.push_back({why, n, ""});
    if (kept_ > 1)
      out_.tally.reasons.push_back({fmt::format("worse by {}", out_.objective), kept_ - 1, ""});
    std::stable_sort(out_.tally.reasons.begin(), out_.tally.reasons.end(),
                     [](const auto& a, const auto& b) { return a.plans > b.plans; });
    if (out_.tally.reasons.size() > 12) out_.tally.reasons.resize(12);
    for (const Kept& k : best_) add_once(loaded(k.point), out_.best);
    thin_front();
    for (const Kept& k : front_) add_once(loaded(k.point), out_.front);
    if (out_.best.size() > 1)
      out_.runner_up = explain_difference(Recorded(*out_.best[0].plan),
                                          Recorded(*out_.best[1].plan), out_.objective);
    const auto top = static_cast<std::size_t>(std::max(1.0, request_.space.top.raw));
    if (out_.best.size() > top) out_.best.resize(top);
    std::vector<const std::vector<Metric>*> seen;
    for (const FoundPlan& p : out_.best) seen.push_back(&p.metrics);
    if (seen.empty()) seen.push_back(&first_);  // what the plans have that were none
    out_.columns = table_columns(*plan_kind(request_.file.kind), {}, seen, diagnostics_);
    add_ranked(out_);
    note_warnings(out_);
  }

  Workspace& work_;
  const SearchRequest& request_;
  Diagnostics& diagnostics_;
  std::size_t errors_;
  std::vector<Named> named_;
  std::vector<std::vector<Metric>> seen_;  // by plans that lack one of those
  std::vector<Metric> first_;              // of the first that was evaluated
  bool maximize_[2] = {false, false};
  std::vector<double> targets_;
  std::map<std::string, std::uint64_t> reasons_;
  std::vector<Kept> best_, front_;
  std::uint64_t kept_ = 0;
  Found out_;
};

}  // namespace

Found search_points(Workspace& work, const SearchRequest& request, Diagnostics& diagnostics) {
  return PointSearch(work, request, diagnostics).run();
}

}  // namespace reckon::searching
