#include "reckon/units/formula/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace reckon {
namespace {

std::vector<Share> sorted(const std::map<std::string, double>& sums) {
  std::vector<Share> out;
  for (const auto& [name, value] : sums) out.push_back({name, value});
  std::sort(out.begin(), out.end(),
            [](auto& a, auto& b) { return std::abs(a.value) > std::abs(b.value); });
  return out;
}

}  // namespace

std::vector<double> adjoints(const Tape& tape, std::int32_t root) {
  std::vector<double> out(static_cast<std::size_t>(tape.size()), 0.0);
  const auto at = [&out](std::int32_t i) -> double& { return out[static_cast<std::size_t>(i)]; };
  at(root) = 1;
  for (std::int32_t i = root; i >= 0; --i) {
    const double mine = at(i);
    if (mine == 0) continue;
    const Tape::Node& n = tape.node(i);
    if (n.op == Op::kLargest || n.op == Op::kSmallest) {
      at(tape.candidate(n.a + n.c)) += mine;
    } else if (n.op == Op::kSelect) {
      at(tape.node(n.a).value != 0 ? n.b : n.c) += mine;
    } else if (n.a >= 0) {
      const Slopes s = slopes(n.op, tape.node(n.a).value, n.b < 0 ? 0 : tape.node(n.b).value);
      at(n.a) += mine * s.a;
      if (n.b >= 0) at(n.b) += mine * s.b;
    }
  }
  return out;
}

std::vector<Share> elasticities(const Tape& tape, std::int32_t root) {
  const std::vector<double> slope = adjoints(tape, root);
  std::map<std::string, double> sums;
  for (std::int32_t i = 0; i <= root; ++i) {
    const Tape::Node& n = tape.node(i);
    if (n.op != Op::kInput) continue;
    sums[std::string(tape.name_of(i)->path)] +=
        n.value * slope[static_cast<std::size_t>(i)] / tape.node(root).value;
  }
  return sorted(sums);
}

std::vector<Share> breakdown(const Tape& tape, std::int32_t root,
                             const std::vector<std::string_view>& ids) {
  const std::vector<double> slope = adjoints(tape, root);
  std::map<std::string, double> sums;
  for (std::int32_t i = 0; i <= root; ++i) {
    const Tape::Name* name = tape.name_of(i);
    if (!name) continue;
    const std::string_view id = name->formula ? name->formula->id : name->path;
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) continue;
    const std::string title(name->formula ? name->formula->title : name->path);
    sums[title] += tape.node(i).value * slope[static_cast<std::size_t>(i)];
  }
  return sorted(sums);
}

}  // namespace reckon
