// A plan of any kind, looked up, bound and legal: what eval, check, --explain and sensitivity ask of it.
//
//   std::unique_ptr<Loaded> plan = load(work, "collective", tree, diagnostics);      // kinds.hpp
//   Result answer = plan->result(work);
//   Recorded again(*plan);                         // the same on a tape: derivations, slopes
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "reckon/doc/bind.hpp"
#include "reckon/engine/result.hpp"
#include "reckon/spec/lift.hpp"

namespace reckon {

class Workspace;

// Plain fields of a plan with other values: {"mesh.tensor", 8}, …
using Changes = std::vector<std::pair<std::string, doc::Value>>;

// What a table or a search asks of one plan: its metrics, and why its answer is no, if it is.
struct Judged {
  std::vector<Metric> metrics;
  std::vector<No> no;
};

class Loaded {
 public:
  virtual ~Loaded() = default;

  std::string file, case_name, kind;  // kind: the word in its file
  std::vector<std::string> warnings;  // of loading it, for a result that travels without stderr
  doc::Value resolved;                // everything looked up: what `reckon show PLAN` prints
  Origins origins;

  // Metrics, assumptions in force, what is not modelled.
  virtual Result result(Workspace& work) const = 0;
  // The metrics alone.
  virtual std::vector<Metric> metrics(Workspace& work) const { return result(work).metrics; }
  // And the verdict; without what only a reader needs.
  virtual Judged judged(Workspace& work) const {
    Result r = result(work);
    return {std::move(r.metrics), std::move(r.no)};
  }
  // The same of this plan with some plain fields changed, without looking anything up again. False where
  // that can't be said so: the field isn't plain, or the kind of plan doesn't offer it. Faults of the
  // changed plan go to the diagnostics.
  virtual bool at(const Changes&, Judged&, Diagnostics&) const { return false; }
  // The same plan evaluated on the tape in force. What comes back owns the texts that the tape points
  // into, and must outlive it.
  virtual std::shared_ptr<const void> record(const Recording& run,
                                             std::vector<Metric>& metrics) const = 0;

 protected:
  Loaded() = default;
  Loaded(const Loaded&) = default;
  Loaded(Loaded&&) = default;
  Loaded& operator=(const Loaded&) = default;
  Loaded& operator=(Loaded&&) = default;
};

// A plan evaluated on a tape. Metrics carry their nodes; the tape lives here, with what it points into.
class Recorded {
 public:
  explicit Recorded(const Loaded& loaded)
      : run_(loaded.origins), kept_(loaded.record(run_, metrics_)) {}
  const Tape& tape() const { return tape_; }
  const std::vector<Metric>& metrics() const { return metrics_; }
  const Metric* find(std::string_view id) const { return find_metric(metrics_, id); }

 private:
  Tape tape_;
  Recording run_;
  std::vector<Metric> metrics_;
  std::shared_ptr<const void> kept_;
};

}  // namespace reckon
