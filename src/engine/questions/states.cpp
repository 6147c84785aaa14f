// kind: states
#include "reckon/cost/questions/states.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "../legal_classes.hpp"
#include "needs.hpp"
#include "question_of.hpp"
#include "questions.hpp"
#include "reckon/base/text.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

class StatesOf : public QuestionOf<StatesQuestion> {
 public:
  const QuestionInfo& info() const override {
    static const QuestionInfo info{
        "states",
        "weights, gradients, optimizer under DDP, ZeRO, FSDP, HSDP; their traffic",
        "model",
        {"reckon states 7B --gpus 8xh100-sxm --assume train.mfu=40%",
         "reckon states llama-3-70b --gpus 64xh100-sxm --gradients fp32 --optimizer adamw-8bit",
         "reckon states 7B,70B --ranks 8,64 --capacity 80GB"},
        {"train.mfu", "flops", "attention", "ring_factor", "ring_across", "latency.*",
         "efficiency.link", "efficiency.network", "capacity"},
        {"ddp.states", "zero1.states", "zero2.states", "fsdp.states", "hsdp.states"}};
    return info;
  }

 protected:
  void legal(const Input& q, const Asked& asked) const override {
    if (!q.ranks && !q.cluster)
      asked.fault("ranks", "states: how many GPUs share the states is not stated")
          .help("--ranks 8, or --gpus 8xh100-sxm");
    warn_of_more_gpus(q.cluster, q.ranks, "ranks", asked);
    const bool alone = q.ranks && whole(*q.ranks) == 1;
    const bool linked = q.on.link || q.on.network || (q.cluster && q.cluster->node.chip.link);
    if (linked && !alone) need_links(q.cluster, q.on, q.assume, asked, crosses(q));
    if (q.cluster && !q.peak && q.assume.train.mfu)
      need_peak(q.cluster, {{}, q.precision.compute}, asked);
    check_classes(q.model, q.precision.classes, "precision.classes", asked.places,
                  asked.diagnostics);
    if (!q.gradients)
      check_classes(q.model, q.precision.gradient_classes, "precision.gradient_classes",
                    asked.places, asked.diagnostics);
    const bool covers_shapes = std::any_of(
        q.optimizer.states.begin(), q.optimizer.states.end(), [](const OptimizerState<double>& s) {
          return s.covers != Covers::kAll || s.shape != StateShape::kFull;
        });
    if (q.model.abstract() && covers_shapes)
      asked
          .fault("optimizer", fmt::format("optimizer: '{}' keeps states by the shape of the "
                                          "matrices, which an abstract model does not state",
                                          q.optimizer.id))
          .note(asked.places.of("model"), "the model is stated here")
          .help("name a model (`reckon list models`), or another optimizer: adamw");
  }

  void say(const Input& q, const Output& out, Result& r) const override {
    const long D = whole(out.D), N = whole(out.N_node);
    if (r.name.empty())
      r.name = fmt::format("states of {} on {} GPU{}", name_of_model(q, r), D, D == 1 ? "" : "s");
    r.answer.lines.push_back(fmt::format(
        "A GPU holds {} under DDP, {} under FSDP: {} and {}", text(r, "ddp.states"),
        text(r, "fsdp.states"), text(r, "ddp.bytes_per_param"), text(r, "fsdp.bytes_per_param")));
    if (const char* smallest = first_that_fits(out))
      r.answer.lines.push_back(fmt::format("The least sharding that fits: {}", smallest));
    else if (out.has_capacity)
      r.answer.lines.emplace_back("None fits on so many GPUs");
    r.answer.formulas = {"fsdp.bytes_per_param", "fsdp.bytes"};
    if (out.ways[3].time) r.answer.formulas.emplace_back("fsdp.time");
    if (out.ways[3].tokens_to_hide) r.answer.formulas.emplace_back("fsdp.tokens_to_hide");
    if (out.ways[3].gpus_to_fit) r.answer.formulas.emplace_back("fsdp.gpus_to_fit");
    grids(out, N, r);
    r.answer.notes = {
        "DDP all-reduces gradients. ZeRO-1 and 2 reduce-scatter them and gather new weights: as "
        "much in two halves. FSDP gathers weights twice, forward and backward: half as much again. "
        "HSDP does that in a node and all-reduces a GPU's share between nodes."};
    if (D > 1 && out.has_links)
      r.answer.notes.emplace_back(
          "Traffic hides above so many tokens of a GPU and step: there forward and backward take "
          "as "
          "long. DDP, ZeRO and FSDP go around one flat ring (assume.ring_across: over one port or "
          "all of a node's), HSDP around the node's and then between nodes, one after the other: "
          "which is faster depends on that.");
    by_class(r);
    r.not_modelled = {"activations, gathered layers, reserve: `reckon eval`",
                      "more than one micro-batch a step"};
  }

