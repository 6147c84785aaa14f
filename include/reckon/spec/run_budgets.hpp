// kind: run-budgets. The errors that predictions of measured runs are held to: plans/measured/budgets.yaml.
//
//   baseline: {preset: textbook, train.mfu: 40%}
//   budgets:
//     - {of: runs, rows: core, mean: 5 %, median: 3.3 %, p90: 11 %}
//     - {of: memory, source: bloom, largest: 10 %}
//
// Loosening one is a line of a diff.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "reckon/doc/field.hpp"
#include "reckon/doc/value.hpp"
#include "reckon/units/quantity.hpp"

namespace reckon {

enum class BudgetOf { kRuns, kMemory };
constexpr auto names(BudgetOf) { return std::array{"runs", "memory"}; }

// Which rows: all; those the accuracy is judged by; of them those whose source states the whole plan; the other rows
// of tier A whose source does; tier B.
enum class RowSet { kAll, kCore, kStated, kOther, kB };
constexpr auto names(RowSet) { return std::array{"all", "core", "stated", "other", "b"}; }

// What each row's constants were fitted without.
enum class LeftOut { kNothing, kSource, kModel };
constexpr auto names(LeftOut) { return std::array{"nothing", "source", "model"}; }

template <class R>
struct RunBudget {
  BudgetOf of = BudgetOf::kRuns;
  RowSet rows = RowSet::kAll;
  LeftOut leave_out = LeftOut::kNothing;
  std::string file, metric, stack, source;
  std::optional<Ratio<R>> mean, median, p90, largest, constant_mean, constant_median;
  std::optional<Count<R>> refused, accepted;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("of", "", "runs (step time) | memory").required(), s.of...);
    v(Field("rows", "",
            "all | core | stated (core, the whole plan is in the source) | other (tier A beside "
            "the core, the whole plan in the source) | b (tier B)"),
      s.rows...);
    v(Field("leave_out", "",
            "judged when each row is predicted without its source, or without those of its model "
            "(validate runs --leave-out); nothing if not stated"),
      s.leave_out...);
    v(Field("file", "", "only rows of files in plans/measured that match; all if not stated"),
      s.file...);
    v(Field("metric", "", "only of this metric; memory: memory.total if not stated"), s.metric...);
    v(Field(
          "stack", "",
          "judged when all rows are predicted by this stack (validate runs --stack); default: the "
          "usual one of each chip; those that the runs state if not stated"),
      s.stack...);
    v(Field("mean", "", "largest mean |error|").share(), s.mean...);
    v(Field("median", "", "largest median |error|").share(), s.median...);
    v(Field("p90", "", "largest 90th percentile of |error|").share(), s.p90...);
    v(Field("largest", "", "largest |error|").share(), s.largest...);
    v(Field("constant_mean", "",
            "mean |error| of one constant per stack and precision, over ours: at least")
          .hint(Hint::kRatio),
      s.constant_mean...);
    v(Field("constant_median", "", "the same of the median").hint(Hint::kRatio),
      s.constant_median...);
    v(Field("refused", "", "memory: rows that ran and are said not to fit: at most").count(),
      s.refused...);
    v(Field("accepted", "", "memory: rows that ran out of memory and are said to fit: at most")
          .count(),
      s.accepted...);
    v(Field("source", "", "where the figure comes from"), s.source...);
  }
};

template <class R>
struct RunBudgets {
  std::string id, comment;
  doc::Value baseline;
  std::vector<RunBudget<R>> budgets;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("id", "", "the file's name, filled in by the program"), s.id...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("baseline", "", "what the textbook is taken to assume").required(), s.baseline...);
    v(Field("budgets", "", "").required(), s.budgets...);
  }
};

}  // namespace reckon
