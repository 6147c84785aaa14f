// The command line: what CLI11 makes of it, faults in our words, and the texts of help. The only includer of CLI11;
// the commands and their options: *_commands.cpp.
#include "options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "command.hpp"
#include "completion.hpp"
#include "reckon/base/edit_distance.hpp"
#include "reckon/base/table.hpp"
#include "reckon/base/text.hpp"
#include "reckon/engine/kinds.hpp"
#include "reckon/numerics/decimal.hpp"
#include "said_value.hpp"

namespace reckon::cli {
namespace {

// CLI11's own Range would put its words into the help and into messages.
std::string whole_number(const std::string& word) {
  const bool digits = !word.empty() && word.size() <= 3 &&
                      word.find_first_not_of("0123456789") == std::string::npos;
  return digits && std::stoi(word) <= 100
             ? ""
             : fmt::format("'{}' is not a whole number from 0 to 100", printable(word));
}

std::vector<Command> commands(Values& v) {
  std::vector<Command> all;
  add_plan_commands(all, v);
  add_model_commands(all, v);
  add_accuracy_commands(all, v);
  add_tool_commands(all, v);
  add_question_commands(all, v);
  return all;
}

std::string program_help(const std::vector<Command>& all) {
  std::string out =
      "reckon: what a plan for training or serving a large language model needs, takes and "
      "costs\n\n"
      "Usage: reckon COMMAND [OPTIONS]\n";
  for (const std::string_view group : {kPlans, kQuestions, kModels, kAccuracy, kTools}) {
    out += fmt::format("\n{}\n", group);
    for (const Command& c : all) {
      if (c.group == group) out += fmt::format("  {:<12} {}\n", c.name, c.summary);
    }
  }
  out +=
      "\nOptions of all commands\n"
      "  --format F   text, json, csv, md or html\n"
      "  --wide       tables as wide as they come, whatever the terminal's width\n"
      "  --data DIR   where hardware/, models/, presets/ … lie (or RECKON_DATA)\n"
      "  -h, --help   of the program or of a command\n"
      "  --version    the program's version\n"
      "\nExamples\n"
      "  reckon eval plans/starters/7b-8xh100.yaml\n"
      "  reckon eval --model llama-3-8b --gpus 8xh100-sxm\n"
      "  reckon eval plan.yaml --explain memory.total\n"
      "  reckon check plans/\n"
      "\nExit codes: 0 ok · 1 the answer is no · 2 usage or input error · 3 internal error\n"
      "            4 params --published: met only by terms that the files are not said to hold\n";
  return out;
}

std::string option_name(const CLI::Option& o) {
  std::string name = o.get_positional() ? o.get_name(true) : o.get_name(false, true);
  if (!o.get_positional() && !o.get_type_name().empty() && o.get_expected_max() > 0)
    name += " " + o.get_type_name();
  return name;
}

std::string command_help(const Command& c, const CLI::App& app) {
  std::string out = fmt::format("reckon {}: {}\n\nUsage: reckon {} {} [OPTIONS]\n", c.name,
                                c.summary, c.name, c.arguments);
  std::size_t width = 0;
  std::vector<std::pair<std::string, std::string>> rows;
  for (const CLI::Option* o : app.get_options()) {
    if (o->get_name() == "--help") continue;
    rows.emplace_back(option_name(*o), o->get_description());
    width = std::max(width, rows.back().first.size());
  }
  out += "\n";
  for (const auto& [name, what] : rows) {
    const std::string indent(width + 4, ' ');
    out += fmt::format("  {:<{}}  {}\n", name, width, wrap(what, 80 - width - 4, indent));
  }
  out += "\nExamples\n";
  for (const std::string& example : c.examples) out += fmt::format("  {}\n", example);
  return out;
}

// "did you mean" for whatever the parse could not place.
std::string suggestion(const std::string& word, const CLI::App& app,
                       const std::vector<Command>& all, bool in_command) {
  std::vector<std::string> known;
  if (word.starts_with("-")) {
    const std::string bare = word.substr(0, word.find('='));
    for (const CLI::Option* o : app.get_options()) {
      if (!o->get_positional()) known.push_back(o->get_name());
    }
    const std::string near = closest(bare, known);
    return near.empty() ? "" : fmt::format("did you mean '{}'?", near);
  }
  if (in_command) return "";
  for (const Command& c : all) known.push_back(c.name);
  const std::string near = closest(word, known);
  return near.empty() ? "" : fmt::format("did you mean '{}'?", near);
}

int usage_error(const std::string& message, const std::string& help) {
  write_err(fmt::format("error: {}\nhelp: {}\n", message, help));
  return kUsage;
}

bool takes_one(const CLI::Option& o) {
  return !o.get_positional() && o.get_items_expected_max() == 1 &&
         o.get_multi_option_policy() != CLI::MultiOptionPolicy::TakeAll;
}

// CLI11 names what failed, and words it for its own author.
std::string in_our_words(const CLI::ParseError& e, const CLI::App& app) {
  const std::string said = e.what();
  for (const CLI::Option* o : app.get_options()) {
    const std::string name = o->get_positional() ? o->get_name(true) : o->get_name();
    if (!said.starts_with(name + ":") && !said.starts_with(name + " ")) continue;
    if (dynamic_cast<const CLI::RequiredError*>(&e))
      return fmt::format("{} is missing", name.starts_with("-") ? option_name(*o) : name);
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&e))
      return o->count() > 1 && takes_one(*o) ? fmt::format("{} is given twice", name)
                                             : fmt::format("{} needs a value", option_name(*o));
  }
  return said;
}

