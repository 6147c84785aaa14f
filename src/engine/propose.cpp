#include "reckon/engine/propose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assumed.hpp"
#include "parts.hpp"
#include "reckon/base/text.hpp"
#include "reckon/cost/training.hpp"
#include "reckon/engine/evaluate.hpp"
#include "reckon/engine/field_at.hpp"
#include "reckon/engine/load.hpp"
#include "reckon/engine/said_model.hpp"
#include "reckon/units/format.hpp"
#include "reckon/units/parse.hpp"

namespace reckon {
namespace {

constexpr std::size_t kCommentColumn = 34, kWidth = 100;

// A comment too long for its line goes on below itself.
std::string commented(const std::string& line, std::string_view comment) {
  if (comment.empty()) return line + "\n";
  std::string out = pad_right(line, kCommentColumn) + " # ";
  const std::string below = std::string(std::min(out.size(), kWidth / 2) - 2, ' ') + "# ";
  const std::string held(out.size(),
                         'x');  // the place that the line takes; wrap() must not break it
  return out + wrap(held + std::string(comment), kWidth, below).substr(held.size()) + "\n";
}

// Key, value and doc line of every field of a described struct.
class WriteOut {
 public:
  WriteOut(std::string indent, std::string lead, std::string& out)
      : indent_(std::move(indent)), lead_(std::move(lead)), out_(out) {}

  template <class T>
  void operator()(const Field& f, const T& member) const {
    if (f.name == "source" || f.name == "preset") return;
    if constexpr (detail::is_quantity<T>) {
      line(f, write_quantity(value_of(member.raw), detail::dim_of(T{}), f.hint_));
    } else if constexpr (detail::Element<T>::optional) {
      if (member) (*this)(f, *member);
    } else if constexpr (std::is_same_v<T, bool>) {
      line(f, member ? "yes" : "no");
    } else if constexpr (NamedEnum<T>) {
      line(f, std::string(name_of(member)));
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (!member.empty()) line(f, member);
    } else if constexpr (Described<T>) {
      out_ += commented(fmt::format("{}{}{}:", lead_, indent_, f.name), f.doc);
      T::fields(WriteOut(indent_ + "  ", lead_, out_), member);
    }
  }

 private:
  void line(const Field& f, const std::string& value) const {
    out_ += commented(fmt::format("{}{}{}: {}", lead_, indent_, f.name, value), f.doc);
  }
  std::string indent_, lead_;
  std::string& out_;
};

template <class S>
std::string section(const char* name, const char* doc, const S& value) {
  std::string out = "\n" + commented(fmt::format("{}:", name), doc);
  S::fields(WriteOut("  ", "", out), value);
  return out;
}

struct StartingPoint {
  std::string preset, mfu, mfu_source, sequence, micro;
  double step_tokens = 0, tokens_per_parameter = 0;
};

double number_at(const doc::Value& tree, const char* path, Hint hint, Diagnostics& d) {
  const doc::Value* v = tree.at(path);
  if (v && v->is_mapping()) v = v->find("value");
  const auto parsed = v && v->is_scalar()
                          ? parse_quantity(v->text, kOne, hint)
                          : std::variant<double, ParseError>(ParseError{"is missing", ""});
  if (const auto* e = std::get_if<ParseError>(&parsed)) {
    d.error(tree.span, fmt::format("presets/starting-point.yaml: {}: {}", path, e->message));
    return 1;
  }
  return std::get<double>(parsed);
}

std::string text_at(const doc::Value& tree, const char* path) {
  const doc::Value* v = tree.at(path);
  return v && v->is_scalar() ? v->text : "";
}

StartingPoint starting_point(Workspace& work, Diagnostics& d) {
  StartingPoint s;
  const auto file = work.find(Shelf::kPresets, "starting-point");
  if (file.empty()) {
    d.error({}, "the data folder holds no presets/starting-point.yaml")
        .help("give the data's place: --data DIR");
    return s;
  }
  doc::Value tree = work.read(file, {}, d);
  doc::expand_dotted_keys(tree, d);
  s.preset = text_at(tree, "assume.preset");
  s.mfu = text_at(tree, "assume.train.mfu.value");
  s.mfu_source = text_at(tree, "assume.train.mfu.source");
  s.sequence = text_at(tree, "batch.sequence");
  s.micro = text_at(tree, "batch.micro");
  s.step_tokens = number_at(tree, "step_tokens", Hint::kTokens, d);
  s.tokens_per_parameter = number_at(tree, "tokens_per_parameter", Hint::kRatio, d);
  return s;
}

class Propose {
 public:
  Propose(Workspace& work, std::string model, std::string gpus, Sets sets, Diagnostics& d)
      : work_(work),
        model_(std::move(model)),
        gpus_(std::move(gpus)),
        sets_(std::move(sets)),
        d_(d) {}

