// kind: serving
#include <fmt/format.h>

#include <algorithm>

#include "../legal_classes.hpp"
#include "questions.hpp"
#include "reckon/cost/serving/answer.hpp"
#include "reckon/units/format.hpp"
#include "serving.hpp"
#include "serving_kernels.hpp"
#include "serving_say.hpp"

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
         "decode.batch_most", "decode.time"}};
    return info;
  }

 protected:
  void write_out(Workspace& work, doc::Value& tree, Diagnostics& d) const override {
    fill_formats(work, tree, d);
    std::erase_if(tree.entries, [](const doc::Entry& e) { return e.key == "compute"; });
  }

  void fill(Workspace& work, doc::Value& tree, Diagnostics& d) const override {
    fill_serving(work, tree, d);
  }

  void legal(const Input& q, const Asked& asked) const override { check_serving(q, asked); }

  void say(const Input& q, const Output& out, Result& r) const override {
    say_serving(q, out, r);
  }

  // What would make it fit: more tensor ranks, or narrower weights.
  void beside(Workspace& work, const LoadedQuestion<ServingPlan>& loaded,
              Result& r) const override {
    if (r.fits) return;
    const double t = value_of(loaded.question.mesh.tensor.raw);
    std::vector<std::pair<std::string, std::string>> tries;
    for (const int factor : {2, 4, 8, 16})
      tries.emplace_back("tensor", fmt::format("{}", static_cast<int>(t) * factor));
    for (const char* format : {"fp8-e4m3", "nvfp4", "int4-g128"}) tries.emplace_back("weights", format);
    bool ranks = false;
    for (const auto& [path, value] : tries) {
      if (path == "tensor" && ranks) continue;
      const auto other = changed(work, loaded, {{path, value}});
      if (!other || !narrower(loaded.question, other->question, path)) continue;
      const Output out = answer(other->question);
      if (!out.running) continue;
      ranks = ranks || path == "tensor";
      const double left = value_of(out.capacity.raw) - value_of(out.memory.weights.raw) -
                          value_of(out.memory.reserve.raw);
      r.fixes.push_back({path + "=" + value, path == "tensor" ? value + " tensor ranks"
                                                                   : value + " weights",
                         left, value_of(out.running->decode.time.raw)});
    }
  }

 private:
  static bool narrower(const Input& is, const Input& other, const std::string& path) {
    return path != "weights" ||
           value_of(other.served.weights.size.raw) < value_of(is.served.weights.size.raw);
  }
};

}  // namespace

const Question& serving_question() {
  static const ServingKind kind;
  return kind;
}

}  // namespace reckon
