// Searches: every legal plan and no other, the same best plans as looking at all of them one by one through loading and
// estimating, whatever the number of threads and with or without the bound.
#include "reckon/engine/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "data.hpp"
#include "reckon/cost/training.hpp"
#include "reckon/engine/evaluate.hpp"
#include "reckon/engine/space.hpp"

namespace reckon {
namespace {

OpenSpace space_of(const std::string& text) {
  Diagnostics d;
  OpenSpace out;
  read_space(test::data(), "space.yaml", test::data().read_text("space.yaml", text, d), {}, d, out);
  INFO(d.render());
  REQUIRE(!d.has_errors());
  return out;
}

Found found(const OpenSpace& s, unsigned threads = 1, bool prune = true) {
  Diagnostics d;
  Found out = search(test::data(),
                     {s.file, nullptr, s.space, s.axes, s.where, threads, prune, {}, nullptr}, d);
  INFO(d.render());
  REQUIRE(!d.has_errors());
  return out;
}

std::string faults(const std::string& text) {
  Diagnostics d;
  OpenSpace s;
  const bool read = read_space(test::data(), "space.yaml",
                               test::data().read_text("space.yaml", text, d), {}, d, s);
  if (read)
    search(test::data(), {s.file, nullptr, s.space, s.axes, s.where, 1, true, {}, nullptr}, d);
  std::string out;
  for (const Diagnostic& x : d.all())
    if (x.severity == Severity::kError) out += x.message + " | " + x.help_text + "\n";
  return out;
}

// One plan by its sets, and its objective.
struct One {
  std::string sets;
  double value;
};

std::string in_order(std::vector<std::pair<std::string, std::string>> sets) {
  std::sort(sets.begin(), sets.end());
  std::string out;
  for (const auto& [path, value] : sets) out += path + "=" + value + " ";
  return out;
}

std::vector<One> listed(const Found& f) {
  std::vector<One> out;
  for (const FoundPlan& p : f.best)
    out.push_back({in_order(p.sets), find_metric(p.metrics, f.objective)->value});
  return out;
}

bool same(const std::vector<One>& a, const std::vector<One>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const One& x, const One& y) {
    return x.sets == y.sets &&
           std::bit_cast<std::uint64_t>(x.value) == std::bit_cast<std::uint64_t>(y.value);
  });
}

const std::string kDense = R"(kind: space
plan:
  kind: training
  model: llama-3-8b
  cluster: 16xh100-sxm
  batch: {global: 32, micro: 1, sequence: 4096}
  assume: {preset: textbook, train.mfu: 40%}
)";
const std::string kStack = R"(kind: space
plan:
  kind: training
  model: mixtral-8x7b
  cluster: 16xh100-sxm
  batch: {global: 32, micro: 1, sequence: 4096}
  stack: generic-h100
  assume: physical
)";

// Combinations of fields, each loaded and estimated as `eval` does. What a search leaves out as saying the same twice
// is left out here too.
using Fields = std::vector<std::pair<std::string, std::vector<std::string>>>;

std::vector<One> by_force(const OpenSpace& s, const Fields& fields, const std::string& metric,
                          bool fit) {
  std::vector<One> out;
  std::size_t n = 1;
  for (const auto& [path, values] : fields) n *= values.size();
  for (std::size_t i = 0; i < n; ++i) {
    PlanFile file = s.file;
    std::size_t at = i;
    std::map<std::string, std::string> said;
    for (const auto& [path, values] : fields) {
      said[path] = values[at % values.size()];
      file.sets.emplace_back(path, doc::scalar(said[path]));
      at /= values.size();
    }
    if (said.contains("schedule.kind") && said["mesh.pipeline"] == "1" &&
        said["schedule.kind"] != "1f1b")
      continue;  // no schedule to choose
    const bool chunks =
        said["schedule.kind"] == "interleaved" || said["schedule.kind"] == "breadth-first";
    if (said.contains("schedule.chunks") && chunks == (said["schedule.chunks"] == "1")) continue;
    Diagnostics d;
    const auto plan = load_plan(test::data(), file, nullptr, d);
    if (!plan) continue;
    const auto& p = dynamic_cast<const LoadedTraining&>(*plan).plan;
    const auto e = estimate(p);
    if (p.sharding.zero.raw > 0 && e.layout.ranks.raw == 1) continue;  // nobody to share with
    if (p.sharding.within == Within::kNode && e.layout.shard.raw == e.layout.ranks.raw) continue;
    if (fit && !fits(e.verdict)) continue;
    const auto metrics = plan->metrics(test::data());
    out.push_back({"", find_metric(metrics, metric)->value});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const One& a, const One& b) { return a.value < b.value; });
  return out;
}

