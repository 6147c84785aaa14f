// kind: compress
#include "reckon/cost/questions/compress.hpp"

#include <fmt/format.h>

#include "needs.hpp"
#include "questions.hpp"
#include "reckon/units/format.hpp"
#include "serving.hpp"

namespace reckon {
namespace {

class Compress : public QuestionOf<CompressQuestion> {
 public:
  const QuestionInfo& info() const override {
    static const QuestionInfo info{
        "compress",
        "what fewer bits buy a model, up to which batch, and at what cost",
        "model",
        {"reckon compress llama-3-8b --weights int4-g128 --gpus 1xh100-sxm",
         "reckon compress llama-3-8b --weights int4-g128 --gpus 1xh100-sxm --batch 1,64,256",
         "reckon compress llama-3-8b --weights fp8-e4m3 --kv fp8-e4m3 --compute fp8 --gpus "
         "1xh100-sxm --context 8192",
         "reckon compress deepseek-v3 --recipe fp8-blocks",
         "reckon compress llama-3-8b --weights int4-g128-zp4 --calibration 262144 --search 20"},
        {"decode.mfu", "decode.params", "decode.reads", "decode.compute", "efficiency.memory",
         "capacity", "reserve.fixed", "reserve.share", "train.mfu", "windows", "state"},
        {"compress.smaller", "after.weights", "compress.speedup", "after.crossover"}};
    return info;
  }

 protected:
  void write_out(Workspace& work, doc::Value& tree, Diagnostics& d) const override {
    lay_recipe(
        work, tree,
        {{"weights", "weights"}, {"classes", "classes"}, {"kv", "kv"}, {"compute", "compute"}}, d);
    if (tree.is_mapping() && !tree.find("original"))
      doc::set(tree, "original", doc::scalar("bf16"));
  }

  void legal(const Input& q, const Asked& asked) const override {
    if (!q.weights)
      asked.fault("weights", "compress: neither a format of the weights nor a recipe is stated")
          .help(
              "weights: int4-g128 (`reckon list formats`), or recipe: w4a16 (`reckon list "
              "precision`)");
    twice(q, asked);
    if (q.model.abstract()) {
      asked.fault("model", "model: classes of tensors are counted from a model's layers")
          .help("name a model, such as generic-70b: `reckon list models`");
      return;
    }
    if (!q.cluster && (q.on.peak || q.on.bandwidth) && !(q.on.peak && q.on.bandwidth))
      asked
          .fault(q.on.peak ? "peak" : "bandwidth",
                 "a chip is half stated: peak and bandwidth go together")
          .help("or cluster: 1xh100-sxm");
    if (q.cluster) need_peak(q.cluster, q.on, asked);
    if (q.cluster && value_of((q.cluster->nodes * q.cluster->node.gpus).raw) > 1)
      asked.fault("cluster", "cluster: this question is of one GPU").help("cluster: 1xh100-sxm");
    if (q.search && !q.calibration)
      asked.fault("search", "search: AWQ looks at tokens, and how many is not stated")
          .help("calibration: 262144");
  }

  void say(const Input& q, const Output& out, Result& r) const override {
    if (r.name.empty())
      r.name = fmt::format("{} in {}, from {}", q.model.name, after(q), q.original->name);
    r.answer.lines.push_back(fmt::format("weights {} instead of {}: {} times smaller",
                                         text(r, "after.weights"), text(r, "before.weights"),
                                         text(r, kCompressSmaller.id)));
    if (out.speedup) {
      r.answer.lines.push_back(fmt::format(
          "decode step {} instead of {}: {} times faster; reading weights alone gains {} at most",
          text(r, "after.step"), text(r, "before.step"), text(r, kCompressSpeedup.id),
          text(r, kCompressBound.id)));
      r.answer.lines.push_back(until(q, r));
    }
    r.answer.formulas = {std::string(kCompressSmaller.id)};
    if (out.speedup) {
      r.answer.formulas.emplace_back("after.crossover");
      r.answer.formulas.emplace_back(kCompressSpeedup.id);
    }
    Grid g{"Before and after",
           "",
           {{"weights", "weights"},
            {"read", "read a step"},
            {"kv_per_token", "cache of a token"},
            {"step", "decode step"},
            {"crossover", "computes from batch"},
            {"sequences", "sequences that fit"}},
           {{"before", q.original->name}, {"after", after(q)}}};
    r.answer.grids.push_back(std::move(g));
    r.answer.grids.push_back(classes(r));
    costs(r);
    r.not_modelled = {"time to turn codes into the format of the products", "accuracy that is lost",
                      "kernels' efficiency, unless assumed"};
  }

 private:
  static std::string after(const Input& q) { return q.recipe.empty() ? q.weights->name : q.recipe; }

  // A class in the words of `classes`, and in those of the question's own fields.
  static void twice(const Input& q, const Asked& asked) {
    if (!q.classes) return;
    const std::pair<const char*, bool> both[] = {
        {"embeddings", q.embeddings && q.classes->embedding},
        {"head", q.head && q.classes->head},
        {"norms", q.norms && q.classes->vectors},
        {"norms", q.norms && q.classes->router}};
    for (const auto& [key, stated] : both) {
      if (!stated) continue;
      asked.fault(key, fmt::format("{}: stated twice, here and by class", key))
          .note(asked.places.of("classes"), "the classes are stated here")
          .help("leave one of them out");
      return;
    }
  }

  // Tables have weights everywhere, the rest where the model has such tensors.
  static Grid classes(const Result& r) {
    Grid g{"Weights by class",
           "",
           {{"embedding", "input table"}, {"head", "output head"}, {"attention", "attention"}},
           {{"before.weights", "before"}, {"after.weights", "after"}}};
    const std::pair<const char*, const char*> rest[] = {{"mlp", "dense MLPs"},
                                                        {"experts", "routed experts"},
                                                        {"shared", "shared experts"},
                                                        {"router", "routers"},
                                                        {"vectors", "norms and biases"}};
    for (const auto& [id, title] : rest) {
      const Metric* m = r.find(fmt::format("before.weights.{}", id));
      if (m && m->value > 0) g.columns.push_back({id, title});
    }
    return g;
  }

  static std::string until(const Input& q, const Result& r) {
    const std::string after = text(r, "after.crossover"), before = text(r, "before.crossover");
    if (q.original_peak)
      return fmt::format(
          "products are faster too, so beyond a batch of {} the gain stays at the ratio of peaks",
          after);
    return fmt::format(
        "the gain shrinks from a batch of {} on and ends at {}, where both compute longer than "
        "they "
        "read their weights",
        after, before);
  }

  static void costs(Result& r) {
    const Metric* gptq = r.find(kGptqFlops.id);
    const Metric* qat = r.find(kQatFlops.id);
    std::string said =
        "Without calibration, rounding to the nearest costs one pass over the weights.";
    if (gptq && gptq->has_value())
      said += fmt::format(" GPTQ {} ({}), its largest Hessian {}; AWQ {} ({}).",
                          text(r, kGptqFlops.id), text(r, "gptq.time"), text(r, kGptqHessian.id),
                          text(r, kAwqFlops.id), text(r, "awq.time"));
    if (qat && qat->has_value())
      said += fmt::format(" Quantization-aware training {} ({}), with {} of training state.",
                          text(r, kQatFlops.id), text(r, "qat.time"), text(r, kQatMemory.id));
    r.answer.notes.push_back(said);
  }
};

}  // namespace

const Question& compress_question() {
  static const Compress kind;
  return kind;
}

}  // namespace reckon
