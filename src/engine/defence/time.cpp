// Steps 4 to 6: communication, time and cost, the same on 64 times the GPUs; and what binds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reckon/base/text.hpp"
#include "reckon/units/format.hpp"
#include "steps.hpp"

namespace reckon::defence {
namespace {

struct Operation {
  const char *id, *what;
};
constexpr Operation kOperations[] = {
    {"all_gather", "all-gather of weights"},   {"reduce_scatter", "reduce-scatter of gradients"},
    {"all_reduce", "all-reduce of gradients"}, {"replicas", "all-reduce between replicas"},
    {"tensor", "tensor-parallel all-reduce"},  {"context", "ring attention"},
    {"expert", "dispatch and combine"},        {"pipeline", "from stage to stage"}};

std::string metric(const char* operation, const char* what) {
  return fmt::format("comm.{}.{}", operation, what);
}

DefenceTable operations(const Variant& plan) {
  DefenceTable t{{"collective", "count", "each sends", "each takes", "in a step", "exposed"}, {}};
  for (const Operation& op : kOperations) {
    if (!plan.number(metric(op.id, "bytes"))) continue;
    t.rows.push_back({{op.what, plan.text(metric(op.id, "count")),
                       plan.text(metric(op.id, "bytes")), plan.text(metric(op.id, "time")),
                       plan.text(metric(op.id, "step_time")), plan.text(metric(op.id, "exposed"))},
                      false});
  }
  t.rows.push_back({{"data parallel, together", plan.text("comm.data.count"), "", "",
                     plan.text("comm.data.time"), plan.text("comm.data.exposed")},
                    false});
  return t;
}

// Every GPU a node of its own: what the network alone would make of the plan.
Variant all_on_the_network(const Variant& plan) {
  return varied(*plan.loaded, "all on the network", [](Plan& p) {
    Node<double>& node = p.cluster.node;
    const double gpus = value_of(node.gpus.raw);
    p.cluster.nodes = Count<double>(value_of(p.cluster.nodes.raw) * gpus);
    if (node.nics) node.nics = Count<double>(value_of(node.nics->raw) / gpus);
    node.gpus = count(1);
    p.sharding.within = Within::kAll;
  });
}

void why_tensor_stays(const Variant& plan, DefenceStep& s) {
  const Plan& p = plan.plan();
  const long node = whole_of(p.cluster.node.gpus);
  const long t = whole_of(p.mesh.tensor) > 1 ? whole_of(p.mesh.tensor) : node;
  if (t < 2) return;
  const auto change = [t](Plan& q) {
    q.mesh.tensor = count(t);
    q.mesh.data = {};
    q.sharding.within = Within::kAll;
  };
  const Variant near = varied(*plan.loaded, "near", change);
  if (!near.legal() || !near.number("comm.tensor.step_time")) return;
  const Variant far = varied(*all_on_the_network(near).loaded, "far", [](Plan&) {});
  if (!far.legal() || !far.number("comm.tensor.step_time") || !far.number("comm.tensor.time"))
    return;
  s.claims.push_back(fmt::format(
      "tensor parallelism of {} would spend {} a step on the node's link and {} on the network "
      "({}): it stays in a node",
      t, near.text("comm.tensor.step_time"), far.text("comm.tensor.step_time"),
      times_text(*far.number("comm.tensor.step_time") / *near.number("comm.tensor.step_time"))));
}

void is_a_pipeline_needed(const Variant& plan, DefenceStep& s) {
  const Plan& p = plan.plan();
  if (whole_of(p.mesh.pipeline) > 1) {
    s.claims.push_back(fmt::format("the pipeline of {} idles {} of the time ({} over ideal)",
                                   whole_of(p.mesh.pipeline), plan.text("pipeline.bubble_share"),
                                   plan.text("pipeline.bubble_overhead")));
    return;
  }
  const Variant four = varied(*plan.loaded, "pipeline 4", [](Plan& q) {
    q.mesh.pipeline = count(4);
    q.mesh.data = {};
  });
  std::string would;
  if (four.legal() && four.number("pipeline.bubble_share"))
    would = fmt::format(": one of 4 stages would idle {} of the time",
                        four.text("pipeline.bubble_share"));
  s.claims.push_back(
      (plan.fits() ? "the model fits without a pipeline" : "a pipeline is not used") + would);
}

}  // namespace

DefenceStep communication_step(const Variant& plan) {
  DefenceStep s{.title = "Communication"};
  s.tables.push_back(operations(plan));
  const auto share = plan.number("comm.total.over_compute");
  const auto exposed = plan.number("step.exposed"), time = plan.number("step.time");
  if (share)
    s.claims.push_back(fmt::format("{} of communication beside {} of compute: {}",
                                   plan.text("comm.total.time"), plan.text("step.compute"),
                                   percent_text(*share)));
  for (const char* id : {"all_gather", "all_reduce", "replicas", "tensor"}) {
    if (plan.number(metric(id, "time"))) {
      s.formulas.push_back({plan.loaded, metric(id, "time")});
      break;
    }
  }
  why_tensor_stays(plan, s);
  is_a_pipeline_needed(plan, s);
  if (!exposed || !time) {
    s.conclusion = "what hides is not known: the plan states no train.mfu";
  } else if (*exposed <= 0) {
    s.conclusion = "all of it hides behind compute";
  } else {
    s.conclusion = fmt::format("{} stays exposed, {} of the step", time_text(*exposed),
                               percent_text(*exposed / *time));
  }
  return s;
}

DefenceStep cost_step(const Variant& plan, double per_parameter, const std::string& rule) {
  DefenceStep s{.title = "Time and cost"};
  DefenceTable t{{"tokens of the run", "", "steps", "time", "GPU-hours", "cost"}, {}};
  const double n = *plan.number("parameters.total");
  const auto row = [&](const std::string& why, const Variant& v, bool own) {
    t.rows.push_back(
        {{format_quantity(value_of(v.plan().run.tokens->raw), kOne, Hint::kTokens), why,
          v.text("run.steps"), v.text("run.days"), v.text("run.gpu_hours"), v.text("run.cost")},
         own});
  };
  const Variant twenty = varied(*plan.loaded, "rule", [&](Plan& p) {
    p.run.tokens = Count<double>(std::round(per_parameter * n));
  });
  const auto& tokens = plan.plan().run.tokens;
  const bool same = tokens && value_of(tokens->raw) == value_of(twenty.plan().run.tokens->raw);
  row(rule, twenty, same);
  if (tokens && !same)
    row(fmt::format("the plan's: {} a parameter",
                    format_quantity(value_of(tokens->raw) / n, kOne, Hint::kRatio)),
        plan, true);
  s.tables.push_back(std::move(t));
  s.formulas.push_back({(tokens ? plan : twenty).loaded, "run.days"});
  const Variant& told = tokens ? plan : twenty;
  if (!told.number("run.days"))
    s.conclusion = "how long it takes is not known: the plan states no train.mfu";
  else
    s.conclusion = fmt::format(
        "{} on {} GPUs{}", told.text("run.days"), told.text("cluster.gpus"),
        told.number("run.cost") ? ", " + told.text("run.cost") : "; a price would give dollars");
  return s;
}

namespace {

constexpr long kFactors[] = {1, 2, 4, 8, 16, 32, 64};

// The same global batch over more ranks: as many whole micro-batches a rank as there are.
void deal_out(Plan& p) {
  const double ranks =
      value_of(p.cluster.nodes.raw) * value_of(p.cluster.node.gpus.raw) /
      (value_of(p.mesh.tensor.raw) * value_of(p.mesh.context.raw) * value_of(p.mesh.pipeline.raw));
  const double each = std::floor(value_of(p.batch.global->raw) / ranks);
  if (each < 1) return;  // the check says so
  const double micro = std::min(value_of(p.batch.micro->raw), each);
  p.batch.micro = Count<double>(micro);
  p.batch.global = Count<double>(ranks * std::floor(each / micro) * micro);
}

Variant grown(const Variant& plan, long factor, bool batch_too) {
  return varied(*plan.loaded, fmt::format("× {}", factor), [&](Plan& p) {
    p.cluster.nodes = Count<double>(value_of(p.cluster.nodes.raw) * static_cast<double>(factor));
    p.mesh.data = {};
    if (batch_too && p.batch.global)
      p.batch.global = Count<double>(value_of(p.batch.global->raw) * static_cast<double>(factor));
    if (!batch_too && p.batch.global && p.batch.micro) deal_out(p);
    if (!batch_too && p.batch.tokens_per_gpu)
      p.batch.tokens_per_gpu =
          Count<double>(value_of(p.batch.tokens_per_gpu->raw) / static_cast<double>(factor));
  });
}

// A plan of whole nodes only: a part of a node has no network.
bool can_grow(const Variant& plan) { return grown(plan, 2, true).legal(); }

double exposed_share(const Variant& v) { return v.ratio("step.exposed", "step.time").value_or(0); }

DefenceTable::Row growth_row(const Variant& v) {
  if (!v.legal()) return {{v.title, "", "", "", "", "not possible: " + v.why_not}, false};
  return {{v.title, v.text("cluster.gpus"), v.text("batch.tokens"), v.text("step.time"),
           v.text("step.exposed"), v.text("throughput.per_gpu")},
          false};
}

DefenceTable growth_table(const Variant& plan, bool batch_too) {
  DefenceTable t{{batch_too ? "same batch a GPU" : "about the same batch", "GPUs", "tokens a step",
                  "step", "exposed", "tokens/s a GPU"},
                 {}};
  for (const long f : kFactors) {
    const Variant v = grown(plan, f, batch_too);
    t.rows.push_back(growth_row(v));
    if (!v.legal()) break;
  }
  return t;
}

}  // namespace

Growth growth_step(const Variant& plan, double much_exposed) {
  Growth out{{.title = "The same on 64 times the GPUs"}, ""};
  DefenceStep& s = out.step;
  if (!can_grow(plan)) {
    s.conclusion = "not shown: " + grown(plan, 2, true).why_not;
    return out;
  }
  s.tables = {growth_table(plan, true), growth_table(plan, false)};
  long network = 0, batch = 0;
  for (const long f : kFactors) {
    const Variant weak = grown(plan, f, true), strong = grown(plan, f, false);
    if (network == 0 && weak.legal() && exposed_share(weak) > much_exposed) network = f;
    if (batch == 0 && !strong.legal()) batch = f;
  }
  const Variant last = grown(plan, kFactors[std::size(kFactors) - 1], true);
  s.claims.push_back(
      fmt::format("kept busy as now, the GPUs take {} a step", last.text("batch.tokens")));
  if (batch > 0)
    s.claims.push_back(
        fmt::format("with the same global batch there is no work left for {} times "
                    "the GPUs",
                    batch));
  const Variant hybrid = varied(*last.loaded, "HSDP", [](Plan& p) {
    p.sharding.zero = count(3);
    p.sharding.within = Within::kNode;
  });
  if (network > 0 && hybrid.legal() && last.number("step.time") && hybrid.number("step.time") &&
      *hybrid.number("step.time") < *last.number("step.time"))
    s.claims.push_back(fmt::format("sharding in the node alone (HSDP) takes {} there, against {}",
                                   hybrid.text("step.time"), last.text("step.time")));
  out.limit = batch > 0 && (network == 0 || batch <= network) ? "the global batch"
              : network > 0                                   ? "the network"
                                                              : "";
  const std::string share = percent_text(much_exposed);
  if (out.limit.empty())
    s.conclusion = fmt::format(
        "neither stops it before 64 times: the global batch can be dealt out, "
        "and less than {} of the step is exposed communication",
        share);
  else if (out.limit == "the network")
    s.conclusion = fmt::format(
        "the network comes first: at {} times the GPUs more than {} of the "
        "step is exposed communication",
        network, share);
  else
    s.conclusion = fmt::format(
        "the global batch comes first: at {} times the GPUs a rank has no "
        "sequence of its own",
        batch);
  return out;
}

std::string what_binds(const Variant& plan, const Growth& growth) {
  if (!plan.fits() && plan.number("fits"))
    return fmt::format("memory binds: {} short of {} a GPU", plan.text("memory.shortfall"),
                       plan.text("memory.capacity"));
  std::vector<std::string> parts;
  const auto time = plan.number("step.time");
  struct Part {
    const char *name, *id;
  };
  const Part parts_of_step[] = {{"compute", "step.compute"},
                                {"exposed communication", "step.exposed"},
                                {"the pipeline's bubble", "step.bubble"},
                                {"the optimizer's update (memory bandwidth)", "step.optimizer"}};
  std::vector<std::pair<double, const char*>> shares;
  for (const Part& p : parts_of_step) {
    const auto x = plan.number(p.id);
    if (x && time) shares.emplace_back(*x, p.name);
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string first = "what binds is not known: the plan states no train.mfu";
  if (shares.size() > 1)
    first = fmt::format("{} binds: {} of the step, {} before {}", shares[0].second,
                        percent_text(shares[0].first / *time),
                        time_text(shares[0].first - shares[1].first), shares[1].second);
  parts.push_back(first);
  const auto comm = plan.number("comm.total.time"), compute = plan.number("step.compute");
  if (comm && compute && *comm > 0)
    parts.push_back(
        *comm <= *compute
            ? fmt::format("communication is {} of compute", percent_text(*comm / *compute))
            : fmt::format("communication exceeds compute {} times",
                          format_quantity(*comm / *compute, kOne, Hint::kRatio)));
  if (plan.number("fits"))
    parts.push_back(
        fmt::format("memory has {} ({}) to spare", plan.text("memory.headroom"),
                    percent_text(plan.ratio("memory.headroom", "memory.capacity").value_or(0))));
  if (!growth.limit.empty()) parts.push_back(growth.limit + " stops it from growing");
  return join(parts, "; ");
}

}  // namespace reckon::defence
