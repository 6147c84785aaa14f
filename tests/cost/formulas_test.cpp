// The recording is the plain run: same bits, every formula reached, one text an id, derivatives that agree.
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "catch.hpp"
#include "random_plans.hpp"
#include "reckon/cost/kernels/all_dispatch.hpp"
#include "reckon/cost/model.hpp"
#include "reckon/engine/check.hpp"
#include "reckon/engine/evaluate.hpp"
#include "reckon/engine/kernel_model.hpp"
#include "reckon/engine/kinds.hpp"
#include "reckon/engine/space.hpp"
#include "reckon/report/derivation.hpp"
#include "reckon/spec/compiled_once.hpp"
#include "reckon/units/formula/sensitivity.hpp"

using namespace reckon;
using namespace reckon::test;

TEST_CASE("plain and recorded runs of a thousand plans give the same bits") {
  RandomPlans plans(1);
  for (int i = 0; i < how_many(1000); ++i) {
    const LoadedTraining& l = plans.next();
    const std::vector<Metric> plain = metrics_of(l.plan);
    const Recorded recorded(l);
    REQUIRE(plain.size() == recorded.metrics().size());
    for (std::size_t k = 0; k < plain.size(); ++k) {
      const Metric &a = plain[k], &b = recorded.metrics()[k];
      INFO(i << " " << a.id << " " << a.value << " " << b.value);
      REQUIRE(a.id == b.id);
      REQUIRE(a.text == b.text);
      REQUIRE(std::memcmp(&a.value, &b.value, sizeof a.value) == 0);
      if (a.has_value()) REQUIRE(std::isfinite(a.value));
    }
  }
}

namespace {

// Texts of all formulas on the tapes of many plans, and the models by themselves.
struct Texts {
  std::map<std::string, std::string> texts, torn;

  Texts() {
    RandomPlans plans(2);
    for (int i = 0; i < how_many(500); ++i) {
      const Recorded recorded(plans.next());
      formula_texts(recorded.tape(), texts, torn);
    }
    shipped(plans.work());
    kernels(plans.work());
    for (const std::string& id : plans.work().ids(Shelf::kModels)) {
      Diagnostics d;
      Origins origins;
      Model<double> model;
      bind(resolve_model(plans.work(), doc::scalar(id), d), model, {d, origins, "model"});
      const Recording run(origins);
      Tape tape;
      const Model<Traced> traced = lift(model, run);
      model_estimate(traced, {Count<Traced>(Traced(8192)), Count<Traced>(Traced(32)),
                              Bytes<Traced>(Traced(2))});
      formula_texts(tape, texts, torn);
    }
  }

  void kernels(Workspace& work) {
    for (const std::string& id : work.ids(Shelf::kKernels)) {
      Diagnostics d;
      const auto k = load_kernels(work, id, {}, d);
      REQUIRE(k);
      const Origins origins;
      const Recording run(origins);
      Tape tape;
      dispatch_times(lift(*k, run), structural<Traced>("T", 128), structural<Traced>("k", 8),
                     structural<Traced>("h", 7168));
      formula_texts(tape, texts, torn);
    }
  }

  // Every plan of the repository, of any kind, with its cases: what docs/formulas.md is made from.
  void shipped(Workspace& work) {
    Diagnostics d;
    for (const std::string& name : plan_files(RECKON_SOURCE_DIR "/plans", d)) {
      doc::Value tree = work.read(name, {}, d);
      if (is_space(tree) || is_companion(tree)) continue;
      const PlanFile file = open_plan(work, name, std::move(tree), {}, d);
      record(work, file, nullptr);
      for (const PlanFile::Case& c : file.cases) record(work, file, &c);
    }
    INFO(d.render());
    REQUIRE(!d.has_errors());
  }
  void record(Workspace& work, const PlanFile& file, const PlanFile::Case* which) {
    Diagnostics faults;  // a file may be whole only with a case
    const auto plan = load_plan(work, file, which, faults);
    if (!plan) return;
    const Result plain = plan->result(work);
    const Recorded recorded(*plan);
    for (const Metric& m : recorded.metrics()) {
      INFO(file.name << " " << m.id);
      const Metric* same = plain.find(m.id);
      REQUIRE(same);
      CHECK(std::memcmp(&same->value, &m.value, sizeof m.value) == 0);
      CHECK(same->text == m.text);
      if (m.has_value()) CHECK(std::isfinite(m.value));
    }
    formula_texts(recorded.tape(), texts, torn);
  }
};

}  // namespace

TEST_CASE("every registered formula is reached, and each id has one text", "[many]") {
  const Texts t;
  for (const auto& [id, text] : t.torn) {
    INFO(id << ": " << t.texts.at(id) << "  or  " << text);
    CHECK(false);
  }
  std::set<std::string> ids;
  for (const Formula* f = Formula::first; f; f = f->next) {
    INFO(f->id);
    CHECK(ids.insert(std::string(f->id)).second);
    CHECK(t.texts.contains(std::string(f->id)));
  }
}

TEST_CASE("dual numbers and the backward sweep agree with each other and with finite differences") {
  RandomPlans plans(3);
  const char* paths[] = {"cluster.node.chip.peak.bf16",
                         "cluster.node.fabric.rate",
                         "cluster.node.chip.link.one_way",
                         "assume.train.mfu",
                         "assume.overlap.data",
                         "assume.efficiency.memory"};
  int compared = 0;
  for (int i = 0; i < 200; ++i) {
    const LoadedTraining l = plans.next();
    if (!l.plan.assume.train.mfu) continue;
    const Recorded recorded(l);
    const Metric* time = recorded.find("step.time");
    for (const InputSlope& s : input_slopes(recorded.tape(), time->node)) {
      if (std::find(std::begin(paths), std::end(paths), s.path) == std::end(paths)) continue;
      const auto dual = estimate(lift(l.plan, Differentiating{s.path})).step->time.raw;
      INFO(s.path);
      CHECK(dual.v == time->value);
      CHECK(dual.d == Approx(s.slope).epsilon(1e-9).margin(1e-30));
      ++compared;
    }
    // One finite difference: the peak, which enters everywhere.
    auto nudged = l.plan;
    const double h = 1e-6;
    auto& peak = nudged.cluster.node.chip.peak.bf16;
    const double before = value_of(peak->raw);
    *peak = FlopRate<double>(before * (1 + h));
    const double up = value_of(estimate(nudged).step->time.raw);
    *peak = FlopRate<double>(before * (1 - h));
    const double down = value_of(estimate(nudged).step->time.raw);
    const auto dual =
        estimate(lift(l.plan, Differentiating{"cluster.node.chip.peak.bf16"})).step->time.raw;
    CHECK((up - down) / (2 * h * before) == Approx(dual.d).epsilon(1e-4).margin(1e-18));
  }
  CHECK(compared > 300);
}