  Proposal run() {
    const std::size_t before = d_.error_count();
    start_ = starting_point(work_, d_);
    if (d_.error_count() > before) return {};
    shorten_sequence();
    read_batch();
    const SourceFile* flags = work_.sources().add("--model", model_);
    const SourceFile* flags_gpus = work_.sources().add("--gpus", gpus_);
    doc::Value tree = doc::mapping();
    doc::set(tree, "model", said_model(model_, {flags, 1, 1, static_cast<int>(model_.size())}));
    doc::set(tree, "cluster",
             doc::scalar(gpus_, {flags_gpus, 1, 1, static_cast<int>(gpus_.size())}));
    doc::Value batch = doc::mapping(), assume = doc::mapping(), train = doc::mapping();
    doc::set(batch, "sequence", doc::scalar(start_.sequence));
    if (const double gpus = gpus_of_cluster(); stated("stack") && gpus > 0) {
      // A stack's kernels have shapes, which tokens alone don't say.
      doc::set(batch, "micro", doc::scalar(start_.micro));
      doc::set(batch, "global",
               doc::scalar(fmt::format("{:.0f}", gpus * plain_number(start_.micro))));
    } else {
      doc::set(batch, "tokens_per_gpu", doc::scalar(start_.sequence));
    }
    doc::set(train, "mfu", doc::scalar(start_.mfu));
    doc::set(assume, "preset", doc::scalar(start_.preset));
    if (!stated("stack")) doc::set(assume, "train", std::move(train));
    if (!dimensioned()) doc::set(assume, "flops", doc::scalar("6n"));
    if (const std::string recipe = recipe_for_chip(); !recipe.empty())
      doc::set(tree, "precision", doc::scalar(recipe));
    doc::set(tree, "batch", std::move(batch));
    doc::set(tree, "assume", std::move(assume));
    with_sets_ = load_with_sets(tree);
    if (!with_sets_) {
      LoadedTraining loaded = load_training(work_, std::move(tree), d_);
      if (d_.error_count() > before) return {};
      plan_ = std::move(loaded.plan);
    }
    choose_batch();
    choose_sharding();
    choose_length();
    Proposal p;
    p.text = text();
    p.notes = notes_;
    return p;
  }

 private:
  // What a --set stack= stands for takes the MFU's place, in a plan too that can't be loaded with it: its fault is the
  // stack's then, and not that there are two.
  bool by_stack() const { return plan_.stack || (stated("stack") && !with_sets_); }
  // Whether a --set says a field, or something inside it.
  bool stated(const std::string& field) const {
    return std::any_of(sets_.begin(), sets_.end(),
                       [&](const auto& s) { return is_within(s.first, field); });
  }

  // The plan with what --set says, but for the batch, which is dealt out afterwards; false where that can't be loaded.
  bool load_with_sets(const doc::Value& tree) {
    Sets others = sets_;
    std::erase_if(others, [](const auto& s) { return is_within(s.first, "batch"); });
    if (others.empty()) return false;
    Diagnostics scratch;
    doc::Value whole = tree;
    doc::set(whole, "kind", doc::scalar("training"));
    const PlanFile file = open_plan(work_, "<new>", std::move(whole), others, scratch);
    if (scratch.has_errors()) return false;
    LoadedTraining loaded = load_training(work_, case_tree(file, nullptr, scratch), scratch);
    if (scratch.has_errors()) return false;
    plan_ = std::move(loaded.plan);
    return true;
  }

  // What --set says of micro-batch and sequence stands in place of the starting point's.
  void read_batch() {
    Sets batch = sets_;
    std::erase_if(batch, [](const auto& s) { return !is_within(s.first, "batch"); });
    if (batch.empty()) return;
    Diagnostics scratch;
    doc::Value tree = doc::mapping();
    doc::set(tree, "kind", doc::scalar("training"));
    const PlanFile file = open_plan(work_, "<new>", std::move(tree), batch, scratch);
    const doc::Value said = case_tree(file, nullptr, scratch);
    const auto read = [&said](const char* path) { return plain_count(said.at(path)); };
    if (const double x = read("batch.micro"); x > 0) start_.micro = fmt::format("{:.0f}", x);
    if (const double x = read("batch.sequence"); x > 0) start_.sequence = fmt::format("{:.0f}", x);
    global_ = read("batch.global");
  }

  // A model with a table of positions reads no longer texts.
  void shorten_sequence() {
    Diagnostics scratch;
    const doc::Value model = resolve_model(work_, said_model(model_, {}), scratch);
    const doc::Value sequence = doc::scalar(start_.sequence);
    const double positions = plain_count(model.find("positions")), usual = plain_count(&sequence);
    if (positions > 0 && positions < usual) start_.sequence = fmt::format("{:.0f}", positions);
  }

