// reckon list [WHAT]: what the data folders hold.
#include <fmt/format.h>

#include "commands.hpp"
#include "reckon/base/edit_distance.hpp"
#include "reckon/base/table.hpp"
#include "reckon/base/text.hpp"
#include "reckon/engine/calibrate_runs.hpp"
#include "reckon/report/section.hpp"

namespace reckon::cli {
namespace {

// "llama" is of llama-3-8b and of «Code Llama 7B».
bool has_name(const std::string& wanted, const std::string& id, const doc::Value* name) {
  if (wanted.find('*') != std::string::npos) return matches_pattern(id, wanted);
  return lowered(id).find(lowered(wanted)) != std::string::npos ||
         (name && lowered(name->text).find(lowered(wanted)) != std::string::npos);
}

struct Topic {
  const char* word;
  std::vector<Shelf> shelves;
};

const std::vector<Topic>& topics() {
  static const std::vector<Topic> all{
      {"hardware",
       {Shelf::kChips, Shelf::kNodes, Shelf::kFabrics, Shelf::kClusters, Shelf::kKernels,
        Shelf::kNccl, Shelf::kStacks, Shelf::kEngines}},
      {"chips", {Shelf::kChips}},
      {"nodes", {Shelf::kNodes}},
      {"fabrics", {Shelf::kFabrics}},
      {"clusters", {Shelf::kClusters}},
      {"kernels", {Shelf::kKernels}},
      {"nccl", {Shelf::kNccl}},
      {"models", {Shelf::kModels}},
      {"architectures", {Shelf::kArchitectures}},
      {"precision", {Shelf::kRecipes}},
      {"optimizers", {Shelf::kOptimizers}},
      {"formats", {Shelf::kFormats}},
      {"presets", {Shelf::kPresets}},
      {"stacks", {Shelf::kStacks}},
      {"engines", {Shelf::kEngines}},
      {"laws", {Shelf::kLaws}}};
  return all;
}

// What eval says of few runs stands here too, whatever the file's own line says.
std::string stack_summary(const std::string& rows, const std::string& fitted) {
  constexpr std::string_view kStarting = "starting values";
  const double n = std::strtod(rows.c_str(), nullptr);
  if (rows.empty() || n >= kEnoughRuns || fitted.starts_with(kStarting)) return fitted;
  return fmt::format("{}, {:.0f} run{}{}{}", kStarting, n, n > 1 ? "s" : "",
                     fitted.empty() ? "" : ", ", fitted);
}

// What stands beside a name: the figures one compares by.
std::string summary(Shelf shelf, const doc::Value& v) {
  const auto text = [&v](const char* path) {
    const doc::Value* at = v.at(path);
    if (at && at->is_mapping()) at = at->find("value");
    return at && at->is_scalar() ? at->text : std::string();
  };
  const auto join_words = [](std::initializer_list<std::string> words) {
    std::string out;
    for (const std::string& w : words) {
      if (!w.empty()) out += (out.empty() ? "" : ", ") + w;
    }
    return out;
  };
  switch (shelf) {
    case Shelf::kChips:
      return join_words(
          {text("memory.capacity"), text("memory.bandwidth"),
           text("peak.bf16").empty() ? text("peak.fp16") + " fp16" : text("peak.bf16") + " bf16"});
    case Shelf::kNodes:
      return fmt::format("{} GPU{}, {} × {}", text("gpus"), text("gpus") == "1" ? "" : "s",
                         text("nics"), text("fabric"));
    case Shelf::kFabrics:
      return text("rate") + " a port";
    case Shelf::kClusters:
      return fmt::format("{} × {}", text("nodes"), text("node"));
    case Shelf::kKernels: {
      const auto count = [&v](const char* key, const char* what) {
        const doc::Value* at = v.find(key);
        return at && !at->items.empty() ? fmt::format("{} {}", at->items.size(), what)
                                        : std::string();
      };
      return join_words({count("gemm", "gemm"), count("decode", "decode"),
                         count("prefill", "prefill"), count("collectives", "collectives")});
    }
    case Shelf::kModels: {
      const std::string params = text("params");
      return params.empty() ? text("parameters.published") : params;
    }
    case Shelf::kArchitectures: {
      const doc::Value* list = v.find("architectures");
      std::vector<std::string> names;
      if (list)
        for (const doc::Value& item : list->items) names.push_back(item.text);
      return join(names, ", ");
    }
    case Shelf::kLaws:
      return join_words({text("family"), text("confidence")});
    case Shelf::kFormats:
      return text("bits_per_weight") + " bits";
    case Shelf::kStacks:
      return stack_summary(text("rows"), text("fitted"));
    case Shelf::kEngines:
      return text("comment");
    default:
      return "";
  }
}

// Files of another kind share the presets' folder (defaults.yaml): no names that a plan can say. A kind that is nearly
// right is a slip, and left for the load to report.
bool another_kind(Workspace& work, Shelf shelf, const std::string& id) {
  Diagnostics scratch;
  const doc::Value tree = work.read_data(work.find(shelf, id), {}, scratch);
  const doc::Value* kind = tree.is_mapping() ? tree.find("kind") : nullptr;
  const std::string expected(shelf_info(shelf).kind);
  return kind && kind->is_scalar() && kind->text != expected &&
         closest(kind->text, {expected}).empty();
}

}  // namespace

std::vector<std::string> words_of_list() {
  std::vector<std::string> out;
  for (const Topic& t : topics()) out.emplace_back(t.word);
  return out;
}

std::vector<Shelf> shelves_of_list(const std::string& word) {
  if (word.empty()) return {std::begin(kShelves), std::end(kShelves)};
  for (const Topic& t : topics())
    if (word == t.word) return t.shelves;
  return {};
}

int list(Session& session, const Shared& shared, const ListOptions& options) {
  const std::vector<Shelf> shelves = shelves_of_list(options.what);
  if (shelves.empty()) {
    const std::vector<std::string> words = words_of_list();
    auto& fault =
        session.diagnostics().error({}, fmt::format("nothing to list under '{}'", options.what));
    const std::string near = closest(options.what, words);
    fault.help(near.empty() ? fmt::format("one of {}", fmt::join(words, ", "))
                            : fmt::format("did you mean '{}'?", near));
    session.report_faults();
    return kUsage;
  }
  Table table({{"kind"}, {"id"}, {"name"}, {"figures"}});
  for (const Shelf shelf : shelves) {
    for (const std::string& id : session.work().ids(shelf)) {
      if (another_kind(session.work(), shelf, id)) continue;
      const doc::Value* v = session.work().load(shelf, id, {}, session.diagnostics());
      if (!v) continue;
      const doc::Value* name = v->find("name");
      if (!options.name.empty() && !has_name(options.name, id, name)) continue;
      table.row(
          {std::string(shelf_info(shelf).kind), id, name ? name->text : "", summary(shelf, *v)});
    }
  }
  if (table.empty() && !session.diagnostics().has_errors())
    session.diagnostics()
        .error({}, fmt::format("none of the {} is called '{}'", options.what, options.name))
        .help(fmt::format("`reckon list {}` prints all of them", options.what));
  if (table.empty()) {
    session.report_faults();
    return kUsage;
  }
  switch (shared.format) {
    case Format::kCsv:
      session.print(table.csv());
      break;
    case Format::kMarkdown:
      session.print(table.markdown());
      break;
    case Format::kJson:
      session.print(table.json());
      break;
    case Format::kText:
      session.print(table_text(session.style().fit ? table : table.fitted(session.width(), 2),
                               session.style()));
  }
  return session.report_faults() ? kUsage : kOk;
}

}  // namespace reckon::cli
