#include "reckon/engine/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "reckon/base/edit_distance.hpp"
#include "reckon/engine/axes.hpp"
#include "reckon/engine/field_at.hpp"
#include "reckon/engine/metric_named.hpp"

namespace reckon {
namespace {

constexpr double kFarthest =
    1048576;                   // a bound that nobody states: so many times the plan's own value
constexpr int kWithout = 512;  // illegal whole numbers in a row that are passed over

class Solver {
 public:
  Solver(Workspace& work, const SolveRequest& request, Diagnostics& diagnostics)
      : work_(work),
        request_(request),
        diagnostics_(diagnostics),
        points_(work, request.file, request.which, {request.path}, request.span) {
    out_.path = request.path;
    out_.target = request.target;
  }

  Solution run() {
    if (!find_field() || !find_now() || !find_bounds()) return out_;
    look_at_grid();
    if (tried_.empty()) {
      nothing_legal();
      return out_;
    }
    describe();
    decide();
    if (out_.outcome == Outcome::kMet && !whole_) round_answer();
    name_passed();
    return out_;
  }

 private:
  using Value = std::pair<double, Tried>;

  Diagnostic& fault(std::string message) {
    return diagnostics_.error(request_.span, std::move(message));
  }

  bool find_field() {
    kind_ = plan_kind(request_.file.kind)->describe();
    check_axes({{request_.path, {"a"}, request_.span}}, request_.file, diagnostics_);
    if (diagnostics_.has_errors()) return false;
    field_ = field_at(kind_, bound_path(request_.path));
    if (field_ && field_->kind == Description::Kind::kQuantity) {
      whole_ = is_whole(*field_);
      return true;
    }
    if (field_) {
      fault(fmt::format("{} is no number: nothing to solve for", request_.path))
          .help(fmt::format("compare its values: reckon sweep PLAN --vary {}=…", request_.path));
      return false;
    }
    std::vector<std::string> known;
    names_of(kind_, "", known);
    const std::string near = closest(request_.path, known);
    auto& f = fault(fmt::format("a {} plan has no field '{}'", request_.file.kind, request_.path));
    if (!near.empty())
      f.help(fmt::format("did you mean '{}'?", near));
    else
      f.help(fmt::format("`reckon schema {}` lists its fields", request_.file.kind));
    return false;
  }

  static void names_of(const Description& d, const std::string& path,
                       std::vector<std::string>& out) {
    for (const Description& part : d.parts) {
      const std::string at =
          path.empty() ? std::string(part.key) : path + "." + std::string(part.key);
      if (part.kind == Description::Kind::kQuantity) out.push_back(at);
      if (part.kind == Description::Kind::kGroup) names_of(part, at, out);
    }
  }

  // The plan as it stands, for the value to start from and the metric's unit; it needn't be legal.
  bool find_now() {
    Diagnostics scratch;
    const auto plan = load_plan(work_, request_.file, request_.which, scratch);
    if (!plan) return true;
    const std::vector<Metric> metrics = plan->metrics(work_);
    const Metric* m = metric_named(metrics, request_.target.metric, request_.target.span,
                                   diagnostics_, "--for: ");
    if (!m || !goal_value(request_.target, *m, diagnostics_, out_.target_number)) return false;
    known_ = true;
    const doc::Value* v = plan->resolved.at(bound_path(request_.path));
    if (v && v->is_mapping()) v = v->find("value");
    double x = 0;
    if (v && v->is_scalar() && read_number(*field_, v->text, x)) {
      start_ = x;
      if (m->has_value() && std::isfinite(m->value))
        out_.now = Tried{v->text, x, *m, meets(m->value)};
    }
    return true;
  }

  bool bound(const std::optional<std::string>& said, double& out) {
    if (!said) return true;
    if (read_number(*field_, *said, out)) return true;
    fault(fmt::format("'{}' is no bound of {}", *said, request_.path))
        .help("write " + expected_form(field_->dim, field_->hint));
    return false;
  }

  bool find_bounds() {
    const double around = start_ > 0 ? start_ : 1;
    low_ = whole_ ? (field_->limit == Limit::kAtLeastOne ? 1 : 0) : around / kFarthest;
    high_ = whole_ ? kFarthest : around * kFarthest;
    if (field_->limit == Limit::kShare || field_->limit == Limit::kEfficiency) high_ = 1;
    if (!bound(request_.from, low_) || !bound(request_.to, high_)) return false;
    if (low_ <= high_) return true;
    const auto text = [this](double x) { return written_number(*field_, x); };
    fault(request_.from && request_.to
              ? fmt::format("the bounds {}..{} are the wrong way round", text(low_), text(high_))
              : fmt::format("nothing lies between the bounds {} and {}", text(low_), text(high_)))
        .help(fmt::format("write --vary {}={}..{}", request_.path, text(high_), text(low_)));
    return false;
  }

