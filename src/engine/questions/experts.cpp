// kind: experts
#include "reckon/cost/questions/experts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "../whole_number.hpp"
#include "needs.hpp"
#include "question_of.hpp"
#include "questions.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

class Experts : public QuestionOf<ExpertsQuestion> {
 public:
  const QuestionInfo& info() const override {
    static const QuestionInfo info{
        "experts",
        "experts spread over GPUs: parameters, dispatch and combine",
        "model",
        {"reckon experts --model mixtral-8x7b --ranks 8",
         "reckon experts --model deepseek-v3 --ranks 8,16,32,64 --gpus 64xh800-sxm --tokens 4096 "
         "--assume train.mfu=40%",
         "reckon experts --model week14-moe --ranks 8 --tokens 8192 --link 450GB/s "
         "--network 50GB/s --peak 989TFLOP/s --assume train.mfu=50%"},
        {"train.mfu", "dispatch", "latency.base", "latency.network_hop", "efficiency.link",
         "efficiency.network", "efficiency.all_to_all"},
        {"parameters.per_gpu", "experts.weights", "placed.bytes", "placed.time",
         "placed.over_compute"}};
    return info;
  }

 protected:
  void write_out(Workspace&, doc::Value& tree, Diagnostics&) const override {
    if (!tree.is_mapping()) return;
    for (const char* key : {"weights", "sent"})
      if (!tree.find(key)) doc::set(tree, key, doc::scalar("bf16"));
  }

  void legal(const Input& q, const Asked& asked) const override {
    if (!has_experts(q, asked)) return;
    if (!q.ranks && !q.cluster) {
      asked.fault("ranks", "experts: over how many GPUs they are spread is not stated")
          .help("--ranks 8, or --gpus 8xh100-sxm; --ranks 1 for one GPU that holds them all");
      return;
    }
    warn_of_more_gpus(q.cluster, q.ranks, "ranks", asked);
    divides(q, asked);
    conventions(q, asked);
    if (!q.tokens || number(degree(q)) == 1) return;
    const long r = number(node(q));
    need_links(q.cluster, q.on, q.assume, asked, r<number(degree(q)), r> 1);
    if (q.assume.train.mfu) need_peak(q.cluster, q.chip, asked);
  }

  void say(const Input& q, const Output& out, Result& r) const override {
    if (r.name.empty()) r.name = title(q, out);
    say_parameters(q, out, r);
    if (out.placed) say_exchange(q, out, r);
    r.answer.grids.push_back({"Parameters",
                              "of",
                              {{"total", "all"}, {"active", "a token uses"}, {"per_gpu", "a GPU"}},
                              {{"parameters", "the model"}, {"experts.layer", "a layer"}}});
    if (out.placed) r.answer.grids.push_back(placements(out));
    notes(q, out, r);
    r.not_modelled = {"uneven routing",
                      "that a limit of nodes also gathers a token's experts on fewer GPUs",
                      "overlap: dispatch and compute are set beside each other",
                      "attention's scores over the context"};
  }

  std::vector<Alternative> alternatives(const Input& q) const override {
    if (!q.tokens || number(degree(q)) == 1) return {};
    const std::vector<std::string> shown{"placed.bytes", "placed.time"};
    std::vector<Alternative> out;
    if (q.assume.dispatch == Dispatch::kPerExpert)
      out.push_back({"one copy a GPU, not one an expert", {{"assume.dispatch", "per_gpu"}}, shown});
    else
      out.push_back({"one copy an expert, as a plain exchange sends",
                     {{"assume.dispatch", "per_expert"}},
                     shown});
    if (q.assume.preset != "physical" && q.cluster)
      out.push_back({"measured rates and waiting", {{"assume", "physical"}}, shown});
    return out;
  }

 private:
  static Count<double> degree(const Input& q) { return ranks_of(q.cluster, q.ranks); }
  static Count<double> node(const Input& q) { return node_size(q.cluster, q.on, degree(q)); }

  static bool has_experts(const Input& q, const Asked& asked) {
    if (!q.model.layers.empty() && moe_group(q.model).mlp.kind == MlpKind::kMoe) return true;
    const std::string named = q.model.id.empty() ? "the model" : "'" + q.model.id + "'";
    asked.fault("model", fmt::format("model: {} has no routed experts", named))
        .help(
            "name one that has: mixtral-8x7b, deepseek-v3 (`reckon list models`), or give its "
            "layers mlp: {kind: moe, …}");
    return false;
  }

  static void divides(const Input& q, const Asked& asked) {
    const long p = number(degree(q)), in_node = number(node(q));
    const char* path = q.ranks ? "ranks" : "cluster";
    for (std::size_t i = 0; i < q.model.layers.size(); ++i) {
      const Mlp<double>& m = q.model.layers[i].mlp;
      const long E = number(m.experts);
      if (m.kind != MlpKind::kMoe || E % p == 0) continue;
      asked.fault(path, fmt::format("ranks = {} does not divide experts = {}", p, E))
          .note(asked.places.of(fmt::format("model.layers.{}.mlp.experts", i)),
                "experts are stated here")
          .help("nearest degrees that work: " + nearest_divisors(E, p));
      return;
    }
    if (in_node < p && p % in_node != 0)
      asked.fault(path, fmt::format("ranks = {} do not fill nodes of {} GPUs", p, in_node))
          .help(fmt::format("a multiple of {}, or node_gpus: {}", in_node,
                            nearest_divisors(p, in_node)));
  }

