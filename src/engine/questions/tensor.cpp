// kind: tensor
#include "reckon/cost/questions/tensor.hpp"

#include <fmt/format.h>

#include <cmath>

#include "../legal_tensor.hpp"
#include "needs.hpp"
#include "question_of.hpp"
#include "questions.hpp"
#include "reckon/units/format.hpp"
#include "tensor_picture.hpp"

namespace reckon {
namespace {

double number(const Count<double>& x) { return value_of(x.raw); }

class Tensor : public QuestionOf<TensorQuestion> {
 public:
  const QuestionInfo& info() const override {
    static const QuestionInfo info{
        "tensor",
        "a layer split over GPUs: its compute against its all-reduces",
        "model",
        {"reckon tensor --ranks 2 --peak 989TFLOP/s --link 450GB/s --inner 4096",
         "reckon tensor --model llama-3-8b --ranks 2,4,8 --gpus 8xh100-sxm",
         "reckon tensor --model llama-3-70b --ranks 8 --gpus 64xh100-sxm --tokens 8192 "
         "--assume physical"},
        {"train.mfu", "ring_factor", "ring_across", "latency.*", "efficiency.link",
         "efficiency.network"},
        {"tensor.crossover", "tensor.compute_over_communication", "tensor.layer.over_compute"}};
    return info;
  }

 protected:
  void write_out(Workspace&, doc::Value& tree, Diagnostics&) const override {
    if (tree.is_mapping() && !tree.find("sent")) doc::set(tree, "sent", doc::scalar("bf16"));
  }

  void legal(const Input& q, const Asked& asked) const override {
    if (!q.ranks && !q.cluster) {
      asked.fault("ranks", "tensor: over how many GPUs a layer is split is not stated")
          .help("--ranks 8, or --gpus 8xh100-sxm");
      return;
    }
    warn_of_more_gpus(q.cluster, q.ranks, "ranks", asked);
    need_peak(q.cluster, q.chip, asked);
    const Count<double> p = degree(q), node = node_size(q.cluster, q.on, p);
    const bool all_nics = q.assume.ring_across == RingAcross::kAllNics;
    need_links(q.cluster, q.on, q.assume, asked, number(node) < number(p),
               number(node) > 1 || all_nics);
    waiting(q, asked);
    if (!q.model) return;
    need_dimensions(*q.model, "the cost of a layer", asked);
    const long t = std::lround(number(p));
    const auto nearest = [t](long n) { return nearest_divisors(n, t); };
    const char* path = q.ranks ? "ranks" : "cluster";
    check_tensor_degree(*q.model, {path, "ranks", t, nearest}, asked.places, asked.diagnostics);
  }

  void say(const Input& q, const Output& out, Result& r) const override {
    if (r.name.empty()) r.name = title(q, out);
    if (number(out.group.q) <= 1) {
      r.answer.lines.push_back("one GPU holds the whole layer: nothing is split, nothing is sent");
      return;
    }
    say_crossover(q, out, r);
    if (out.layer) say_layer(q, out, r);
    say_most(q, out, r);
    r.answer.grids.push_back(links_grid(q));
    r.answer.pictures.push_back(tensor_picture(q.model, out.group.q, q.sequence));
    notes(q, out, r);
    r.not_modelled = {"attention's scores over the context", "embedding and output head",
                      "overlap: compute and communication are set beside each other"};
  }

