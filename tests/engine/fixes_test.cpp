// Every change that an estimate advises is one that --set takes, and does what was said of it.
#include "data.hpp"
#include "reckon/engine/check.hpp"
#include "reckon/engine/evaluate.hpp"

namespace reckon {
namespace {

// The plan (or its case) with these changes.
std::optional<Result> result_of(const std::string& file, const std::string& which, const Sets& sets,
                                std::string& faults) {
  Diagnostics d;
  doc::Value tree = test::data().read(file, {}, d);
  const PlanFile plan = open_plan(test::data(), file, std::move(tree), sets, d);
  const PlanFile::Case* found = nullptr;
  for (const PlanFile::Case& c : plan.cases) {
    if (c.name == which) found = &c;
  }
  if (d.has_errors()) return faults = d.render(), std::nullopt;
  const LoadedTraining loaded = load_training(test::data(), case_tree(plan, found, d), d);
  if (d.has_errors()) return faults = d.render(), std::nullopt;
  return evaluate(test::data(), loaded);
}

int check_fixes(const std::string& file, const std::string& which, const Sets& sets) {
  std::string faults;
  const auto before = result_of(file, which, sets, faults);
  if (!before) return 0;  // this plan can't be changed so
  for (const Fix& fix : before->fixes) {
    const std::size_t equals = fix.change.find('=');
    Sets with = sets;
    with.emplace_back(fix.change.substr(0, equals), fix.change.substr(equals + 1));
    const auto after = result_of(file, which, with, faults);
    CAPTURE(file, which, fix.change, faults);
    CHECK(after);
    if (!after) continue;
    CHECK(after->fits());
    CHECK(after->find("memory.headroom")->value == Approx(fix.headroom));
  }
  return static_cast<int>(before->fixes.size());
}

TEST_CASE("Each advised change, set on the plan, fits with the headroom that was said", "[many]") {
  const std::vector<Sets> shrunk{{},
                                 {{"chip.memory.capacity", "20 GB"}},
                                 {{"chip.memory.capacity", "40 GB"}},
                                 {{"cluster", "2xh100-sxm"}},
                                 {{"batch.sequence", "32768"}}};
  Diagnostics diagnostics;
  int tried = 0;
  for (const std::string& file : plan_files(RECKON_SOURCE_DIR "/plans", diagnostics)) {
    if (file.find("/measured/") != std::string::npos) continue;  // hundreds of runs that did run
    std::string faults;
    Diagnostics d;
    const PlanFile plan = open_plan(test::data(), file, test::data().read(file, {}, d), {}, d);
    for (const Sets& sets : shrunk) {
      tried += check_fixes(file, "", sets);
      for (const PlanFile::Case& c : plan.cases) tried += check_fixes(file, c.name, sets);
    }
  }
  CHECK(tried > 100);
}

TEST_CASE("Sharding is advised to a plan with gradient buckets, too, which it takes out") {
  Diagnostics d;
  doc::Value tree = test::data().read_text(
      "plan.yaml",
      "model: llama-3-8b\ncluster: 8xh100-sxm\nsharding: {zero: 0, bucket: 25 MB}\n"
      "batch: {global: 16, micro: 1, sequence: 4096}\nassume: {preset: physical, "
      "train.mfu: 40%}\n",
      d);
  doc::expand_dotted_keys(tree, d);
  const LoadedTraining loaded = load_training(test::data(), std::move(tree), d);
  INFO(d.render());
  REQUIRE_FALSE(d.has_errors());
  bool advised = false;
  for (const Fix& f : evaluate(test::data(), loaded).fixes)
    advised = advised || f.change == "sharding=zero-3";
  CHECK(advised);
}

}  // namespace
}  // namespace reckon