void against_force(const std::string& text, const Fields& fields, const std::string& metric) {
  for (const bool fit : {true, false}) {
    const OpenSpace s =
        space_of(text + fmt::format("objective: min:{}\ntop: 100000\nlimits: {{fits: {}}}\n",
                                    metric, fit ? "yes" : "no"));
    const std::vector<One> all = by_force(s, fields, metric, fit);
    const Found f = found(s);
    REQUIRE(!all.empty());
    REQUIRE(f.best.size() == all.size());
    if (!fit) CHECK(f.tally.plans == all.size());
    const auto ranked = listed(f);
    for (std::size_t i = 0; i < all.size(); ++i) {
      CAPTURE(i, ranked[i].sets);
      CHECK(std::bit_cast<std::uint64_t>(ranked[i].value) ==
            std::bit_cast<std::uint64_t>(all[i].value));
    }
  }
}

TEST_CASE("search: the same plans in the same order as by force, dense and without a stack") {
  against_force(
      kDense +
          "mesh: {tensor: [1, 8], sequence: ['no', 'yes'], context: [1, 2], pipeline: [1, 2]}\n"
          "sharding: {zero: [0, 3], within: [all, node]}\nmicro: [1, 2]\n",
      {{"mesh.tensor", {"1", "8"}},
       {"mesh.sequence", {"no", "yes"}},
       {"mesh.context", {"1", "2"}},
       {"mesh.pipeline", {"1", "2"}},
       {"sharding.zero", {"0", "3"}},
       {"sharding.within", {"all", "node"}},
       {"batch.micro", {"1", "2"}}},
      "step.time");
}

TEST_CASE("search: the same plans in the same order as by force, schedules and policies") {
  against_force(kDense +
                    "mesh: {tensor: [8], pipeline: [1, 2]}\n"
                    "schedule: {kind: [1f1b, gpipe, interleaved, zb-h1, zb-v], chunks: [1, 2, 4]}\n"
                    "recompute: [none, full, selective]\noffload: [none, optimizer]\n",
                {{"mesh.tensor", {"8"}},
                 {"mesh.pipeline", {"1", "2"}},
                 {"schedule.kind", {"1f1b", "gpipe", "interleaved", "zb-h1", "zb-v"}},
                 {"schedule.chunks", {"1", "2", "4"}},
                 {"recompute", {"none", "full", "selective"}},
                 {"offload", {"none", "optimizer"}}},
                "step.time");
}

TEST_CASE("search: the same plans in the same order as by force, experts under a stack") {
  against_force(kStack +
                    "mesh: {tensor: [1, 4], sequence: ['no', 'yes'], expert: [1, 4, 8], "
                    "expert_tensor: [1, 4], "
                    "pipeline: [1, 2]}\nrecompute: [none, full]\nsharding: {zero: [1, 3]}\n",
                {{"mesh.tensor", {"1", "4"}},
                 {"mesh.sequence", {"no", "yes"}},
                 {"mesh.expert", {"1", "4", "8"}},
                 {"mesh.expert_tensor", {"1", "4"}},
                 {"mesh.pipeline", {"1", "2"}},
                 {"recompute", {"none", "full"}},
                 {"sharding.zero", {"1", "3"}}},
                "step.time");
}

const std::string kPlayed = R"(kind: space
plan:
  kind: training
  model: llama-3-8b
  cluster: 32xh100-sxm
  mesh: {pipeline: 4}
  batch: {global: 64, micro: 1, sequence: 4096}
  recompute: full
  assume: {preset: physical, train.mfu: 40%}
)";

TEST_CASE("search: the same plans in the same order as by force, schedules that are played") {
  against_force(
      kPlayed +
          "mesh: {tensor: [1, 2], pipeline: [2, 4]}\n"
          "schedule: {kind: [1f1b, breadth-first, zb-h1, zb-h2, zb-v, dualpipe, dualpipe-v], "
          "chunks: [1, 2, 4]}\nmicro: [1, 2]\n",
      {{"mesh.tensor", {"1", "2"}},
       {"mesh.pipeline", {"2", "4"}},
       {"schedule.kind",
        {"1f1b", "breadth-first", "zb-h1", "zb-h2", "zb-v", "dualpipe", "dualpipe-v"}},
       {"schedule.chunks", {"1", "2", "4"}},
       {"batch.micro", {"1", "2"}}},
      "step.time");
}