  bool meets(double value) const {
    return holds(request_.target.compare, value, out_.target_number);
  }

  // One value of the field, once; nullptr if it makes no legal plan with such a number.
  const Tried* look(double x) {
    if (const auto at = tried_.find(x); at != tried_.end()) return &at->second;
    if (passed_.contains(x)) return nullptr;
    const std::string text = written_number(*field_, x);
    const PlanPoint p = points_.at({text});
    const Metric* m = p.number(request_.target.metric);
    if (!m || !known(*m, p)) {
      const Metric* any = find_metric(p.metrics, request_.target.metric);
      passed_.emplace(x, p.legal() && any ? any->reason : p.fault);
      ++out_.passed_over;
      // What a plan of the field lacks says more than why some value is no plan.
      if (p.legal()) lacks_ = any ? any->reason : "";
      if (p.legal() && !any) lacking_ = p.metrics;
      return nullptr;
    }
    return &tried_.emplace(x, Tried{text, x, *m, meets(m->value), p.no}).first->second;
  }

  // Of the values that make no plan: the first beyond those that do.
  void name_passed() {
    if (passed_.empty()) return;
    out_.why_passed_over = lacks_.empty() ? passed_.rbegin()->second : lacks_;
    if (tried_.empty()) return;
    const auto beyond = passed_.upper_bound(tried_.rbegin()->first);
    if (beyond == passed_.end() || beyond->second.empty()) return;
    out_.why_passed_over = beyond->second;
    out_.passed_at = written_number(*field_, beyond->first);
  }

  // "813.3552373759941B" to five digits on the side that meets the target, or to as many as meet it.
  void round_answer() {
    constexpr int kFewest = 5, kMost = 17;
    const bool up = out_.beyond && out_.beyond->x < out_.answer->x;
    for (int digits = kFewest; digits < kMost; ++digits) {
      double x = 0;
      const std::string text = rounded(out_.answer->text, digits, up);
      if (text.empty() || !read_number(*field_, text, x) || x < low_ || x > high_) continue;
      const Tried* t = look(x);
      if (!t || !(t->meets || is_exactly(*t))) continue;
      if (t->meets) out_.answer = *t;  // to = the number stays as it was found
      out_.answer->text = text;
      return;
    }
  }

  // The number that a text begins with to so many digits, what stands behind it as it is; empty for other texts.
  static std::string rounded(const std::string& text, int digits, bool up) {
    double number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc() || number <= 0) return "";
    const double unit = std::pow(10.0, std::floor(std::log10(number)) + 1 - digits);
    const double whole = up ? std::ceil(number / unit) : std::floor(number / unit);
    return fmt::format("{:.{}g}{}", whole * unit, digits,
                       std::string(read.ptr, text.data() + text.size()));
  }

  bool known(const Metric& m, const PlanPoint&) {
    if (!known_) known_ = goal_value(request_.target, m, diagnostics_, out_.target_number);
    return known_;
  }

  void look_at_grid() {
    const double low = low_, high = high_;
    if (whole_) {
      const bool all = high - low <= 4096 && request_.to;
      const double dense = all ? high : std::min(high, low + 256);
      for (double x = std::ceil(low); x <= dense; ++x) look(x);
      for (double x = 1; x <= high; x *= 2) {
        for (const double part : {1.0, 1.25, 1.5, 1.75})
          if (const double y = x * part; y > dense && y <= high && y == std::floor(y)) look(y);
      }
      if (high > dense) look(std::floor(high));
      return;
    }
    constexpr int kSteps = 160;
    const bool ratio = low > 0 && high / low > 4;
    for (int i = 0; i <= kSteps; ++i) {
      const double part = static_cast<double>(i) / kSteps;
      look(i == 0        ? low
           : i == kSteps ? high
           : ratio       ? low * std::pow(high / low, part)
                         : low + (high - low) * part);
    }
    if (start_ >= low && start_ <= high) look(start_);
  }

  void nothing_legal() {
    if (!lacking_.empty()) {
      metric_named(lacking_, request_.target.metric, request_.target.span, diagnostics_, "--for: ");
      if (!find_metric(lacking_, request_.target.metric)) return;
    }
    auto& f = fault(fmt::format("no value of {} from {} to {} makes a plan with a number for {}",
                                request_.path, written_number(*field_, low_),
                                written_number(*field_, high_), request_.target.metric));
    name_passed();
    if (!out_.why_passed_over.empty()) f.help(out_.why_passed_over);
  }

