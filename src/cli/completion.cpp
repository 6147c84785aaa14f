// reckon completion SHELL: a script for the shell; reckon completion words …: what it asks (options.cpp).
#include "completion.hpp"

#include <fmt/format.h>

#include <map>

#include "commands.hpp"
#include "reckon/base/text.hpp"
#include "reckon/engine/topics.hpp"
#include "reckon/units/formula/formula.hpp"

namespace reckon::cli {
namespace {

constexpr const char* kBash = R"(# bash completion of reckon: reckon completion bash
_reckon() {
  local words=() word i typed=${COMP_WORDS[COMP_CWORD]} before=""
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    # bash parts --format=md at its signs; what is typed may be quoted
    if ((i > 1)) && [[ $word == [=:]* || ${COMP_WORDS[i - 1]} == [=:] ]]; then
      words[${#words[@]} - 1]+=${word//[\\\"\']/}
    else
      words+=("${word//[\\\"\']/}")
    fi
  done
  mapfile -t COMPREPLY < <(reckon completion words "${words[@]}" 2>/dev/null)
  word=${words[${#words[@]} - 1]}
  [[ $COMP_WORDBREAKS == *=* ]] && before=${word%"${word##*[=:]}"}
  for i in "${!COMPREPLY[@]}"; do
    word=${COMPREPLY[i]#"$before"}
    [[ $typed != [\"\']* && $word == *[!A-Za-z0-9_.,:=/@%+-]* ]] && printf -v word %q "$word"
    COMPREPLY[i]=$word
  done
}
complete -o bashdefault -o default -F _reckon reckon
)";
constexpr const char* kZsh = R"zsh(#compdef reckon
# zsh completion of reckon: reckon completion zsh
_reckon() {
  local -a found
  found=(${(f)"$(reckon completion words "${(@Q)words[2,CURRENT]}" 2>/dev/null)"})
  if (( $#found )); then compadd -a found; else _files; fi
}
compdef _reckon reckon
)zsh";
constexpr const char* kFish = R"(# fish completion of reckon: reckon completion fish
function __reckon
    set -l typed (commandline -opc) (commandline -ct)
    reckon completion words $typed[2..] 2>/dev/null
end
complete -c reckon -a '(__reckon)'
)";

void add_names(Session& session, Shelf shelf, std::vector<std::string>& to) {
  for (const std::string& id : session.work().ids(shelf)) to.push_back(id);
}

// "8x" of "8xh1": what a count puts before a chip.
std::string count_of(const std::string& typed) {
  std::size_t digits = 0;
  while (digits < typed.size() && typed[digits] >= '0' && typed[digits] <= '9') ++digits;
  return digits == 0 ? "" : typed.substr(0, digits) + "x";
}

}  // namespace

std::string completion_script(const std::string& shell) {
  if (shell == "bash") return kBash;
  if (shell == "zsh") return kZsh;
  return shell == "fish" ? kFish : "";
}

std::vector<std::string> option_values(Session& session, const std::string& option,
                                       const std::string& typed) {
  static const std::map<std::string, std::vector<Shelf>> kNamed{
      {"--model", {Shelf::kModels}},      {"--engine", {Shelf::kEngines}},
      {"--stack", {Shelf::kStacks}},      {"--weights", {Shelf::kFormats}},
      {"--cache", {Shelf::kFormats}},     {"--activations", {Shelf::kFormats}},
      {"--dtype", {Shelf::kFormats}},     {"--recipe", {Shelf::kRecipes}},
      {"--precision", {Shelf::kRecipes}}, {"--optimizer", {Shelf::kOptimizers}},
      {"--law", {Shelf::kLaws}},          {"--chip", {Shelf::kChips}},
      {"--onto", {Shelf::kChips}},        {"--hardware", {Shelf::kChips, Shelf::kClusters}},
      {"--kernels", {Shelf::kKernels}}};
  std::vector<std::string> out;
  if (option == "--gpus" || option == "--cluster") {
    const std::string count = count_of(typed);
    add_names(session, Shelf::kChips, out);
    for (std::string& chip : out) chip.insert(0, count.empty() ? "8x" : count);
    if (count.empty()) add_names(session, Shelf::kClusters, out);
    return out;
  }
  if (const auto at = kNamed.find(option); at != kNamed.end())
    for (const Shelf shelf : at->second) add_names(session, shelf, out);
  return out;
}

std::vector<std::string> argument_values(Session& session, const std::string& argument,
                                         const std::vector<std::string>& before) {
  std::vector<std::string> out;
  if (argument == "NAME") {  // of `show`, or of what is listed
    for (const Shelf shelf : shelves_of_list(before.empty() ? "" : before.front()))
      add_names(session, shelf, out);
  } else if (argument == "TOPIC") {
    for (const Topic& t : topics()) out.emplace_back(t.word);
  } else if (argument == "PATTERN") {
    for (const Formula* f = Formula::first; f; f = f->next) out.emplace_back(f->id);
  } else if (lowered(argument) == "model") {
    add_names(session, Shelf::kModels, out);
  }
  return out;
}

int completion(Session& session, const Shared&, const CompletionOptions& options) {
  const std::string script = completion_script(options.shell);
  if (script.empty()) {
    session.diagnostics()
        .error({}, fmt::format("no completion for '{}'", printable(options.shell)))
        .help("one of bash, zsh, fish");
    session.report_faults();
    return kUsage;
  }
  session.print(script);
  return kOk;
}

}  // namespace reckon::cli
