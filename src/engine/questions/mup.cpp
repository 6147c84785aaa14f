// kind: mup
#include "reckon/cost/questions/mup.hpp"

#include <fmt/format.h>

#include "needs.hpp"
#include "questions.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

class Mup : public QuestionOf<MupQuestion> {
 public:
  const QuestionInfo& info() const override {
    static const QuestionInfo info{
        "mup",
        "init, learning rates and attention scale as the width grows",
        "",
        {"reckon mup --width 8192 --base-width 256",
         "reckon mup --width 8192 --base-width 256 --params 70B --tokens 1.4T --base-tokens 2B "
         "--trials 200",
         "reckon mup --width 8192 --base-width 512 --head-width 128 --base-head-width 64"},
        {},
        {"width_ratio", "hidden.adam", "output.adam", "proxy.share"}};
    return info;
  }

 protected:
  void legal(const Input& q, const Asked& asked) const override {
    if (q.head_width.has_value() != q.base_head_width.has_value())
      asked
          .fault(q.head_width ? "head_width" : "base_head_width",
                 "the width of heads is stated of one model and not of the other")
          .help("state head_width and base_head_width, or neither where heads stay as wide");
    const auto idle = [&](bool stated, const char* key, const char* needs) {
      if (stated)
        asked.fault(key, fmt::format("{}: bears on nothing without {}", key, needs))
            .help(fmt::format("state {} too, or leave {} out", needs, key));
    };
    if (!q.params) idle(q.base_params.has_value(), "base_params", "params");
    if (!q.params) idle(q.tokens.has_value(), "tokens", "params");
    if (!q.tokens) idle(q.base_tokens.has_value(), "base_tokens", "tokens");
    if (q.params && !q.tokens && q.base_params)
      asked.fault("params", "params: the cost of a run takes its tokens, too").help("tokens: 1.4T");
  }

  void say(const Input& q, const Output&, Result& r) const override {
    if (r.name.empty())
      r.name = fmt::format("μP from width {:g} to {:g}", q.base_width.raw, q.width.raw);
    r.answer.lines.push_back(
        fmt::format("width × {}: Adam's learning rate of hidden and output weights × {}, of input "
                    "weights, biases "
                    "and norms as it is",
                    text(r, "width_ratio"), text(r, "hidden.adam")));
    const double runs = q.trials ? q.trials->raw : 1;
    r.answer.lines.push_back(fmt::format("{:g} run{} of the proxy: {} of one run of the target",
                                         runs, runs == 1 ? "" : "s", text(r, "proxy.share")));
    r.answer.formulas = {"width_ratio", "hidden.init", "hidden.adam", "proxy.share"};
    if (q.head_width) r.answer.formulas.insert(r.answer.formulas.begin() + 3, "attention.scale");
    r.answer.grids.push_back({"Over the proxy's",
                              "tensors",
                              {{"init", "deviation at init"},
                               {"sgd", "learning rate, SGD"},
                               {"adam", "learning rate, Adam"}},
                              {{"input", "input (embeddings)"},
                               {"hidden", "hidden matrices"},
                               {"output", "output (head)"},
                               {"bias", "biases, norms"}}});
    r.answer.notes = {
        "Attention scores are divided by d, not √d: scale them by √d_0 / d, d the width of a head. "
        "Where "
        "heads stay as wide and grow in number that is the proxy's 1/√d_0.",
        "Width alone transfers so. Depth, batch, length of the run and weight decay are tuned, or "
        "kept."};
    if (!q.params || !q.tokens)
      r.answer.notes.emplace_back(
          "The proxy's cost: hidden matrices alone, as many tokens; state params and tokens for "
          "its "
          "own.");
    r.not_modelled = {"embeddings' share of a small proxy, unless base_params says it",
                      "coordinate checks: they tell whether an implementation is right"};
  }
};

}  // namespace

const Question& mup_question() {
  static const Mup kind;
  return kind;
}

}  // namespace reckon
