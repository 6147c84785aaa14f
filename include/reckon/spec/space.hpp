// A space of training plans: one plan, and what may be chosen differently in it.
//
//   kind: space
//   plan: ../starters/405b-16384xh100.yaml
//   search: [parallel, batch, schedule, sharding, recompute]
//   mesh: {tensor: [4, 8]}                      # these only
//   limits: {tensor_in_node: yes, where: ["step.time<=10 s"]}
//   objective: step.time
//
// A word under `search` opens a group of fields to all legal values; a list under a field opens that one to these
// values. What is not opened stays as the plan has it. `vary` opens any other field: {cluster.nodes: 8..64:x2}.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "reckon/doc/value.hpp"
#include "reckon/spec/training.hpp"

namespace reckon {

enum class Opened {
  kParallel,
  kBatch,
  kSchedule,
  kSharding,
  kRecompute,
  kOffload,
  kPrecision,
  kAll
};
constexpr auto names(Opened) {
  return std::array{"parallel",  "batch",   "schedule",  "sharding",
                    "recompute", "offload", "precision", "all"};
}

enum class YesNo { kNo, kYes };
constexpr auto names(YesNo) { return std::array{"no", "yes"}; }

template <class R>
struct SpaceMesh {
  std::vector<Count<R>> tensor, context, pipeline, expert, expert_tensor;
  std::vector<YesNo> sequence;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("tensor", "t", "degrees of tensor parallelism").degree(), s.tensor...);
    v(Field("sequence", "", "with and without sequence parallelism"), s.sequence...);
    v(Field("context", "c", "degrees of context parallelism").degree(), s.context...);
    v(Field("pipeline", "p", "stages").degree(), s.pipeline...);
    v(Field("expert", "e", "degrees of expert parallelism").degree(), s.expert...);
    v(Field("expert_tensor", "t_e", "tensor ranks that share an expert: 1, or those of tensor")
          .degree(),
      s.expert_tensor...);
  }
};

template <class R>
struct SpaceSharding {
  std::vector<Count<R>> zero;
  std::vector<Within> within;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("zero", "z", "ZeRO stages, 0 to 3").count(), s.zero...);
    v(Field("within", "", "all | node (HSDP)"), s.within...);
  }
};

template <class R>
struct SpaceSchedule {
  std::vector<ScheduleKind> kind;
  std::vector<Count<R>> chunks;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("kind", "",
            "schedules; those that are timed by playing them out only where they are listed"),
      s.kind...);
    v(Field("chunks", "v", "model chunks of a stage").degree(), s.chunks...);
  }
};

template <class R>
struct SpaceLimits {
  bool fits = true, tensor_in_node = false;
  std::vector<std::string> where;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("fits", "", "only plans that fit the memory of GPU and host"), s.fits...);
    v(Field("tensor_in_node", "", "tensor groups stay inside a node"), s.tensor_in_node...);
    v(Field("where", "", "METRIC<=VALUE, METRIC>=VALUE: what a plan must keep to"), s.where...);
  }
};

template <class R>
struct Space {
  std::string id, name, comment;
  doc::Value plan, vary;
  std::vector<Opened> search;
  SpaceMesh<R> mesh;
  SpaceSharding<R> sharding;
  SpaceSchedule<R> schedule;
  std::vector<Count<R>> micro;
  std::vector<Recompute> recompute;
  std::vector<Offload> offload;
  SpaceLimits<R> limits;
  std::string objective;
  std::vector<std::string> pareto;
  Count<R> top{10};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("id", "", "the file's name, filled in by the program"), s.id...);
    v(Field("name", "", "for people"), s.name...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("plan", "", "a plan's file, beside this one, or a plan written out").required(),
      s.plan...);
    v(Field("search", "",
            "what is opened to all legal values: parallel (mesh), batch (micro), schedule, "
            "sharding, recompute, "
            "offload, precision, all"),
      s.search...);
    v(Field("mesh", "", "these degrees only"), s.mesh...);
    v(Field("micro", "b", "these micro-batches only").degree(), s.micro...);
    v(Field("schedule", "", "these schedules only"), s.schedule...);
    v(Field("sharding", "", "these shardings only"), s.sharding...);
    v(Field("recompute", "", "these policies only: none, selective, full, norms, operators"),
      s.recompute...);
    v(Field("offload", "", "none, optimizer"), s.offload...);
    v(Field("vary", "",
            "any other field and its values: {cluster.nodes: 8..64:x2, precision: 'bf16,fp8'}"),
      s.vary...);
    v(Field("limits", "", "what every plan must keep to"), s.limits...);
    v(Field("objective", "",
            "the metric that ranks, `min:` or `max:` before it where neither goes without saying; "
            "step.time if not stated"),
      s.objective...);
    v(Field("pareto", "", "two metrics: list the plans that no other one beats in both"),
      s.pareto...);
    v(Field("top", "", "plans to list").degree(), s.top...);
  }
};

}  // namespace reckon