  // What one convention alone gives a meaning to.
  static void conventions(const Input& q, const Asked& asked) {
    const bool per_expert = q.assume.dispatch == Dispatch::kPerExpert;
    if (q.node_limit && per_expert)
      asked
          .fault("node_limit",
                 "node_limit: with a copy for each expert it changes no bytes that are sent")
          .help("--assume dispatch=per_gpu: a copy for each node, at most node_limit of them");
    if (q.capacity_factor && !per_expert)
      asked
          .fault("capacity_factor",
                 "capacity_factor: pads what each expert is sent, and here a GPU's experts share a "
                 "copy")
          .help("--assume dispatch=per_expert");
  }

  static std::string title(const Input& q, const Output& out) {
    const std::string model = q.model.name.empty() ? q.model.id : q.model.name;
    const long p = number(out.group.q), in_node = number(out.group.r);
    std::string where = fmt::format("{} GPU{}", p, p == 1 ? "" : "s");
    if (in_node < p) where += fmt::format(" in {} nodes", p / in_node);
    return fmt::format("{}: experts over {}", model.empty() ? "The model" : model, where);
  }

  static void say_parameters(const Input& q, const Output& out, Result& r) {
    const long p = number(out.group.q);
    r.answer.lines.push_back(fmt::format("{}, of which a token uses {}: {} × as many are held",
                                         text(r, "parameters.total"), text(r, "parameters.active"),
                                         text(r, "parameters.total_over_active")));
    r.answer.lines.push_back(fmt::format("one of {} GPU{} holds {}: {} of {} weights", p,
                                         p == 1 ? "" : "s", text(r, "parameters.per_gpu"),
                                         text(r, "experts.weights"), q.weights.name));
    r.answer.formulas = {"experts.layer.total", "experts.layer.active", "parameters.per_gpu",
                         "experts.weights"};
  }

  static void say_exchange(const Input& q, const Output& out, Result& r) {
    const auto one = [&](const char* where, const char* id) {
      const std::string over = text(r, std::string(id) + ".over_compute");
      r.answer.lines.push_back(
          fmt::format("dispatch and combine {}: {} in {}{}", where,
                      text(r, std::string(id) + ".bytes"), text(r, std::string(id) + ".time"),
                      out.compute ? fmt::format(", {} × the layer's {} of compute", over,
                                                text(r, "experts.layer.compute"))
                                  : ""));
    };
    if (out.inside) one("inside a node", "inside");
    if (out.group.crosses())
      one("as placed", "placed");
    else if (out.across)
      one("with a GPU a node", "across");
    if (out.to_nodes && (q.node_limit || number(moe_group(q.model).mlp.node_limit) > 0))
      r.answer.formulas.emplace_back("copies.to_nodes");
    r.answer.formulas.emplace_back("experts.dispatch_bytes");
    if (out.compute) r.answer.formulas.emplace_back("experts.layer.compute");
    r.answer.formulas.emplace_back("placed.time");
    if (out.compute) r.answer.formulas.emplace_back("placed.over_compute");
  }

  static Grid placements(const Output& out) {
    Grid g{"Dispatch and combine of a layer, forward",
           "the GPUs lie",
           {{"bytes", "a GPU sends"}, {"time", "time"}, {"over_compute", "over compute"}},
           {{"inside", "in one node"}, {"across", "each in a node of its own"}}};
    const long p = number(out.group.q), in_node = number(out.group.r);
    if (in_node > 1 && in_node < p)
      g.rows.push_back({"placed", fmt::format("{} in each of {} nodes", in_node, p / in_node)});
    g.rows[in_node == p ? 0 : g.rows.size() - 1].chosen = true;
    return g;
  }

  // A node limit caps the nodes; the GPUs are then those of free routing, an upper bound.
  static std::string where(const Input& q, const Output& out, const Result& r) {
    if (!out.to_nodes) return " on average";
    const auto limited = [](const LayerGroup<double>& g) {
      return g.mlp.kind == MlpKind::kMoe && value_of(g.mlp.node_limit.raw) > 0;
    };
    const bool limit = std::any_of(q.model.layers.begin(), q.model.layers.end(), limited);
    return fmt::format(" on average, in {}{} nodes", limit ? "at most " : "",
                       text(r, "copies.to_nodes"));
  }

  static void notes(const Input& q, const Output& out, Result& r) {
    const auto note = [&r](std::string text) { r.answer.notes.push_back(std::move(text)); };
    if (number(out.group.q) > 1)
      note(fmt::format(
          "A token's {} experts lie on {} of the {} GPUs{}; {} of what is routed leaves "
          "the GPU{}.",
          number(out.k), text(r, "copies.to_gpus"), number(out.group.q), where(q, out, r),
          text(r, "experts.leaves_gpu"),
          out.to_nodes ? fmt::format(", {} the node", text(r, "experts.leaves_node")) : ""));
    if (out.placed)
      note(
          "Backward sends as much again and computes twice as much: over a training step the ratio "
          "is two thirds of the forward one.");
    const Metric* room = r.find("experts.capacity");
    if (q.capacity_factor && room && room->has_value())
      note(
          fmt::format("An expert has room for {} tokens and gets {} if routing is even; what is "
                      "over its room is cut.",
                      text(r, "experts.capacity"), text(r, "experts.tokens_each")));
    if (q.model.layers.size() > 1)
      note("A layer here is one with experts; the model's totals count all kinds of layer.");
  }
};

}  // namespace

const Question& experts_question() {
  static const Experts kind;
  return kind;
}

}  // namespace reckon
