#include "candidate.hpp"

#include <fmt/format.h>

#include <cmath>

namespace reckon::searching {
namespace {

using Plan = TrainingPlan<double>;

int number(const Count<double>& x) { return static_cast<int>(std::lround(x.raw)); }
Count<double> count(int x) { return Count<double>(static_cast<double>(x)); }

class Sets {
 public:
  std::vector<std::pair<std::string, std::string>> out;

  void number_field(const char* path, const Count<double>& was, const Count<double>& is) {
    if (was.raw != is.raw) out.emplace_back(path, fmt::format("{:.0f}", is.raw));
  }
  void number_field(const char* path, const std::optional<Count<double>>& was,
                    const std::optional<Count<double>>& is) {
    if (is && (!was || was->raw != is->raw)) out.emplace_back(path, fmt::format("{:.0f}", is->raw));
  }
  template <NamedEnum E>
  void word(const char* path, E was, E is) {
    if (was != is) out.emplace_back(path, name_of(is));
  }
};

}  // namespace

long gpus_of(const Plan& plan) {
  return std::lround(plan.cluster.nodes.raw) * std::lround(plan.cluster.node.gpus.raw);
}

int data_degree(const Plan& base, const Shape& s, int pipeline) {
  return static_cast<int>(gpus_of(base) / (static_cast<long>(s.tensor) * s.context * pipeline));
}

void set_shape(const Plan& base, const Shape& s, Plan& plan) {
  Mesh<double>& m = plan.mesh;
  m.tensor = count(s.tensor);
  m.context = count(s.context);
  m.expert = count(s.expert);
  m.sequence = s.sequence;
  m.expert_tensor = base.mesh.expert_tensor;
  if (s.expert_tensor > 0 || m.expert_tensor)
    m.expert_tensor = count(s.expert_tensor > 0 ? s.expert_tensor : s.tensor);
  if (base.batch.micro) plan.batch.micro = count(s.micro);
  if (base.batch.tokens_per_gpu && (base.batch.micro_batches || s.micro > 1))
    plan.batch.micro_batches = count(s.micro);
  plan.recompute = s.recompute;
}

void set_rest(const Plan& base, const Candidate& c, Plan& plan) {
  plan.mesh.pipeline = count(c.rest.pipeline);
  if (base.mesh.data) plan.mesh.data = count(data_degree(base, c.shape, c.rest.pipeline));
  plan.schedule.kind = c.rest.kind;
  plan.schedule.played =
      base.schedule.played && c.rest.pipeline > 1;  // one stage has nothing to play
  plan.schedule.chunks = count(c.rest.chunks);
  plan.sharding.zero = count(c.rest.zero);
  plan.sharding.within = c.rest.within;
  plan.offload = c.rest.offload;
}

std::vector<std::pair<std::string, std::string>> sets_of(const Plan& base, const Candidate& c) {
  Plan plan = base;
  set_shape(base, c.shape, plan);
  set_rest(base, c, plan);
  Sets s;
  s.number_field("mesh.data", base.mesh.data, plan.mesh.data);
  s.number_field("mesh.tensor", base.mesh.tensor, plan.mesh.tensor);
  if (base.mesh.sequence != plan.mesh.sequence)
    s.out.emplace_back("mesh.sequence", plan.mesh.sequence ? "yes" : "no");
  s.number_field("mesh.context", base.mesh.context, plan.mesh.context);
  s.number_field("mesh.pipeline", base.mesh.pipeline, plan.mesh.pipeline);
  s.number_field("mesh.expert", base.mesh.expert, plan.mesh.expert);
  s.number_field("mesh.expert_tensor", base.mesh.expert_tensor, plan.mesh.expert_tensor);
  s.number_field("sharding.zero", base.sharding.zero, plan.sharding.zero);
  s.word("sharding.within", base.sharding.within, plan.sharding.within);
  s.word("schedule.kind", base.schedule.kind, plan.schedule.kind);
  if (base.schedule.played != plan.schedule.played) s.out.emplace_back("schedule.played", "no");
  s.number_field("schedule.chunks", base.schedule.chunks, plan.schedule.chunks);
  s.number_field("batch.micro", base.batch.micro, plan.batch.micro);
  s.number_field("batch.micro_batches", base.batch.micro_batches, plan.batch.micro_batches);
  s.word("recompute", base.recompute, plan.recompute);
  s.word("offload", base.offload, plan.offload);
  return std::move(s.out);
}

std::vector<std::pair<std::string, std::string>> fields_of(const Plan& base, const Candidate& c) {
  Plan plan = base;
  set_shape(base, c.shape, plan);
  set_rest(base, c, plan);
  std::vector<std::pair<std::string, std::string>> out;
  const auto number_field = [&](const char* path, double x) {
    out.emplace_back(path, fmt::format("{:.0f}", x));
  };
  number_field("mesh.data", data_degree(base, c.shape, c.rest.pipeline));
  number_field("mesh.tensor", plan.mesh.tensor.raw);
  out.emplace_back("mesh.sequence", plan.mesh.sequence ? "yes" : "no");
  number_field("mesh.context", plan.mesh.context.raw);
  number_field("mesh.pipeline", plan.mesh.pipeline.raw);
  number_field("mesh.expert", plan.mesh.expert.raw);
  for (const auto& g : plan.model.layers) {
    if (g.mlp.kind != MlpKind::kMoe) continue;
    number_field("mesh.expert_tensor", plan.mesh.expert_tensor.value_or(plan.mesh.tensor).raw);
    break;
  }
  number_field("sharding.zero", plan.sharding.zero.raw);
  out.emplace_back("sharding.within", name_of(plan.sharding.within));
  out.emplace_back("schedule.kind",
                   plan.mesh.pipeline.raw == 1 ? "none" : name_of(plan.schedule.kind));
  number_field("schedule.chunks", plan.schedule.chunks.raw);
  if (plan.batch.micro) number_field("batch.micro", plan.batch.micro->raw);
  if (plan.batch.micro_batches) number_field("batch.micro_batches", plan.batch.micro_batches->raw);
  out.emplace_back("recompute", name_of(plan.recompute));
  out.emplace_back("offload", name_of(plan.offload));
  return out;
}

Candidate candidate_of(const Plan& plan) {
  Candidate c;
  c.shape.tensor = number(plan.mesh.tensor);
  c.shape.context = number(plan.mesh.context);
  c.shape.expert = number(plan.mesh.expert);
  if (plan.mesh.expert_tensor) c.shape.expert_tensor = number(*plan.mesh.expert_tensor);
  if (plan.batch.micro) c.shape.micro = number(*plan.batch.micro);
  if (plan.batch.micro_batches) c.shape.micro = number(*plan.batch.micro_batches);
  c.shape.sequence = plan.mesh.sequence;
  c.shape.recompute = plan.recompute;
  c.rest.pipeline = number(plan.mesh.pipeline);
  c.rest.chunks = number(plan.schedule.chunks);
  c.rest.kind = plan.schedule.kind;
  c.rest.zero = static_cast<signed char>(number(plan.sharding.zero));
  c.rest.within = plan.sharding.within;
  c.rest.offload = plan.offload;
  return c;
}

}  // namespace reckon::searching