TEST_CASE(
    "search: a schedule is left out before it is played only where it can't be among the best") {
  for (const char* played : {"no", "yes"}) {
    for (const char* objective :
         {"min:step.time", "min:memory.total", "max:mfu.full", "min:pipeline.bubble_share"}) {
      CAPTURE(played, objective);
      const OpenSpace s = space_of(kPlayed + fmt::format("  schedule: {{played: {}}}\n", played) +
                                   fmt::format("search: [parallel, sharding]\nobjective: {}\n"
                                               "schedule: {{kind: [1f1b, interleaved, zb-h2, zb-v, "
                                               "dualpipe], chunks: [1, 2]}}\ntop: 7\n",
                                               objective));
      const Found force = found(s, 1, false), one = found(s, 1), three = found(s, 3);
      CHECK(same(listed(force), listed(one)));
      CHECK(same(listed(one), listed(three)));
      CHECK(force.tally.bounded == 0);
      CHECK(one.tally.bounded == three.tally.bounded);
      CHECK(one.tally.plans == one.tally.bounded + one.tally.rejected + one.tally.evaluated);
      if (std::string_view(objective) == "min:step.time")
        CHECK(one.tally.evaluated * 10 < force.tally.evaluated);
    }
  }
}

TEST_CASE("search: a front and conditions with schedules that are played") {
  const std::string text =
      kPlayed + "search: [parallel, sharding]\nschedule: {kind: [1f1b, zb-h2, dualpipe]}\n";
  const OpenSpace front = space_of(text + "pareto: [step.time, memory.total]\n");
  const Found all = found(front, 1, false), bounded = found(front, 2);
  REQUIRE(all.front.size() > 2);
  REQUIRE(bounded.front.size() == all.front.size());
  for (std::size_t i = 0; i < all.front.size(); ++i)
    CHECK(all.front[i].sets == bounded.front[i].sets);
  CHECK(same(listed(all), listed(bounded)));
  const OpenSpace limited = space_of(
      kPlayed +
      "schedule: {kind: [zb-h2, dualpipe]}\nlimits: {fits: no, where: ['step.time<=1 ms']}\n");
  const Found none = found(limited);
  CHECK(none.best.empty());
  CHECK(none.tally.reasons.front().why == "not step.time <= 1 ms");
  CHECK(none.tally.reasons.front().nearest.find("misses at least ") != std::string::npos);
}

TEST_CASE("search: the plan's own schedule is among those it chooses from") {
  const Found f = found(
      space_of(kPlayed + "  schedule: {kind: dualpipe}\nsearch: [schedule]\nlimits: {fits: no}\n"));
  REQUIRE(!f.best.empty());
  CHECK(find_metric(f.best.front().metrics, "step.time")->value <=
        find_metric(f.given.metrics, "step.time")->value);
}

TEST_CASE("search: one plan is listed once, and nothing is chosen twice") {
  const Found f = found(space_of(kDense + "vary: {sharding: [zero-3, fsdp, zero-1]}\n"));
  CHECK(f.best.size() == 2);
  CHECK(faults(kDense + "search: [schedule]\nvary: {schedule.kind: [1f1b, gpipe]}\n") ==
        "schedule.kind is varied, and search: schedule chooses it too | leave one of them out; a "
        "space's file "
        "opens a field to the values it lists: schedule: {kind: [1f1b, zb-h1]}\n");
  CHECK(faults(kDense + "mesh: {tensor: [1, 2]}\nvary: {mesh.tensor: [4]}\n")
            .starts_with("mesh.tensor is varied, and the space's list chooses it too | "));
  CHECK(faults(kDense + "vary: {mesh.tensor: [4], mesh: ['{tensor: 2}']}\n")
            .starts_with("mesh.tensor and mesh, which holds it, are both varied | "));
}