// The first option that was given an empty value; no option has a use for one.
std::string empty_option(const CLI::App& app) {
  for (const CLI::Option* o : app.get_options()) {
    if (o->get_items_expected_max() == 0) continue;
    for (const std::string& value : o->results()) {
      if (value.empty()) return o->get_positional() ? o->get_name(true) : o->get_name();
    }
  }
  return "";
}

const std::vector<std::string> kFormats{"text", "json", "csv", "md", "html"};

bool format_named(const std::string& word, Format& out) {
  const std::pair<const char*, Format> words[] = {
      {"text", Format::kText},         {"json", Format::kJson},
      {"csv", Format::kCsv},           {"md", Format::kMarkdown},
      {"markdown", Format::kMarkdown}, {"html", Format::kMarkdown}};  // Session makes it a page
  for (const auto& [name, format] : words) {
    if (word != name) continue;
    out = format;
    return true;
  }
  return false;
}

// A command's own options, and those of all commands.
void declare_all(const Command& c, CLI::App& app, Values& values, OfferedWords& offered) {
  app.set_help_flag("-h,--help", "this help");
  Declare declare(app, offered);
  c.declare(declare);
  declare.word("--format", values.format, "F", c.text_only ? "text" : "text, json, csv, md or html")
      .one_of(c.text_only ? std::vector<std::string>{"text"} : kFormats);
  app.add_flag("--wide", values.shared.wide, "tables as wide as they come");
  app.add_option("--data", values.shared.data, "where hardware/, models/, presets/ … lie")
      ->type_name("DIR");
}

std::vector<std::string> names_of(const std::vector<Command>& all) {
  std::vector<std::string> out;
  for (const Command& c : all) out.push_back(c.name);
  return out;
}

// One command line that is being typed, after the command's name.
class Typing {
 public:
  Typing(const std::vector<Command>& all, const Command& command, Values& values,
         std::vector<std::string> words)
      : all_(all), command_(command), before_(std::move(words)), typed_(before_.back()) {
    before_.pop_back();
    declare_all(command, app_, values, offered_);
  }

  std::vector<std::string> completions() {
    if (const std::size_t equals = typed_.find('=');
        typed_.starts_with("--") && equals != typed_.npos)
      return values_of(option(typed_.substr(0, equals)), equals + 1);
    if (const CLI::Option* o = before_.empty() ? nullptr : option(before_.back()); takes_value(o))
      return values_of(o, 0);
    if (!typed_.starts_with("-")) return arguments();
    std::vector<std::string> out;
    for (const CLI::Option* o : app_.get_options())
      if (o->get_name().starts_with("-")) out.push_back(o->get_name());
    return out;
  }

 private:
  const CLI::Option* option(const std::string& word) const {
    return word.starts_with("-") ? app_.get_option_no_throw(word) : nullptr;
  }
  static bool takes_value(const CLI::Option* o) { return o && o->get_expected_max() > 0; }

