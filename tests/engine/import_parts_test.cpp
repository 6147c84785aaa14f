// The parts of an import: expressions over a config's keys, patterns of module names.
#include <chrono>

#include "../../src/engine/import/expression.hpp"
#include "../../src/engine/import/module_pattern.hpp"
#include "data.hpp"

namespace reckon {
namespace {

using importing::Config;
using importing::Evaluator;
using importing::Found;
using importing::From;
using importing::ModulePattern;

struct Fixture {
  Sources sources;
  Diagnostics diagnostics;
  doc::Value config = doc::parse_json(
      sources.add("config.json",
                  R"({"n": 12, "zero": 0, "nothing": null, "flag": true, "word": "silu", "one": [0],
                                     "many": [1, 2], "inner": {"n": 5}, "half": 0.5})"),
      diagnostics);
  doc::Value values = doc::parse_yaml(
      sources.add("record.yaml", "heads: n\nwidth: missing or heads / 3\nloop: loop\n"),
      diagnostics);
  Config part{&config, &config, {}};
  Evaluator eval{part, values};

  std::string operator()(const std::string& expression,
                         const std::vector<std::string>& words = {}) const {
    const Found f = eval.evaluate(expression, words);
    if (f.absent()) return "absent";
    if (f.fault()) return "fault: " + f.word;
    return importing::written(f);
  }
};

TEST_CASE("expressions over keys") {
  const Fixture at;
  CHECK(at("n") == "12");
  CHECK(at("inner.n") == "5");
  CHECK(at("missing") == "absent");
  CHECK(at("nothing") == "absent");
  CHECK(at("missing or nothing or 7") == "7");
  CHECK(at("zero or 7") == "0");  // stated, if as nothing
  CHECK(at("4 * n + 2") == "50");
  CHECK(at("(n - 2) * n / 4") == "30");
  CHECK(at("n * half") == "6");
  CHECK(at("width") == "4");
  CHECK(at("1 if flag else n") == "1");
  CHECK(at("1 if zero else n") == "12");
  CHECK(at("1 if missing or no else 2") == "2");
  CHECK(at("1 if missing else 2") == "absent");
  CHECK(at("word == 'silu'") == "yes");
  CHECK(at("word != 'silu'") == "no");
  CHECK(at("one == 0") == "yes");
  CHECK(at("many == 0") == "no");
  CHECK(at("missing or 'a' == 'a'") == "yes");
  CHECK(at("all if flag else none", {"all"}) == "all");
}

TEST_CASE("expressions that go wrong say how") {
  const Fixture at;
  CHECK(at("n / 5") == "fault: 5 = 5 does not divide n = 12");
  CHECK(at("n / zero") == "fault: zero = 0 does not divide n = 12");
  CHECK(at("word * 2") == "fault: word: expected a number, found 'silu'");
  CHECK(at("many * 2") == "fault: many: expected a number, found a list");
  CHECK(at("n or word * 2") == "12");  // what isn't taken may be wrong
  CHECK(at("loop").find("fault: the record's values: ") == 0);
  for (const char* broken : {"", "n +", "(n", "n n", "1 if n", "'open", "n ? 2", "* 2"}) {
    CAPTURE(broken);
    CHECK(at(broken).find("can't be read") != std::string::npos);
  }
  CHECK(at(std::string(5000, '(')).find("fault") == 0);
}

TEST_CASE("what an expression goes back to") {
  const Fixture at;
  CHECK(at.eval.evaluate("n").from == From::kStated);
  CHECK(at.eval.evaluate("missing or 4").from == From::kDefault);
  CHECK(at.eval.evaluate("4 * n").from == From::kDerived);
  CHECK(at.eval.evaluate("4 * n").how == "4 * n");
  CHECK(at.eval.evaluate("width").how == "n / 3");
  CHECK(at.eval.evaluate("1 if flag else 2").from == From::kDerived);
}

TEST_CASE("patterns of modules") {
  const auto hits = [](const std::string& pattern, const char* name) {
    return ModulePattern(pattern).matches(name);
  };
  CHECK(hits("lm_head", "lm_head"));
  CHECK(hits("self_attn", "model.layers.0.self_attn.q_proj"));
  CHECK(hits("model.layers.1", "model.layers.1.mlp.up_proj"));
  CHECK_FALSE(hits("model.layers.1", "model.layers.11.mlp.up_proj"));
  CHECK_FALSE(hits("gate", "model.layers.0.mlp.gate_proj"));
  CHECK(hits("model.layers.*.self_attn", "model.layers.7.self_attn.o_proj"));
  CHECK(hits("*self_attn*", "model.layers.7.self_attn.o_proj"));
  CHECK(hits("re:.*mlp\\.(gate|up)_proj.*", "model.layers.3.mlp.up_proj"));
  CHECK_FALSE(hits("re:.*mlp\\.(gate|up)_proj.*", "model.layers.3.mlp.experts.0.up_proj"));
  CHECK_FALSE(hits("re:mlp", "model.layers.3.mlp"));  // from the beginning
  CHECK(hits("re:model.layers.[0-3]\\.mlp$", "model.layers.3.mlp"));
  CHECK_FALSE(hits("re:model.layers.[0-3]\\.mlp$", "model.layers.3.mlp.up_proj"));
  CHECK(hits("re:model\\.layers\\.\\d+\\.mlp", "model.layers.31.mlp.up_proj"));
  CHECK(hits("re:(a|b)*c?d+", "abbadd"));
  CHECK(hits("re:[^x]+y", "aay"));
  CHECK_FALSE(hits("re:[^x]+y", "axy"));
  for (const char* broken :
       {"re:(a", "re:a)", "re:*", "re:[a", "re:a{2}", "re:\\b", "re:(?=a)", "re:a\\"}) {
    CAPTURE(broken);
    CHECK_FALSE(ModulePattern(broken).good());
  }
}

TEST_CASE("no pattern takes long") {
  std::string stars;
  for (int i = 0; i < 200; ++i) stars += "(a*)*";
  const ModulePattern evil("re:" + stars.substr(0, 900) + "b");
  const std::string name(2000, 'a');
  const auto start = std::chrono::steady_clock::now();
  CHECK_FALSE(evil.matches(name));
  CHECK(std::chrono::steady_clock::now() - start <
        std::chrono::seconds(20));  // backtracking would take years
}

}  // namespace
}  // namespace reckon