TEST_CASE("search: neither threads nor the bound change what is found", "[many]") {
  for (const std::string& base : {kDense, kStack}) {
    for (const char* objective :
         {"step.time", "max:mfu.full", "memory.total", "throughput.per_gpu"}) {
      const OpenSpace s = space_of(
          base +
          fmt::format("search: [parallel, batch, schedule, sharding, recompute]\nobjective: {}\n",
                      objective));
      const auto one = listed(found(s, 1, true));
      CAPTURE(objective);
      REQUIRE(one.size() == 10);
      CHECK(same(one, listed(found(s, 1, false))));
      const Found three = found(s, 3, true), again = found(s, 2, true);
      CHECK(same(one, listed(three)));
      CHECK(three.tally.bounded == again.tally.bounded);
      CHECK(three.tally.rejected == again.tally.rejected);
      CHECK(three.tally.evaluated == again.tally.evaluated);
      CHECK(three.tally.plans ==
            three.tally.bounded + three.tally.rejected + three.tally.evaluated);
    }
  }
}

TEST_CASE(
    "search: no plan of a front beats another in both metrics, and the best of each is on it") {
  const OpenSpace s = space_of(
      kDense + "search: [parallel, sharding, recompute]\npareto: [step.time, memory.total]\n");
  const Found f = found(s, 2);
  REQUIRE(f.front.size() > 2);
  const auto value = [](const FoundPlan& p, const char* id) {
    return find_metric(p.metrics, id)->value;
  };
  for (std::size_t i = 1; i < f.front.size(); ++i) {
    CHECK(value(f.front[i - 1], "step.time") < value(f.front[i], "step.time"));
    CHECK(value(f.front[i - 1], "memory.total") > value(f.front[i], "memory.total"));
  }
  CHECK(value(f.front.front(), "step.time") == value(f.best.front(), "step.time"));
}

TEST_CASE("search: conditions hold of what is found, and those that miss them are counted") {
  const OpenSpace s =
      space_of(kDense +
               "search: [parallel, sharding]\nlimits: {where: ['memory.headroom>=30 GB', "
               "'throughput.per_gpu<=8000 tokens/s']}\n");
  const Found f = found(s);
  REQUIRE(!f.best.empty());
  for (const FoundPlan& p : f.best) {
    CHECK(find_metric(p.metrics, "memory.headroom")->value >= 30e9);
    CHECK(find_metric(p.metrics, "throughput.per_gpu")->value <= 8000);
  }
  CHECK(std::any_of(f.tally.reasons.begin(), f.tally.reasons.end(), [](const auto& r) {
    return r.why == "not memory.headroom >= 30 GB" && r.plans > 0;
  }));
}

TEST_CASE("search: a space of recipes ranks over all of them") {
  const OpenSpace s = space_of(kDense + "search: [sharding, precision]\n");
  const Found f = found(s);
  REQUIRE(!f.best.empty());
  CHECK(in_order(f.best.front().sets).find("precision=fp8") !=
        std::string::npos);  // the highest peak
  CHECK(!f.notes.empty());   // recipes for serving are no training plans
}

TEST_CASE("search: what is found is written as a plan that evaluates to the same") {
  const OpenSpace s = space_of(kStack + "search: [parallel, recompute]\n");
  const SearchRequest request{s.file, nullptr, s.space, s.axes, s.where, 1, true, {}, nullptr};
  Diagnostics d;
  const Found f = search(test::data(), request, d);
  REQUIRE(!f.best.empty());
  const std::string text = found_plan_text(test::data(), request, f.best.front(), d);
  const PlanFile file =
      open_plan(test::data(), "found.yaml", test::data().read_text("found.yaml", text, d), {}, d);
  const auto plan = load_plan(test::data(), file, nullptr, d);
  INFO(text << d.render());
  REQUIRE(plan);
  const auto again = plan->metrics(test::data());
  REQUIRE(again.size() == f.best.front().metrics.size());
  for (std::size_t i = 0; i < again.size(); ++i) {
    CAPTURE(again[i].id);
    CHECK(std::bit_cast<std::uint64_t>(again[i].value) ==
          std::bit_cast<std::uint64_t>(f.best.front().metrics[i].value));
  }
}

TEST_CASE("search: stopped before it begins, it says so and keeps nothing wrong") {
  const OpenSpace s = space_of(kDense + "search: [parallel]\n");
  const std::atomic<bool> stop{true};
  Diagnostics d;
  const Found f =
      search(test::data(), {s.file, nullptr, s.space, s.axes, s.where, 2, true, {}, &stop}, d);
  CHECK(f.stopped);
  CHECK(f.best.empty());
}

