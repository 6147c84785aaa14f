// Steps 1 to 3: memory before sharding, the smallest sharding that fits, activations.
#include <fmt/format.h>

#include <algorithm>

#include "steps.hpp"

namespace reckon::defence {
namespace {

void unsharded(Plan& p) {
  p.sharding.zero = count(0);
  p.sharding.within = Within::kAll;
}

// DDP of the whole model on each GPU.
Variant whole_on_each(const Variant& plan) {
  return varied(*plan.loaded, "DDP", [](Plan& p) {
    unsharded(p);
    p.mesh.tensor = p.mesh.pipeline = p.mesh.expert = count(1);
    p.mesh.sequence = false;
    p.mesh.data = {};
    p.schedule = {};
    if (p.batch.global && p.batch.micro) {  // a micro-batch a rank: memory asks for no more
      const double ranks = value_of(p.cluster.nodes.raw) * value_of(p.cluster.node.gpus.raw) /
                           value_of(p.mesh.context.raw);
      p.batch.global = Count<double>(ranks * value_of(p.batch.micro->raw));
    }
  });
}

std::string verdict(const Variant& v) {
  if (!v.legal()) return "not possible: " + v.why_not;
  return v.text("memory.verdict");
}

DefenceTable::Row sharding_row(const Variant& v, const Variant& ddp, bool chosen) {
  if (!v.legal()) return {{v.title, "–", "–", "–", "–", "–", verdict(v)}, chosen};
  const auto bytes = v.number("comm.total.bytes"), base = ddp.number("comm.total.bytes");
  const bool comparable = bytes && base && *base > 0;
  return {{v.title, v.text("memory.states"), v.text("memory.total"), v.text("comm.total.bytes"),
           comparable ? times_text(*bytes / *base) : "–", v.text("step.time"), verdict(v)},
          chosen};
}

}  // namespace

DefenceStep memory_step(const Variant& plan) {
  DefenceStep s{.title = "Memory before sharding"};
  const Variant ddp = whole_on_each(plan);
  const Variant& whole = ddp.legal() ? ddp : plan;
  const auto states = whole.number("memory.states_unsharded"),
             capacity = plan.number("memory.capacity");
  s.claims.push_back(fmt::format(
      "{} of weights, gradients and optimizer states: {} for {}",
      plan.text("memory.bytes_per_param"), whole.text("memory.states_unsharded"),
      ddp.legal() ? plan.text("parameters.total")
                  : "what tensor and pipeline leave a GPU of " + plan.text("parameters.total")));
  s.formulas.push_back({whole.loaded, "memory.states_unsharded"});
  const double left = *capacity - *states;
  s.claims.push_back(left < 0 ? fmt::format("a GPU holds {}: {} short before the first activation",
                                            plan.text("memory.capacity"), bytes_text(-left))
                              : fmt::format("a GPU holds {}: {} is left for activations",
                                            plan.text("memory.capacity"), bytes_text(left)));
  if (ddp.legal() && ddp.number("memory.total"))
    s.claims.push_back(fmt::format("with activations and all else DDP takes {}: {}",
                                   ddp.text("memory.total"), ddp.text("memory.verdict")));
  s.conclusion = ddp.legal() && ddp.fits() ? "DDP fits: sharding is not needed for memory"
                 : left < 0                ? "DDP can't run: the state must be shared"
                 : ddp.number("fits")      ? "DDP does not fit beside its activations"
                                           : "the state alone fits; activations are not known";
  return s;
}

Shardings shardings(const LoadedTraining& base) {
  Shardings out;
  const Plan& p = base.plan;
  const auto add = [&](const char* title, auto change) {
    out.all.push_back(varied(base, title, change));
  };
  add("DDP", unsharded);
  for (const long z : {1, 2, 3})
    add(z == 3   ? "ZeRO-3 (FSDP)"
        : z == 2 ? "ZeRO-2"
                 : "ZeRO-1",
        [z](Plan& q) {
          unsharded(q);
          q.sharding.zero = count(z);
        });
  if (whole_of(p.cluster.nodes) > 1)
    add("HSDP: ZeRO-3 in the node", [](Plan& q) {
      q.sharding.zero = count(3);
      q.sharding.within = Within::kNode;
    });
  const auto z = whole_of(p.sharding.zero);
  const bool hybrid = p.sharding.within == Within::kNode;
  out.own = hybrid && z == 3 && out.all.size() == 5 ? 4 : static_cast<std::size_t>(z);
  if (hybrid && z != 3) {
    out.own = out.all.size();
    add("this plan", [](Plan&) {});
  }
  const long node = whole_of(p.cluster.node.gpus);
  if (whole_of(p.mesh.tensor) == 1 && node > 1)
    out.all.push_back(
        varied(base, fmt::format("tensor {} in the node, ZeRO-1", node), [node](Plan& q) {
          unsharded(q);
          q.sharding.zero = count(1);
          q.mesh.tensor = count(node);
          q.mesh.data = {};
        }));
  if (whole_of(p.mesh.pipeline) == 1)
    out.all.push_back(varied(base, "pipeline 4, ZeRO-1", [](Plan& q) {
      unsharded(q);
      q.sharding.zero = count(1);
      q.mesh.pipeline = count(4);
      q.mesh.data = {};
    }));
  const bool experts = std::any_of(p.model.layers.begin(), p.model.layers.end(),
                                   [](const auto& g) { return g.mlp.kind == MlpKind::kMoe; });
  if (experts && whole_of(p.mesh.expert) == 1 && node > 1)
    out.all.push_back(
        varied(base, fmt::format("expert {} in the node, ZeRO-3", node), [node](Plan& q) {
          unsharded(q);
          q.sharding.zero = count(3);
          q.mesh.expert = count(node);
        }));
  return out;
}

bool better(const Variant& a, const Variant& b) {
  const auto rank = [](const Variant& v) {  // room to spare before time
    return std::pair(v.text("memory.verdict") != "fits", v.number("step.time").value_or(0));
  };
  return rank(a) < rank(b);
}

std::optional<std::size_t> best(const Shardings& s) {
  std::optional<std::size_t> out;
  for (std::size_t i = 0; i < s.all.size(); ++i) {
    if (!s.all[i].legal() || !s.all[i].fits()) continue;
    if (!out || better(s.all[i], s.all[*out])) out = i;
  }
  return out;
}

DefenceStep sharding_step(const Shardings& s) {
  DefenceStep step{.title = "The smallest sharding that fits"};
  DefenceTable t{{"sharding", "state", "total", "sent a step", "× DDP", "step", ""}, {}};
  for (std::size_t i = 0; i < s.all.size(); ++i)
    t.rows.push_back(sharding_row(s.all[i], s.all.front(), i == s.own));
  step.tables.push_back(std::move(t));
  const Variant& own = s.all[s.own];
  step.formulas.push_back({own.loaded, "memory.states"});
  const auto smallest =
      std::find_if(s.all.begin(), s.all.end(), [](const Variant& v) { return v.fits(); });
  if (smallest == s.all.end()) {
    step.conclusion = own.number("fits") ? "none of them fits: memory is what this plan lacks"
                                         : "which fits is not known: the model has no dimensions";
  } else if (&*smallest == &own) {
    step.conclusion = fmt::format("{} is the least that fits, and it is the plan's", own.title);
  } else {
    const auto with = own.number("step.time"), without = smallest->number("step.time");
    const std::string gain = with && without ? fmt::format("; its step takes {} against {}",
                                                           time_text(*with), time_text(*without))
                                             : "";
    step.conclusion = fmt::format("{} is the least that fits; the plan has {}{}", smallest->title,
                                  own.title, gain);
  }
  return step;
}

DefenceStep activations_step(const Variant& plan) {
  DefenceStep s{.title = "Activations"};
  s.claims.push_back(fmt::format("{} of them, {} of logits, counted as {}",
                                 plan.text("memory.activations"), plan.text("memory.logits"),
                                 name_of(plan.plan().assume.activations)));
  if (!plan.number("memory.activations")) {
    s.conclusion = "not known: the model states no layers and hidden width";
    return s;
  }
  s.formulas.push_back({plan.loaded, "memory.activations"});
  DefenceTable t{{"recompute", "micro-batch", "activations", "total", "step", ""}, {}};
  const auto row = [&](Recompute recompute, std::optional<long> micro) {
    const Variant v = varied(*plan.loaded, std::string(name_of(recompute)), [&](Plan& p) {
      p.recompute = recompute;
      if (micro) p.batch.micro = count(*micro);
    });
    const std::string batch = micro ? std::to_string(*micro) : "as planned";
    const bool own = recompute == plan.plan().recompute &&
                     (!micro || *micro == whole_of(*plan.plan().batch.micro));
    if (!v.legal()) return;
    t.rows.push_back({{v.title, batch, v.text("memory.activations"), v.text("memory.total"),
                       v.text("step.time"), v.text("memory.verdict")},
                      own});
  };
  std::vector<std::optional<long>> micro{std::nullopt};
  if (plan.plan().batch.micro) {
    const long b = whole_of(*plan.plan().batch.micro);
    micro = {b};
    if (b > 1) micro.insert(micro.begin(), b / 2);
    micro.emplace_back(2 * b);
  }
  for (const auto& b : micro)
    for (const Recompute r : {Recompute::kNone, Recompute::kSelective, Recompute::kFull}) row(r, b);
  s.tables.push_back(std::move(t));
  const Variant full =
      varied(*plan.loaded, "full", [](Plan& p) { p.recompute = Recompute::kFull; });
  const auto kept = plan.number("memory.activations"), least = full.number("memory.activations");
  const auto time = plan.number("step.time"), longer = full.number("step.time");
  s.conclusion =
      plan.plan().recompute == Recompute::kFull ? "whole layers are recomputed already"
      : kept && least && time && longer && *least > 0
          ? fmt::format("recomputing whole layers would keep {} times less and take {} more time",
                        times_text(*kept / *least).substr(0, times_text(*kept / *least).find(' ')),
                        percent_text(*longer / *time - 1))
          : "recomputing whole layers keeps their inputs alone";
  return s;
}

}  // namespace reckon::defence
