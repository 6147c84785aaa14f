#include "evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace reckon::searching {
namespace {

using Estimate = TrainingEstimate<double>;

// One metric of an estimate, by its id.
class FindMetric {
 public:
  explicit FindMetric(std::string_view id) : id_(id) {}
  double value = std::numeric_limits<double>::quiet_NaN();

  template <Dim D>
  void operator()(const MetricInfo& info, const Quantity<D, double>& q) {
    if (info.id == id_) value = q.raw;
  }
  template <Dim D>
  void operator()(const MetricInfo& info, const std::optional<Quantity<D, double>>& q,
                  const char*) {
    if (q && info.id == id_) value = q->raw;
  }
  void operator()(const MetricInfo&, std::string_view) {}
  void operator()(const MetricInfo& info, bool yes, const char* unknown) {
    if (!unknown && info.id == id_) value = yes ? 1 : 0;
  }

 private:
  std::string_view id_;
};

// A lower bound must stay one whatever the order of its sums.
constexpr double kSlack = 1e-9;

}  // namespace

Criterion criterion(std::string id, bool maximize) {
  Criterion c{std::move(id), Needs::kAll, false, maximize};
  const auto is = [&](const MetricInfo& m) { return c.id == m.id; };
  if (is(kStepTime)) {
    c.needs = Needs::kStep;
    c.follows_step = !maximize;
  } else if (is(kMemoryTotal) || is(kHeadroom)) {
    c.needs = Needs::kMemory;
  } else {
    // All of these are the step's time by what a search leaves alone: tokens, GPUs, price.
    const bool falls = is(kRunTime) || is(kGpuTime) || is(kCost) || is(kEnergy);
    const bool rises = is(kTokensPerSecond) || is(kTokensPerSecondGpu) || is(kMfu6n) ||
                       is(kMfuFull) || is(kMfuCausal);
    c.follows_step = maximize ? rises : falls;
  }
  return c;
}

SharedByAll::SharedByAll(const TrainingPlan<double>& base)
    : parameters_(reckon::parameters(base.model)) {
  TrainingPlan<double> plan = base;
  for (std::size_t r = 0; r < names(Recompute{}).size(); ++r) {
    plan.recompute = static_cast<Recompute>(r);
    flops_.push_back(token_flops(plan, parameters_, adapter_parameters(plan)));
  }
}

Evaluator::Evaluator(const TrainingPlan<double>& base, const SharedByAll& shared,
                     const Criteria& criteria)
    : base_(base), shared_(shared), criteria_(criteria), plan_(base) {}

void Evaluator::begin(const Shape& s) {
  now_.shape = s;
  plays_.forget();
  set_shape(base_, s, plan_);
  // What is shared doesn't follow from the stages, but for a batch by tokens, whose shapes state them.
  now_.rest = {};
  now_.rest.pipeline = s.pipeline == 0 ? 1 : s.pipeline;
  set_rest(base_, now_, plan_);
  const Layout<double> layout = lay_out(plan_);
  layers_ = layer_parts(plan_, layout);
  if (plan_.stack) operators_ = operator_layers(plan_, layout);
  bound();
}

// The layers' work in a step, mean over the stages: each stage count divides micro-batches as it multiplies them.
void Evaluator::bound() {
  const Layout<double> x = lay_out(plan_);
  const double p = plan_.mesh.pipeline.raw;
  double least = 0;
  if (plan_.stack) {
    double through = operators_.embedding.work.raw + operators_.head.work.raw;
    for (std::size_t g = 0; g < operators_.times.size(); ++g) {
      const LayerTime<double>& l = operators_.times[g];
      through += plan_.model.layers[g].count.raw *
                 (l.all.forward.raw + l.all.backward.raw + l.recompute.raw);
    }
    least = x.n.raw * through / p;
  } else if (const auto flops = step_flops(plan_, x, shared_.flops(plan_.recompute));
             flops && plan_.assume.train.mfu) {
    least = assumed_compute(plan_, x, shared_.flops(plan_.recompute), *flops).total().raw;
  }
  least_step_ = least * (1 - kSlack);
}

const Stages<double>& Evaluator::stages(const Rest& rest) {
  const std::array<int, 3> key{rest.pipeline, static_cast<int>(rest.kind), rest.chunks};
  if (key != last_) {
    auto at = stages_.find(key);
    if (at == stages_.end())
      at = stages_.emplace(key, Stages<double>(base_.model, cut_of(plan_))).first;
    last_ = key;
    last_stages_ = &at->second;
  }
  return *last_stages_;
}

SharedParts<double> Evaluator::parts(const Rest& rest) {
  return {shared_.parameters(), shared_.flops(now_.shape.recompute), stages(rest), layers_,
          plan_.stack ? &operators_ : nullptr};
}

double Evaluator::value(const Criterion& c) {
  double x = 0;
  if (c.id == kStepTime.id) {
    x = e_.step ? e_.step->time.raw : std::numeric_limits<double>::quiet_NaN();
  } else if (c.id == kMemoryTotal.id) {
    x = e_.memory.total.raw;
  } else if (c.id == kHeadroom.id) {
    x = e_.headroom.raw;
  } else {
    if (!all_there_) estimate_rest(plan_, parts(now_.rest), e_);
    all_there_ = true;
    FindMetric find(c.id);
    e_.metrics(find);
    x = find.value;
  }
  return c.maximize ? -x : x;
}

