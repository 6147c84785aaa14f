// Commands of plans: eval, check, defend, new, search, sweep, solve, compare, sensitivity.
#include "command.hpp"
#include "reckon/spec/space.hpp"

namespace reckon::cli {

void add_plan_commands(std::vector<Command>& all, Values& v) {
  all.push_back({"eval",
                 kPlans,
                 "PLAN…",
                 "a plan's full estimate: memory, time, cost, does it fit",
                 {"reckon eval plans/starters/7b-8xh100.yaml",
                  "reckon eval plan.yaml --set sharding.zero=3 --explain memory.total",
                  "reckon eval --model llama-3-8b --gpus 8xh100-sxm"},
                 [&v](Declare& d) {
                   EvalOptions& o = v.eval;
                   d.positional("PLAN", o.plans, "plan files; - reads stdin");
                   d.word("--model", o.model, "NAME",
                          "without a plan: a model, as `reckon new` takes it");
                   d.word("--gpus", o.gpus, "NxCHIP", "without a plan: GPUs, such as 8xh100-sxm");
                   d.word("--case", o.which_case, "NAME", "one of the plan's cases, or all");
                   d.sets(o.sets);
                   d.repeated("--explain", o.explain, "ID",
                              "derive a metric: an id, a pattern such as memory.*, or all");
                   d.small_number("--depth", o.depth, "levels of a derivation");
                   d.repeated("--export", o.exports, "FILE",
                              "also write FILE.txt, .json, .csv, .md or .html");
                   d.flag("--verbose", o.verbose, "every assumption with its place");
                 },
                 [&v](Session& s, const Shared& g) { return eval(s, g, v.eval); }});
  all.push_back({"check",
                 kPlans,
                 "FILE|DIR…",
                 "hold plans to their expect: lines; exit 1 on a miss",
                 {"reckon check plans/", "reckon check plans/worked --junit report.xml",
                  "reckon check plan.yaml --case \"on 64 GPUs\" --set stack=default"},
                 [&v](Declare& d) {
                   d.positional("PATH", v.check.paths, "plan files or folders of them").required();
                   d.word("--junit", v.check.junit, "FILE", "also write a JUnit report");
                   d.word("--case", v.check.which_case, "NAME", "only this case of the plans");
                   d.sets(v.check.sets);
                 },
                 [&v](Session& s, const Shared& g) { return check(s, g, v.check); }});
  all.push_back({"defend",
                 kPlans,
                 "PLAN",
                 "the argument for a plan in six steps, rejected alternatives beside",
                 {"reckon defend plans/starters/7b-512xh100.yaml",
                  "reckon defend --model 7B --gpus 8xh100-sxm --format md"},
                 [&v](Declare& d) {
                   DefendOptions& o = v.defend;
                   d.positional("PLAN", o.plan, "a plan file; - reads stdin");
                   d.word("--model", o.model, "NAME", "without a plan: a model");
                   d.word("--gpus", o.gpus, "NxCHIP", "without a plan: GPUs, such as 8xh100-sxm");
                   d.word("--case", o.which_case, "NAME", "one of the plan's cases");
                   d.sets(o.sets);
                 },
                 [&v](Session& s, const Shared& g) { return defend(s, g, v.defend); }});
  all.push_back({"new",
                 kPlans,
                 "KIND",
                 "a commented plan to start from, every default visible",
                 {"reckon new training --model llama-3-8b --gpus 64xh100-sxm > plan.yaml"},
                 [&v](Declare& d) {
                   d.positional("KIND", v.new_plan.kind,
                                "training; plans of other kinds: reckon serving … --as-plan")
                       .required()
                       .one_of({"training"});
                   d.word("--model", v.new_plan.model, "NAME",
                          "a model: `reckon list models`, a path, or 7B");
                   d.word("--gpus", v.new_plan.gpus, "NxCHIP", "GPUs, such as 64xh100-sxm");
                   d.word("--output", v.new_plan.output, "FILE", "write there instead of stdout");
                 },
                 [&v](Session& s, const Shared& g) { return new_plan(s, g, v.new_plan); },
                 true});
  all.push_back(
      {"search",
       kPlans,
       "SPACE|PLAN",
       "all legal plans of a space, ranked; why the others lost",
       {"reckon search plans/spaces/405b-16384xh100.yaml",
        "reckon search plan.yaml --search parallel,batch,recompute --objective run.cost",
        "reckon search plan.yaml --search all --where 'step.time<=10 s' --pareto "
        "step.time,memory.total",
        "reckon search decode.yaml --vary tensor=1,2,4,8 --vary batch=1..512:x2 --objective "
        "decode.time"},
       [&v](Declare& d) {
         SearchOptions& o = v.search;
         d.positional("SPACE", o.space, "kind: space, or a plan; - reads stdin").required();
         d.word(
              "--search", o.search, "A,B,…",
              "what is opened: parallel, batch, schedule, sharding, recompute, offload, precision, "
              "all")
             .one_of(Opened{});
         d.repeated("--vary", o.vary, "FIELD=VALUES",
                    "any other field: 1,2,4 or a..b:x2 (repeatable)");
         d.repeated("--where", o.where, "CONDITION",
                    "METRIC<=VALUE or METRIC>=VALUE: what a plan must keep to (repeatable)");
         d.word("--objective", o.objective, "METRIC",
                "what ranks: step.time if not stated; max:METRIC, min:METRIC");
         d.word("--pareto", o.pareto, "A,B", "also plans that no other beats in two metrics");
         d.word("--top", o.top, "N", "plans to list; 10 if not stated");
         d.word("--threads", o.threads, "N", "the answer does not depend on it");
         d.flag("--tensor-in-node", o.tensor_in_node, "tensor groups stay inside a node");
         d.flag("--any-memory", o.any_memory, "plans that don't fit count too");
         d.flag("--no-bound", o.no_bound, "look at every plan; the answer is the same");
         d.flag("--untimed", o.untimed, "leave out how long it took");
         d.flag("--as-plan", o.as_plan, "print the best plan as a file");
         d.word("--output", o.output, "FILE", "also write the best plan there");
         d.word("--case", o.which_case, "NAME", "one of the plan's cases");
         d.sets(o.sets);
       },
       [&v](Session& s, const Shared& g) { return search(s, g, v.search); }});
  all.push_back(
      {"sweep",
       kPlans,
       "PLAN",
       "a plan over values of its fields, one row a point",
       {"reckon sweep plans/starters/7b-512xh100.yaml --vary cluster.nodes=1..64:x2",
        "reckon sweep plan.yaml --vary batch.micro=1,2,4 --vary recompute=none,full --format csv",
        "reckon sweep plan.yaml --vary 'chip.memory.bandwidth=2..4 TB/s:+0.25' --metric step.time "
        "--plot"},
       [&v](Declare& d) {
         SweepOptions& o = v.sweep;
         d.positional("PLAN", o.plan, "a plan file of any kind; - reads stdin").required();
         d.repeated("--vary", o.vary, "FIELD=VALUES",
                    "1,2,4 or a..b, a..b:x2, a..b:+8 (repeatable: all combinations)");
         d.repeated("--metric", o.metrics, "ID",
                    "a column; without any, those of the kind of plan");
         d.flag("--plot", o.plot, "draw the first column that is a number");
         d.word("--case", o.which_case, "NAME", "one of the plan's cases");
         d.sets(o.sets);
       },
       [&v](Session& s, const Shared& g) { return sweep(s, g, v.sweep); }});
  all.push_back(
      {"solve",
       kPlans,
       "PLAN",
       "the value of a field that meets a target",
       {"reckon solve plans/starters/7b-512xh100.yaml --vary cluster.nodes --for 'run.days<=30 "
        "days'",
        "reckon solve plan.yaml --vary batch.micro=1..64 --for 'memory.headroom>=0 B'"},
       [&v](Declare& d) {
         SolveOptions& o = v.solve;
         d.positional("PLAN", o.plan, "a plan file of any kind; - reads stdin").required();
         d.word("--vary", o.vary, "FIELD[=A..B]", "a number of the plan, and its bounds")
             .required();
         d.word("--for", o.target, "TARGET", "METRIC=VALUE, METRIC<=VALUE or METRIC>=VALUE")
             .required();
         d.word("--case", o.which_case, "NAME", "one of the plan's cases");
         d.sets(o.sets);
       },
       [&v](Session& s, const Shared& g) { return solve(s, g, v.solve); }});
  all.push_back(
      {"compare",
       kPlans,
       "A B…",
       "plans side by side: metrics, inputs that differ, and why",
       {"reckon compare a.yaml b.yaml",
        "reckon compare plans/starters/405b-16384xh100.yaml --case all"},
       [&v](Declare& d) {
         CompareOptions& o = v.compare;
         d.positional("PLAN", o.plans, "plan files; the first is what others are held against")
             .required();
         d.repeated("--metric", o.metrics, "ID", "a row; without any, those of the kind of plan");
         d.word("--case", o.which_case, "NAME", "one of the plans' cases, or all");
         d.sets(o.sets);
       },
       [&v](Session& s, const Shared& g) { return compare(s, g, v.compare); }});
  all.push_back(
      {"sensitivity",
       kPlans,
       "PLAN [METRIC]",
       "what 1 % of each input is worth, and where time goes",
       {"reckon sensitivity plans/starters/70b-64xh100.yaml",
        "reckon sensitivity plan.yaml memory.total"},
       [&v](Declare& d) {
         d.positional("PLAN", v.sensitivity.plan, "a plan file; - reads stdin").required();
         d.positional(
             "METRIC", v.sensitivity.metric,
             "a metric id; if left out step.time, or the first that a table of such plans shows");
         d.word("--case", v.sensitivity.which_case, "NAME", "one of the plan's cases");
         d.sets(v.sensitivity.sets);
       },
       [&v](Session& s, const Shared& g) { return sensitivity(s, g, v.sensitivity); }});
}

}  // namespace reckon::cli
