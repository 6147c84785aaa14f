// reckon help [TOPIC] [PLAN]: what a topic says, with a plan's own numbers beside it. `reckon help COMMAND` is
// answered in options.cpp, which knows the options.
#include <fmt/format.h>

#include "commands.hpp"
#include "plans.hpp"
#include "reckon/base/edit_distance.hpp"
#include "reckon/base/text.hpp"
#include "reckon/engine/topics.hpp"
#include "reckon/report/topic.hpp"

namespace reckon::cli {
namespace {

int list_topics(Session& session) {
  std::string out = "Topics\n";
  for (const Topic& t : topics()) out += fmt::format("  {:<12} {}\n", t.word, t.summary);
  out +=
      "\n`reckon help TOPIC` explains one, `reckon help TOPIC PLAN` with the plan's numbers.\n"
      "`reckon -h` lists the commands, `reckon help COMMAND` their options.\n";
  session.print(out);
  return kOk;
}

void no_topic(const std::string& word, Diagnostics& d) {
  std::vector<std::string> known;
  for (const Topic& t : topics()) known.emplace_back(t.word);
  const std::string near = closest(word, known);
  d.error({}, fmt::format("no topic '{}'", printable(word)))
      .help(near.empty() ? fmt::format("topics: {}; a command's help is `reckon COMMAND -h`",
                                       join(known, ", "))
                         : fmt::format("did you mean '{}'?", near));
}

// The plan, or its faults; null if none is named.
const LoadedTraining* plan_of(Session& session, const HelpOptions& options, Plans& plans) {
  if (options.plan.empty()) return nullptr;
  plans = load_plans(session, {{options.plan}, {}, options.which_case});
  if (session.diagnostics().has_errors()) return nullptr;
  Diagnostics& d = session.diagnostics();
  if (plans.size() > 1) {
    d.error({}, "help puts one plan's numbers beside the text, and several cases are named")
        .help("--case NAME of one");
    return nullptr;
  }
  const auto* training = dynamic_cast<const LoadedTraining*>(plans.front().get());
  if (!training)
    d.error({}, fmt::format("help {}: {} is no training plan", options.topic, options.plan))
        .help("name one, such as plans/starters/7b-8xh100.yaml");
  return training;
}

}  // namespace

int help(Session& session, const Shared& shared, const HelpOptions& options) {
  if (shared.format == Format::kJson || shared.format == Format::kCsv) {
    session.diagnostics()
        .error({}, "help is sentences: as text or md")
        .help("leave --format out, or --format md");
    session.report_faults();
    return kUsage;
  }
  if (options.topic.empty()) return list_topics(session);
  const Topic* t = topic(options.topic);
  if (!t) no_topic(options.topic, session.diagnostics());
  if (session.report_faults()) return kUsage;
  Plans plans;
  const LoadedTraining* plan = plan_of(session, options, plans);
  if (session.report_faults()) return kUsage;
  const TopicPage page = t->page(plan);
  session.print(shared.format == Format::kMarkdown ? topic_markdown(page)
                                                   : topic_text(page, session.style()));
  return kOk;
}

}  // namespace reckon::cli
