#include "reckon/units/formula/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace reckon {
namespace {

// Passes what node i is worth on to its operands. A slope of 0 passes nothing, so that 0 · ∞ of an
// overflowed adjoint can't arise.
void pass_on(const Tape& tape, std::int32_t i, std::vector<double>& out) {
  const auto at = [&out](std::int32_t k) -> double& { return out[static_cast<std::size_t>(k)]; };
  const Tape::Node& n = tape.node(i);
  const double mine = at(i);
  if (n.op == Op::kLargest || n.op == Op::kSmallest) {
    at(tape.winner(n)) += mine;
  } else if (n.op == Op::kSelect) {
    at(tape.node(n.a).value != 0 ? n.b : n.c) += mine;
  } else if (n.a >= 0) {
    const Slopes s = slopes(n.op, tape.node(n.a).value, n.b < 0 ? 0 : tape.node(n.b).value);
    if (s.a != 0) at(n.a) += mine * s.a;
    if (n.b >= 0 && s.b != 0) at(n.b) += mine * s.b;
  }
}

double share_of(double part, double whole) {
  const double share = part / whole;
  return std::isfinite(share) ? share : 0;
}

std::vector<Share> largest_first(const std::map<std::string, double>& sums) {
  std::vector<Share> out;
  for (const auto& [name, value] : sums) out.push_back({name, value});
  std::stable_sort(out.begin(), out.end(),
                   [](auto& a, auto& b) { return std::abs(a.value) > std::abs(b.value); });
  return out;
}

}  // namespace

std::vector<double> adjoints(const Tape& tape, std::int32_t root) {
  std::vector<double> out(static_cast<std::size_t>(tape.size()), 0.0);
  if (root < 0) return out;
  out[static_cast<std::size_t>(root)] = 1;
  for (std::int32_t i = root; i >= 0; --i) {
    if (out[static_cast<std::size_t>(i)] != 0) pass_on(tape, i, out);
  }
  return out;
}

std::vector<InputSlope> input_slopes(const Tape& tape, std::int32_t root) {
  const std::vector<double> adjoint = adjoints(tape, root);
  std::map<std::string, InputSlope> found;
  for (std::int32_t i = 0; i <= root; ++i) {
    const Tape::Node& n = tape.node(i);
    const double slope = adjoint[static_cast<std::size_t>(i)];
    if (n.op != Op::kInput || slope == 0 || tape.name_of(i)->path.empty()) continue;
    const std::string path(tape.name_of(i)->path);
    InputSlope& s =
        found.emplace(path, InputSlope{path, tape.name_of(i), n.value, 0, 0}).first->second;
    s.slope += slope;
    s.elasticity += share_of(n.value * slope, tape.node(root).value);
  }
  std::vector<InputSlope> out;
  for (auto& [path, s] : found) out.push_back(std::move(s));
  std::stable_sort(out.begin(), out.end(), [](auto& a, auto& b) {
    return std::abs(a.elasticity) > std::abs(b.elasticity);
  });
  return out;
}

std::vector<Share> elasticities(const Tape& tape, std::int32_t root) {
  std::vector<Share> out;
  for (const InputSlope& s : input_slopes(tape, root)) out.push_back({s.path, s.elasticity});
  return out;
}

std::vector<Share> breakdown(const Tape& tape, std::int32_t root,
                             const std::vector<std::string_view>& ids) {
  std::map<std::string, double> sums;
  if (root < 0) return {};
  std::vector<double> adjoint(static_cast<std::size_t>(tape.size()), 0.0);
  adjoint[static_cast<std::size_t>(root)] = 1;
  for (std::int32_t i = root; i >= 0; --i) {
    const double mine = adjoint[static_cast<std::size_t>(i)];
    if (mine == 0) continue;
    const Tape::Name* name = tape.name_of(i);
    // An input under another name is that input; a formula over another is one of its own.
    const bool named = name && (name->formula || tape.node(i).op == Op::kInput);
    const std::string_view id = !named ? "" : name->formula ? name->formula->id : name->path;
    if (!named || std::find(ids.begin(), ids.end(), id) == ids.end()) {
      pass_on(tape, i, adjoint);
      continue;
    }
    // What it is made of counts within it: nothing is passed on.
    const std::string title(name->formula ? name->formula->title : name->path);
    sums[title] += tape.node(i).value * mine;
  }
  return largest_first(sums);
}

}  // namespace reckon
