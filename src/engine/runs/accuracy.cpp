#include "reckon/engine/accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "reckon/base/text.hpp"
#include "reckon/engine/measured_runs.hpp"
#include "reckon/numerics/robust_fit.hpp"

namespace reckon {
namespace {

// A line of the file: of,file,case,stack,chip,kind,core,model,error. A model is named by the rows of serving engines.
struct ErrorRow {
  std::string_view of, file, name, stack, chip, kind;
  std::string_view model{};
  double error = 0;
  bool core = false;
};

std::string_view cell(std::string_view& line) {
  const std::size_t comma = line.find(',');
  const std::string_view out = line.substr(0, comma);
  line.remove_prefix(comma == line.npos ? line.size() : comma + 1);
  return out;
}

std::vector<ErrorRow> rows_of(std::string_view text) {
  std::vector<ErrorRow> out;
  bool heading = true;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (std::exchange(heading, false)) continue;
    ErrorRow r;
    for (std::string_view* part : {&r.of, &r.file, &r.name, &r.stack, &r.chip, &r.kind})
      *part = cell(line);
    r.core = cell(line) == "yes";
    r.model = cell(line);
    const auto read = std::from_chars(line.data(), line.data() + line.size(), r.error);
    if (read.ec == std::errc() && r.error > -1) out.push_back(r);
  }
  return out;
}

// Those that ship; their texts lie in the workspace.
std::vector<ErrorRow> rows_of(Workspace& work) {
  const std::string* text = work.data_text("measurements/errors.csv");
  return rows_of(text ? *text : std::string_view());
}

// What a row may share with a plan, nearest first.
struct Likeness {
  bool stack, chip, kind;
};
constexpr Likeness kLikenesses[] = {
    {true, true, true}, {true, true, false}, {false, true, true}, {false, true, false}};

std::string in_words(const Likeness& l, const ErrorRow& plan) {
  std::string out(l.stack ? plan.stack : plan.chip);
  if (l.kind) out += fmt::format(", {}", plan.kind);
  return out;
}

std::string share(double x) { return fmt::format("{:.{}f} %", 100 * x, x < 0.0995 ? 1 : 0); }

// Filled with the errors of the nearest rows, if there are enough.
void find_rows(const std::vector<ErrorRow>& rows, const ErrorRow& plan, Accuracy& out) {
  for (const Likeness& l : kLikenesses) {
    if (l.stack && plan.stack.empty()) continue;
    std::vector<double> errors;
    bool has_kind = false;
    for (const ErrorRow& r : rows) {
      if (r.of != plan.of || (l.stack && r.stack != plan.stack) ||
          (l.chip && r.chip != plan.chip) || (l.kind && r.kind != plan.kind))
        continue;
      errors.push_back(std::log1p(r.error));
      has_kind = has_kind || r.kind == plan.kind;
    }
    if (errors.size() < kRowsThatProve) continue;
    const ErrorSummary sum = summarize_log_errors(errors);
    out.like = in_words(l, plan);
    // Constants that only other kinds of runs fixed are a guess for this one.
    if (!has_kind) out.like += fmt::format(", none of them {}", plan.kind);
    out.rows = sum.rows;
    out.median = sum.median;
    out.p90 = sum.p90;
    return;
  }
}

std::string rows_text(const Accuracy& a) {
  return fmt::format("rows like this ({}): median {}, p90 {}, n = {}", a.like, share(a.median),
                     share(a.p90), a.rows);
}

// Rows of a serving engine: on the same chip, else on any.
void find_served(const std::vector<ErrorRow>& rows, const ErrorRow& plan, Accuracy& out) {
  for (const Likeness& l : {Likeness{true, true, true}, Likeness{true, false, true}}) {
    std::vector<double> errors;
    std::vector<std::string> chips;
    for (const ErrorRow& r : rows) {
      if (r.of != plan.of || r.stack != plan.stack || r.kind != plan.kind ||
          (l.chip && r.chip != plan.chip))
        continue;
      errors.push_back(std::log1p(r.error));
      if (std::find(chips.begin(), chips.end(), r.chip) == chips.end()) chips.emplace_back(r.chip);
    }
    if (errors.size() < kRowsThatProve) continue;
    const ErrorSummary sum = summarize_log_errors(errors);
    const bool seen = std::find(chips.begin(), chips.end(), plan.chip) != chips.end();
    out.like = fmt::format("{} on {}{}, {}", plan.stack, join(chips, ", "),
                           seen ? "" : fmt::format(", not {}", plan.chip), plan.kind);
    out.rows = sum.rows;
    out.median = sum.median;
    out.p90 = sum.p90;
    return;
  }
}

Accuracy of_time(const std::vector<ErrorRow>& rows, const TrainingPlan<double>& plan,
                 const std::string& kind, const std::string& unproved) {
  Accuracy out{"step.time", "", "", 0, 0, 0};
  if (!plan.stack) {
    out.text = "step time rests on the stated MFU, for which no measured run vouches";
    return out;
  }
  if (!unproved.empty()) {
    out.text = "step time: " + unproved;
    return out;
  }
  find_rows(rows, {"runs", "", "", plan.stack->id, plan.cluster.node.chip.id, kind}, out);
  out.text = out.rows == 0 ? "step time: nothing comparable was measured"
                           : "step time, " + rows_text(out) + ", each predicted without its source";
  return out;
}

Accuracy of_memory(const std::vector<ErrorRow>& rows, const TrainingPlan<double>& plan,
                   const std::string& kind, const std::string& unproved) {
  Accuracy out{"memory.total", "", "", 0, 0, 0};
  if (!unproved.empty()) {
    out.text = "memory: " + unproved;
    return out;
  }
  const std::string_view stack = plan.stack ? std::string_view(plan.stack->id) : "";
  find_rows(rows, {"memory", "", "", stack, plan.cluster.node.chip.id, kind}, out);
  out.text =
      out.rows == 0 ? "memory: nothing comparable was measured" : "memory, " + rows_text(out);
  return out;
}

// A figure of a serving plan, and under which word its rows stand.
struct ServedFigure {
  const char *metric, *kind, *title;
};
constexpr ServedFigure kServedFigures[] = {
    {"serve.saturation.tokens_per_second", "throughput", "throughput"},
    {"prefill.time", "prefill", "a prompt's time"},
    {"decode.time", "decode", "a decode step"},
    {"serve.itl", "inter-token latency", "time between tokens under a load"},
    {"serve.ttft", "TTFT", "first token under a load"}};

bool has_experts(const Model<double>& model) {
  return std::any_of(model.layers.begin(), model.layers.end(),
                     [](const LayerGroup<double>& g) { return g.mlp.kind == MlpKind::kMoe; });
}

// Of a model that a row names, by its file.
bool names_experts(Workspace& work, std::string_view id) {
  Diagnostics scratch;
  if (id.empty() || work.find(Shelf::kModels, std::string(id)).empty()) return false;
  const doc::Value* file = work.load(Shelf::kModels, std::string(id), {}, scratch);
  const doc::Value* layers = file ? file->find("layers") : nullptr;
  if (!layers) return false;
  const auto moe = [](const doc::Value& group) {
    const doc::Value* kind = group.is_mapping() ? group.at("mlp.kind") : nullptr;
    return kind && kind->text == name_of(MlpKind::kMoe);
  };
  return layers->is_mapping() ? moe(*layers)
                              : std::any_of(layers->items.begin(), layers->items.end(), moe);
}

// The rows of an engine, and of those the ones whose models are like the plan's: dense, or of experts.
struct ServedRows {
  std::vector<ErrorRow> like;
  std::vector<std::string> models;  // of them
  std::size_t all = 0;
};

ServedRows rows_of_engine(Workspace& work, const std::vector<ErrorRow>& rows,
                          const std::string& engine, bool experts) {
  ServedRows out;
  std::map<std::string, bool, std::less<>> known;
  for (const ErrorRow& r : rows) {
    if (!r.of.starts_with("serving") || r.stack != engine) continue;
    ++out.all;
    auto at = known.find(r.model);
    if (at == known.end())
      at = known.emplace(std::string(r.model), names_experts(work, r.model)).first;
    if (at->second != experts) continue;
    out.like.push_back(r);
    if (!r.model.empty() &&
        std::find(out.models.begin(), out.models.end(), r.model) == out.models.end())
      out.models.emplace_back(r.model);
  }
  return out;
}

constexpr const char* kUnseen = "20 to 50 % off is what has been reached for such";

}  // namespace

