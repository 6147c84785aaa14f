// What every command answers with: metrics under dotted ids, what was assumed, what was left out.
//
//   const Metric* m = result.find("memory.total");        // value in SI units, dimension and hint beside it
//
// One list serves every format: text, JSON, CSV, Markdown, `expect:` and the objectives of searches.
#pragma once

#include <string>
#include <vector>

#include "reckon/units/dim.hpp"

namespace reckon {

struct Metric {
  std::string id, title;
  double value = 0;
  Dim dim = {};
  Hint hint = Hint::kNone;
  std::string text;    // of metrics that are words: a verdict, a bound
  std::string reason;  // why there is no value
  int node = -1;       // on the tape, when the run was recorded

  bool has_value() const { return reason.empty(); }
  bool is_text() const { return !text.empty(); }
};

// A convention or efficiency in force, and where it was stated.
struct Assumption {
  std::string path, value, place, source;
  bool overridden = false;
};

// A change of one field that makes a plan fit.
struct Fix {
  std::string change;                  // as --set takes it: "sharding.zero=2"
  std::string title;                   // "ZeRO-2"
  double headroom = 0, step_time = 0;  // bytes; seconds, 0 if the plan states no efficiency
};

inline const Metric* find_metric(const std::vector<Metric>& metrics, std::string_view id) {
  for (const Metric& m : metrics) {
    if (m.id == id) return &m;
  }
  return nullptr;
}

// How good such a prediction has been on measured runs (engine/accuracy.hpp).
struct Accuracy {
  std::string metric, text;  // "step.time", "rows like this (…): median 2.3 %, p90 5.1 %, n = 48"
  std::string like;  // what the rows share with the plan; empty if nothing comparable was measured
  std::size_t rows = 0;
  double median = 0, p90 = 0;  // of |predicted/measured − 1|
};

// Metrics side by side: the cell of a row and a column is the metric `row.id` + "." + `column.id`,
// blank where there is none.
struct Grid {
  struct Part {
    std::string id, title;
    std::string note = {};  // of a row: why it was chosen, or why it is not there
    bool chosen = false;
  };
  std::string title;
  std::string corner;  // what the rows are
  std::vector<Part> columns, rows;
};

// What the common other convention prints for the same question.
struct Also {
  std::string title;
  std::string how;  // as the command line takes it: "--assume ring_factor=drop"
  std::vector<Metric> metrics;
};

// Lines to be shown as they are: a picture of steps.
struct Picture {
  std::string title;
  std::vector<std::string> lines;
};

// One pass of a rank of a pipeline, from when to when.
struct TimelinePass {
  int rank = 0;
  std::string pass;  // "forward", "backward_input", …
  int chunk = 0, micro_batch = 0;
  double start = 0, end = 0;
};

// A metric's formula on one line: symbol, then the steps to its value.
struct Equation {
  std::string metric, symbol;
  std::vector<std::string> steps;  // "bytes / W", "24.5 GB / (450 GB/s)", "54.44 ms"
  std::vector<std::string> where;  // its locals: "share = (q − 1) / q = (8 − 1) / 8 = 0.875"
};

// What a question says beside its metrics.
struct Answer {
  std::vector<std::string> lines;     // in words: "54.44 ms: …"
  std::vector<std::string> formulas;  // metrics whose formula stands under the answer
  std::vector<Equation> equations;    // those, once they have been recorded (report/question.hpp)
  std::vector<Grid> grids;
  std::vector<Also> also;
  std::vector<Picture> pictures;
  std::vector<std::string> notes;      // what a reader should know to read it aloud
  std::vector<TimelinePass> timeline;  // JSON alone lists it
  std::string timeline_unit;           // "s", or "pass" where no times are stated
};

// One axis of a plan's mesh: its ranks, how far apart they are, how many of a group share a node, and
// what they talk over.
struct MeshRow {
  std::string axis;
  int ranks = 1, apart = 1, in_node = 1;
  std::string link;
};

// Memory of a pipeline stage over a step: its largest in each of equal spans of time, in bytes; the
// peak, when it comes (share of the step), in which pass, with how many micro-batches' pieces kept.
struct MemoryCurve {
  int stage = 0;
  std::vector<double> points;
  double peak = 0, at = 0;
  std::string pass = {};
  int pieces = 0;
};

// Why an answer is no: what a search turns down, and a table marks.
enum class No { kMemory, kTarget, kQueue, kBudget, kGpus, kLink };
constexpr const char* words_of(No why) {
  constexpr const char* kWords[] = {
      "doesn't fit the memory",         "misses a stated target",
      "its queue grows without bound",  "its budget buys nothing",
      "needs more GPUs than there are", "needs more than the link between its pools"};
  return kWords[static_cast<int>(why)];
}

struct Result {
  std::string name, file, case_name, kind;
  std::vector<std::pair<std::string, std::string>>
      headline;  // "model": "Llama 3 8B, 8.03B params", …
  std::vector<Metric> metrics;
  std::vector<Assumption> assumptions;
  std::vector<std::string> warnings, not_modelled;
  std::vector<Accuracy> accuracy;
  std::vector<Fix> fixes;
  std::vector<MeshRow> mesh;        // where more than one axis is laid out
  std::vector<MemoryCurve> curves;  // with a pipeline
  std::vector<std::string> memory_notes;
  Answer answer;       // of a question; empty for a training plan
  std::vector<No> no;  // empty: yes

  bool fits() const { return no.empty(); }
  void say_no(No why) {
    for (const No said : no)
      if (said == why) return;
    no.push_back(why);
  }
  bool is_question() const { return !kind.empty() && kind != "training"; }
  const Metric* find(std::string_view id) const { return find_metric(metrics, id); }
};

}  // namespace reckon