bool Evaluator::meets(const Condition& c, Needs now, Looked& out) {
  if (c.metric.needs != now) return true;
  const double x = value(c.metric);
  if (holds(c.compare, x, c.target)) return true;
  out.fate = Fate::kCondition;
  out.condition = static_cast<std::size_t>(&c - criteria_.where.data());
  out.missed = std::isnan(x) ? std::numeric_limits<double>::infinity() : std::abs(x - c.target);
  return false;
}

std::size_t Evaluator::largest_loss() const {
  const StepTime<double>& s = *e_.step;
  const bool stack = e_.operators.has_value();
  const Communication<double>& c = e_.communication;
  const double parts[] = {s.compute.recompute.raw,
                          s.pipeline.bubble.raw + s.pipeline.imbalance.raw,
                          stack ? e_.operators->tensor.raw : c.tensor.exposed.raw,
                          stack ? e_.operators->context.raw : c.context.exposed.raw,
                          stack ? e_.operators->expert.raw : c.expert.exposed.raw,
                          stack ? e_.operators->p2p.raw : c.pipeline.exposed.raw,
                          s.data_exposed.raw,
                          s.optimizer.raw};
  const double* most = std::max_element(std::begin(parts), std::end(parts));
  return *most > 0 ? static_cast<std::size_t>(most - parts) : std::size(parts);
}

void Evaluator::start(const Rest& rest) {
  now_.rest = rest;
  set_rest(base_, now_, plan_);
  e_.layout = lay_out(plan_);
  e_.host_capacity.reset();
  e_.run = {};
  all_there_ = false;
  estimate_memory(plan_, parts(rest), e_);
}

bool Evaluator::fits_memory(Looked& out) {
  if (!criteria_.fits || fits(e_.verdict)) return true;
  const bool host = e_.verdict == Verdict::kHostDoesNotFit;
  const double states = e_.after_states.raw;
  out.fate = host ? Fate::kHost : states < 0 ? Fate::kStates : Fate::kMemory;
  out.missed = host ? e_.memory.host.raw - e_.host_capacity->raw : -e_.headroom.raw;
  return false;
}

// bound: a schedule that would be played takes as long as it must at least.
void Evaluator::price_step(bool bound) {
  const schedule::PlaysInUse here(plays_);
  plays_.bound(bound);
  e_.operators.reset();
  e_.step.reset();
  estimate_step(plan_, parts(now_.rest), e_);
}

double Evaluator::least_step(const Rest& rest) {
  Looked out;
  start(rest);
  if (!fits_memory(out)) return std::numeric_limits<double>::infinity();
  price_step(true);
  return e_.step ? e_.step->time.raw * (1 - kSlack) : 0;
}

// Of a schedule that is played: whether what it takes at least is too much already.
bool Evaluator::is_bounded(const Limits& limits, Looked& out) {
  const double least = e_.step->time.raw * (1 - kSlack);
  for (const Condition& c : criteria_.where) {
    if (c.metric.id != kStepTime.id || c.compare != Compare::kAtMost || least <= c.target) continue;
    out.fate = Fate::kCondition;
    out.condition = static_cast<std::size_t>(&c - criteria_.where.data());
    out.missed = least - c.target;
    out.at_least = true;
    out.step = least;
    return true;
  }
  out.fate = Fate::kBounded;
  const bool late = criteria_.objective.follows_step && least > limits.slowest;
  const bool worse =
      criteria_.objective.needs == Needs::kMemory && value(criteria_.objective) > limits.worst;
  if (!late && !worse) return false;
  if (!criteria_.pareto[0]) return true;
  if (!limits.front) return false;
  std::array<double, 2> own{};
  for (std::size_t i = 0; i < 2; ++i) {
    const Criterion& c = *criteria_.pareto[i];
    if (c.needs == Needs::kAll || c.maximize) return false;
    own[i] = c.id == kStepTime.id ? least : value(c);
  }
  return std::any_of(limits.front->begin(), limits.front->end(), [&own](const auto& f) {
    return f[0] <= own[0] && f[1] <= own[1] && (f[0] < own[0] || f[1] < own[1]);
  });
}

Looked Evaluator::look(const Rest& rest, const Limits& limits) {
  Looked out;
  start(rest);
  if (!fits_memory(out)) return out;
  for (const Condition& c : criteria_.where)
    if (!meets(c, Needs::kMemory, out)) return out;
  const std::uint64_t before = plays_.asked();
  price_step(limits.bounds);
  if (limits.bounds && plays_.asked() > before) {
    if (is_bounded(limits, out)) return out;
    price_step(false);
  }
  if (e_.step) {
    out.step = e_.step->time.raw;
    out.part = largest_loss();
  }
  for (const Condition& c : criteria_.where)
    if (!meets(c, Needs::kStep, out)) return out;
  // Conditions on other metrics come last: they need all of the estimate.
  const bool slower = criteria_.objective.follows_step && out.step > limits.slowest * (1 + kSlack);
  out.fate = Fate::kSlower;
  if (slower && !criteria_.pareto[0]) return out;
  for (const Condition& c : criteria_.where)
    if (!meets(c, Needs::kAll, out)) return out;
  out.objective = value(criteria_.objective);
  for (std::size_t i = 0; i < 2; ++i)
    if (criteria_.pareto[i]) out.pareto[i] = value(*criteria_.pareto[i]);
  out.fate = Fate::kKept;
  return out;
}

}  // namespace reckon::searching
