#include "stack_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "reckon/base/text.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

std::string share(Ratio<double> x) { return format_quantity(x.raw, kOne, Hint::kFraction); }

bool starting_values(const Stack<double>& s) { return s.fitted.starts_with("starting values"); }

// The largest group that an operation's curves were measured on.
double most_ranks(CurveOf op, const Stack<double>& s) {
  double most = 0;
  for (const NodeCurve<double>& c : s.collectives.curves)
    if (c.op == op) most = std::max(most, c.ranks.raw);
  return most;
}

// Groups inside a node that are larger than any that was measured.
void warn_of_groups(const Stack<double>& s, const Layout<double>& x,
                    std::vector<std::string>& out) {
  const std::tuple<const char*, const Group<double>*, CurveOf> groups[] = {
      {"tensor", &x.tensor, CurveOf::kAllReduce},
      {"data", &x.data, CurveOf::kReduceScatter},
      {"expert", &x.expert, CurveOf::kAllToAll}};
  for (const auto& [name, group, op] : groups) {
    const double most = most_ranks(op, s);
    if (group->crosses() || group->q.raw <= most) continue;
    out.push_back(
        fmt::format("the {} group has {:.0f} ranks in a node, and the {} was measured on at most "
                    "{:.0f}: that curve stands in",
                    name, group->q.raw, name_of(op), most));
  }
}

}  // namespace

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

void stack_warnings(const TrainingPlan<double>& plan, const TrainingEstimate<double>& e,
                    std::vector<std::string>& out) {
  const Stack<double>& s = *plan.stack;
  if (starting_values(s))
    out.push_back(fmt::format("stack '{}' holds {}: nothing is known of its error on other runs",
                              s.id, s.fitted));
  warn_of_groups(s, e.layout, out);
}

}  // namespace reckon
