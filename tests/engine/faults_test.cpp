// Plans that mean nothing, or mean less than they say: each line is a plan and what reckon says to it.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "data.hpp"
#include "reckon/engine/check.hpp"
#include "reckon/engine/legal.hpp"
#include "reckon/spec/compiled_once.hpp"

namespace reckon {
namespace {

// A plan of which some keys are said otherwise.
struct Said {
  std::string keys;
  Sets sets = {};
};

constexpr const char* kPlan = R"(kind: training
model: llama-3-8b
cluster: 8xh100-sxm
sharding: fsdp
batch: {global: 64, micro: 1, sequence: 4096}
assume: {preset: textbook, train.mfu: 40%}
run: {tokens: 100B}
)";

// The base plan without the keys that `keys` states itself.
std::string with(const std::string& keys) {
  std::string out, line;
  for (const char c : std::string(kPlan)) {
    line += c;
    if (c != '\n') continue;
    const std::string key = line.substr(0, line.find(':') + 1);
    if (("\n" + keys).find("\n" + key) == std::string::npos) out += line;
    line.clear();
  }
  return out + keys + "\n";
}

struct Loaded {
  LoadedTraining plan;
  std::string faults;
};

Loaded load(const std::string& text, const Sets& sets = {}, std::size_t which_case = 0) {
  Diagnostics d;
  Loaded out;
  const PlanFile file =
      open_plan(test::data(), "plan.yaml", test::data().read_text("plan.yaml", text, d), sets, d);
  const PlanFile::Case* which = which_case > 0 ? &file.cases.at(which_case - 1) : nullptr;
  if (!d.has_errors()) out.plan = load_training(test::data(), case_tree(file, which, d), d);
  out.faults = d.render();
  return out;
}

TEST_CASE("Faulty plans are refused, and the fault says why") {
  const std::pair<Said, const char*> kFaults[] = {
      {{"cluster: {node: hgx-h100, gpus: 64.5}"}, "gpus: '64.5' is not whole"},
      {{"cluster: {node: hgx-h100, gpus: [64]}"},
       "gpus: expected a whole number such as 8, found a list"},
      {{"cluster: {node: hgx-h100, gpus: 64, nodes: 8}"}, "stated twice, by gpus and by nodes"},
      {{"cluster: 100xh100-sxm\nnode: gb200-nvl72"}, "100 GPUs do not fill nodes of 72"},
      {{"cluster: 8xh100"}, "chips whose names begin so: h100-"},
      {{"cluster: 8xhgx-h100"}, "write cluster: {node: hgx-h100, nodes: 8}"},
      {{"cluster: hgx-h100"}, "write cluster: {node: hgx-h100, nodes: 1}"},
      {{"model: 7B"}, "write model: {params: 7B}"},
      {{"run: {tokens: 1T, price: 2 USD/h}\nprice: 3 USD/h"}, "the price is stated twice"},
      {{"price: {h100-sxm: 3 GB}"}, "h100-sxm: "},
      {{"price: {h100: 3 USD/h}"}, "did you mean 'h100-sxm'?"},
      {{"prise: 3 USD/h"}, "did you mean 'price'?"},
      {{"chp: h200-sxm"}, "did you mean 'chip'?"},
      {{"expct: []"}, "did you mean 'expect'?"},
      {{"mesh: {tensor: 16777216, context: 16777216}"}, "does not divide the 8 GPUs"},
      {{"mesh: {data: 16777216, tensor: 16777216, context: 16777216}"}, "the degrees make"},
      {{"mesh: {tensor: 4294967296}"}, "is more than the 2^24"},
      {{"cluster: {node: hgx-h100, nodes: 9223372036854775808}"}, "is more than the 2^24"},
      {{"batch: {global: 1e19, micro: 1, sequence: 4096}"}, "is more than the 2^24"},
      {{"batch: {global: 64, micro: 1, sequence: 1e15}"}, "is more than the 2^40"},
      {{"run: {tokens: 1e300}"}, "is more than the 1e24"},
      {{"mesh: {tensor: 8}\nsharding: hsdp\ncluster: 64xh100-sxm"}, "nothing is sharded"},
      {{"mesh: {tensor: 3}"}, "nearest degrees that work: 2 and 4"},
      {{"batch: {tokens_per_gpu: 16384, micro_batches: 3}"}, "do not divide the 16384 tokens"},
      {{"batch: {tokens_per_gpu: 16384, micro_batches: 4, sequence: 8192}"},
       "nearest micro_batches that work: 2"},
      {{"mesh: {pipeline: 4}\nschedule: {kind: interleaved, chunks: 2}\nbatch: {tokens_per_gpu: "
        "16384, micro_batches: 2}"},
       "2 micro-batches are no multiple of the 4 stages"},
      {{"mesh: {context: 2}\nmodel: {hidden: 4096, vocab: 32000, layers: [{count: 8, mixer: {kind: "
        "none}, mlp: {kind: dense, width: 8192}}]}"},
       "no layer has a mixer"},
      {{"mesh: {pipeline: 32}\ncluster: 32xh100-sxm\nschedule: {kind: interleaved, chunks: 2}"},
       "a stage holds one layer only"},
      {{"batch: {tokens_per_gpu: 4096, sequence: 8192}"}, "is no multiple of the 8192"},
      {{"assume: {preset: textbook, train.mfu: 40%, gathered_layers: 33}"}, "the model has 32"},
      {{"assume: {preset: textbook, train.mfu: 40%, pue: 0.5}"}, "must be at least 1"},
      {{"model: {base: gpt-3-175b}\nbatch: {global: 64, micro: 1, sequence: 4096}"},
       "the model learned 2048 positions"},
      {{"", {{"model.layers.0.mixer.q_rank", "64"}}},
       "q_rank belongs to mixer kind mla, and this one is attention"},
      {{"", {{"model.layers.0.mlp.top_k", "2"}}}, "top_k belongs to mlp kind moe"},
      {{"model: {base: llama-3-8b, active: 1B}"}, "active belongs to a model that states params"},
      {{"mesh: {tensor: 3, expert: 2}"}, "the model has no routed experts"},
      {{"", {{"kind", "serving"}}}, "--set changes fields of the plan"},
      {{"", {{"mesh.tensor", ""}}}, "no value after the '='"},
      {{"", {{"model.layers.5.count", "3"}}}, "the list has one item, 0"},
      {{"cases:\n  - {name: a}\n  - {name: a}"}, "two are called 'a'"},
      {{"cases:\n  - {name: all}"}, "no case can be called 'all'"},
      {{"cases:\n  - {name: ''}"}, "a case needs a name"},
      {{"expect:\n  - {metric: memory.total, exact: 1 GB, fits: yes}"}, "a line of its own"},
      {{"expect:\n  - {metric: memory.total, exact: 1 GB, within: 1%}"},
       "within belongs to printed"},
  };
  for (const auto& [said, message] : kFaults) {
    const std::string faults = load(with(said.keys), said.sets).faults;
    CAPTURE(said.keys, faults);
    CHECK(faults.find(message) != std::string::npos);
  }
}

TEST_CASE("A key without a value leaves what lies below it") {
  for (const char* keys : {"precision:", "optimizer:", "memory:", "mesh:", "recompute:",
                           "assume: {preset: textbook, train.mfu: 40%, logits: , overlap: }"}) {
    const Loaded got = load(with(keys));
    CAPTURE(keys, got.faults);
    CHECK(got.faults.empty());
    CHECK(got.plan.plan.precision.weights.size.raw == 2);
    CHECK(got.plan.plan.optimizer.id == "adamw");
    CHECK(got.plan.plan.memory.tight.raw > 0);
    CHECK(got.plan.plan.assume.logits.raw == 2);
    CHECK(got.plan.plan.assume.overlap.data.raw == 1);
  }
}

TEST_CASE("What no preset supplies is a fault, never a zero") {
  TrainingPlan<double> plan;
  Diagnostics d;
  Origins origins;
  bind(test::data().read_text("plan.yaml", "mesh: {tensor: 1}\n", d), plan, {d, origins});
  for (const char* key : {"precision", "optimizer", "assume", "memory"})
    CHECK(d.render().find(fmt::format("'{}' (", key)) != std::string::npos);
  Assume<double> assume;
  Diagnostics more;
  bind(test::data().read_text("assume.yaml", "overlap: {data: 100%}\n", more), assume,
       {more, origins});
  for (const char* key : {"logits", "tensor", "latency", "pue", "capacity"})
    CHECK(more.render().find(fmt::format("'{}'", key)) != std::string::npos);
}

TEST_CASE("base is a name only where a file can be named") {
  const Loaded got = load(with("assume: {preset: physical, train.mfu: 40%, latency.base: 9 us}"));
  INFO(got.faults);
  CHECK(got.faults.empty());
  CHECK(got.plan.plan.assume.latency.base.raw == Approx(9e-6));
  CHECK(got.plan.plan.assume.latency.network_hop.raw > 0);
}

TEST_CASE("What is written out whole inherits nothing") {
  const Loaded got = load(with(
      "precision: {compute: bf16, weights: bf16, gradients: bf16, activations: bf16, reduce: bf16, "
      "gather: bf16}"));
  INFO(got.faults);
  CHECK(got.faults.empty());
  CHECK_FALSE(got.plan.plan.precision.master);
  const Loaded partly = load(with("precision: {gradients: bf16}"));
  CHECK(partly.plan.plan.precision.master);
  const Loaded model = load(with("cases:\n  - {name: 7B, model: {params: 7B}}"), {}, 1);
  INFO(model.faults);
  CHECK(model.faults.empty());
  CHECK(model.plan.plan.model.layers.empty());
  const Loaded batch = load(with("cases:\n  - {name: t, batch: {tokens_per_gpu: 16384}}"), {}, 1);
  INFO(batch.faults);
  CHECK(batch.faults.empty());
}

TEST_CASE("The GPUs that are asked for are the GPUs that are counted") {
  struct Line {
    Said said;
    double nodes, gpus, nics;
  };
  const Line kLines[] = {
      {{"cluster: {node: hgx-h100, gpus: 8k}"}, 1000, 8, 8},
      {{"cluster: {node: hgx-h100, gpus: {value: 64}}"}, 8, 8, 8},
      {{"cluster: 8xh100-sxm\nnode: {gpus: 16}"}, 1, 8, 4},
      {{"cluster: 64xh100-sxm\nnode: {gpus: 16}"}, 4, 16, 8},
      {{"cluster: 144xh100-sxm", {{"cluster.node", "gb200-nvl72"}}}, 2, 72, 72},
      {{"cluster: 8xh100-sxm", {{"cluster.nodes", "2"}}}, 2, 8, 8},
      {{"cluster: 64xh100-sxm\nnode: gb200-nvl72"}, 1, 64, 64},
      {{"cluster: 1xh100-sxm", {{"cluster.node.gpus", "4"}}}, 1, 4, 4},
      {{"cluster: {node: {base: hgx-h100, gpus: 1}, nodes: 8}"}, 8, 1, 1},
      {{"cluster: {node: {base: hgx-h100, gpus: 4, nics: 8}, nodes: 2}"}, 2, 4, 8},
      {{"cluster: {node: hgx-h100, nodes: 2}\nnode: {gpus: 4}"}, 2, 4, 4},
      {{"cluster: 4xh100-sxm"}, 1, 4, 4}};
  for (const Line& line : kLines) {
    const std::string batch = "\nbatch: {tokens_per_gpu: 4096}";
    const Loaded got = load(with(line.said.keys + batch), line.said.sets);
    CAPTURE(line.said.keys, got.faults);
    CHECK(got.faults.empty());
    const Cluster<double>& c = got.plan.plan.cluster;
    CHECK(c.nodes.raw == line.nodes);
    CHECK(c.node.gpus.raw == line.gpus);
    REQUIRE(c.node.nics);
    CHECK(c.node.nics->raw == line.nics);
  }
}

TEST_CASE("Prices and sets are read as what they are") {
  const Loaded got =
      load(with("price: 2.50 USD/h"),
           {{"sharding.zero", "1"}, {"mesh", "{tensor: 8}"}, {"assume.overlap.data", "50%"}});
  INFO(got.faults);
  CHECK(got.faults.empty());
  REQUIRE(got.plan.plan.run.price);
  CHECK(got.plan.plan.run.price->raw == Approx(2.5 / 3600));
  CHECK(got.plan.plan.sharding.zero.raw == 1);
  CHECK(got.plan.plan.mesh.tensor.raw == 8);
  CHECK(got.plan.plan.assume.overlap.data.raw == 0.5);
}

TEST_CASE("A file read as one kind of thing is not another kind's") {
  Workspace work({RECKON_SOURCE_DIR});
  Diagnostics d;
  const std::string file = RECKON_SOURCE_DIR "/hardware/chips/h100-sxm.yaml";
  CHECK(work.load(Shelf::kChips, file, {}, d));
  CHECK_FALSE(d.has_errors());
  CHECK_FALSE(work.load(Shelf::kModels, file, {}, d));
  CHECK(d.render().find("expected a file of kind model, found kind chip") != std::string::npos);
}

// What `reckon check` says to a plan.
std::pair<CheckReport, std::string> checked(const std::string& keys) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / "reckon-check-test.yaml";
  std::ofstream(file) << with(keys);
  Diagnostics d;
  Workspace work({RECKON_SOURCE_DIR});
  CheckReport report = check_file(work, file.string(), d);
  std::filesystem::remove(file);
  return {report, d.render()};
}

