// reckon search SPACE|PLAN: all legal plans, ranked.
#include "reckon/engine/search.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "commands.hpp"
#include "one_plan.hpp"
#include "reckon/base/edit_distance.hpp"
#include "reckon/base/text.hpp"
#include "reckon/engine/space.hpp"
#include "reckon/report/search.hpp"

namespace reckon::cli {
namespace {

std::atomic<bool> stop_asked{false};
void ask_to_stop(int) { stop_asked = true; }

// Ctrl-C ends the search, not the program: the best so far is printed. A second one ends the program.
class Interruptible {
 public:
  Interruptible() {
    struct sigaction action {};
    action.sa_handler = ask_to_stop;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &before_);
  }
  ~Interruptible() { sigaction(SIGINT, &before_, nullptr); }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  struct sigaction before_ {};
};

// One line, rewritten a few times a second; nothing where stderr is no terminal.
class ProgressLine {
 public:
  ~ProgressLine() {
    if (shown_) write_err("\r\033[K");
  }
  void operator()(const SearchProgress& p) {
    if (isatty(STDERR_FILENO) == 0 || p.seconds < next_) return;
    next_ = p.seconds + 0.2;
    shown_ = p.seconds > 0.5;
    if (shown_) write_err("\r\033[K" + progress_line(p));
  }

 private:
  double next_ = 0;
  bool shown_ = false;
};

// --search parallel,batch
void read_opened(const std::string& word, Space<double>& space, Diagnostics& d) {
  const auto words = detail::words_of(Opened{});
  std::string rest = word;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string one = rest.substr(0, comma);
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
    const auto at = std::find(words.begin(), words.end(), one);
    if (at != words.end()) {
      space.search.push_back(static_cast<Opened>(at - words.begin()));
      continue;
    }
    const std::string near = closest(one, words);
    d.error({}, fmt::format("--search {}: nothing is called so", one))
        .help(near.empty() ? "one of " + join(words, ", ")
                           : fmt::format("did you mean '{}'?", near));
  }
}

bool read_count(const char* option, const std::string& word, double& out, Diagnostics& d) {
  if (word.empty()) return true;
  const auto parsed = parse_quantity(word, kOne, Hint::kCount);
  constexpr double kMost = 1e6;
  if (const double* x = std::get_if<double>(&parsed); x && *x >= 1 && *x <= kMost) {
    out = *x;
    return true;
  }
  d.error({}, fmt::format("{} {}: expected a whole number from 1 to 1,000,000", option, word));
  return false;
}

// What the flags say beside, or in place of, the space's file.
void lay_over_flags(Session& session, const SearchOptions& o, OpenSpace& s) {
  Diagnostics& d = session.diagnostics();
  read_opened(o.search, s.space, d);
  for (const std::string& word : o.vary) {
    Axis axis;
    if (read_axis(word, "--vary", session.work().sources(), d, axis))
      s.axes.push_back(std::move(axis));
  }
  for (const std::string& word : o.where) {
    Goal goal;
    if (read_goal(word, "--where", session.work().sources(), d, goal))
      s.where.push_back(std::move(goal));
  }
  if (!o.objective.empty()) s.space.objective = o.objective;
  if (!o.pareto.empty()) {
    const std::size_t comma = o.pareto.find(',');
    s.space.pareto = {o.pareto.substr(0, comma)};
    if (comma != std::string::npos) s.space.pareto.push_back(o.pareto.substr(comma + 1));
  }
  read_count("--top", o.top, s.space.top.raw, d);
  if (o.any_memory) s.space.limits.fits = false;
  if (o.tensor_in_node) s.space.limits.tensor_in_node = true;
}

bool open_space(Session& session, const SearchOptions& o, OpenSpace& s, OnePlan& plan) {
  Diagnostics& d = session.diagnostics();
  const std::size_t before = d.error_count();
  doc::Value tree = session.read_plan(o.space);
  if (d.error_count() > before) return false;
  if (is_space(tree)) {
    Sets sets;
    if (!split_sets(o.sets, sets, d)) return false;
    if (!o.which_case.empty())
      d.error({}, "--case is of a plan, and this is a space")
          .help("put the case's fields under plan:");
    read_space(session.work(), o.space, std::move(tree), sets, d, s);
  } else {
    if (o.search.empty() && o.vary.empty())
      d.error({}, "nothing is opened: what may the search choose?")
          .help("add --search parallel,batch,recompute (or all), or --vary FIELD=VALUES");
    open_one_plan(session, o.space, std::move(tree), o.which_case, o.sets, plan);
    s.file = plan.file;
  }
  if (d.error_count() > before) return false;
  lay_over_flags(session, o, s);
  return d.error_count() == before;
}

int print_found(Session& session, const Shared& shared, const SearchOptions& o,
                const SearchRequest& request, const Found& f) {
  Diagnostics& d = session.diagnostics();
  if ((o.as_plan || !o.output.empty()) && f.best.empty())
    d.error({}, "there is no plan to write: none of the space meets the conditions");
  if (session.report_faults()) return kNo;
  const std::string plan = o.as_plan || !o.output.empty()
                               ? found_plan_text(session.work(), request, f.best.front(), d)
                               : "";
  if (!o.output.empty() && is_yaml_file(o.output, d)) write_file(o.output, plan, d);
  if (session.report_faults()) return kUsage;
  if (o.as_plan) {
    session.print(plan);
    return kOk;
  }
  session.print(in_format(
      shared.format, [&] { return found_text(f, session.style(), !o.untimed); },
      [&] { return found_json(f, !o.untimed); }, [&] { return found_csv(f); },
      [&] { return found_markdown(f, !o.untimed); }));
  if (f.best.empty() && shared.format == Format::kCsv)
    session.note(fmt::format("{}: {}", o.space, none_found(f)));
  return f.best.empty() ? kNo : kOk;
}

}  // namespace

int search(Session& session, const Shared& shared, const SearchOptions& o) {
  Diagnostics& d = session.diagnostics();
  OpenSpace s;
  OnePlan plan;
  open_space(session, o, s, plan);
  keeps_inputs(o.output, {o.space}, d);
  double threads = std::max(1U, std::thread::hardware_concurrency());
  read_count("--threads", o.threads, threads, d);
  if (session.report_faults()) return kUsage;
  // A case's fields are laid over the plan once, so that what is found can be written as a plan.
  if (plan.which) {
    s.file.tree = case_tree(plan.file, plan.which, d);
    s.file.sets.clear();
  }
  ProgressLine line;
  SearchRequest request{s.file,      nullptr,
                        s.space,     s.axes,
                        s.where,     static_cast<unsigned>(std::min(threads, 256.0)),
                        !o.no_bound, [&line](const SearchProgress& p) { line(p); },
                        &stop_asked};
  Found found;
  {
    const Interruptible guard;
    found = reckon::search(session.work(), request, d);
  }
  if (session.report_faults()) return kUsage;
  return print_found(session, shared, o, request, found);
}

}  // namespace reckon::cli