  std::vector<Alternative> alternatives(const Input& q) const override {
    if (number(degree(q)) <= 1) return {};
    const std::vector<std::string> shown =
        q.model ? std::vector<std::string>{"tensor.crossover", "tensor.layer.over_compute"}
                : std::vector<std::string>{"tensor.crossover"};
    std::vector<Alternative> out;
    if (number(degree(q)) != 2) out.push_back({"two GPUs", {{"ranks", "2"}}, shown});
    if (const auto W = one_way(q)) {
      std::string both = write_quantity(2 * *W, kByteRate);
      std::erase(both, ' ');  // one word, as the command line takes it
      out.push_back({"both directions of the link taken for one", {{"link", both}}, shown});
    }
    if (q.chip.compute != Compute::kFp8 && q.cluster && !q.chip.peak)
      out.push_back({"fp8 operands, partial sums sent as before", {{"compute", "fp8"}}, shown});
    const bool drops = q.assume.ring_factor == RingFactor::kDrop;
    out.push_back({drops ? "(p − 1)/p kept" : "(p − 1)/p dropped, as for many GPUs",
                   {{"assume.ring_factor", drops ? "keep" : "drop"}},
                   shown});
    if (q.assume.preset != "physical" && q.cluster)
      out.push_back({"measured rates and waiting", {{"assume", "physical"}}, shown});
    return out;
  }

 private:
  static Count<double> degree(const Input& q) { return ranks_of(q.cluster, q.ranks); }

  // Of the link inside a node, if the ranks lie in one.
  static std::optional<double> one_way(const Input& q) {
    if (number(node_size(q.cluster, q.on, degree(q))) < number(degree(q))) return {};
    if (q.on.link) return value_of(q.on.link->raw);
    if (q.cluster && q.cluster->node.chip.link)
      return value_of(q.cluster->node.chip.link->one_way.raw);
    return {};
  }

  // What waiting costs depends on how much is sent at once.
  static void waiting(const Input& q, const Asked& asked) {
    const Latency<double> a = latency_of(q.on, q.assume);
    const bool waits = value_of((a.base + a.node_hop + a.network_hop).raw) > 0;
    const bool per_size = q.inner || q.model;
    if (waits && per_size && !q.tokens)
      asked
          .fault("tokens",
                 "tokens: an all-reduce waits before it sends, and how many tokens it carries is "
                 "not stated")
          .help("--tokens 8192, or assume: textbook, which waits for nothing");
    if (q.inner && (waits || q.tokens) && !q.outputs && !q.model)
      asked.fault("outputs", "outputs: the width of the product is not stated")
          .help("--outputs 4096: tokens × outputs elements are all-reduced");
    if (q.outputs && !q.tokens)
      asked.fault("outputs", "outputs: matters with tokens alone, which are not stated")
          .help("--tokens 8192, or leave outputs out");
  }

  static std::string title(const Input& q, const Output& out) {
    const long p = std::lround(number(out.group.q));
    const std::string gpus = fmt::format("{} GPU{}", p, p == 1 ? "" : "s");
    if (!q.model) return "A product whose inner dimension is split over " + gpus;
    const std::string model = q.model->name.empty() ? q.model->id : q.model->name;
    return fmt::format("A layer of {} split over {}", model.empty() ? "the model" : model, gpus);
  }

  static void say_crossover(const Input& q, const Output& out, Result& r) {
    r.answer.lines.push_back(
        fmt::format("compute takes longer than the all-reduce from an inner dimension of {} on",
                    text(r, out.waiting ? "tensor.crossover_waiting" : "tensor.crossover")));
    r.answer.formulas = {"tensor.bytes_per_element", "tensor.crossover"};
    if (out.waiting) r.answer.formulas.push_back("tensor.crossover_waiting");
    if (!q.inner) return;
    r.answer.lines.push_back(
        fmt::format("at {}, compute is {} × the communication: bound by {}",
                    grouped(number(*q.inner)), text(r, "tensor.compute_over_communication"),
                    value_of(out.ratio->raw) >= 1 ? "compute" : "communication"));
    r.answer.formulas.push_back("tensor.compute_over_communication");
  }

