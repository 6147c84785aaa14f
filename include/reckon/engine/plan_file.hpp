// A plan file before anything is looked up: the plan's own keys, what it expects, its cases.
//
//   PlanFile file = open_plan(work, "plans/mine.yaml", std::move(tree), sets, diagnostics);
//   doc::Value tree = case_tree(file, &file.cases[0], diagnostics);      // load_plan (kinds.hpp) takes it on
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reckon/doc/bind.hpp"
#include "reckon/engine/workspace.hpp"

namespace reckon {

// One line of `expect:`. Numbers stay text until the metric gives them a unit.
struct Expectation {
  std::string id, metric, exact, printed, at_most, at_least, source;
  std::optional<Ratio<double>> within;
  doc::Value fits;  // shorthand: {fits: no}
  // Of the line, and of its values.
  Span span, exact_span, printed_span, at_most_span, at_least_span;

  bool states_value() const {
    return !exact.empty() || !printed.empty() || !at_most.empty() || !at_least.empty();
  }

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("id", "", "of the worked example; names the line in reports"), s.id...);
    v(Field("metric", "", "the metric that is held"), s.metric...);
    v(Field("exact", "", "its value, held to 1e-5"), s.exact...);
    v(Field("printed", "",
            "the figure a source prints, held to `within`, or to half a unit of its last digit"),
      s.printed...);
    v(Field("within", "", "relative tolerance of `printed`").share(), s.within...);
    v(Field("at_most", "", "a bound: a budget, a deadline"), s.at_most...);
    v(Field("at_least", "", "a bound from below"), s.at_least...);
    v(Field("source", "", "where the figure is printed"), s.source...);
    v(Field("fits", "", "short for metric: fits"), s.fits...);
  }
};

// A plan file, before anything is looked up: the plan's own keys, its expectations, its cases.
struct PlanFile {
  std::string name;  // as given
  std::string kind;
  doc::Value tree;  // without kind, expect, measured, cases
  std::vector<Expectation> expect;
  doc::Value measured;  // as written: what holds for all cases (engine/measured_runs.hpp)
  struct Case {
    std::string name;
    doc::Value overlay, measured;
    std::vector<Expectation> expect;
    Span span;
  };
  std::vector<Case> cases;
  std::vector<std::pair<std::string, doc::Value>> sets;  // laid over plan and case alike
};

// `sets`: path=value overrides, applied to whatever is evaluated: the plan or one of its cases.
using Sets = std::vector<std::pair<std::string, std::string>>;

PlanFile open_plan(Workspace& work, std::string name, doc::Value tree, const Sets& sets,
                   Diagnostics& diagnostics);

// The plan's tree, or that of one of its cases, with the sets; a set that doesn't fit is a fault.
doc::Value case_tree(const PlanFile& file, const PlanFile::Case* which, Diagnostics& diagnostics);

}  // namespace reckon
