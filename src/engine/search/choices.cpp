#include "choices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "../legal_tensor.hpp"
#include "../whole_number.hpp"
#include "reckon/cost/parameters.hpp"

namespace reckon::searching {
namespace {

using Plan = TrainingPlan<double>;

std::vector<int> numbers(const std::vector<Count<double>>& listed) {
  std::vector<int> out;
  for (const Count<double>& x : listed) out.push_back(static_cast<int>(number(x)));
  return out;
}

class Reader {
 public:
  Reader(const Space<double>& space, const Plan& plan) : space_(space), plan_(plan) {}

  Choices run() {
    out_.tensor_in_node = space_.limits.tensor_in_node;
    mesh();
    experts();
    schedule();
    sharding();
    batch();
    policies();
    return std::move(out_);
  }

 private:
  bool opens(Opened group) const {
    return std::any_of(space_.search.begin(), space_.search.end(),
                       [&](Opened o) { return o == group || o == Opened::kAll; });
  }
  bool dimensioned() const { return plan_.model.hidden && !plan_.model.layers.empty(); }

  // Those listed; all where the group is opened; else the plan's own.
  static std::vector<int> pick(const std::vector<Count<double>>& listed, bool opened,
                               const std::vector<int>& all, long own) {
    if (!listed.empty()) return numbers(listed);
    return opened ? all : std::vector<int>{static_cast<int>(own)};
  }

  void mesh() {
    const bool open = opens(Opened::kParallel) && dimensioned();
    const std::vector<int> all = divisors(gpus_of(plan_));
    const SpaceMesh<double>& m = space_.mesh;
    out_.tensor = pick(m.tensor, open, all, number(plan_.mesh.tensor));
    std::erase_if(out_.tensor, [this](int t) { return !takes_tensor(t); });
    out_.context = pick(m.context, open, all, number(plan_.mesh.context));
    std::erase_if(out_.context, [this](int c) { return !takes_context(c); });
    out_.pipeline = pick(m.pipeline, open, all, number(plan_.mesh.pipeline));
    out_.sequence = {plan_.mesh.sequence};
    if (open) out_.sequence = {false, true};
    if (!m.sequence.empty()) {
      out_.sequence.clear();
      for (const YesNo x : m.sequence) out_.sequence.push_back(x == YesNo::kYes);
    }
  }

  bool takes_tensor(int t) const {
    if (t == 1) return true;
    const long in_node = number(plan_.cluster.node.gpus);
    if (space_.limits.tensor_in_node && (t > in_node || in_node % t != 0)) return false;
    return dimensioned() && divides_model(plan_.model, t);
  }
  bool takes_context(int c) const {
    if (c == 1) return true;
    const bool attends =
        std::any_of(plan_.model.layers.begin(), plan_.model.layers.end(),
                    [](const auto& g) { return g.mixer.kind != MixerKind::kNone; });
    return dimensioned() && attends && !any_recurrent(plan_.model) && plan_.batch.sequence &&
           number(*plan_.batch.sequence) % c == 0;
  }

  void experts() {
    const bool open = opens(Opened::kParallel);
    std::vector<int> all{1};
    for (const auto& g : plan_.model.layers)
      if (g.mlp.kind == MlpKind::kMoe) all = divisors(number(*g.mlp.experts));
    out_.expert = pick(space_.mesh.expert, open, all, number(plan_.mesh.expert));
    std::erase_if(out_.expert, [this](int e) { return e > 1 && !takes_experts(e); });
    const bool moe = all.size() > 1;
    out_.expert_tensor = {
        plan_.mesh.expert_tensor ? static_cast<int>(number(*plan_.mesh.expert_tensor)) : 0};
    if (open) out_.expert_tensor = moe ? std::vector<int>{0, 1} : std::vector<int>{0};
    if (!space_.mesh.expert_tensor.empty()) out_.expert_tensor = numbers(space_.mesh.expert_tensor);
  }
  bool takes_experts(int e) const {
    bool any = false;
    for (const auto& g : plan_.model.layers) {
      if (g.mlp.kind != MlpKind::kMoe) continue;
      any = true;
      if (number(*g.mlp.experts) % e != 0) return false;
    }
    return any;
  }

  void schedule() {
    const SpaceSchedule<double>& s = space_.schedule;
    out_.kinds = {plan_.schedule.kind};
    out_.chunks = {static_cast<int>(number(plan_.schedule.chunks))};
    if (opens(Opened::kSchedule)) {
      out_.kinds = {ScheduleKind::k1f1b, ScheduleKind::kGpipe, ScheduleKind::kInterleaved,
                    ScheduleKind::kZbH1, ScheduleKind::kZbH2};
      out_.chunks.clear();
      // The plan's own, though it be one of those that are played.
      if (std::find(out_.kinds.begin(), out_.kinds.end(), plan_.schedule.kind) == out_.kinds.end())
        out_.kinds.push_back(plan_.schedule.kind);
    }
    if (!s.kind.empty()) {
      out_.kinds = s.kind;
      out_.chunks.clear();
    }
    if (!s.chunks.empty()) out_.chunks = numbers(s.chunks);
    out_.played = !s.kind.empty() || !opens(Opened::kSchedule);
  }