std::vector<Accuracy> serving_accuracy(Workspace& work, const std::string& engine,
                                       const std::string& chip, const Model<double>& model) {
  const std::vector<ErrorRow> all = rows_of(work);
  const bool experts = has_experts(model);
  const ServedRows served = rows_of_engine(work, all, engine, experts);
  const std::vector<ErrorRow>& rows = served.like;
  std::vector<Accuracy> out;
  for (const ServedFigure& f : kServedFigures) {
    Accuracy a{f.metric, "", "", 0, 0, 0};
    find_served(rows, {"serving", "", "", engine, chip, f.kind}, a);
    const char* how = "each predicted without its model";
    if (a.rows == 0) {
      find_served(rows, {"serving-fit", "", "", engine, chip, f.kind}, a);
      how = "the rows that its constants were fitted on";
    }
    if (a.rows == 0) continue;
    a.text = fmt::format("{}, {}, {}", f.title, rows_text(a), how);
    out.push_back(std::move(a));
  }
  const auto say = [&](std::string what) {
    out.push_back({"serve.saturation.tokens_per_second", std::move(what), "", 0, 0, 0});
  };
  const bool seen =
      std::find(served.models.begin(), served.models.end(), model.id) != served.models.end();
  if (served.all > 0 && rows.empty())
    say(fmt::format("none of the {} rows of engine '{}' is of a {}{}", served.all, engine,
                    experts ? "model of experts: " : "dense model", experts ? kUnseen : ""));
  else if (out.empty())
    say(fmt::format("engine '{}': nothing comparable was measured", engine));
  else if (experts && !seen)
    say(fmt::format("its rows are of {}, and a model of experts that none of them is: {}",
                    listed(served.models), kUnseen));
  return out;
}

std::vector<Accuracy> accuracy_of(Workspace& work, const TrainingPlan<double>& plan, bool has_time,
                                  const Unproved& unproved) {
  const std::vector<ErrorRow> rows = rows_of(work);
  const std::string kind = kind_of_run(plan);
  std::vector<Accuracy> out;
  if (has_time) out.push_back(of_time(rows, plan, kind, unproved.time));
  out.push_back(of_memory(rows, plan, kind, unproved.memory));
  return out;
}

std::optional<std::size_t> core_runs(Workspace& work, const std::string& stack) {
  bool known = false;
  std::size_t core = 0;
  for (const ErrorRow& r : rows_of(work)) {
    if (r.of != "runs" || r.stack != stack) continue;
    known = true;
    core += r.core ? 1 : 0;
  }
  return known ? std::optional(core) : std::nullopt;
}

}  // namespace reckon
