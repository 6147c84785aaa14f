// reckon help parallelism: the strategies, and what each would be for one plan.
#include <fmt/format.h>

#include <functional>

#include "../whole_number.hpp"
#include "reckon/cost/training.hpp"
#include "reckon/engine/legal.hpp"
#include "reckon/units/format.hpp"
#include "topics_list.hpp"

namespace reckon {
namespace {

using Plan = TrainingPlan<double>;
using Apply = std::function<void(Plan&, long degree)>;

Count<double> count(long x) { return Count<double>(static_cast<double>(x)); }

template <Dim D>
std::string text(Quantity<D, double> quantity, Hint hint = Hint::kNone) {
  return format_quantity(value_of(quantity.raw), D, hint);
}

// One way to split: what is said of it, and how a plan takes it. `degrees` are tried in turn; none
// for a strategy that has no degree of its own.
struct Strategy {
  const char *name, *splits, *costs, *wins;
  std::function<bool(const Plan&)> taken;
  std::function<std::vector<long>(const Plan&)> degrees;
  Apply apply;
};

Strategy sharded(const char* name, long zero, Within within, const char* splits, const char* costs,
                 const char* wins) {
  return {name,
          splits,
          costs,
          wins,
          [=](const Plan& p) {
            return number(p.sharding.zero) == zero && (zero == 0 || p.sharding.within == within);
          },
          {},
          [=](Plan& p, long) {
            p.sharding.zero = count(zero);
            p.sharding.within = within;
          }};
}

// What the plan has, or what its node allows: its GPUs, halved until it is legal.
std::vector<long> in_node(const Plan& p, const Count<double>& own) {
  if (number(own) > 1) return {number(own)};
  std::vector<long> out;
  for (long t = number(p.cluster.node.gpus); t > 1; t /= 2) out.push_back(t);
  return out;
}
std::vector<long> few(const Count<double>& own) {
  return number(own) > 1 ? std::vector<long>{number(own)} : std::vector<long>{4, 2, 8};
}

std::vector<Strategy> data_strategies() {
  return {
      sharded("DDP", 0, Within::kAll, "the batch; every GPU holds the whole model",
              "one all-reduce of the gradients a step, behind the backward pass: a GPU sends "
              "2·(p − 1)/p of their bytes",
              "model, gradients and optimizer fit one GPU, and it has tokens enough to hide the "
              "all-reduce"),
      sharded("ZeRO-1", 1, Within::kAll, "optimizer states and master weights as well",
              "the bytes of DDP: gradients are reduce-scattered, new weights all-gathered",
              "nearly always over DDP: most of the state, gone at no traffic"),
      sharded("ZeRO-2", 2, Within::kAll, "gradients as well",
              "the bytes of DDP once a step; with several micro-batches gradients are scattered "
              "for each",
              "gradients are what does not fit, and a step has few micro-batches"),
      sharded("ZeRO-3 (FSDP)", 3, Within::kAll,
              "weights as well; a layer is gathered when its turn comes",
              "half as much again as DDP, for each micro-batch: weights gathered forward and "
              "backward, gradients scattered",
              "nothing less fits, and a GPU has tokens enough to compute while the next layer "
              "comes"),
      sharded("HSDP", 3, Within::kNode,
              "states over the GPUs of a node; nodes are replicas of each other",
              "FSDP's collectives on the node's link; between nodes one all-reduce of a GPU's "
              "shard of the gradients",
              "many nodes: a ring over all of them would crawl at the network's rate, and a node "
              "has room for the states"),
  };
}

std::vector<Strategy> layer_strategies() {
  return {
      {"tensor", "every matrix of a layer, by columns, then by rows",
       "two all-reduces of the activations a layer and pass, and the next product waits for them",
       "inside a node, for wide models: while the inner dimension exceeds (p − 1)·e·P/W (`reckon "
       "tensor`); or when there are more GPUs than sequences",
       [](const Plan& p) { return number(p.mesh.tensor) > 1 && !p.mesh.sequence; },
       [](const Plan& p) { return in_node(p, p.mesh.tensor); },
       [](Plan& p, long t) {
         p.mesh.tensor = count(t);
         p.mesh.sequence = false;
       }},
      {"sequence", "the tokens between tensor's products: norms and residuals",
       "the bytes of tensor: an all-gather and a reduce-scatter for each all-reduce",
       "wherever there is tensor parallelism: what it keeps of activations falls by the same "
       "degree",
       [](const Plan& p) { return p.mesh.sequence; },
       [](const Plan& p) { return in_node(p, p.mesh.tensor); },
       [](Plan& p, long t) {
         p.mesh.tensor = count(t);
         p.mesh.sequence = true;
       }},
      {"context", "the tokens of a sequence, attention too",
       "keys and values go round all ranks forward, and with their gradients backward",
       "long sequences: attention's work grows with the square of the length, what is sent with "
       "the length",
       [](const Plan& p) { return number(p.mesh.context) > 1; },
       [](const Plan& p) { return few(p.mesh.context); },
       [](Plan& p, long c) { p.mesh.context = count(c); }},
      {"pipeline", "the layers, in stages",
       "a bubble of (p − 1)/m of the step's work, and on the first stage the activations of p "
       "micro-batches; it sends little",
       "between nodes or over slow links, with many more micro-batches than stages",
       [](const Plan& p) { return number(p.mesh.pipeline) > 1; },
       [](const Plan& p) { return few(p.mesh.pipeline); },
       [](Plan& p, long s) { p.mesh.pipeline = count(s); }},
      {"expert", "the routed experts of each layer",
       "two all-to-alls of the tokens a layer and pass, and the wait for the busiest GPU",
       "experts are most of the model, in a node or with routing to few nodes (`reckon experts`)",
       [](const Plan& p) { return number(p.mesh.expert) > 1; },
       [](const Plan& p) { return in_node(p, p.mesh.expert); },
       [](Plan& p, long e) { p.mesh.expert = count(e); }},
  };
}

// Memory, traffic and time on one line.
std::string figures(const TrainingEstimate<double>& e, long pipeline) {
  std::string s = fmt::format("{} of states", text(e.memory.state_total));
  const bool room = fits(e.verdict);
  s += fmt::format(", {}{}", text(e.memory.total), room ? " in all" : " in all: does not fit");
  s += fmt::format("; sends {} a step", text(e.comm_bytes));
  if (pipeline > 1) s += fmt::format("; bubble {}", text(e.bubble.share, Hint::kFraction));
  if (e.step) s += fmt::format("; {} a step", text(e.step->time));
  return s;
}

std::string first_fault(const Diagnostics& d) {
  return d.all().empty() ? "the plan does not allow it" : d.all().front().message;
}

// The plan with this strategy in the place of its own.
std::string here(const Strategy& s, const LoadedTraining& loaded) {
  std::string refused;
  const std::vector<long> degrees = s.degrees ? s.degrees(loaded.plan) : std::vector<long>{0};
  for (const long degree : degrees) {
    Plan plan = loaded.plan;
    s.apply(plan, degree);
    if (degree > 0) plan.mesh.data.reset();  // data parallelism takes the GPUs that are left
    Diagnostics scratch;
    check_legal(plan, loaded.origins, loaded.resolved, scratch);
    if (scratch.has_errors()) {
      if (refused.empty()) refused = first_fault(scratch);
      continue;
    }
    const std::string what = degree > 0 ? fmt::format("over {}: ", degree) : "";
    return what + figures(estimate(plan), number(plan.mesh.pipeline));
  }
  return "not here: " + (refused.empty() ? "a node has one GPU" : refused);
}

std::string name_of_plan(const LoadedTraining& plan) {
  const std::string name = plan.plan.name.empty() ? plan.file : plan.plan.name;
  return plan.case_name.empty() ? name : fmt::format("{} ({})", name, plan.case_name);
}

}  // namespace

TopicPage parallelism_page(const LoadedTraining* plan) {
  TopicPage page{"Ways to split training over GPUs", "strategy", {},
                 {"splits", "costs", "wins when"},   {},         {}};
  page.intro = {
      "p GPUs, m micro-batches, P their peak and W a link's rate, e bytes of an element sent. "
      "Degrees multiply: data · tensor · context · pipeline = GPUs; expert divides data · "
      "context."};
  if (plan) {
    page.columns.emplace_back("here");
    page.intro.push_back(
        fmt::format("here: {} with each strategy in turn in the place of its own, "
                    "all else as it is. Per GPU.",
                    name_of_plan(*plan)));
  }
  std::vector<Strategy> all = data_strategies();
  for (Strategy& s : layer_strategies()) all.push_back(std::move(s));
  for (const Strategy& s : all) {
    TopicPage::Row row{s.name, {s.splits, s.costs, s.wins}, false};
    if (plan) {
      row.marked = s.taken(plan->plan);
      row.cells.push_back(here(s, *plan));
    }
    page.rows.push_back(std::move(row));
  }
  page.notes = {
      "`reckon eval PLAN --set mesh.tensor=8` or `--set sharding=hsdp` shows any of them "
      "in full; `reckon collective`, `tensor` and `experts` price one step of it."};
  return page;
}

}  // namespace reckon
