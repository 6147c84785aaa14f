// kind: pools
#include "reckon/cost/questions/pools.hpp"

#include <fmt/format.h>

#include <cmath>

#include "../legal_classes.hpp"
#include "questions.hpp"
#include "reckon/units/format.hpp"
#include "say_count.hpp"
#include "serving.hpp"

namespace reckon {
namespace {

class PoolsKind : public QuestionOf<PoolsQuestion> {
 public:
  const QuestionInfo& info() const override {
    static const QuestionInfo info{
        "pools",
        "prefill and decode GPUs for a request rate, and their ratio",
        "model",
        {"reckon pools llama-3-8b --prompt 2000 --output 500 --batch 32 --gpus 8xh100-sxm "
         "--assume prefill.mfu=50%",
         "reckon pools llama-3-8b --prompt 2000 --output 500 --batch 32 --rate 50/s,100/s,200/s "
         "--gpus 8xh100-sxm --assume prefill.mfu=50%"},
        {"pools.*", "prefill.*", "decode.*", "capacity", "reserve.fixed", "reserve.share",
         "latency.*", "efficiency.link", "efficiency.network", "efficiency.memory", "ring_factor",
         "ring_across", "windows", "state"},
        {"prefill.rate", "decode.rate", "pools.ratio", "pools.prefill", "pools.decode"}};
    return info;
  }

 protected:
  void write_out(Workspace& work, doc::Value& tree, Diagnostics& d) const override {
    fill_formats(work, tree, d);
  }

  void legal(const Input& q, const Asked& asked) const override {
    if (!q.load.batch)
      asked.fault("batch", "pools: how many sequences a decode GPU takes is not stated")
          .help("batch: 32");
    if (!q.load.prompt)
      asked.fault("prompt", "pools: how long the prompts are is not stated").help("prompt: 2000");
    if (!q.load.output)
      asked.fault("output", "pools: how long the answers are is not stated").help("output: 500");
    if (!q.assume.prefill.mfu)
      asked.fault("prompt", "pools: how well a prefill computes is not stated")
          .help("--assume prefill.mfu=50%, or in a file assume: {prefill.mfu: 50%}");
    need_cache(q.model, "the cache", asked);
    check_batch_length(q.model, q.load, asked);
    check_classes(q.model, q.served.classes, "classes", asked.places, asked.diagnostics);
    need_bandwidth(q.cluster, q.chip, asked);
    need_peak(q.cluster, q.chip, asked);
    need_countable(q.model, q.assume, false, asked);
    need_tensor({q.model, q.cluster, q.on, q.assume, q.prefill_tensor, "prefill_tensor"}, asked);
    if (asked.failed()) return;
    need_tensor({q.model, q.cluster, q.on, q.assume, q.decode_tensor, "decode_tensor"}, asked);
  }