  static void say_layer(const Input& q, const Output& out, Result& r) {
    const bool compute = value_of(out.layer->over_compute.raw) <= 1;
    r.answer.lines.push_back(fmt::format(
        "a layer, forward, {}: {} of communication over {} of compute, {} ×: bound by {}",
        q.tokens ? grouped(number(*q.tokens)) + " tokens" : "a token",
        text(r, "tensor.layer.communication"), text(r, "tensor.layer.compute"),
        text(r, "tensor.layer.over_compute"), compute ? "compute" : "communication"));
    for (const char* id :
         {"tensor.layer.compute", "tensor.layer.communication", "tensor.layer.over_compute"})
      r.answer.formulas.emplace_back(id);
  }

  // "7 (4 divide the heads)"
  static std::string most_text(const Input& q, const Count<double>& most) {
    const long n = std::lround(number(most));
    if (!q.model || q.model->abstract()) return grouped(static_cast<double>(n));
    long t = std::min(n, 1L << 16);
    while (t > 1 && !divides_model(*q.model, t)) --t;
    return t == n
               ? grouped(static_cast<double>(n))
               : fmt::format("{} ({} fit the model's heads)", grouped(static_cast<double>(n)), t);
  }

  static void say_most(const Input& q, const Output& out, Result& r) {
    const auto most = [&](const TensorOnLink<double>& x) {
      return q.model ? x.most_layer : x.most;
    };
    std::vector<std::string> parts;
    if (const auto n = most(out.inside)) parts.push_back(most_text(q, *n) + " inside a node");
    if (const auto n = most(out.across)) parts.push_back(most_text(q, *n) + " between nodes");
    if (!parts.empty())
      r.answer.lines.push_back(fmt::format(
          "most GPUs that leave {} bound by compute: {}", q.model ? "the layer" : "the product",
          parts.size() > 1 ? parts[0] + ", " + parts[1] : parts[0]));
  }

  static Grid links_grid(const Input& q) {
    Grid g{"The same GPUs on either link",
           "link",
           {{"rate", "rate"}, {"crossover", "inner dimension needed"}},
           {{"node", "inside a node"}, {"network", "between nodes"}}};
    if (q.inner) g.columns.push_back({"most_ranks", "most GPUs for the product"});
    if (q.model) g.columns.push_back({"layer_most_ranks", "most GPUs for the layer"});
    return g;
  }

  static void notes(const Input& q, const Output& out, Result& r) {
    const auto note = [&r](std::string text) { r.answer.notes.push_back(std::move(text)); };
    note(
        q.sequence
            ? "Sequence parallelism sends an all-gather and a reduce-scatter where there was an "
              "all-reduce: the same bytes, and norms and residuals are held in 1/p."
            : "Columns first, rows second: what lies between them is a rank's own, so two products "
              "share one all-reduce. Backward mirrors it: as many again.");
    if (q.chip.compute == Compute::kFp8 || q.chip.compute == Compute::kFp4)
      note(
          fmt::format("Operands in {} are multiplied faster, but partial sums travel as {}: the "
                      "inner dimension that is needed grows with the peak.",
                      name_of(q.chip.compute), q.sent.name));
    if (out.layer) copies_of_kv(*q.model, std::lround(number(out.group.q)), note);
    if (!q.assume.train.mfu) note("Compute at its peak: a stated train.mfu lowers what is needed.");
    if (out.inside.most || out.inside.most_layer || out.across.most_layer)
      note("Most GPUs: of an even split, waiting not counted.");
  }

  template <class Note>
  static void copies_of_kv(const Model<double>& model, long p, Note note) {
    for (const LayerGroup<double>& g : model.layers) {
      if (!g.mixer.heads || g.mixer.kind != MixerKind::kAttention) continue;
      const long kv = std::lround(number(kv_heads(g.mixer)));
      if (p <= kv) continue;
      note(
          fmt::format("{} GPUs for {} KV heads: each head lies on {} of them, so K, V and their "
                      "cache are kept {} times over.",
                      p, kv, p / kv, p / kv));
      return;
    }
  }
};

}  // namespace

const Question& tensor_question() {
  static const Tensor kind;
  return kind;
}

}  // namespace reckon
