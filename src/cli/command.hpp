// A command of the program: what its help says, its options, what runs. How options are declared is told to `Declare`,
// so that CLI11 is known to options.cpp alone.
//
//   all.push_back({"show", kModels, "NAME", "the file behind a name", {"reckon show h100-sxm"},
//                  [&v](Declare& d) { d.positional("NAME", v.show.name, "an id").required(); },
//                  [&v](Session& s, const Shared& g) { return show(s, g, v.show); }});
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands.hpp"
#include "reckon/doc/bind.hpp"
#include "reckon/engine/kinds.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace reckon::cli {

inline constexpr std::string_view kPlans = "Plans";
inline constexpr std::string_view kQuestions = "Questions";
inline constexpr std::string_view kModels = "Models and hardware";
inline constexpr std::string_view kAccuracy = "Accuracy";
inline constexpr std::string_view kTools = "Tools";

// The words that options take, where they are known when they are declared: what completion offers.
using OfferedWords = std::map<const CLI::Option*, std::vector<std::string>>;

class Declared {
 public:
  Declared(CLI::Option* option, OfferedWords& offered) : option_(option), offered_(offered) {}
  Declared& required();
  Declared& one_of(std::vector<std::string> words);
  template <NamedEnum E>
  Declared& one_of(E e) {
    return one_of(detail::words_of(e));
  }

 private:
  CLI::Option* option_;
  OfferedWords& offered_;
};

// Names as CLI11 takes them: "PLAN" for a word by its place, "-o,--output" for an option. `type`: what the help calls
// the value. Defined in options.cpp.
class Declare {
 public:
  Declare(CLI::App& app, OfferedWords& offered) : app_(app), offered_(offered) {}
  Declared positional(const std::string& name, std::string& to, const std::string& what);
  Declared positional(const std::string& name, std::vector<std::string>& to,
                      const std::string& what);
  Declared word(const std::string& name, std::string& to, const char* type,
                const std::string& what);
  void repeated(const char* name, std::vector<std::string>& to, const char* type, const char* what);
  void sets(std::vector<std::string>& to);
  void flag(const std::string& name, bool& to, const std::string& what);
  void small_number(const char* name, std::optional<int>& to, const char* what);  // 0 to 100

 private:
  CLI::App& app_;
  OfferedWords& offered_;
};

struct Command {
  std::string name;
  std::string_view group;
  std::string arguments, summary;
  std::vector<std::string> examples;
  std::function<void(Declare&)> declare;
  std::function<int(Session&, const Shared&)> run;
  bool text_only = false;
};

// What the flags of one question hold, by field.
struct QuestionFlags {
  std::map<std::string, std::string> words;
  std::map<std::string, bool> switches;
  std::map<std::string, std::vector<std::string>> lists;
  std::map<std::string, std::string> comma_lists;  // one word each: bf16,fp16
  QuestionOptions other;
};

// Options of all commands, filled by the parse.
struct Values {
  Shared shared;
  std::string format;
  EvalOptions eval;
  CheckOptions check;
  DefendOptions defend;
  NewOptions new_plan;
  ListOptions list;
  ShowOptions show;
  ParamsOptions params;
  ImportOptions import_config;
  FormulasOptions formulas;
  SensitivityOptions sensitivity;
  SearchOptions search;
  SweepOptions sweep;
  SolveOptions solve;
  CompareOptions compare;
  ValidateOptions validate;
  CalibrateCommand calibrate;
  SchemaOptions schema;
  CompletionOptions completion;
  HelpOptions help;
  FitCommandOptions fit;
  std::map<std::string, QuestionFlags> questions;  // by word
};

// One file a group; a question's flags are the fields of its description.
void add_plan_commands(std::vector<Command>& all, Values& v);
void add_model_commands(std::vector<Command>& all, Values& v);
void add_accuracy_commands(std::vector<Command>& all, Values& v);
void add_tool_commands(std::vector<Command>& all, Values& v);
void add_question_commands(std::vector<Command>& all, Values& v);

// Words of the command line; of commands that take numbers, negative ones are marked, since CLI11 would take -0.5 for
// an option.
std::vector<std::string> marked_words(int argc, char** argv);

}  // namespace reckon::cli