  std::vector<Alternative> alternatives(const Input& q) const override {
    std::vector<Alternative> out;
    const std::vector<std::string> bytes{"ddp.bytes_per_param", "fsdp.bytes_per_param"};
    if (!q.gradients) out.push_back({"gradients kept in fp32", {{"gradients", "fp32"}}, bytes});
    if (q.optimizer.id != "adamw-8bit")
      out.push_back({"moments in 8 bits", {{"optimizer", "adamw-8bit"}}, bytes});
    const bool drops = q.assume.ring_factor == RingFactor::kDrop;
    out.push_back({drops ? "(q − 1)/q kept" : "(q − 1)/q dropped, as for many ranks",
                   {{"assume.ring_factor", drops ? "keep" : "drop"}},
                   {"fsdp.traffic", "fsdp.time"}});
    if (q.assume.preset != "physical" && q.cluster)
      out.push_back({"measured rates and waiting", {{"assume", "physical"}}, {"fsdp.time"}});
    return out;
  }

 private:
  static bool crosses(const Input& q) {
    if (!q.ranks) return q.cluster && whole(q.cluster->nodes) > 1;
    return static_cast<bool>(node_size(q.cluster, q.on, *q.ranks) < *q.ranks);
  }
  static std::string name_of_model(const Input& q, const Result& r) {
    return q.model.name.empty() ? text(r, "parameters.total") : q.model.name;
  }
  // Where the recipe keeps classes of tensors in formats of their own.
  static void by_class(Result& r) {
    constexpr std::string_view kPrefix = "ddp.weights.";
    std::vector<std::string> parts;
    for (const Metric& m : r.metrics)
      if (m.id.starts_with(kPrefix))
        parts.push_back(
            fmt::format("{} {}", m.title.substr(m.title.rfind(": ") + 2), text(r, m.id)));
    if (!parts.empty())
      r.answer.notes.push_back(fmt::format("Weights by class under DDP: {}.", join(parts, ", ")));
  }
  static const char* first_that_fits(const Output& out) {
    for (std::size_t i = 0; i < out.ways.size(); ++i)
      if (out.ways[i].fits.value_or(false)) return kStateWays[i].title;
    return nullptr;
  }

  static void grids(const Output& out, long N, Result& r) {
    Grid states{"States of a GPU",
                "sharding",
                {{"weights", "weights"},
                 {"gradients", "gradients"},
                 {"optimizer", "optimizer"},
                 {"states", "states"},
                 {"bytes_per_param", "a parameter"}},
                rows(out)};
    if (out.has_capacity) {
      states.columns.push_back({"fits", "fits"});
      Grid fit{"What fits",
               "sharding",
               {{"gpus_to_fit", "fewest GPUs"},
                {"power_of_two_to_fit", "power of two"},
                {"largest_model", "largest model here"}},
               rows(out)};
      r.answer.grids = {std::move(states), std::move(fit)};
    } else {
      r.answer.grids = {std::move(states)};
    }
    if (whole(out.D) == 1) return;
    Grid traffic{"Traffic of a step",
                 "sharding",
                 {{"bytes", "a GPU sends"}, {"traffic", "over DDP"}},
                 rows(out)};
    if (out.has_links) {
      if (out.crosses)
        traffic.columns.push_back({"time_in_node", fmt::format("in a node of {}", N)});
      traffic.columns.push_back({"time", out.crosses ? "across nodes" : "time"});
    }
    if (out.ways[0].tokens_to_hide)
      traffic.columns.push_back({"tokens_to_hide", "hides above, a GPU"});
    r.answer.grids.insert(r.answer.grids.begin() + 1, std::move(traffic));
  }
  static std::vector<Grid::Part> rows(const Output& out) {
    std::vector<Grid::Part> all;
    for (std::size_t i = 0; i < out.ways.size(); ++i)
      all.push_back(
          {kStateWays[i].id, kStateWays[i].title, out.ways[i].why_not ? out.ways[i].why_not : ""});
    return all;
  }
};

}  // namespace

const Question& states_question() {
  static const StatesOf kind;
  return kind;
}

}  // namespace reckon