  double gpus_of_cluster() const {
    Diagnostics scratch;
    const doc::Value cluster = resolve_cluster(work_, doc::scalar(gpus_), scratch);
    if (scratch.has_errors()) return 0;
    return plain_count(cluster.at("nodes")) * plain_count(cluster.at("node.gpus"));
  }

  // A bare count has no dimensions, so attention can't be counted.
  bool dimensioned() const { return !is_bare_count(model_); }
  // The default recipe computes in bf16; a chip that states no such peak but one of fp16 gets that recipe.
  std::string recipe_for_chip() {
    Diagnostics scratch;
    const doc::Value cluster = resolve_cluster(work_, doc::scalar(gpus_), scratch);
    const doc::Value* peaks = cluster.at("node.chip.peak");
    if (scratch.has_errors() || !peaks || !peaks->is_mapping() || peaks->find("bf16") ||
        !peaks->find("fp16"))
      return "";
    notes_.emplace_back("precision: fp16: the chip states no bf16 peak");
    return "fp16";
  }
  long G() const {
    return std::lround(value_of(plan_.cluster.nodes.raw) * value_of(plan_.cluster.node.gpus.raw));
  }

  // A power of two of micro-batches a GPU, so that other meshes, and more GPUs, can share it out too.
  void choose_batch() {
    const double sequence = plain_number(start_.sequence), micro = plain_number(start_.micro);
    const double step = static_cast<double>(G()) * micro;
    const double wanted = std::max(1.0, start_.step_tokens / sequence / step);
    plan_.batch = {};
    plan_.batch.global =
        Count<double>(global_ > 0 ? global_ : std::exp2(std::round(std::log2(wanted))) * step);
    plan_.batch.micro = Count<double>(micro);
    plan_.batch.sequence = Count<double>(sequence);
  }
  static double plain_number(const std::string& text) {
    const doc::Value v = doc::scalar(text);
    return plain_count(&v);
  }

  // The first of a fixed list that fits, mildest first; else the first that is tight. What --set states is no choice.
  void choose_sharding() {
    const bool shaped = plan_.model.hidden && !plan_.model.layers.empty();
    std::vector<int> stages{0, 1, 2, 3};
    std::vector<Recompute> policies{Recompute::kNone, Recompute::kFull};
    if (stated("sharding")) stages = {static_cast<int>(std::lround(plan_.sharding.zero.raw))};
    if (stated("recompute")) policies = {plan_.recompute};
    if (stated("sharding") && stated("recompute")) return;
    std::optional<std::pair<int, Recompute>> tight;
    for (const Recompute r : policies) {
      if (r != Recompute::kNone && !shaped) continue;
      for (const int z : stages) {
        shard(z, r);
        const Verdict verdict = estimate(plan_).verdict;
        if (verdict == Verdict::kTight && !tight) tight = {z, r};
        if (!fits(verdict) || verdict == Verdict::kTight) continue;
        note_choice(verdict == Verdict::kFits
                        ? "the mildest that fit"
                        : "the mildest whose known part fits; whether the whole does is unknown");
        return;
      }
    }
    if (!tight) {
      notes_.emplace_back(
          fmt::format("nothing tried fits in memory: sharding.zero: {} with recompute: {} is "
                      "written; the estimate says by how much it misses",
                      value_of(plan_.sharding.zero.raw), name_of(plan_.recompute)));
      return;
    }
    shard(tight->first, tight->second);
    note_choice("the mildest that fit, and tight: none tried leaves more room");
  }
  void shard(int zero, Recompute r) {
    plan_.sharding.zero = Count<double>(zero);
    plan_.recompute = r;
  }
  void note_choice(const char* why) {
    notes_.push_back(fmt::format("sharding.zero: {} and recompute: {}: {}",
                                 value_of(plan_.sharding.zero.raw), name_of(plan_.recompute), why));
  }

  void choose_length() {
    if (plan_.trainable.adapters && !stated("run.tokens")) {
      plan_.run.tokens = {};
      notes_.push_back(fmt::format(
          "run.tokens is not chosen: {} a parameter is a rule for training all of them; --set "
          "run.tokens=10M gives days and dollars",
          start_.tokens_per_parameter));
    } else if (!stated("run.tokens")) {
      plan_.run.tokens = Count<double>(three_digits(
          start_.tokens_per_parameter * value_of(estimate(plan_).parameters.total.raw)));
      notes_.push_back(fmt::format("run.tokens: {} a parameter", start_.tokens_per_parameter));
    }
    if (!by_stack())
      notes_.push_back(fmt::format("assume: preset {}, train.mfu {}: an assumption, {}",
                                   start_.preset, start_.mfu, start_.mfu_source));
  }
  // A rule of thumb has no more.
  static double three_digits(double x) {
    const double unit = std::pow(10, std::floor(std::log10(x)) - 2);
    return std::round(x / unit) * unit;
  }