  // What `o` takes in the place of the text from `from` on; of several with commas between them, of the last.
  std::vector<std::string> values_of(const CLI::Option* o, std::size_t from) {
    if (!takes_value(o)) return {};
    if (const std::size_t comma = typed_.rfind(','); comma != typed_.npos && comma >= from)
      from = comma + 1;
    std::vector<std::string> out = offered(o);
    if (out.empty()) out = option_values(session_, o->get_name(), typed_.substr(from));
    for (std::string& value : out) value.insert(0, typed_, 0, from);
    return out;
  }

  std::vector<std::string> offered(const CLI::Option* o) const {
    const auto at = offered_.find(o);
    return at == offered_.end() ? std::vector<std::string>() : at->second;
  }

  // Words that stand by their place: those before the one being typed.
  std::vector<std::string> by_place() const {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < before_.size(); ++i) {
      if (!before_[i].starts_with("-"))
        out.push_back(before_[i]);
      else if (takes_value(option(before_[i])))
        ++i;
    }
    return out;
  }

  std::vector<std::string> arguments() {
    const std::vector<std::string> given = by_place();
    std::size_t place = 0;
    for (const CLI::Option* o : app_.get_options()) {
      if (!o->get_positional()) continue;
      const bool last = o->get_items_expected_max() > 1;  // takes all that follow
      if (place++ != given.size() && !last) continue;
      std::vector<std::string> out = offered(o);
      if (out.empty()) out = argument_values(session_, o->get_name(true), given);
      if (command_.name == "help" && given.empty())
        for (const std::string& name : names_of(all_)) out.push_back(name);
      return out;
    }
    return {};
  }

  const std::vector<Command>& all_;
  const Command& command_;
  std::vector<std::string> before_;
  std::string typed_;
  CLI::App app_;
  OfferedWords offered_;
  Session session_{""};
};

