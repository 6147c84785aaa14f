#include "plans.hpp"

#include <stdexcept>

#include "reckon/engine/evaluate.hpp"

using namespace reckon;

namespace plans {
namespace {

constexpr const char* kDense = R"(
kind: training
name: Llama 3 8B on one node
model: llama-3-8b
cluster: 8xh100-sxm
sharding: {zero: 3}
batch: {global: 64, micro: 1, sequence: 8192}
assume: {preset: textbook, train.mfu: 40%}
run: {tokens: 100B, price: 2.50 USD/h}
)";

constexpr const char* kDoesNotFit = R"(
kind: training
model: llama-3-70b
cluster: 64xh100-sxm
mesh: {tensor: 8}
sharding: {zero: 1}
batch: {global: 128, micro: 1, sequence: 8192}
assume: {preset: textbook, train.mfu: 40%}
run: {tokens: 1.4T}
)";

constexpr const char* kExperts = R"(
kind: training
model: mixtral-8x7b
cluster: 64xh100-sxm
mesh: {expert: 8}
sharding: {zero: 3}
batch: {global: 256, micro: 1, sequence: 4096}
recompute: full
assume: {preset: physical, train.mfu: 35%}
run: {tokens: 1T, price: 2 USD/h}
)";

constexpr const char* kPipeline = R"(
kind: training
name: 405B, tensor 8, pipeline 16
model: llama-3-405b
cluster: 1024xh100-sxm
mesh: {tensor: 8, pipeline: 16, sequence: yes}
sharding: {zero: 1}
batch: {global: 512, micro: 1, sequence: 8192}
assume: {preset: physical, train.mfu: 43%}
run: {tokens: 15T, price: 2 USD/h}
)";

constexpr const char* kOneGpu = R"(
kind: training
model: generic-7b
cluster: 1xa100-sxm
batch: {global: 4, micro: 1, sequence: 2048}
recompute: full
offload: optimizer
assume: {preset: textbook, train.mfu: 45%, flops: hfu, efficiency.host: 80%, logits: 4 B}
)";

constexpr const char* kNoMfu = R"(
kind: training
model: llama-3-8b
cluster: 8xh100-sxm
sharding: {zero: 3}
batch: {global: 64, micro: 1, sequence: 8192}
run: {tokens: 100B}
)";

constexpr const char* kAbstract = R"(
kind: training
model: {params: 70B}
cluster: 64xh100-sxm
sharding: {zero: 3}
batch: {tokens_per_gpu: 16384}
assume: {preset: textbook, train.mfu: 40%}
run: {tokens: 1.4T, price: 2.50 USD/h}
)";

constexpr const char* kAdapters = R"(
kind: training
model: llama-3-8b
cluster: 8xl40s
batch: {global: 16, micro: 1, sequence: 4096}
recompute: full
trainable: {adapters: {rank: 16}}
assume: {preset: physical, train.mfu: 30%}
run: {tokens: 100M, price: 1 USD/h}
)";

constexpr const char* kContext = R"(
kind: training
model: llama-3-8b
cluster: 32xh100-sxm
mesh: {context: 2}
sharding: {zero: 3, within: node}
batch: {global: 64, micro: 1, sequence: 32768}
recompute: full
assume: {preset: physical, train.mfu: 38%}
)";

constexpr const char* kTight = R"(
kind: training
model: llama-3-8b
cluster: 8xh100-sxm
sharding: {zero: 3}
batch: {global: 64, micro: 1, sequence: 8192}
memory: {tight: 20%}
assume: {preset: textbook, train.mfu: 40%}
)";

constexpr const char* kOffload = R"(
kind: training
model: llama-3-8b
cluster: 8xh100-sxm
offload: optimizer
batch: {global: 64, micro: 1, sequence: 8192}
assume: {preset: physical, train.mfu: 40%}
)";

// Data files have absolute names; those of a golden file must not depend on where the tree lies.
void make_relative(Result& r) {
  const std::string root = std::string(RECKON_SOURCE_DIR) + "/";
  for (Assumption& a : r.assumptions) {
    if (a.place.starts_with(root)) a.place.erase(0, root.size());
  }
}

}  // namespace

Result evaluated(const std::string& yaml) {
  Workspace work({std::filesystem::path(RECKON_SOURCE_DIR)});
  Diagnostics faults;
  const PlanFile file =
      open_plan(work, "plan.yaml", work.read_text("plan.yaml", yaml, faults), {}, faults);
  LoadedTraining loaded = load_training(work, case_tree(file, nullptr, faults), faults);
  if (faults.has_errors()) throw std::runtime_error(faults.render());
  loaded.file = "plan.yaml";
  Result r = evaluate(work, loaded);
  make_relative(r);
  return r;
}

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all{
      {"dense", evaluated(kDense)},       {"does_not_fit", evaluated(kDoesNotFit)},
      {"experts", evaluated(kExperts)},   {"pipeline", evaluated(kPipeline)},
      {"one_gpu", evaluated(kOneGpu)},    {"no_mfu", evaluated(kNoMfu)},
      {"abstract", evaluated(kAbstract)}, {"tight", evaluated(kTight)},
      {"adapters", evaluated(kAdapters)}, {"context", evaluated(kContext)},
      {"offload", evaluated(kOffload)}};
  return all;
}

const Result& sample(const std::string& name) {
  for (const Sample& s : samples()) {
    if (s.name == name) return s.result;
  }
  throw std::runtime_error("no sample " + name);
}

}  // namespace plans
