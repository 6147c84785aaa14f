// kind: layer
#include "reckon/cost/questions/layer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "../legal_recompute.hpp"
#include "../legal_recurrent.hpp"
#include "../legal_stack.hpp"
#include "../legal_tensor.hpp"
#include "../whole_number.hpp"
#include "needs.hpp"
#include "question_of.hpp"
#include "questions.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

// presets/layer.yaml: nothing if the data folder has none.
doc::Value layer_defaults(Workspace& work, Diagnostics& d) {
  const auto file = work.find(Shelf::kPresets, "layer");
  return file.empty() ? doc::Value{} : work.read_data(file, {}, d);
}

double said_degree(const doc::Value& tree, std::string_view key) {
  const doc::Value* at = tree.find(key);
  double n = 0;
  if (at && at->is_scalar()) n = std::strtod(at->text.c_str(), nullptr);
  return n >= 1 ? n : 1;
}

// A model with a table of positions has no longer sequence than that: what is supplied keeps to it.
void keep_to_positions(Workspace& work, doc::Value& tree) {
  const doc::Value* model = tree.find("model");
  if (!model || !model->is_scalar()) return;
  Diagnostics scratch;  // a model that can't be read is told so when it is resolved
  const doc::Value* file = work.load(Shelf::kModels, model->text, model->span, scratch);
  const double rows = file ? plain_count(file->find("positions")) : 0;
  if (rows >= 1 && plain_count(tree.find("sequence")) > rows)
    doc::set(tree, "sequence", doc::scalar(fmt::format("{:.0f}", rows), model->span));
}

class Layer : public QuestionOf<LayerQuestion> {
 public:
  const QuestionInfo& info() const override {
    static const QuestionInfo info{
        "layer",
        "one transformer layer, operator by operator, with its collectives where they fall",
        "model",
        {"reckon layer llama-3-8b --tensor 8",
         "reckon layer llama-3-8b --tensor 8 --sequence-parallel --sequence 4096 --micro 2",
         "reckon layer deepseek-v3 --expert 64 --tensor 1 --stack deepseek-v3-h800 --chip h800-sxm",
         "reckon layer gpt-3-175b --tensor 1,2,4,8 --chip a100-sxm"},
        {"dispatch", "attention", "dropout", "expert_capacity", "operators.*"},
        {"forward.time", "backward.time", "forward.exposed", "backward.exposed"}};
    return info;
  }

 protected:
  // What is not stated; a chip becomes a cluster of as many as the degrees take.
  void write_out(Workspace& work, doc::Value& tree, Diagnostics& d) const override {
    if (!tree.is_mapping()) return;
    const doc::Value defaults = layer_defaults(work, d);
    if (!defaults.is_mapping()) return;
    for (const char* key : {"micro", "sequence"})
      if (!tree.find(key) && defaults.find(key)) {
        doc::set(tree, key, *defaults.find(key));
        if (std::string_view(key) == "sequence") keep_to_positions(work, tree);
      }
    if (tree.find("cluster")) return;
    const doc::Value stated = doc::take(tree, "chip");
    const doc::Value* chip =
        stated.is_scalar() && !stated.text.empty() ? &stated : defaults.find("chip");
    if (!chip) return;
    const double ranks = said_degree(tree, "tensor") *
                         std::max(said_degree(tree, "context"), said_degree(tree, "expert"));
    doc::set(tree, "cluster", doc::scalar(fmt::format("{:.0f}x{}", ranks, chip->text), chip->span));
  }

  // The software of the chip, where none is named.
  void fill(Workspace& work, doc::Value& tree, Diagnostics& d) const override {
    const doc::Value* stack = tree.is_mapping() ? tree.find("stack") : nullptr;
    if (!tree.is_mapping() || (stack && !stack->is_null())) return;
    const doc::Value* chip = tree.at("cluster.node.chip");
    if (chip && chip->find("usual_stack"))
      doc::set(tree, "stack", resolve_stack(work, doc::scalar("default"), chip, d));
  }

