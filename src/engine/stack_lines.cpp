#include "stack_lines.hpp"

#include <fmt/format.h>

#include "reckon/base/text.hpp"
#include "reckon/engine/calibrate_runs.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

std::string share(Ratio<double> x) { return format_quantity(x.raw, kOne, Hint::kFraction); }

std::string runs(double n, const char* of = "") {
  return fmt::format("{:.0f} {}run{}", n, of, n == 1 ? "" : "s");
}

// "starting values, 3 core runs": fitted on too few to know the error; empty if not.
std::string starting_values(const Stack<double>& s, const StackClaim& claim) {
  if (!s.rows) return "";
  if (claim.core && static_cast<double>(*claim.core) < kEnoughRuns)
    return "starting values, " + runs(static_cast<double>(*claim.core), "core ");
  return s.rows->raw < kEnoughRuns ? "starting values, " + runs(s.rows->raw) : "";
}

// Where a group inside a node is larger than any that the curve was measured on.
void warn_of_groups(const Stack<double>& s, const Layout<double>& x,
                    std::vector<std::string>& out) {
  const std::pair<const char*, const Group<double>*> groups[] = {
      {"tensor", &x.tensor}, {"data", &x.data}, {"expert", &x.expert}};
  for (const auto& c : s.collectives.curves) {
    if (c.ranks.empty()) continue;
    for (const auto& [name, group] : groups) {
      const bool to_all = c.op == CollectiveOp::kAllToAll;
      if (to_all != (group == &x.expert) || group->crosses() || group->q <= c.ranks.back())
        continue;
      out.push_back(fmt::format(
          "the {} group has {:.0f} ranks in a node, and the curve of the {} was measured on "
          "at most {:.0f}: its constants at {:.0f} stand in",
          name, group->q.raw, name_of(c.op), c.ranks.back().raw, c.ranks.back().raw));
    }
  }
}

std::string shown(const Count<double>& n) { return format_quantity(n.raw, kOne, Hint::kCount); }

// Where the plan lies outside the runs that the constants were fitted on: visit(what, value, least, most).
template <class Visit>
void outside_of(const TrainingPlan<double>& plan, const Layout<double>& x, Visit visit) {
  const StackRange<double>& r = plan.stack->range;
  const auto check = [&](const char* what, const Count<double>& value,
                         const std::vector<Count<double>>& range) {
    if (range.size() == 2 && (value < range[0] || range[1] < value))
      visit(what, shown(value), shown(range[0]), shown(range[1]));
  };
  check("GPUs", x.G, r.gpus);
  check("tokens of a micro-batch on a rank", x.T, r.tokens);
  if (plan.batch.sequence) check("sequence", *plan.batch.sequence, r.sequence);
  if (plan.model.hidden) check("width of the model", *plan.model.hidden, r.hidden);
}

void warn_of_range(const TrainingPlan<double>& plan, const Layout<double>& x,
                   std::vector<std::string>& out) {
  outside_of(
      plan, x,
      [&](const char* what, const std::string& value, const std::string& least,
          const std::string& most) {
        out.push_back(fmt::format(
            "{} {}: {} {} to {}", what, value,
            plan.stack->rows ? fmt::format("stack '{}' was fitted on runs with", plan.stack->id)
                             : "the measured runs of its chips have",
            least, most));
      });
}

}  // namespace

std::string stack_line(const Stack<double>& s, const StackClaim& claim) {
  std::string out = (s.name.empty() ? s.id : s.name) + (claim.any() ? " (changed)" : "");
  if (!claim.altered.empty())
    return fmt::format("{}: nothing was measured with its {}", out, altered_words(claim.altered));
  const std::string own = claim.own.empty() ? "" : fmt::format(", as {} says itself", claim.own);
  if (const std::string few = starting_values(s, claim); !few.empty())
    return fmt::format("{}: {}{}", out, few, own);
  if (s.rows) out += fmt::format(": {}", runs(s.rows->raw));
  if (!s.fitted.empty()) out += (s.rows ? ", " : ": ") + s.fitted;
  return s.rows || !s.fitted.empty() ? out + own : out;
}

std::string hidden_line(const TrainingPlan<double>& plan) {
  const Stack<double>& s = *plan.stack;
  const OverlapStack<double>& o = s.overlap;
  const bool sharded = !(plan.sharding.zero < 3);
  std::vector<std::string> parts;
  if (!(plan.mesh.tensor <= 1))
    parts.push_back(fmt::format("{} of the tensor collectives behind GEMMs",
                                share(s.async_tensor ? o.async_tensor : o.tensor)));
  if (!(plan.mesh.context <= 1))
    parts.emplace_back("hops of the ring behind the attention of the block before");
  if (!(plan.mesh.expert <= 1))
    parts.push_back(
        s.overlap_experts
            ? fmt::format("{} of dispatch and combine behind another micro-batch", share(o.expert))
            : std::string("none of dispatch and combine"));
  if (!(plan.mesh.pipeline <= 1))
    parts.push_back(fmt::format("{} of the sends between stages", share(o.pipeline)));
  if (sharded)
    parts.emplace_back("gathers and reductions behind the layer beside them");
  else if (s.overlap_gradients)
    parts.push_back(fmt::format("gradients behind the last backward passes, but for {} of them",
                                share(o.gradients_least)));
  else
    parts.emplace_back("no gradients");
  return fmt::format("{}; what hides slows the compute beside it by {} of its time",
                     join(parts, ", "), share(o.contention));
}

std::string outside_words(const TrainingPlan<double>& plan, const Layout<double>& layout) {
  if (!plan.stack) return "";
  std::vector<std::string> parts;
  outside_of(plan, layout,
             [&](const char* what, const std::string& value, const std::string& least,
                 const std::string& most) {
               parts.push_back(fmt::format("{} {} of {} to {}", what, value, least, most));
             });
  if (any_recurrent(plan.model) && plan.stack->scan && !plan.stack->scan->measured)
    parts.emplace_back("layers that keep a state, which none of them has");
  return join(parts, ", ");
}

void stack_warnings(const TrainingPlan<double>& plan, const TrainingEstimate<double>& e,
                    const StackClaim& claim, std::vector<std::string>& out) {
  const Stack<double>& s = *plan.stack;
  if (const std::string few = starting_values(s, claim); !few.empty() && claim.altered.empty())
    out.push_back(fmt::format("stack '{}' holds {}: nothing is known of its error", s.id, few));
  warn_of_range(plan, e.layout, out);
  if (s.tier == CollectiveModel::kCalibrated) warn_of_groups(s, e.layout, out);
}

}  // namespace reckon
