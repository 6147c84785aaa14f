// The questions' commands: one each, its flags the fields of its description.
#include <fmt/format.h>

#include <algorithm>

#include "command.hpp"
#include "reckon/base/text.hpp"
#include "reckon/numerics/decimal.hpp"
#include "said_value.hpp"

namespace reckon::cli {
namespace {

// People call a cluster its GPUs.
std::string flag_of(std::string_view field) {
  return field == "cluster" ? "--gpus,--cluster" : flag_of_field(field);
}

const char* type_of(const Description& d) {
  using Kind = Description::Kind;
  if (d.kind == Kind::kWord) return "WORD";
  if (d.kind == Kind::kGroup) return "NAME";
  if (d.kind == Kind::kText) return "TEXT";
  if (d.dim == kByte) return "SIZE";
  if (d.dim == kByteRate || d.dim == kFlopRate) return "RATE";
  if (d.dim == kSecond) return "TIME";
  if (d.dim == kUsdRate) return "USD/h";
  if (d.dim == kUsd) return "USD";
  if (d.dim == kHertz)
    return d.hint == Hint::kRequestRate ? "REQUESTS/s"
           : d.hint == Hint::kTokenRate ? "TOKENS/s"
                                        : "RATE";
  if (d.hint == Hint::kTokens || d.hint == Hint::kLength) return "TOKENS";
  if (d.hint == Hint::kParams) return "PARAMS";
  if (d.hint == Hint::kFraction || d.limit == Limit::kShare) return "SHARE";
  return "N";
}

void declare_field(Declare& declare, const Description& d, const QuestionInfo& info,
                   QuestionFlags& to) {
  const std::string key(d.key), meaning(d.meaning), flag = flag_of(d.key);
  if (key == "name" || key == "comment" || key == "assume") return;
  // A group without a name of its own (a kernel's constants) is filled in; --set overrides a field of it.
  if (d.kind == Description::Kind::kGroup && !d.by_name && !d.one_word) return;
  if (key == info.rest) {
    declare.positional(key, to.lists[key], meaning);
  } else if (key == info.positional) {
    declare.positional(key + "," + flag, to.words[key], meaning).one_of(d.words);
  } else if (d.kind == Description::Kind::kList) {
    declare.word(flag, to.comma_lists[key], "A,B,…", meaning).one_of(d.parts.at(0).words);
  } else if (d.kind == Description::Kind::kFlag) {
    declare.flag(flag, to.switches[key], meaning);
  } else {
    declare.word(flag, to.words[key], type_of(d), meaning).one_of(d.words);
  }
}

std::string arguments_of(const QuestionInfo& info) {
  std::string out = info.positional.empty() ? "" : fmt::format("[{}]", info.positional);
  if (!info.rest.empty()) out += fmt::format("{}[{}…]", out.empty() ? "" : " ", info.rest);
  return out;
}

// CLI11 takes -0.5 and -inf for options; behind this mark they are words.
constexpr char kNumberMark = '\1';

bool is_negative_number(std::string_view word) {
  if (!word.starts_with('-') || word.size() < 2) return false;
  const std::string small = lowered(word.substr(1));
  return (small[0] >= '0' && small[0] <= '9') || small[0] == '.' || small == "inf" ||
         small == "infinity" || small == "nan";
}

std::string unmarked(std::string word) {
  if (word.starts_with(kNumberMark)) word.erase(0, 1);
  return word;
}

// A number where the name would stand is the first of the rest.
bool is_number(const std::string& word) {
  Typed typed;
  std::string fault;
  return word.starts_with("0x") || word.starts_with("0b") || read_decimal(word, typed, fault);
}

void number_to_rest(const QuestionInfo& info, QuestionOptions& o) {
  if (info.rest.empty()) return;
  const auto name = std::find_if(o.values.begin(), o.values.end(),
                                 [&](const auto& v) { return v.first == info.positional; });
  if (name == o.values.end() || !is_number(name->second)) return;
  auto list = std::find_if(o.lists.begin(), o.lists.end(),
                           [&](const auto& l) { return l.first == info.rest; });
  if (list == o.lists.end()) list = o.lists.insert(o.lists.end(), {std::string(info.rest), {}});
  list->second.insert(list->second.begin(), name->second);
  o.values.erase(name);
}

// One command a question: its flags are the fields of its description.
Command question_command(const Question& q, Values& v) {
  const QuestionInfo& info = q.info();
  const std::string word(info.word);
  Command c{.name = word,
            .group = kQuestions,
            .arguments = arguments_of(info),
            .summary = std::string(info.summary),
            .examples = {info.examples.begin(), info.examples.end()},
            .declare = {},
            .run = {}};
  c.declare = [&q, &v, word](Declare& declare) {
    QuestionFlags& to = v.questions[word];
    for (const Description& d : q.describe().parts) declare_field(declare, d, q.info(), to);
    QuestionOptions& o = to.other;
    declare.repeated("--assume", o.assume, "KEY=VALUE",
                     "a preset (textbook, physical), or one convention");
    declare.repeated("--set", o.sets, "PATH=VALUE", "override any field, such as chip.peak.bf16");
    declare.repeated("--metric", o.metrics, "ID",
                     "only this metric; with --explain, its derivation");
    declare.flag("--explain", o.explain, "derive the answer");
    declare.small_number("--depth", o.depth, "levels of a derivation");
    declare.flag("--verbose", o.verbose, "every metric");
    declare.flag("--as-plan", o.as_plan, "print the question as a plan file");
  };
  c.run = [&q, &v, word](Session& s, const Shared& g) {
    QuestionFlags& from = v.questions[word];
    QuestionOptions o = from.other;
    o.word = word;
    for (const auto& [key, value] : from.words)
      if (!value.empty()) o.values.emplace_back(key, unmarked(value));
    for (const auto& [key, value] : from.comma_lists)
      if (!value.empty()) o.lists.emplace_back(key, split_values(unmarked(value)));
    for (const auto& [key, words] : from.lists) {
      if (words.empty()) continue;
      o.lists.push_back({key, words});
      for (std::string& w : o.lists.back().second) w = unmarked(w);
    }
    for (const auto& [key, on] : from.switches)
      if (on) o.values.emplace_back(key, "yes");
    number_to_rest(q.info(), o);
    return question(s, g, o);
  };
  return c;
}

}  // namespace

void add_question_commands(std::vector<Command>& all, Values& v) {
  for (const Question* q : questions()) all.push_back(question_command(*q, v));
}

std::vector<std::string> marked_words(int argc, char** argv) {
  std::vector<std::string> words(argv, argv + argc);
  const bool takes_numbers =
      argc > 1 && std::any_of(questions().begin(), questions().end(), [&](const Question* q) {
        return q->word() == words[1] && !q->info().rest.empty();
      });
  if (!takes_numbers) return words;
  std::erase(words, "--");  // not needed before a negative number, and no harm
  for (std::string& word : words)
    if (is_negative_number(word)) word.insert(0, 1, kNumberMark);
  return words;
}

}  // namespace reckon::cli
