// kind: serving
#include <fmt/format.h>

#include <algorithm>

#include "../legal_classes.hpp"
#include "questions.hpp"
#include "reckon/base/text.hpp"
#include "reckon/cost/serving/answer.hpp"
#include "reckon/engine/accuracy.hpp"
#include "reckon/spec/compiled_once.hpp"
#include "reckon/units/format.hpp"
#include "serving.hpp"
#include "serving_kernels.hpp"
#include "serving_load.hpp"
#include "serving_say.hpp"
#include "traffic_legal.hpp"

namespace reckon {
namespace {

class ServingKind : public QuestionOf<ServingPlan> {
 public:
  const QuestionInfo& info() const override {
    static const QuestionInfo info{
        "serving",
        "a serving plan: memory, latency, throughput, pools, cost",
        "model",
        {"reckon serving llama-3.1-8b --engine trtllm-1 --gpus 1xh100-sxm --prompt 2048 "
         "--output 512",
         "reckon serving llama-3-70b --engine trtllm-1 --gpus 8xh100-sxm --weights fp8-e4m3 "
         "--tensor 4 --prompt 2048 --output 512 --price 2.50USD/h"},
        {"pools.*", "decode.shared_heads", "windows", "state", "power", "pue"},
        {"serve.saturation.tokens_per_second_per_gpu", "serve.saturation.tpot", "prefill.ttft",
         "decode.batch_most", "decode.time", "serve.utilisation", "serve.ttft", "serve.ttft_p90",
         "serve.tpot", "simulated.ttft.p90", "simulated.tpot.mean"}};
    return info;
  }

 protected:
  void write_out(Workspace& work, doc::Value& tree, Diagnostics& d) const override {
    fill_formats(work, tree, d);
    if (const doc::Value* trace = tree.find("trace"); trace && !trace->is_null())
      lay_trace(work, tree, "concurrency", d);
    fill_shapes(tree);
    if (const doc::Value* users = tree.find("users"))
      d.error(users->span,
              "users: a serving plan calls those who wait for their answers concurrency")
          .help(fmt::format("concurrency: {}", users->is_scalar() ? users->text : "64"));
    std::erase_if(tree.entries,
                  [](const doc::Entry& e) { return e.key == "compute" || e.key == "users"; });
  }

  void fill(Workspace& work, doc::Value& tree, Diagnostics& d) const override {
    fill_serving(work, tree, d);
    check_trace(work, tree, d);
  }

  void legal(const Input& q, const Asked& asked) const override { check_serving(q, asked); }

  std::vector<std::string> steers(const Input& q) const override {
    std::vector<std::string> out{"ttft", "tpot"};
    if (q.price) out.emplace_back("budget");  // what it pays is searched for
    add_steers(q.traffic, q.simulation, out);
    return out;
  }

  void say(const Input& q, const Output& out, Result& r) const override { say_serving(q, out, r); }

  // What would make it fit: more tensor ranks, beyond a node too, stages, or narrower weights.
  void beside(Workspace& work, const LoadedQuestion<ServingPlan>& loaded, const Output& out,
              Result& r) const override {
    if (!loaded.question.stated) {
      r.accuracy = serving_accuracy(work, loaded.question.engine.id,
                                    loaded.question.cluster->node.chip.id, loaded.question.model);
      std::vector<std::string> said;
      for (const Accuracy& x : r.accuracy) said.push_back(x.text);
      r.answer.notes.push_back("Accuracy: " + join(said, "; ") + " (`reckon validate serving`).");
    }
    if (out.running) {
      if (loaded.question.simulation.simulate) simulate_serving(work, loaded, out, r);
      return;
    }
    r.fixes = fixes_of(work, loaded);
    std::vector<std::string> said;
    for (const Fix& f : r.fixes)
      said.push_back(
          fmt::format("{} ({} left for the cache)", f.change, format_quantity(f.headroom, kByte)));
    if (said.empty()) {
      r.answer.lines.emplace_back("no single change that was tried makes it fit");
      return;
    }
    r.answer.lines.push_back("it fits with " + join(said, ", or "));
  }

 private:
  static std::vector<Fix> fixes_of(Workspace& work, const LoadedQuestion<ServingPlan>& loaded) {
    std::vector<Fix> out;
    const Input& is = loaded.question;
    const long all = number(is.cluster->nodes * is.cluster->node.gpus);
    const auto widen = [&](const char* axis, long from) {
      const std::size_t before = out.size();
      for (long n = 2 * from; n <= all && out.size() == before; n *= 2)
        try_out(work, loaded, axis, fmt::format("{}", n), out);
    };
    widen("tensor", number(is.mesh.tensor));
    widen("pipeline", number(is.mesh.pipeline));
    const auto wider = static_cast<std::ptrdiff_t>(out.size());
    for (const std::string& format : work.ids(Shelf::kFormats))
      if (rule_names(is.engine, format)) try_out(work, loaded, "weights", format, out);
    std::sort(out.begin() + wider, out.end(),
              [](const Fix& a, const Fix& b) { return a.headroom > b.headroom; });
    return out;
  }

  static bool rule_names(const ServingEngine<double>& engine, const std::string& format) {
    return std::any_of(engine.operands.begin(), engine.operands.end(),
                       [&](const OperandRule<double>& o) { return o.weights == format; });
  }

  // The plan with one field changed, if it then fits.
  static void try_out(Workspace& work, const LoadedQuestion<ServingPlan>& loaded,
                      const std::string& path, const std::string& value, std::vector<Fix>& out) {
    Diagnostics scratch;
    doc::Value tree = loaded.resolved;
    set_field(tree, path, value, work, scratch);
    if (path == "weights") {
      doc::Value* weights = tree.find("weights");
      *weights = resolve_format(work, *weights, scratch);
    }
    fill_serving(work, tree, scratch);
    Input q;
    Origins origins;
    bind(tree, q, {scratch, origins});
    if (scratch.has_errors()) return;
    const Places places(origins, tree);
    check_serving(q, {places, scratch});
    const bool same =
        path == "weights" && !(q.served.weights.size < loaded.question.served.weights.size);
    if (scratch.has_errors() || same) return;
    const Output a = answer(q);
    if (!a.running) return;
    const double left = a.capacity.raw - a.memory.weights.raw - a.memory.reserve.raw;
    out.push_back({path + "=" + value,
                   value + (path == "tensor"     ? " tensor ranks"
                            : path == "pipeline" ? " stages"
                                                 : " weights"),
                   left, a.running->decode.time.raw});
  }
};

}  // namespace

const Question& serving_question() {
  static const ServingKind kind;
  return kind;
}

}  // namespace reckon
