// Kinds of plan: what `kind:` may say. A training plan is one; each back-of-the-envelope question is another.
//
//   const PlanKind* kind = plan_kind("collective");
//   std::unique_ptr<Loaded> plan = kind->load(work, tree, diagnostics);   // null after a fault
//
// A question is also a command of that name: its flags are the fields of its description, its help their meanings.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "reckon/doc/describe.hpp"
#include "reckon/engine/loaded.hpp"
#include "reckon/engine/plan_file.hpp"

namespace reckon {

class PlanKind {
 public:
  virtual ~PlanKind() = default;
  virtual std::string_view word() const = 0;
  virtual std::string_view summary() const = 0;  // one line of help
  virtual Description describe() const = 0;
  // Metrics of a table over several plans. None: those that differ.
  virtual std::vector<std::string_view> columns() const { return {}; }
  // The tree without kind, expect and cases. Null after a fault.
  virtual std::unique_ptr<Loaded> load(Workspace& work, doc::Value tree,
                                       Diagnostics& diagnostics) const = 0;
};

// What a question's command needs beside its fields.
struct QuestionInfo {
  std::string_view word, summary;
  std::string_view positional;  // the field that is typed without its name; "" if none
  std::vector<std::string_view> examples;
  std::vector<std::string_view> assumptions;  // keys of assume: that bear on it, * for any
  std::vector<std::string_view> columns;      // metrics of the table over several values
  std::string_view rest = {};  // the list that takes all words after that, negative numbers too
};

class Question : public PlanKind {
 public:
  virtual const QuestionInfo& info() const = 0;
  std::string_view word() const override { return info().word; }
  std::string_view summary() const override { return info().summary; }
  std::vector<std::string_view> columns() const override { return info().columns; }
};

// In the order of the help.
const std::vector<const PlanKind*>& plan_kinds();
const std::vector<const Question*>& questions();
const PlanKind* plan_kind(std::string_view word);  // nullptr if there is none

// The plan of a file, or one of its cases. Null after a fault.
std::unique_ptr<Loaded> load_plan(Workspace& work, const PlanFile& file,
                                  const PlanFile::Case* which, Diagnostics& diagnostics);

}  // namespace reckon