TEST_CASE("search: faults say what is wrong and what would work") {
  CHECK(faults(kDense + "objective: step.tme\n") ==
        "objective: this plan has no metric 'step.tme' | did you mean 'step.time'?\n");
  CHECK(faults(kDense + "objective: memory.verdict\n") ==
        "objective: memory.verdict is a word, not a number | name a number: step.time, run.cost, "
        "memory.total\n");
  CHECK(faults(kDense + "objective: mfu.full\n") ==
        "objective: whether mfu.full is better large or small is not said | write max:mfu.full or "
        "min:mfu.full\n");
  CHECK(faults(kDense + "objective: run.cost\n").starts_with("objective: run.cost: "));
  CHECK(faults(kDense + "pareto: [step.time]\n") ==
        "pareto: two metrics are needed | write step.time,memory.total\n");
  CHECK(faults(kDense + "vary: {cluster.nodes: 1..64:x1}\n") ==
        "'1..64:x1' never ends | a factor above 1 climbs, one below 1 falls; both ends are above "
        "0\n");
  CHECK(faults(kDense + "limits: {where: ['memory.headrom>=0 B']}\n") ==
        "where: this plan has no metric 'memory.headrom' | did you mean 'memory.headroom'?\n");
  CHECK(faults(kDense + "serch: [parallel]\n").find("did you mean 'search'?") != std::string::npos);
  CHECK(faults(kDense + "search: [paralel]\n").find("did you mean 'parallel'?") !=
        std::string::npos);
  CHECK(faults(kDense + "mesh: {tensor: [3, 5]}\n") ==
        "the space holds no legal plan | no listed degree of tensor divides the model: leave "
        "mesh.tensor out to search "
        "those that do\n");
  CHECK(faults(kDense + "mesh: {tensor: [1]}\nmicro: [3]\n") ==
        "the space holds no legal plan | a global batch of 32 is shared out evenly by none of "
        "them; the fewest that one "
        "can share out are 48, and multiples of that: batch.global=48\n");
}

TEST_CASE("search: a space that nothing fits says by how much") {
  const OpenSpace s = space_of(kDense + "mesh: {tensor: [1]}\nsharding: {zero: [0]}\n");
  const Found f = found(s);
  CHECK(f.best.empty());
  REQUIRE(!f.tally.reasons.empty());
  CHECK(f.tally.reasons.front().why == "the states alone exceed the memory");
  CHECK(f.tally.reasons.front().nearest.starts_with("the nearest misses "));
}

TEST_CASE("search: plans of other kinds are ranked over what is varied") {
  const OpenSpace s = space_of(R"(kind: space
plan: {kind: decode, model: llama-3-70b, cluster: 8xh100-sxm, batch: 8, context: 4096, tensor: 8}
vary: {tensor: [4, 8], batch: 1..64:x2}
objective: decode.time
)");
  const Found f = found(s);
  REQUIRE(!f.best.empty());
  CHECK(in_order(f.best.front().sets) == "batch=1 tensor=8 ");
  CHECK(f.tally.plans == 14);
}

TEST_CASE("search: for 405B on 16,384 GPUs nothing is slower than the layout that Meta published") {
  const std::string path = RECKON_SOURCE_DIR "/plans/spaces/405b-16384xh100.yaml";
  Diagnostics d;
  OpenSpace s;
  REQUIRE(read_space(test::data(), path, test::data().read(path, {}, d), {}, d, s));
  const Found f = found(s, 2);
  REQUIRE(!f.best.empty());
  const double best = find_metric(f.best.front().metrics, "step.time")->value;
  const double given = find_metric(f.given.metrics, "step.time")->value;
  CHECK(best <= given);
  REQUIRE(f.over_given);
  double sum = 0;
  for (const PartDifference& p : f.over_given->parts) sum += p.difference();
  CHECK(std::abs(sum - (best - given)) < 1e-9 * given);
}

TEST_CASE("search: the spaces in plans/spaces can be read") {
  for (const auto& file : std::filesystem::directory_iterator(RECKON_SOURCE_DIR "/plans/spaces")) {
    if (file.path().extension() != ".yaml") continue;
    Diagnostics d;
    OpenSpace s;
    CAPTURE(file.path().string());
    CHECK(read_space(test::data(), file.path().string(), test::data().read(file.path(), {}, d), {},
                     d, s));
    INFO(d.render());
    CHECK(load_plan(test::data(), s.file, nullptr, d));
  }
}

}  // namespace
}  // namespace reckon
