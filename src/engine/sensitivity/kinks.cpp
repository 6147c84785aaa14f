// Choices on the way to a metric that an input would switch.
//
// A choice between a and b switches where a − b is nothing. Its slope by each input, from a sweep back from a and one
// from b, says how far that input has to move, to first order.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "parts.hpp"
#include "reckon/units/formula/sensitivity.hpp"

namespace reckon {
namespace {

constexpr double kFarthest = 0.5;  // of the input
constexpr std::size_t kMostKinks = 8;
constexpr std::size_t kMostSwept = 64;

struct Switch {
  std::int32_t node, winner, loser;
  double margin;  // of the winner's value
};

// The two sides of a choice: the one taken, and the one that comes next.
bool sides_of(const Tape& tape, std::int32_t i, Switch& out) {
  const Tape::Node& n = tape.node(i);
  if (n.op == Op::kMax || n.op == Op::kMin) {
    const bool first = (tape.node(n.a).value >= tape.node(n.b).value) == (n.op == Op::kMax);
    out = {i, first ? n.a : n.b, first ? n.b : n.a, 0};
  } else if (n.op == Op::kLargest || n.op == Op::kSmallest) {
    std::int32_t next = -1;
    for (std::int32_t k = 0; k < n.b; ++k) {
      const std::int32_t c = tape.candidate(n, k);
      if (k == n.c) continue;
      const bool nearer =
          next < 0 || (n.op == Op::kLargest ? tape.node(c).value > tape.node(next).value
                                            : tape.node(c).value < tape.node(next).value);
      if (nearer) next = c;
    }
    if (next < 0) return false;
    out = {i, tape.winner(n), next, 0};
  } else {
    return false;
  }
  const double a = tape.node(out.winner).value, b = tape.node(out.loser).value;
  if (!(std::abs(a) > 0) || !std::isfinite(a) || !std::isfinite(b) || a == b) return false;
  out.margin = std::abs(a - b) / std::abs(a);
  return true;
}

// The formula that a choice stands in: the first one that was named at or after it.
const Formula* formula_around(const Tape& tape, std::int32_t i) {
  for (; i < tape.size(); ++i) {
    const Tape::Name* name = tape.name_of(i);
    if (name && name->formula) return name->formula;
  }
  return nullptr;
}

bool is_continuous(const Tape::Name& name) {
  return name.hint != Hint::kCount && name.hint != Hint::kLength && name.hint != Hint::kParams &&
         name.hint != Hint::kTokens;
}

// The input that has to move least for the choice to switch.
Kink nearest(const Tape& tape, const Switch& c) {
  const std::vector<double> a = adjoints(tape, c.winner), b = adjoints(tape, c.loser);
  std::map<std::string_view, double> slope;  // of a − b, by relative change of an input
  for (std::int32_t i = 0; i <= std::max(c.winner, c.loser); ++i) {
    const Tape::Name* name = tape.name_of(i);
    if (tape.node(i).op != Op::kInput || !name || name->path.empty() || !is_continuous(*name))
      continue;
    const auto at = static_cast<std::size_t>(i);
    slope[name->path] += (a[at] - b[at]) * tape.node(i).value;
  }
  Kink out;
  out.change = std::numeric_limits<double>::infinity();
  const double apart = tape.node(c.winner).value - tape.node(c.loser).value;
  for (const auto& [path, s] : slope) {
    const double change = -apart / s;
    if (!std::isfinite(change) || std::abs(change) >= std::abs(out.change) || change <= -1)
      continue;
    out.path = std::string(path);
    out.change = change;
  }
  return out;
}

}  // namespace

void add_kinks(const Recorded& recorded, const Metric& metric, Sensitivity& out) {
  const Tape& tape = recorded.tape();
  const std::vector<double> reaches = adjoints(tape, metric.node);
  std::vector<Switch> choices;
  for (std::int32_t i = 0; i <= metric.node; ++i) {
    Switch c{};
    if (reaches[static_cast<std::size_t>(i)] != 0 && sides_of(tape, i, c)) choices.push_back(c);
  }
  std::stable_sort(choices.begin(), choices.end(),
                   [](const Switch& x, const Switch& y) { return x.margin < y.margin; });
  if (choices.size() > kMostSwept) choices.resize(kMostSwept);
  for (const Switch& c : choices) {
    Kink k = nearest(tape, c);
    const Formula* formula = formula_around(tape, c.node);
    if (!formula || k.path.empty() || std::abs(k.change) > kFarthest) continue;
    k.formula = formula->id;
    k.title = formula->title;
    const bool known = std::any_of(out.kinks.begin(), out.kinks.end(), [&](const Kink& other) {
      return other.formula == k.formula && other.path == k.path;
    });
    if (!known) out.kinks.push_back(std::move(k));
  }
  std::stable_sort(out.kinks.begin(), out.kinks.end(), [](const Kink& x, const Kink& y) {
    return std::abs(x.change) < std::abs(y.change);
  });
  if (out.kinks.size() > kMostKinks) out.kinks.resize(kMostKinks);
}

}  // namespace reckon