TEST_CASE("check loads cases that expect nothing, and a fault is no miss") {
  CHECK(checked("cases:\n  - {name: a, mseh: {tensor: 8}}").second.find("did you mean 'mesh'?") !=
        std::string::npos);
  const auto [report, faults] = checked("expect:\n  - {metric: memory.total, exact: 3 s}");
  CHECK(report.lines.empty());
  CHECK(faults.find("3 s") < faults.find("^"));
  const auto [zero, none] = checked(
      "expect:\n  - {metric: comm.tensor.bytes, exact: 0 B}\n"
      "  - {metric: memory.total, exact: 0 B}");
  INFO(none);
  REQUIRE_FALSE(zero.lines.empty());
  CHECK_FALSE(zero.lines.back().pass);
  CHECK(zero.lines.back().why.find("inf") == std::string::npos);
}

TEST_CASE("A fault of the cluster brings no warning about its price") {
  const std::string faults = load(with("cluster: 8xh100-smx\nprice: {h100-sxm: 2 USD/h}")).faults;
  INFO(faults);
  CHECK(faults.find("did you mean 'h100-sxm'?") != std::string::npos);
  CHECK(faults.find("no price") == std::string::npos);
}

TEST_CASE("A format may state {value, source} for its bits") {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / "reckon-format-test.yaml";
  std::ofstream(file) << "kind: format\nbits_per_weight: {value: 12, source: none}\n";
  const Loaded got = load(with("precision: {base: bf16, weights: " + file.string() + "}"));
  std::filesystem::remove(file);
  INFO(got.faults);
  CHECK(got.plan.plan.precision.weights.size.raw == 1.5);
}

TEST_CASE("Suggested divisors are at least what is asked for") {
  CHECK(nearest_divisors(12, 5) == "4 and 6");
  CHECK(nearest_divisors(7, 3, 2) == "7");
  CHECK(nearest_divisors(2, 2, 2).empty());
}

}  // namespace
}  // namespace reckon