  void legal(const Input& q, const Asked& asked) const override {
    if (!q.cluster) {
      asked.fault("cluster", "cluster: on which chips the layer runs is not stated")
          .help("--chip h100-sxm, or --gpus 8xh100-sxm");
      return;
    }
    if (!q.stack) {
      asked
          .fault("stack",
                 fmt::format("stack: no software is assumed for {}", q.cluster->node.chip.name))
          .help("name one: --stack generic-h100; hardware/stacks has them");
      return;
    }
    need_dimensions(q.model, "the operators of a layer", asked);
    if (asked.failed()) return;
    which_layer(q, asked);
    check_modules(q.model, q.recompute, q.recompute_modules, asked.places, asked.diagnostics);
    degrees(q, asked);
    if (asked.failed()) return;
    const TrainingPlan<double> plan = plan_of(q);
    check_stack(plan, asked.places, asked.diagnostics);
    check_scans(plan, asked.places, asked.diagnostics);
  }

  void say(const Input& q, const Output& out, Result& r) const override {
    const std::string model = q.model.name.empty() ? q.model.id : q.model.name;
    if (r.name.empty())
      r.name = fmt::format("A layer of {}{}", model.empty() ? "the model" : model, split(q));
    r.headline.emplace_back("micro-batch",
                            fmt::format("{} of {} tokens, {} on this GPU", number(q.micro),
                                        grouped(q.sequence.raw), text(r, "tokens")));
    r.headline.emplace_back("software", software(q));
    add_shapes(q, out, r);
    r.answer.lines.push_back(fmt::format(
        "forward {}, backward {}{}", text(r, "forward.time"), text(r, "backward.time"),
        q.recompute == Recompute::kNone ? "" : ", recomputed " + text(r, "recompute.time")));
    if (value_of(out.sent_forward.raw) > 0)
      r.answer.lines.push_back(
          fmt::format("a GPU sends {} forward and {} backward; {} and {} of it stay exposed",
                      text(r, "forward.sent"), text(r, "backward.sent"), text(r, "forward.exposed"),
                      text(r, "backward.exposed")));
    r.answer.grids.push_back(grid(out, false));
    r.answer.grids.push_back(grid(out, true));
    notes(q, out, r);
    r.not_modelled = {"embedding, head and loss: `reckon eval` with this stack",
                      "gathering of weights and reduction of gradients between data ranks"};
  }

 private:
  static void which_layer(const Input& q, const Asked& asked) {
    const std::size_t groups = q.model.layers.size();
    if (!q.layer || static_cast<std::size_t>(number(*q.layer)) < groups) return;
    asked
        .fault("layer", fmt::format("layer: the model has {} group{} of layers, numbered from 0",
                                    groups, groups == 1 ? "" : "s"))
        .help(fmt::format("0 to {}", groups - 1));
  }

  static void degrees(const Input& q, const Asked& asked) {
    const long t = number(q.tensor), c = number(q.context), s = number(q.sequence),
               e = number(q.expert);
    if (q.sequence_parallel && t == 1)
      asked
          .fault("sequence_parallel",
                 "sequence parallelism works between tensor ranks, and tensor is 1")
          .help("--tensor 8, or leave it out");
    if (t > 1) {
      const auto nearest = [t](long n) { return nearest_divisors(n, t); };
      check_tensor_degree(q.model, {"tensor", "tensor", t, nearest}, asked.places,
                          asked.diagnostics);
    }
    const long rows = number(q.model.positions);
    if (rows > 0 && s > rows)
      asked
          .fault("sequence",
                 fmt::format("sequence = {}, but the model learned {} positions", s, rows))
          .help(fmt::format("at most {} tokens", rows));
    if (s % c != 0)
      asked
          .fault("context",
                 fmt::format("context: {} does not divide the {} tokens of a sequence", c, s))
          .help("nearest degrees that work: " + nearest_divisors(s, c));
    if (e > 1) experts(q, e, asked);
    if (q.expert_tensor && number(*q.expert_tensor) != 1 && number(*q.expert_tensor) != t)
      asked
          .fault("expert_tensor", fmt::format("expert_tensor: {} is neither 1 nor tensor = {}",
                                              number(*q.expert_tensor), t))
          .help(fmt::format("1, or {}", t));
    const long G = number(q.cluster->nodes) * number(q.cluster->node.gpus);
    if (G % (t * c) != 0 || (e > 1 && (G / t) % e != 0))
      asked
          .fault("cluster",
                 fmt::format("cluster: {} GPUs are no multiple of tensor · context = {}{}", G,
                             t * c, e > 1 ? fmt::format(" and tensor · expert = {}", t * e) : ""))
          .help("leave the cluster out, and as many are taken as that takes");
  }