  void sharding() {
    out_.zero = {static_cast<int>(number(plan_.sharding.zero))};
    out_.within = {plan_.sharding.within};
    if (opens(Opened::kSharding)) {
      out_.zero = {0, 1, 2, 3};
      out_.within = {Within::kAll, Within::kNode};
    }
    if (!space_.sharding.zero.empty()) out_.zero = numbers(space_.sharding.zero);
    if (!space_.sharding.within.empty()) out_.within = space_.sharding.within;
  }

  // Of a batch by tokens the number of micro-batches is what may vary.
  void batch() {
    const Batch<double>& b = plan_.batch;
    const bool by_tokens = b.tokens_per_gpu.has_value();
    const long own =
        by_tokens ? (b.micro_batches ? number(*b.micro_batches) : 1) : number(*b.micro);
    std::vector<int> all;
    if (by_tokens)
      for (int n = 1; n <= 4096; n *= 2) all.push_back(n);
    else
      all = divisors(number(*b.global));
    out_.micro = pick(space_.micro, opens(Opened::kBatch), all, own);
  }

  void policies() {
    out_.recompute = {plan_.recompute};
    if (opens(Opened::kRecompute) && dimensioned())
      out_.recompute = {Recompute::kNone, Recompute::kSelective, Recompute::kNorms,
                        Recompute::kOperators, Recompute::kFull};
    if (opens(Opened::kRecompute) && plan_.recompute == Recompute::kModules)
      out_.recompute.push_back(Recompute::kModules);
    if (!space_.recompute.empty()) out_.recompute = space_.recompute;
    // Which modules is the plan's to say; a space can only choose whether they run again.
    if (plan_.recompute_modules.empty())
      std::erase_if(out_.recompute, [](Recompute r) { return r == Recompute::kModules; });
    if (!dimensioned())
      std::erase_if(out_.recompute, [](Recompute r) { return r != Recompute::kNone; });
    out_.offload = {plan_.offload};
    if (opens(Opened::kOffload)) out_.offload = {Offload::kNone, Offload::kOptimizer};
    if (!space_.offload.empty()) out_.offload = space_.offload;
    if (!plan_.cluster.node.chip.host)
      std::erase_if(out_.offload, [](Offload o) { return o == Offload::kOptimizer; });
  }

  const Space<double>& space_;
  const Plan& plan_;
  Choices out_;
};

}  // namespace

std::vector<int> divisors(long n) {
  std::vector<int> out;
  for (long d = 1; d * d <= n; ++d) {
    if (n % d != 0) continue;
    out.push_back(static_cast<int>(d));
    if (d != n / d) out.push_back(static_cast<int>(n / d));
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<ChosenField> chosen_fields(const Space<double>& space) {
  struct Group {
    Opened word;
    std::vector<std::string> fields;
    const char* example;
  };
  static const std::vector<Group> groups{
      {Opened::kParallel,
       {"mesh.tensor", "mesh.sequence", "mesh.context", "mesh.pipeline", "mesh.expert",
        "mesh.expert_tensor", "mesh.data"},
       "mesh: {tensor: [4, 8]}"},
      {Opened::kBatch, {"batch.micro", "batch.micro_batches"}, "micro: [1, 2]"},
      {Opened::kSchedule, {"schedule.kind", "schedule.chunks"}, "schedule: {kind: [1f1b, zb-h1]}"},
      {Opened::kSharding, {"sharding.zero", "sharding.within"}, "sharding: {zero: [1, 3]}"},
      {Opened::kRecompute, {"recompute"}, "recompute: [none, full]"},
      {Opened::kOffload, {"offload"}, "offload: [none, optimizer]"},
      {Opened::kPrecision, {"precision"}, "vary: {precision: 'bf16,fp8'}"}};
  std::vector<ChosenField> out;
  for (const Group& g : groups)
    for (const Opened said : space.search)
      if (said == g.word || said == Opened::kAll)
        for (const std::string& f : g.fields)
          out.push_back({f, fmt::format("search: {}", name_of(said)), g.example});
  const auto listed = [&out](const auto& list, const char* path, const char* example) {
    if (!list.empty()) out.push_back({path, "the space's list", example});
  };
  listed(space.mesh.tensor, "mesh.tensor", groups[0].example);
  listed(space.mesh.sequence, "mesh.sequence", groups[0].example);
  listed(space.mesh.context, "mesh.context", groups[0].example);
  listed(space.mesh.pipeline, "mesh.pipeline", groups[0].example);
  listed(space.mesh.expert, "mesh.expert", groups[0].example);
  listed(space.mesh.expert_tensor, "mesh.expert_tensor", groups[0].example);
  listed(space.micro, "batch.micro", groups[1].example);
  listed(space.schedule.kind, "schedule.kind", groups[2].example);
  listed(space.schedule.chunks, "schedule.chunks", groups[2].example);
  listed(space.sharding.zero, "sharding.zero", groups[3].example);
  listed(space.sharding.within, "sharding.within", groups[3].example);
  listed(space.recompute, "recompute", groups[4].example);
  listed(space.offload, "offload", groups[5].example);
  return out;
}

Choices choices_of(const Space<double>& space, const Plan& plan) {
  return Reader(space, plan).run();
}

}  // namespace reckon::searching
