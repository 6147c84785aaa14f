// reckon formulas [PATTERN]: the registry, with each formula's text as recordings of the shipped plans print it.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "commands.hpp"
#include "reckon/base/edit_distance.hpp"
#include "reckon/base/table.hpp"
#include "reckon/base/text.hpp"
#include "reckon/cost/kernels/all_dispatch.hpp"
#include "reckon/cost/model.hpp"
#include "reckon/engine/check.hpp"
#include "reckon/engine/kernel_model.hpp"
#include "reckon/engine/kinds.hpp"
#include "reckon/report/derivation.hpp"
#include "reckon/spec/compiled_once.hpp"

namespace reckon::cli {
namespace {

// "cost/ring.hpp", as one includes it, or "src/cost/questions/pipeline.cpp": compilers name the file as they found it.
std::string_view header_of(const Formula& f) {
  constexpr std::string_view kBelow = "include/reckon/";
  if (const std::size_t at = f.file.rfind(kBelow); at != std::string_view::npos)
    return f.file.substr(at + kBelow.size());
  const std::size_t at = f.file.rfind("src/");
  return at == std::string_view::npos ? f.file : f.file.substr(at);
}

// Plans are recorded until each of `wanted` has been seen: one formula of a starter is found at once.
class Texts {
 public:
  Texts(Session& session, const std::vector<const Formula*>& wanted)
      : work_(session.work()), wanted_(wanted) {
    for (const std::string& id : work_.ids(Shelf::kModels)) {
      if (complete()) return;
      model(id);
    }
    for (const std::filesystem::path& root : work_.roots()) {
      std::error_code error;
      if (!std::filesystem::is_directory(root / "plans", error)) continue;
      Diagnostics d;
      std::vector<std::string> files = plan_files((root / "plans").string(), d);
      std::stable_partition(files.begin(), files.end(), [](const std::string& f) {
        return f.find("/measured/") == std::string::npos;  // hundreds of cases: last
      });
      for (const std::string& file : files) {
        if (complete()) return;
        plan(file);
      }
    }
    for (const std::string& id : work_.ids(Shelf::kKernels)) kernels(id);
  }
  std::string of(std::string_view id) const {
    const auto at = texts_.find(std::string(id));
    return at == texts_.end() ? "" : at->second;
  }

 private:
  bool complete() const {
    return std::all_of(wanted_.begin(), wanted_.end(),
                       [this](const Formula* f) { return texts_.contains(std::string(f->id)); });
  }

  void plan(const std::string& name) {
    Diagnostics d;
    const PlanFile file = open_plan(work_, name, work_.read(name, {}, d), {}, d);
    const auto record = [&](const PlanFile::Case* which) {
      Diagnostics faults;
      const auto loaded = load_plan(work_, file, which, faults);
      if (!loaded || faults.has_errors()) return;
      const Recorded recorded(*loaded);
      formula_texts(recorded.tape(), texts_, torn_);
    };
    if (d.has_errors()) return;
    record(nullptr);
    for (const PlanFile::Case& c : file.cases) record(&c);
  }

  void model(const std::string& id) {
    Diagnostics d;
    Origins origins;
    Model<double> m;
    bind(resolve_model(work_, doc::scalar(id), d), m, {d, origins, "model"});
    if (d.has_errors()) return;
    const Recording run(origins);
    Tape tape;
    model_estimate(lift(m, run),
                   {structural<Traced>("s", 8192), structural<Traced>("B", 1), Bytes<Traced>(2_B)});
    formula_texts(tape, texts_, torn_);
  }

  void kernels(const std::string& id) {
    Diagnostics d;
    const auto k = load_kernels(work_, id, {}, d);
    if (!k || d.has_errors()) return;
    const Origins origins;
    const Recording run(origins);
    Tape tape;
    dispatch_times(lift(*k, run), structural<Traced>("T", 128), structural<Traced>("k", 8),
                   structural<Traced>("h", 7168));
    formula_texts(tape, texts_, torn_);
  }

  Workspace& work_;
  const std::vector<const Formula*>& wanted_;
  std::map<std::string, std::string> texts_, torn_;
};

// Small letters, and one sign where people write a dash, a line or a space: all_reduce, all-reduce.
std::string as_searched(std::string_view text) {
  std::string out = lowered(text);
  for (char& c : out)
    if (c == '_' || c == ' ') c = '-';
  return out;
}

// In what a formula is called, where it is from, and the header that it is written in.
bool mentions(const Formula& f, const std::string& word) {
  for (const std::string_view text : {f.id, f.symbol, f.title, f.source, header_of(f)})
    if (as_searched(text).find(word) != std::string::npos) return true;
  return false;
}

// By id or a pattern of ids; any other word is looked for in all that is said of a formula.
std::vector<const Formula*> registry(const std::string& pattern) {
  std::vector<const Formula*> out;
  for (const Formula* f = Formula::first; f; f = f->next)
    if (matches_pattern(f->id, pattern)) out.push_back(f);
  const std::string word = as_searched(pattern);
  for (const Formula* f = out.empty() && !word.empty() ? Formula::first : nullptr; f; f = f->next)
    if (mentions(*f, word)) out.push_back(f);
  std::sort(out.begin(), out.end(),
            [](const Formula* a, const Formula* b) { return a->id < b->id; });
  return out;
}

// A misspelt id -> the nearest.
std::string suggestion(const std::string& pattern) {
  std::vector<std::string> known;
  for (const Formula* f = Formula::first; f; f = f->next) known.emplace_back(f->id);
  const std::string near = closest(pattern, known);
  return near.empty() ? "`reckon formulas` prints all of them"
                      : fmt::format("did you mean '{}'?", near);
}

std::string as_text(const std::vector<const Formula*>& formulas, const Texts& texts) {
  std::string out;
  for (const Formula* f : formulas)
    out += fmt::format("{}  {}\n    {}\n    source: {}\n    written in {}\n", f->id, f->title,
                       texts.of(f->id), f->source, header_of(*f));
  return out;
}

Table as_table(const std::vector<const Formula*>& formulas, const Texts& texts) {
  Table t({{"id"}, {"formula"}, {"title"}, {"source"}, {"written in"}});
  for (const Formula* f : formulas)
    t.row({std::string(f->id), texts.of(f->id), std::string(f->title), std::string(f->source),
           std::string(header_of(*f))});
  return t;
}

}  // namespace

int formulas(Session& session, const Shared& shared, const FormulasOptions& options) {
  const auto found = registry(options.pattern);
  if (found.empty()) {
    session.diagnostics()
        .error({}, fmt::format("no formula matches '{}'", options.pattern))
        .help(suggestion(options.pattern));
    session.report_faults();
    return kUsage;
  }
  const Texts texts(session, found);
  switch (shared.format) {
    case Format::kText:
      session.print(as_text(found, texts));
      break;
    case Format::kJson:
      session.print(as_table(found, texts).json());
      break;
    case Format::kCsv:
      session.print(as_table(found, texts).csv());
      break;
    case Format::kMarkdown:
      session.print(
          "# Formulas\n\nWritten by `reckon formulas --format md`; the texts are what recordings "
          "of the shipped plans print.\n\n" +
          as_table(found, texts).markdown());
      break;
  }
  return kOk;
}

}  // namespace reckon::cli