  void say(const Input& q, const Output& out, Result& r) const override {
    if (r.name.empty()) r.name = title(q);
    const auto count = [](Count<double> n) { return format_quantity(n.raw, kOne, Hint::kCount); };
    r.headline.emplace_back("model", fmt::format("{}, {} weights, {} cache", model_name(q.model),
                                                 q.served.weights.name, q.served.cache.name));
    r.headline.emplace_back(
        "load", fmt::format("{}prompts of {}, answers of {}, {} decode together",
                            q.rate ? shown_rate(q) + ", " : std::string(), count(*q.load.prompt),
                            count(*q.load.output), count(*q.load.batch)));
    r.answer.lines.push_back(fmt::format(
        "a prefill GPU takes {}, a decode GPU {}: {} decode GPUs per prefill GPU; {} in "
        "whole groups keep up with {}",
        text(r, "prefill.rate"), text(r, "decode.rate"), text(r, "pools.ratio"),
        text(r, "pools.decode_for_one"),
        number(q.prefill_tensor) == 1 ? "one" : fmt::format("{}", number(q.prefill_tensor))));
    if (q.rate)
      r.answer.lines.push_back(fmt::format(
          "{}: {}, {} busy, and {}, {} busy", shown_rate(q),
          count_of(plain(*out.prefill_gpus), "prefill GPU"), text(r, "pools.prefill_busy"),
          count_of(plain(*out.decode_gpus), "decode GPU"), text(r, "pools.decode_busy")));
    if (out.gpus) say_beyond(q, out, r);
    if (out.transfer)
      r.answer.lines.push_back(
          fmt::format("a prompt's cache of {} moves in {}: first token after {}",
                      text(r, "kv.prompt"), text(r, "kv.transfer"), text(r, "pools.ttft")));
    say_batch_fits(out.limits, q.model, q.load, q.decode_tensor, r);
    if (out.transfer_load && *out.transfer_load > Ratio<double>(1.0)) {
      r.say_no(No::kLink);
      r.warnings.push_back(fmt::format("moving the caches needs {} of the pools' link",
                                       text(r, "kv.transfer_load")));
    }
    r.answer.formulas = {"prefill.rate", "decode.rate", "pools.ratio"};
    if (q.rate) {
      r.answer.formulas.emplace_back("pools.prefill");
      r.answer.formulas.emplace_back("pools.decode");
    }
    if (out.transfer) r.answer.formulas.emplace_back("kv.transfer");
    say_formats(q.served, r);
    say_shared_heads(q.model, q.decode_tensor, q.assume.decode.shared_heads, r);
    r.not_modelled = {"waiting in a queue", "the batch's ramp up and down",
                      "sending the cache layer by layer during the prefill"};
    say_mixers(q.model, r);
  }

  std::vector<Alternative> alternatives(const Input& q) const override {
    std::vector<std::string> shown{"prefill.rate", "decode.rate", "pools.ratio"};
    if (q.rate) shown = {"pools.prefill", "pools.decode", "pools.ratio"};
    std::vector<Alternative> out;
    if (value_of(q.assume.efficiency.memory.raw) == 1)
      out.push_back(
          {"decode at 75 % of the bandwidth", {{"assume.efficiency.memory", "75%"}}, shown});
    if (q.assume.prefill.head == HeadPositions::kAll)
      out.push_back({"head on the last position", {{"assume.prefill.head", "last"}}, shown});
    if (q.rate && value_of(q.assume.pools.prefill.raw) == 1)
      out.push_back({"pools filled to 90 and 92 %",
                     {{"assume.pools.prefill", "90%"}, {"assume.pools.decode", "92%"}},
                     shown});
    return out;
  }

 private:
  static std::string shown_rate(const Input& q) {
    return format_quantity(value_of(q.rate->raw), kHertz, Hint::kRequestRate);
  }

  // Both pools lie in the cluster, where one is named.
  static void say_beyond(const Input& q, const Output& out, Result& r) {
    if (!q.cluster) return;
    const double has = plain(q.cluster->nodes * q.cluster->node.gpus), takes = plain(*out.gpus);
    if (takes <= has) return;
    r.say_no(No::kGpus);
    const double node = plain(q.cluster->node.gpus);
    r.warnings.push_back(
        fmt::format("both pools take {}, and the cluster has {}: name one of {}, or a smaller rate",
                    count_of(takes, "GPU"), format_quantity(has, kOne, Hint::kCount),
                    format_quantity(std::ceil(takes / node) * node, kOne, Hint::kCount)));
  }

  static std::string title(const Input& q) {
    const auto length = [](Count<double> n) { return format_quantity(n.raw, kOne, Hint::kLength); };
    return fmt::format("prefill and decode pools of {}: prompts of {}, answers of {}",
                       model_name(q.model), length(*q.load.prompt), length(*q.load.output));
  }
};

}  // namespace

const Question& pools_question() {
  static const PoolsKind kind;
  return kind;
}

}  // namespace reckon
