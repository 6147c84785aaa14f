// The commands, one file each, and what their options fill in. options.cpp alone knows CLI11.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reckon/engine/import.hpp"
#include "session.hpp"

namespace reckon::cli {

struct Shared {
  std::string data;               // --data DIR
  Format format = Format::kText;  // --format
  bool wide = false;              // --wide
};

constexpr int kDepth = 4;  // levels of a derivation

struct EvalOptions {
  std::vector<std::string> plans, sets, explain, exports;
  std::string which_case, model, gpus;
  std::optional<int> depth;  // kDepth without one
  bool verbose = false;
};
int eval(Session&, const Shared&, const EvalOptions&);

struct CheckOptions {
  std::vector<std::string> paths, sets;
  std::string junit, which_case;
};
int check(Session&, const Shared&, const CheckOptions&);

struct DefendOptions {
  std::string plan, model, gpus, which_case;
  std::vector<std::string> sets;
};
int defend(Session&, const Shared&, const DefendOptions&);

struct NewOptions {
  std::string kind = "training", model, gpus, output;
};
int new_plan(Session&, const Shared&, const NewOptions&);
// The plan's text; empty after a fault. Notes say which choices were made.
// `silent_about`: notes that begin so are left out.
// `sets`: what --set will say of it.
std::string new_training_text(Session&, const std::string& model, const std::string& gpus,
                              const std::vector<std::string>& sets,
                              std::string_view silent_about = "");

struct ListOptions {
  std::string what, name;  // name: only those whose id or name has it
};
int list(Session&, const Shared&, const ListOptions&);
std::vector<std::string> words_of_list();                     // what there is to list
std::vector<Shelf> shelves_of_list(const std::string& word);  // all of them without a word

struct ShowOptions {
  std::string name;
  bool path = false;
};
int show(Session&, const Shared&, const ShowOptions&);

struct ParamsOptions {
  std::string model, assume;
  std::string sequence = "8192", batch = "1", format = "bf16";
  std::string state = "fp32", windows = "exact", published;
  std::vector<std::string> metrics;  // of a derivation
  std::optional<int> depth;
  bool stored = false, explain = false;
};
int params(Session&, const Shared&, const ParamsOptions&);

struct ImportOptions {
  std::string config, output;
  ImportRequest request;
  bool explain = false;
};
int import_config(Session&, const Shared&, const ImportOptions&);

struct FormulasOptions {
  std::string pattern = "*";
};
int formulas(Session&, const Shared&, const FormulasOptions&);

struct SensitivityOptions {
  std::string plan, metric, which_case;
  std::vector<std::string> sets;
};
int sensitivity(Session&, const Shared&, const SensitivityOptions&);

struct SweepOptions {
  std::string plan, which_case;
  std::vector<std::string> vary, metrics, sets;
  bool plot = false;
};
int sweep(Session&, const Shared&, const SweepOptions&);

struct SolveOptions {
  std::string plan, vary, target, which_case;
  std::vector<std::string> sets;
};
int solve(Session&, const Shared&, const SolveOptions&);

// As typed; empty where not given.
struct SearchOptions {
  std::string space, which_case, search, objective, pareto, top, threads, output;
  std::vector<std::string> vary, where, sets;
  bool as_plan = false, no_bound = false, any_memory = false, tensor_in_node = false,
       untimed = false;
};
int search(Session&, const Shared&, const SearchOptions&);

struct CompareOptions {
  std::vector<std::string> plans, metrics, sets;
  std::string which_case;
};
int compare(Session&, const Shared&, const CompareOptions&);

struct HelpOptions {
  std::string topic, plan, which_case;
};
int help(Session&, const Shared&, const HelpOptions&);

struct QuestionOptions {
  std::string word;                                                     // which question
  std::vector<std::pair<std::string, std::string>> values;              // field, as typed
  std::vector<std::pair<std::string, std::vector<std::string>>> lists;  // fields that are lists
  std::vector<std::string> assume, sets, metrics;
  std::optional<int> depth;
  bool explain = false, verbose = false, as_plan = false;
};
int question(Session&, const Shared&, const QuestionOptions&);

struct ValidateOptions {
  std::string what, leave_out, form, source, stack, rows;
  bool verbose = false, update = false, fit = false;
};
int validate(Session&, const Shared&, const ValidateOptions&);
std::vector<std::string> words_of_validate();

struct CalibrateCommand {
  std::string what;
  std::vector<std::string> files, columns;
  std::string output, onto, name, form;
  std::string chip, kernel, library, dtype;  // of a file that doesn't say
  std::string rows;                          // of runs
};
int calibrate(Session&, const Shared&, const CalibrateCommand&);
int calibrate_runs(Session&, const Shared&, const CalibrateCommand&);

// As typed; empty where not given.
struct FitCommandOptions {
  std::string data, approach = "loss", drop_highest, drop_above, delta, starts, bootstrap, seed,
                    threads, name, output;
  std::vector<std::string> columns;
  bool residuals = false, as_law = false;
};
int fit(Session&, const Shared&, const FitCommandOptions&);

struct CompletionOptions {
  std::string shell;
};
int completion(Session&, const Shared&, const CompletionOptions&);

struct SchemaOptions {
  std::string kind = "training";
};
int schema(Session&, const Shared&, const SchemaOptions&);
std::vector<std::string> words_of_schema();

}  // namespace reckon::cli