// What may stand in the place of the last of these words, which is being typed.
std::vector<std::string> completions(const std::vector<std::string>& words) {
  Values values;
  const std::vector<Command> all = commands(values);
  const auto command = std::find_if(all.begin(), all.end(), [&](const Command& c) {
    return !words.empty() && c.name == words[0];
  });
  std::vector<std::string> out;
  if (words.size() <= 1)
    out = names_of(all);
  else if (command != all.end())
    out = Typing(all, *command, values, {words.begin() + 1, words.end()}).completions();
  std::erase_if(
      out, [&](const std::string& w) { return !words.empty() && !w.starts_with(words.back()); });
  if (words.size() <= 1) return out;  // in the order of the help
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

Declared& Declared::required() {
  option_->required();
  return *this;
}
Declared& Declared::one_of(std::vector<std::string> words) {
  if (!words.empty()) offered_[option_] = std::move(words);
  return *this;
}

Declared Declare::positional(const std::string& name, std::string& to, const std::string& what) {
  return Declared(app_.add_option(name, to, what)->type_name(""), offered_);
}
Declared Declare::positional(const std::string& name, std::vector<std::string>& to,
                             const std::string& what) {
  return Declared(app_.add_option(name, to, what)->type_name(""), offered_);
}
Declared Declare::word(const std::string& name, std::string& to, const char* type,
                       const std::string& what) {
  return Declared(app_.add_option(name, to, what)->type_name(type), offered_);
}
void Declare::repeated(const char* name, std::vector<std::string>& to, const char* type,
                       const char* what) {
  app_.add_option(name, to, what)
      ->type_name(type)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}
void Declare::sets(std::vector<std::string>& to) {
  repeated("--set", to, "PATH=VALUE", "override a field: path=value (repeatable)");
}
void Declare::flag(const std::string& name, bool& to, const std::string& what) {
  app_.add_flag(name, to, what);
}
void Declare::small_number(const char* name, std::optional<int>& to, const char* what) {
  app_.add_option(name, to, what)->type_name("N")->check(whole_number);
}

int run(int argc, char** argv) {
  constexpr int kAsked = 3;  // reckon completion words …
  if (argc >= kAsked && std::string_view(argv[1]) == "completion" &&
      std::string_view(argv[2]) == "words") {
    for (const std::string& word : completions({argv + kAsked, argv + argc}))
      write_out(word + "\n");
    return kOk;
  }
  Values values;
  const std::vector<Command> all = commands(values);
  CLI::App app("reckon");
  app.set_help_flag("-h,--help", "this help");
  bool version = false;
  app.add_flag("--version", version, "the program's version");
  std::vector<CLI::App*> subs;
  OfferedWords unused;
  for (const Command& c : all) {
    CLI::App* sub = app.add_subcommand(c.name, c.summary);
    subs.push_back(sub);
    // Declaring the flags of all questions takes longer than most answers.
    if (std::find(argv, argv + argc, c.name) == argv + argc) continue;
    declare_all(c, *sub, values, unused);
  }
  const auto chosen = [&]() -> std::size_t {
    for (std::size_t i = 0; i < subs.size(); ++i) {
      if (subs[i]->parsed()) return i;
    }
    return all.size();
  };
  app.add_option("--data", values.shared.data, "")->type_name("DIR");
  app.add_option("--format", values.format, "")->type_name("F");
  app.add_flag("--wide", values.shared.wide, "");
  app.allow_extras();
  app.require_subcommand(0, 1);  // a word after the command is never a command too
  for (CLI::App* sub : subs) sub->allow_extras();
  try {
    std::vector<std::string> words = marked_words(argc, argv);
    std::vector<char*> pointers;
    for (std::string& w : words) pointers.push_back(w.data());
    app.parse(static_cast<int>(pointers.size()), pointers.data());
  } catch (const CLI::CallForHelp&) {
    const std::size_t i = chosen();
    write_out(i < all.size() ? command_help(all[i], *subs[i]) : program_help(all));
    return kOk;
  } catch (const CLI::ParseError& e) {
    const std::size_t i = chosen();
    return usage_error(
        in_our_words(e, i < all.size() ? *subs[i] : app),
        fmt::format("`reckon {}{}-h` prints what there is",
                    i < all.size() ? all[i].name : std::string(), i < all.size() ? " " : ""));
  }
  const std::size_t i = chosen();
  CLI::App& used = i < all.size() ? *subs[i] : app;
  if (const auto extras = used.remaining(); !extras.empty()) {
    const std::string& word = extras.front();
    const bool in_command = i < all.size();
    const std::string near = suggestion(word, used, all, in_command);
    const std::string what = word.starts_with("-") ? "no option"
                             : in_command          ? "nothing takes the word"
                                                   : "no command";
    return usage_error(
        fmt::format("{} '{}'{}", what, word,
                    in_command ? fmt::format(" of `reckon {}`", all[i].name) : ""),
        near.empty() ? fmt::format("`reckon {}{}-h` prints what there is",
                                   in_command ? all[i].name : std::string(), in_command ? " " : "")
                     : near);
  }
  if (version) {
    write_out(fmt::format("reckon {}\n", RECKON_VERSION));
    return kOk;
  }
  if (i == all.size()) {
    write_out(program_help(all));
    return argc > 1 ? kUsage : kOk;
  }
  for (const CLI::App* level : {&app, static_cast<CLI::App*>(subs[i])}) {
    if (const std::string name = empty_option(*level); !name.empty())
      return usage_error(fmt::format("{} is empty", name), "give it a value, or leave it out");
  }
  if (!values.format.empty() && !format_named(values.format, values.shared.format))
    return usage_error(fmt::format("--format: no format '{}'", values.format),
                       "one of " + join(kFormats, ", "));
  if (all[i].text_only && values.shared.format != Format::kText)
    return usage_error(fmt::format("--format {}: `reckon {}` prints a file, as text only",
                                   values.format, all[i].name),
                       "leave --format out");
  for (std::size_t k = 0; k < all.size(); ++k) {  // `reckon help eval`
    if (all[i].name != "help" || values.help.topic != all[k].name) continue;
    write_out(command_help(all[k], *subs[k]));
    return kOk;
  }
  Session session(values.shared.data);
  if (values.shared.wide) session.set_wide();
  if (values.format == "html") session.set_page();
  if (!session.check_data(values.shared.data)) {
    session.report_faults();
    return kUsage;
  }
  const int code = all[i].run(session, values.shared);
  session.finish_page();
  return code;
}

}  // namespace reckon::cli