  std::string head() const {
    const auto e = estimate(plan_);
    std::string out = fmt::format(
        "# A training plan for {} on {}, written by `reckon new`.\n"
        "# Every value may be changed; `reckon eval` shows what follows.\n"
        "kind: training\n",
        model_, gpus_);
    const std::string params =
        format_quantity(value_of(e.parameters.total.raw), kOne, Hint::kParams);
    const std::string said = dimensioned() ? fmt::format("model: {}", model_)
                                           : fmt::format("model: {{params: {}}}", model_);
    out += commented(
        said, plan_.model.name.empty() ? params : fmt::format("{}, {}", plan_.model.name, params));
    out += commented(fmt::format("cluster: {}", gpus_),
                     fmt::format("{} × {} of {} GPUs", value_of(plan_.cluster.nodes.raw),
                                 plan_.cluster.node.id, value_of(plan_.cluster.node.gpus.raw)));
    return out;
  }

  std::string text() const {
    std::string out = head();
    out += section("mesh", "degrees of parallelism; data takes the GPUs that are left", plan_.mesh);
    out += section("sharding", "what the data ranks share (ZeRO, FSDP, HSDP)", plan_.sharding);
    out += section("schedule", "order of the pipeline's micro-batches", plan_.schedule);
    out += section("batch", "of one optimizer step", plan_.batch);
    out += "\n" + commented(fmt::format("precision: {}", plan_.precision.id), plan_.precision.name);
    out += commented(fmt::format("optimizer: {}", plan_.optimizer.id), plan_.optimizer.name);
    out += commented(fmt::format("recompute: {}", name_of(plan_.recompute)), doc_of("recompute"));
    out += commented(fmt::format("offload: {}", name_of(plan_.offload)), doc_of("offload"));
    out += commented("trainable: all", "all, or adapters: {rank: 16, targets: [q, k, v, o]}");
    out += section("memory", "when to call a fit tight", plan_.memory);
    out += "\n" +
           commented("assume:", "conventions and efficiencies: what is counted, how well it runs");
    out += commented(fmt::format("  preset: {}", start_.preset),
                     "a file in presets/; its values stand below as comments");
    if (!by_stack())
      out += commented(fmt::format("  train.mfu: {}", start_.mfu),
                       "an assumption: " + start_.mfu_source);
    if (!dimensioned())
      out += commented("  flops: 6n", "attention is not counted: the model has no dimensions");
    std::string preset;
    Assume<double> shown = plan_.assume;
    shown.train = {};
    const WriteOut write("  ", "#", preset);
    Assume<double>::fields(
        [&](const Field& f, const auto& member) {
          const Bearing& keys = training_assumptions();
          if (bears(keys, f.name) || bears(keys, std::string(f.name) + ".")) write(f, member);
        },
        shown);
    // `train:` was stated above.
    const std::size_t train = preset.find("#  train:");
    if (train != preset.npos) preset.erase(train, preset.find('\n', train) + 1 - train);
    out += preset;
    out += section("run", "length and price of the run", plan_.run);
    out +=
        "#  price: 2.50 USD/h              # of one GPU: yours to fill in; without it no dollars\n";
    out += "\n" + commented(fmt::format("law: {}", plan_.law.id),
                            "the loss that the run will reach: " + plan_.law.name);
    out += commented(fmt::format("batch_law: {}", plan_.batch_law.id),
                     "the critical batch at that loss: " + plan_.batch_law.name);
    return out;
  }

  // What the field's own description says of a plan's key.
  static std::string doc_of(std::string_view key) {
    std::string out;
    const TrainingPlan<double> plan;
    TrainingPlan<double>::fields(
        [&](const Field& f, const auto&) {
          if (f.name == key) out = f.doc;
        },
        plan);
    return out;
  }

  Workspace& work_;
  std::string model_, gpus_;
  Sets sets_;
  double global_ = 0;       // stated by a --set
  bool with_sets_ = false;  // plan_ has what --set says
  Diagnostics& d_;
  StartingPoint start_;
  TrainingPlan<double> plan_;
  std::vector<std::string> notes_;
};

}  // namespace

Proposal propose_training(Workspace& work, const std::string& model, const std::string& gpus,
                          Diagnostics& diagnostics, const Sets& sets) {
  return Propose(work, model, gpus, sets, diagnostics).run();
}

}  // namespace reckon
