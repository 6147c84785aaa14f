// A plan under a software stack: which stack it gets, what it refuses, and what its time must do.
#include <cmath>

#include "data.hpp"
#include "reckon/cost/training.hpp"
#include "reckon/engine/accuracy.hpp"
#include "reckon/engine/evaluate.hpp"
#include "reckon/engine/legal.hpp"

namespace reckon {
namespace {

struct Asked {
  LoadedTraining loaded;
  std::string said;  // errors and warnings, rendered
  bool failed = false;
};

Asked ask(const std::string& text) {
  Diagnostics d;
  doc::Value tree = test::data().read_text("plan.yaml", text, d);
  doc::expand_dotted_keys(tree, d);
  Asked out;
  out.loaded = load_training(test::data(), std::move(tree), d);
  out.failed = d.has_errors();
  out.said = d.render();
  return out;
}

std::string plan(const std::string& stack, const std::string& rest = "",
                 const std::string& gpus = "64xh100-sxm") {
  std::string out =
      "model: llama-3-70b\ncluster: " + gpus +
      "\nbatch: {global: 128, micro: 1, sequence: 8192}\nassume: physical\nstack: " + stack + "\n" +
      rest;
  if (rest.find("mesh:") == rest.npos) out += "mesh: {tensor: 8, sequence: yes, pipeline: 4}\n";
  if (rest.find("sharding:") == rest.npos) out += "sharding: zero-1\n";
  return out;
}

TrainingEstimate<double> of(const std::string& text) {
  const Asked a = ask(text);
  INFO(text << a.said);
  REQUIRE_FALSE(a.failed);
  return estimate(a.loaded.plan);
}
double step(const std::string& text) { return of(text).step->time.raw; }

bool says(const Asked& a, const std::string& words) { return a.said.find(words) != a.said.npos; }

TEST_CASE("A stack is found by its file, by its software, by the chip's default") {
  CHECK(ask(plan("nemo-2024-h100")).loaded.plan.stack->id == "nemo-2024-h100");
  CHECK(ask(plan("nemo-2024")).loaded.plan.stack->id == "nemo-2024-h100");
  CHECK(ask(plan("default")).loaded.plan.stack->id == "generic-h100");
  CHECK(ask(plan("megatron-bridge-2025", "", "64xb200")).loaded.plan.stack->id ==
        "megatron-bridge-2025-gb200");
  CHECK(ask(plan("nemo-2024-h100")).said.empty());
}

TEST_CASE("Software that was never measured on a chip says what stands in") {
  const Asked a = ask(plan("nemo-2024-h100", "", "64xa100-sxm"));
  CHECK_FALSE(a.failed);
  CHECK(says(a, "stack 'nemo-2024-h100' is not of a100-sxm: 'generic-a100' stands in"));
  CHECK(a.loaded.plan.stack->id == "generic-a100");
  const Asked none = ask(plan("default", "", "64xmi300x"));
  CHECK(none.failed);
  CHECK(says(none, "no software stack is known on mi300x"));
}

TEST_CASE("What a stack can't price is refused with a reason") {
  const Asked a100 = ask(plan("generic-a100", "precision: fp8\n", "64xa100-sxm"));
  CHECK(a100.failed);
  CHECK(says(a100, "fp8"));
  const Asked fp4 =
      ask(plan("nemo-2024-h100", "precision: {base: fp8, compute: fp4}\n", "64xb200"));
  CHECK_FALSE(fp4.failed);  // the chip's own stack stands in, and has a ceiling
  const Asked mamba =
      ask("model: mamba-2.8b\ncluster: 8xh100-sxm\n"
          "batch: {global: 64, micro: 1, sequence: 2048}\nassume: physical\n"
          "stack: generic-h100\n");
  CHECK_FALSE(mamba.failed);
  CHECK(says(mamba, "the scans of mamba1 layers are not measured under stack 'generic-h100'"));
  LoadedTraining without = mamba.loaded;
  without.plan.stack->scan.reset();
  Diagnostics d;
  check_legal(without.plan, without.origins, without.resolved, d);
  CHECK(d.has_errors());
  CHECK(d.render().find("states nothing of scans, which mamba1 layers run") != std::string::npos);
}

TEST_CASE("Time does not rise with bandwidth, peak or overlap") {
  const double base = step(plan("nemo-2024-h100"));
  for (const char* better : {"fabric: {rate: 100 GB/s}\n", "chip: {memory.bandwidth: 6 TB/s}\n",
                             "chip: {peak.bf16: 1200 TFLOP/s}\n"}) {
    INFO(better);
    CHECK(step(plan("nemo-2024-h100", better)) <= base);
  }
  CHECK(step(plan("{base: nemo-2024-h100, overlap.tensor: 100%}")) < base);
  CHECK(step(plan("{base: nemo-2024-h100, overlap.pipeline: 100%}")) <= base);
}

TEST_CASE("A degree of one sends nothing of its kind") {
  const auto e = of(plan("nemo-2024-h100", "mesh: {tensor: 1, pipeline: 1}\nsharding: fsdp\n"));
  CHECK(e.operators->tensor.raw == 0);
  CHECK(e.operators->p2p.raw == 0);
  CHECK(e.operators->context.raw == 0);
  CHECK(e.operators->pipeline.bubble.raw == 0);
}

TEST_CASE("The parts of a step add up, and twice the chunks halve the bubble") {
  for (const char* stack : {"nemo-2024-h100", "{base: nemo-2024-h100, tier: nccl}",
                            "{base: nemo-2024-h100, tier: line_rate}"}) {
    const auto e = of(plan(stack));
    const auto& o = *e.operators;
    const double sum = o.compute.useful.raw + o.compute.recompute.raw + o.pipeline.imbalance.raw +
                       o.pipeline.bubble.raw + o.tensor.raw + o.context.raw + o.expert.raw +
                       o.p2p.raw + o.data.raw + o.optimizer.raw + o.fixed.raw + o.growth.raw;
    CHECK(sum == Approx(e.step->time.raw).epsilon(1e-12));
  }
  const auto one = of(plan("nemo-2024-h100")),
             two = of(plan("nemo-2024-h100", "schedule: {kind: interleaved, chunks: 2}\n"));
  CHECK(two.operators->pipeline.bubble.raw == Approx(one.operators->pipeline.bubble.raw / 2));
}

TEST_CASE("Full recompute costs one more forward pass a layer, selective less, none nothing") {
  const auto again = [](const char* policy) {
    return of(plan("nemo-2024-h100", std::string("recompute: ") + policy + "\n"))
        .operators->compute.recompute.raw;
  };
  CHECK(again("none") == 0);
  CHECK(again("selective") > 0);
  CHECK(again("norms") < again("full"));
  CHECK(again("operators") == Approx(again("full") / 2));
  CHECK(again("selective") < again("full"));
}

TEST_CASE("Collectives by each tier differ, and NCCL's model is of its generations") {
  const double curves = step(plan("nemo-2024-h100")),
               nccl = step(plan("{base: nemo-2024-h100, tier: nccl}")),
               line = step(plan("{base: nemo-2024-h100, tier: line_rate}"));
  CHECK(curves != nccl);
  CHECK(nccl != line);
  CHECK(std::abs(nccl / curves - 1) < 0.1);
  CHECK(std::abs(line / curves - 1) < 0.1);
}

TEST_CASE("Schedules that run weight gradients apart wait less than 1F1B under a stack") {
  const double plain = of(plan("nemo-2024-h100")).operators->pipeline.bubble.raw;
  const double zb =
      of(plan("nemo-2024-h100", "schedule: {kind: zb-h1}\n")).operators->pipeline.bubble.raw;
  CHECK(zb < plain);
  CHECK(zb > 0);
}

TEST_CASE("A host that starts kernels slowly holds a layer back in a stream, and not in a graph") {
  const auto at = [](const std::string& changes) {
    return step(
        "model: llama-3-70b\ncluster: 64xh100-sxm\nassume: physical\nsharding: zero-1\n"
        "mesh: {tensor: 8, sequence: yes, pipeline: 4}\n"
        "batch: {global: 128, micro: 1, sequence: 512}\nstack: {base: nemo-2024-h100" +
        changes + "}\n");
  };
  const double free = at(""), slow = at(", fixed.launch: 200 us"),
               slower = at(", fixed.launch: 400 us");
  CHECK(slow > free);
  CHECK(slower - slow > 0.9 * (slow - free));
  CHECK(at(", fixed.launch: 400 us, graphs: yes") == free);
  CHECK(at(", fixed.layer: 5 ms") > free);
}

TEST_CASE("An MoE layer asks more of the host than a dense one") {
  const std::string moe =
      "model: qwen3-30b-a3b\ncluster: 8xh100-sxm\nmesh: {expert: 8}\nsharding: zero-1\n"
      "batch: {global: 64, micro: 1, sequence: 1024}\nassume: physical\nstack: ";
  const double free = step(moe + "generic-h100\n");
  CHECK(step(moe + "{base: generic-h100, fixed.experts: 20 ms}\n") > free);
  CHECK(step(plan("{base: generic-h100, fixed.experts: 20 ms}")) == step(plan("generic-h100")));
  // A wait for the counts is no floor: it adds to each forward pass.
  CHECK(step(moe + "{base: generic-h100, fixed.routing: 1 ms}\n") > free);
}

TEST_CASE("Ranks that wait for the slowest cost a time at every doubling beyond a node") {
  const auto grows = [](const char* gpus) {
    return of(plan("{base: nemo-2024-h100, fixed.sync: 10 ms, fixed.growth: 0%}", "", gpus))
        .operators->growth.raw;
  };
  CHECK(grows("64xh100-sxm") == Approx(0.030));
  CHECK(grows("128xh100-sxm") == Approx(0.040));
}

TEST_CASE("A stack says what its software keeps of the logits, and the plan has the last word") {
  const std::string flat = "mesh: {tensor: 8, sequence: yes}\n";
  const double stated =
      of(plan("{base: generic-h100, memory.logits: 4 B}", flat)).memory.logits.raw;
  CHECK(of(plan("{base: generic-h100, memory.logits: 8 B}", flat)).memory.logits.raw ==
        Approx(2 * stated));
  std::string own = plan("{base: generic-h100, memory.logits: 4 B}", flat);
  const std::string preset = "assume: physical\n";
  own.replace(own.find(preset), preset.size(), "assume: {preset: physical, logits: 6 B}\n");
  CHECK(of(own).memory.logits.raw == Approx(1.5 * stated));
  CHECK(stated > 0);
}

TEST_CASE("Beyond the runs that a stack was fitted on a plan is told so") {
  const auto warned = [](const std::string& text) {
    const LoadedTraining loaded = ask(text).loaded;
    std::string all;
    for (const std::string& w : evaluate(test::data(), loaded).warnings) all += w + "\n";
    return all;
  };
  const std::string within = warned(plan("nemo-2024-h100"));
  CHECK(within.find("was fitted on runs with") == within.npos);
  std::string short_text = plan("nemo-2024-h100");
  const std::string batch = "sequence: 8192";
  short_text.replace(short_text.find(batch), batch.size(), "sequence: 128");
  const std::string beyond = warned(short_text);
  INFO(beyond);
  CHECK(beyond.find("tokens of a micro-batch on a rank 128: stack 'nemo-2024-h100' was fitted") !=
        beyond.npos);
}

TEST_CASE("NVFP4 products are faster than fp8 ones, and no stack has a ceiling by chance") {
  const double fp8 = step(plan("megatron-bridge-2025", "precision: fp8\n", "64xb200"));
  const double fp4 = step(plan("megatron-bridge-2025", "precision: nvfp4\n", "64xb200"));
  CHECK(fp4 < fp8);
  CHECK(fp4 > 0.5 * fp8);
  const Asked hopper = ask(plan("nemo-2024-h100", "precision: nvfp4\n"));
  CHECK(hopper.failed);
  CHECK(says(hopper, "states no ceiling for fp4"));
}

// Times of the cases of a plan file.
std::vector<double> steps(const char* file) {
  Diagnostics d;
  const std::string path = std::string(RECKON_SOURCE_DIR) + "/plans/tour/" + file;
  const PlanFile f = open_plan(test::data(), path, test::data().read(path, {}, d), {}, d);
  std::vector<double> out;
  for (const PlanFile::Case& c : f.cases) {
    const LoadedTraining l = load_training(test::data(), case_tree(f, &c, d), d);
    INFO(d.render());
    REQUIRE_FALSE(d.has_errors());
    out.push_back(estimate(l.plan).step->time.raw);
  }
  return out;
}
double growth(const char* file) {
  const std::vector<double> t = steps(file);
  REQUIRE(t.size() == 2);
  return t[1] / t[0] - 1;
}

TEST_CASE("More GPUs cost what they cost in published weak scaling, within two points") {
  CHECK(growth("scaling-llama-70b.yaml") == Approx(0.016).margin(0.02));
  CHECK(growth("scaling-gpt-3.yaml") == Approx(0.06).margin(0.02));
  CHECK(growth("scaling-nemotron-340b.yaml") == Approx(0.10).margin(0.02));
}

TEST_CASE("ZeRO-3 at a shrinking micro-batch: each doubling of the GPUs gains little or nothing") {
  const std::vector<double> t = steps("scaling-zero-3.yaml");
  REQUIRE(t.size() == 3);
  const double first = t[0] / t[1] / 2, second = t[1] / t[2] / 2;  // of a GPU's FLOP/s
  CHECK(first == Approx(88.0 / 144).epsilon(0.15));
  CHECK(second == Approx(44.0 / 88).epsilon(0.15));
}

TEST_CASE("A switch that turns nothing is warned of") {
  const auto warned = [](const std::string& stack, const std::string& rest, const char* words) {
    const Asked a = ask(plan(stack, rest));
    INFO(a.said);
    CHECK_FALSE(a.failed);
    CHECK(says(a, words));
  };
  warned("{base: generic-h100, rowwise: yes}", "precision: fp8\n",
         "rowwise changes nothing: stack 'generic-h100' has no figure for it");
  warned("{base: generic-h100, blockwise: yes}", "",
         "blockwise changes nothing: products run in bf16");
  warned("{base: generic-h100, eager: yes}", "",
         "eager changes nothing: stack 'generic-h100' has no figure for it");
  CHECK(ask(plan("{base: generic-h100, rowwise: yes, gemm.rowwise: 90%}", "precision: fp8\n"))
            .said.empty());
}

// The line of the stack, and the accuracy of the step time.
std::pair<std::string, std::string> claims(const std::string& stack) {
  const Asked a = ask(plan(stack));
  INFO(a.said);
  REQUIRE_FALSE(a.failed);
  const Result r = evaluate(test::data(), a.loaded);
  std::pair<std::string, std::string> out;
  for (const auto& [key, value] : r.headline)
    if (key == "stack") out.first = value;
  for (const Accuracy& x : r.accuracy)
    if (x.metric == "step.time") out.second = x.text;
  return out;
}

TEST_CASE("A stack whose constants differ claims neither runs nor errors") {
  const auto [line, accuracy] = claims("nemo-2024-h100");
  CHECK(line.find("63 runs") != line.npos);
  CHECK(accuracy.find("rows like this") != accuracy.npos);
  for (const auto& [changed, field] :
       {std::pair{"gemm: {ceiling: 1%}", "gemm.ceiling"}, std::pair{"tier: nccl", "tier"},
        std::pair{"tier: line_rate", "tier"}, std::pair{"collectives: b200", "collectives"},
        std::pair{"network: {links: 50%}", "network.links"},
        std::pair{"scan.vector: 20%", "scan.vector"}}) {
    const auto said = claims("{base: nemo-2024-h100, " + std::string(changed) + "}");
    INFO(changed << "\n" << said.first << "\n" << said.second);
    CHECK(said.first.find("(changed)") != said.first.npos);
    CHECK(said.first.find(field) != said.first.npos);
    CHECK(said.first.find("runs,") == said.first.npos);
    CHECK(said.second.find("nothing was measured with the stack's") != said.second.npos);
    CHECK(said.second.find(field) != said.second.npos);
  }
  // A switch of the software is none: runs were measured with it. Nor is the same value, written otherwise.
  const auto eager = claims("{base: nemo-2024-h100, overlap_gradients: no}");
  CHECK(eager.first.find("(changed): 63 runs") != eager.first.npos);
  CHECK(eager.second == accuracy);
  CHECK(claims("{base: nemo-2024-h100, gemm: {ceiling: 0.6778}}").first == line);
}

TEST_CASE("Curves of another chip are warned of where a plan names them") {
  CHECK(says(ask(plan("{base: nemo-2024-h100, collectives: b200}")), "curves are those of b200"));
  CHECK(ask(plan("{base: nemo-2024-h100, collectives: h100-sxm}")).said.empty());
}

TEST_CASE("What a plan says of its own stack is its own claim") {
  const auto [line, accuracy] =
      claims("{base: nemo-2024-h100, rows: 1000000, fitted: 0 % error, gemm: {ceiling: 90%}}");
  INFO(line << "\n" << accuracy);
  CHECK(line.find("as plan.yaml says itself") != line.npos);
  CHECK(accuracy.find("rows like this") == accuracy.npos);
}

TEST_CASE("Fewer than six core runs are starting values, however many rows a stack has") {
  const auto core = core_runs(test::data(), "megatron-2022-a100");
  REQUIRE(core);
  CHECK(core_runs(test::data(), "nemo-2024-h100").value_or(0) >= 6);
  CHECK_FALSE(core_runs(test::data(), "no-such-stack"));
  const Asked a = ask(plan("megatron-2022-a100", "", "64xa100-sxm"));
  const Result r = evaluate(test::data(), a.loaded);
  std::string line;
  for (const auto& [key, value] : r.headline)
    if (key == "stack") line = value;
  CHECK((line.find("starting values") != line.npos) == (*core < 6));
}

TEST_CASE("A stack that nobody fitted says where no run of its chips was measured") {
  std::string text = plan("default");
  const std::string batch = "sequence: 8192";
  text.replace(text.find(batch), batch.size(), "sequence: 524288");
  const Asked a = ask(text);
  INFO(a.said);
  std::string all;
  for (const std::string& w : evaluate(test::data(), a.loaded).warnings) all += w + "\n";
  CHECK(all.find("sequence 524,288: the measured runs of its chips have") != all.npos);
}

TEST_CASE("An accuracy that was measured elsewhere says so") {
  const auto accuracy = [](const std::string& text) {
    const Asked a = ask(text);
    INFO(text << a.said);
    REQUIRE_FALSE(a.failed);
    for (const Accuracy& x : evaluate(test::data(), a.loaded).accuracy)
      if (x.metric == "step.time") return x.text;
    return std::string();
  };
  const char* outside = "this plan is outside of what they cover";
  CHECK(accuracy(plan("nemo-2024-h100")).find(outside) == std::string::npos);
  const std::string far = accuracy(
      "model: llama-3-70b\ncluster: 64xh100-sxm\nbatch: {global: 16, micro: 1, sequence: 131072}\n"
      "mesh: {tensor: 2, sequence: yes, context: 16}\nsharding: fsdp\nrecompute: full\n"
      "assume: physical\nstack: nemo-2024-h100\n");
  CHECK(far.find(outside) != std::string::npos);
  CHECK(far.find("sequence 131,072 of 2,048 to 8,192") != std::string::npos);
  const std::string states = accuracy(
      "model: nemotron-h-8b\ncluster: 64xh100-sxm\nmesh: {tensor: 2}\nsharding: zero-1\n"
      "batch: {global: 128, micro: 1, sequence: 8192}\nassume: physical\nstack: generic-h100\n");
  CHECK(states.find("layers that keep a state, which none of them has") != std::string::npos);
}

}  // namespace
}  // namespace reckon