  // Whether the metric climbs or falls throughout.
  void describe() {
    out_.looked_at = tried_.size();
    out_.low = tried_.begin()->second;
    out_.high = tried_.rbegin()->second;
    out_.climbs = out_.high.metric.value >= out_.low.metric.value;
    int direction = 0;
    const Tried* last = nullptr;
    for (const auto& [x, t] : tried_) {
      if (last) {
        const double rise = t.metric.value - last->metric.value;
        const double least =
            1e-9 * std::max(std::abs(t.metric.value), std::abs(last->metric.value));
        const int now = rise > least ? 1 : rise < -least ? -1 : 0;
        if (now != 0 && direction != 0 && now != direction && out_.turns.size() < 3)
          out_.turns.push_back(*last);
        if (now != 0) direction = now;
      }
      last = &t;
    }
    out_.monotone = out_.turns.empty();
  }

  // On which side of the target a value lies; for `=` the side it climbs from.
  bool side(const Tried& t) const {
    return request_.target.compare == Compare::kEqual ? t.metric.value >= out_.target_number
                                                      : t.meets;
  }

  void decide() {
    const Tried *before = nullptr, *after = nullptr;
    for (const auto& [x, t] : tried_) {
      if (t.meets && request_.target.compare == Compare::kEqual) {
        out_.outcome = Outcome::kMet;
        out_.answer = t;
        return;
      }
      if (after && !before && side(t) != side(*after)) {
        before = after;
        after = &t;
        break;
      }
      after = &t;
    }
    if (!before) return one_sided();
    narrow(*before, *after);
  }

  void one_sided() {
    const bool all = request_.target.compare != Compare::kEqual && tried_.begin()->second.meets;
    out_.outcome = all ? Outcome::kAlways : Outcome::kNever;
    const Tried* nearest = nullptr;
    for (const auto& [x, t] : tried_) {
      const auto distance = [&](const Tried& y) {
        return std::abs(y.metric.value - out_.target_number);
      };
      if (!nearest || distance(t) < distance(*nearest)) nearest = &t;
    }
    (all ? out_.answer : out_.beyond) = *nearest;
  }

  // A legal value between two, the middle one or the nearest to it.
  const Tried* between(double a, double b) {
    const double middle = whole_                 ? std::floor((a + b) / 2)
                          : a > 0 && b / a > 1.5 ? std::sqrt(a * b)
                                                 : a + (b - a) / 2;
    if (!whole_) return middle > a && middle < b ? look(middle) : nullptr;
    for (int i = 0; i < kWithout; ++i) {
      for (const double x : {middle - i, middle + i}) {
        if (!(x > a && x < b)) continue;
        if (const Tried* t = look(x)) return t;
      }
    }
    return nullptr;
  }

  void narrow(const Tried& before, const Tried& after) {
    Tried a = before, b = after;
    for (int i = 0; i < 200; ++i) {
      if (!whole_ && std::abs(b.x - a.x) <= 1e-14 * std::abs(b.x)) break;
      const Tried* t = between(a.x, b.x);
      if (!t) break;
      (side(*t) == side(a) ? a : b) = *t;
      if (request_.target.compare == Compare::kEqual && t->meets) {
        out_.outcome = Outcome::kMet;
        out_.answer = *t;
        return;
      }
    }
    finish(a, b);
  }

  // A run has a whole number of steps: a cost or a length goes up by one step's share.
  bool is_exactly(const Tried& t) const {
    return request_.target.compare == Compare::kEqual &&
           std::abs(t.metric.value - out_.target_number) <= 1e-6 * std::abs(out_.target_number);
  }

  void finish(const Tried& a, const Tried& b) {
    if (request_.target.compare != Compare::kEqual) {
      out_.outcome = Outcome::kMet;
      out_.answer = a.meets ? a : b;
      out_.beyond = a.meets ? b : a;
      return;
    }
    const auto off = [&](const Tried& t) { return std::abs(t.metric.value - out_.target_number); };
    const Tried& nearest = off(a) <= off(b) ? a : b;
    const bool exact = is_exactly(nearest);
    out_.outcome = exact ? Outcome::kMet : Outcome::kBetween;
    out_.answer = exact ? nearest : a;
    out_.answer->meets = exact;
    if (!exact) out_.beyond = b;
  }

  Workspace& work_;
  const SolveRequest& request_;
  Diagnostics& diagnostics_;
  PlanPoints points_;
  Description kind_;
  const Description* field_ = nullptr;
  bool whole_ = false, known_ = false;
  double start_ = 0, low_ = 0, high_ = 0;
  std::map<double, Tried> tried_;
  std::map<double, std::string> passed_;  // why each makes no plan
  std::vector<Metric> lacking_;
  std::string lacks_;
  Solution out_;
};

}  // namespace

Solution solve(Workspace& work, const SolveRequest& request, Diagnostics& diagnostics) {
  return Solver(work, request, diagnostics).run();
}

}  // namespace reckon