  static void experts(const Input& q, long e, const Asked& asked) {
    bool any = false;
    for (const auto& g : q.model.layers) {
      if (g.mlp.kind != MlpKind::kMoe) continue;
      any = true;
      const long E = number(*g.mlp.experts);
      if (E % e == 0) continue;
      asked.fault("expert", fmt::format("expert: {} does not divide the {} experts", e, E))
          .help("nearest degrees that work: " + nearest_divisors(E, e));
      return;
    }
    if (!any) asked.fault("expert", "expert: the model has no routed experts").help("leave it out");
  }

  static std::string split(const Input& q) {
    std::string out;
    const auto add = [&](const char* word, const Count<double>& n) {
      if (number(n) > 1) out += fmt::format(", {} {}", word, number(n));
    };
    add("tensor", q.tensor);
    if (q.sequence_parallel) out += " with sequence parallelism";
    add("context", q.context);
    add("expert", q.expert);
    return out.empty() ? " on one GPU" : out;
  }

  static std::string software(const Input& q) {
    const Stack<double>& s = *q.stack;
    const std::string chip =
        q.cluster->node.chip.name.empty() ? q.cluster->node.chip.id : q.cluster->node.chip.name;
    return fmt::format("{} on {}, {}{}", s.name.empty() ? s.id : s.name, chip, q.precision.id,
                       s.fitted.empty() ? "" : "; constants: " + s.fitted);
  }

  static std::string shape_words(const Input& q, const LayerRow<double>& row) {
    if (row.gemm) {
      const auto& [M, N, K, batch] = *row.gemm;
      std::string out = fmt::format("{} × {} × {}", grouped(M.raw), grouped(N.raw), grouped(K.raw));
      if (batch) out = fmt::format("{} of {}", grouped(batch->raw), out);
      return out;
    }
    if (!row.group) return "";
    const auto& node = q.cluster->node;
    const auto& link = node.chip.link;
    const std::string over = row.group->crosses() ? node.fabric ? node.fabric->name : "network"
                             : link && !link->kind.empty() ? link->kind
                                                           : "link";
    return fmt::format("{} ranks, {}", number(row.group->q), over);
  }

  static std::string id_of(const LayerRow<double>& row) {
    return (row.backward ? "backward." : "forward.") + row.id;
  }

  static void add_shapes(const Input& q, const Output& out, Result& r) {
    for (const LayerRow<double>& row : out.rows) {
      const std::string words = shape_words(q, row);
      if (words.empty()) continue;
      Metric& m = r.metrics.emplace_back();
      m.id = id_of(row) + ".shape";
      m.title = row.label + ": shape";
      m.text = words;
    }
  }

  static Grid grid(const Output& out, bool backward) {
    Grid g{backward ? "Backward" : "Forward",
           "in order",
           {{"shape", "shape"},
            {"flops", "FLOPs"},
            {"bytes", "bytes"},
            {"time", "time"},
            {"exposed", "exposed"}},
           {}};
    for (const LayerRow<double>& row : out.rows)
      if (row.backward == backward) g.rows.push_back({id_of(row), row.label});
    return g;
  }

  static void notes(const Input& q, const Output& out, Result& r) {
    const auto note = [&r](std::string words) { r.answer.notes.push_back(std::move(words)); };
    note(
        "Shapes are rows × columns × depth; bytes are of memory, of a collective those that a GPU "
        "sends; a collective counts with what stays exposed.");
    if (out.held_back)
      note("The host issues these kernels no faster than the passes' times: the GPU waits for it.");
    const std::size_t groups = q.model.layers.size();
    if (groups > 1)
      note(
          fmt::format("The model has {} groups of layers; this is group {} of {} layers. --layer "
                      "takes another.",
                      groups, out.group, number(q.model.layers[out.group].count)));
  }
};

}  // namespace

const Question& layer_question() {
  static const Layer kind;
  return kind;
}

}  // namespace reckon
