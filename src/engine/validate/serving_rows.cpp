#include "serving_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "../questions/question_of.hpp"
#include "../questions/serving_load.hpp"
#include "reckon/engine/check.hpp"
#include "reckon/engine/kinds.hpp"

namespace reckon {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSimulatedTtft = "simulated.ttft.mean";

// The one metric asked for, without collecting the others.
class Pick {
 public:
  Pick(std::string_view id, ServingRow* to) : id_(id), to_(to) {}
  double value = 0;

  template <Dim D>
  void operator()(const MetricInfo& info, const Quantity<D, double>& q) {
    if (info.id != id_) return;
    value = q.raw;
    if (!to_) return;
    to_->dim = D;
    to_->hint = info.hint;
  }
  template <Dim D>
  void operator()(const MetricInfo& info, const std::optional<Quantity<D, double>>& q,
                  const char*) {
    if (q) (*this)(info, *q);
  }
  void operator()(const MetricInfo&, std::string_view) {}
  void operator()(const MetricInfo&, bool, const char*) {}

 private:
  std::string_view id_;
  ServingRow* to_;
};

std::string said(const doc::Value& tree, std::string_view key) {
  const doc::Value* v = tree.find(key);
  return v && v->is_scalar() ? v->text : "";
}

// "prefill", "decode", "throughput": what a metric's errors are counted under.
std::string figure_of(const std::string& metric) {
  if (metric == "static.prefill.time" || metric.starts_with("prefill.")) return "prefill";
  if (metric == "serve.ttft") return "TTFT";
  if (metric == "serve.itl") return "inter-token latency";
  if (metric.find("tokens_per_second") != metric.npos) return "throughput";
  return "decode";
}

bool is_remark(const std::string& key) {
  for (const char* k : {"source", "tier", "fit", "caveat", "family", "core", "assumed"})
    if (key == k) return true;
  return false;
}

class Rows {
 public:
  Rows(Workspace& work, Diagnostics& d) : work_(work), diagnostics_(d) {}

  void file(const std::string& name) {
    doc::Value tree = work_.read(name, {}, diagnostics_);
    const doc::Value common = tree.find("measured") ? *tree.find("measured") : doc::mapping();
    std::vector<doc::Value> measured;
    if (const doc::Value* cases = tree.find("cases"))
      for (const doc::Value& c : cases->items)
        measured.push_back(c.find("measured") ? *c.find("measured") : doc::Value{});
    const PlanFile plan = open_plan(work_, name, std::move(tree), {}, diagnostics_);
    if (plan.kind != "serving" || diagnostics_.has_errors()) return;
    for (std::size_t i = 0; i < plan.cases.size() && i < measured.size(); ++i) {
      doc::Value all = common;
      if (measured[i].is_mapping()) doc::merge(all, measured[i]);
      add(plan, plan.cases[i], all);
    }
  }
  std::vector<ServedRow> out;

 private:
  void add(const PlanFile& file, const PlanFile::Case& which, const doc::Value& measured) {
    Diagnostics scratch;  // rows beyond a published context are told of by `eval`
    const auto loaded = load_plan(work_, file, &which, scratch);
    const auto* plan = dynamic_cast<const LoadedQuestion<ServingPlan>*>(loaded.get());
    if (!plan) {
      load_plan(work_, file, &which, diagnostics_);  // with its faults
      return;
    }
    for (const doc::Entry& e : measured.entries) {
      if (is_remark(e.key)) continue;
      ServedRow r{plan->question, {}};
      r.row.name = which.name;
      r.row.file = fs::path(file.name).filename().string();
      r.row.metric = e.key;
      r.row.engine = plan->question.engine.id;
      r.row.model = plan->question.model.id;
      r.row.chip = plan->question.cluster->node.chip.id;
      r.row.source = said(measured, "source");
      r.row.fitted = said(measured, "fit") != "no";
      r.row.span = e.value.span;
      const std::string family = said(measured, "family");
      r.row.figure = figure_of(e.key);
      r.row.family =
          fmt::format("{}, {}", family.empty() ? r.plan.engine.name : family, r.row.figure);
      if (!r.row.fitted) r.row.family += ", not fitted on";
      read(e, r);
      if (e.key == "serve.ttft" && !out.empty()) add_simulated(out.back());
    }
  }

  // A first token under a load, by the event simulation beside the closed form. No constant is fitted by it.
  void add_simulated(ServedRow r) {
    r.row.metric = kSimulatedTtft;
    r.row.family += ", simulated";
    r.row.figure += ", simulated";
    r.row.fitted = false;
    out.push_back(std::move(r));
  }

  // The value in the unit of the metric it is of.
  void read(const doc::Entry& e, ServedRow& r) {
    Pick pick(r.row.metric, &r.row);
    r.row.dim = Dim{-1};
    answer(r.plan).metrics(pick);
    if (r.row.dim == Dim{-1}) {
      diagnostics_.error(e.key_span, fmt::format("measured: the plan has no metric '{}'", e.key))
          .help("`reckon eval PLAN --format csv` lists those it has");
      return;
    }
    Origins unused;
    detail::read_number(e.value, r.row.dim, Field(e.key, "", "").hint(r.row.hint),
                        {diagnostics_, unused, "measured"}, r.row.measured);
    if (r.row.measured > 0) out.push_back(std::move(r));
  }

  Workspace& work_;
  Diagnostics& diagnostics_;
};

// A member by its dotted path; null if there is none.
template <class S>
double* member_at(S& s, std::string_view path) {
  double* found = nullptr;
  const std::size_t dot = path.find('.');
  const std::string_view first = path.substr(0, dot);
  S::fields(
      [&](const Field& f, auto& m) {
        using T = std::decay_t<decltype(m)>;
        if (f.name != first) return;
        if constexpr (detail::is_quantity<T>) {
          if (dot == path.npos) found = &m.raw;
        } else if constexpr (detail::Element<T>::optional) {
          if constexpr (detail::is_quantity<typename detail::Element<T>::type>) {
            if (m) found = &m->raw;
          }
        } else if constexpr (Described<T>) {
          if (dot != path.npos) found = member_at(m, path.substr(dot + 1));
        }
      },
      s);
  return found;
}

constexpr std::string_view kRule = "rule.";

std::vector<OperandRule<double>*> rules_of(ServingPlan<double>& plan, const std::string& weights) {
  std::vector<OperandRule<double>*> out;
  ServingKernels<double>& k = plan.kernels;
  for (OperandRule<double>* r : {&k.attention_rule, &k.mlp_rule, &k.experts_rule, &k.head_rule})
    if (!r->weights.empty() && (weights.empty() || r->weights == weights)) out.push_back(r);
  return out;
}

std::vector<double*> places_of(ServingPlan<double>& plan, const FittedConstant<double>& c) {
  const std::string& chip = plan.cluster->node.chip.id;
  if (!c.chips.empty() && std::find(c.chips.begin(), c.chips.end(), chip) == c.chips.end())
    return {};
  std::vector<double*> out;
  if (std::string_view(c.path).starts_with(kRule)) {
    const bool experts = c.path == "rule.experts";
    for (OperandRule<double>* r : rules_of(plan, c.weights)) {
      double* at = member_at(*r, std::string_view(c.path).substr(kRule.size()));
      if (at && (!experts || r == &plan.kernels.experts_rule)) out.push_back(at);
    }
    return out;
  }
  if (double* at = member_at(plan.engine, c.path)) out.push_back(at);
  return out;
}

template <class Change>
void each_kernel(ServingPlan<double>& plan, Change change) {
  ServingKernels<double>& k = plan.kernels;
  for (auto* kernel : {&k.attention, &k.mlp, &k.experts, &k.head})
    if (*kernel) change(**kernel);
}

// First token on average, with the plan's load played out.
double simulated_ttft(const ServingPlan<double>& plan) {
  const ServingAnswer<double> out = answer(plan);
  if (!out.running || !out.running->load) return 0;
  load::Scenario s = serving_scenario(plan, out, own_way(plan), {});
  s.requests = 20'000;
  s.replications = 4;
  return load::simulate(s, 2).ttft.value.mean;
}

}  // namespace

double served_figure(const ServingPlan<double>& plan, const std::string& metric) {
  if (metric == kSimulatedTtft) return simulated_ttft(plan);
  Pick pick(metric, nullptr);
  answer(plan).metrics(pick);
  return pick.value;
}

bool set_constant(ServingPlan<double>& plan, const FittedConstant<double>& c, double value) {
  const auto places = places_of(plan, c);
  for (double* at : places) *at = value;
  return !places.empty();
}

double constant_of(const ServingPlan<double>& plan, const FittedConstant<double>& c) {
  ServingPlan<double> copy = plan;
  const auto places = places_of(copy, c);
  return places.empty() ? 0 : *places.front();
}

bool bears_on(const ServingPlan<double>& plan, const FittedConstant<double>& c) {
  ServingPlan<double> copy = plan;
  return !places_of(copy, c).empty();
}

ServingPlan<double> at_flat(const ServingPlan<double>& plan, const GemmKernel<double>& flat) {
  ServingPlan<double> out = plan;
  each_kernel(out, [&flat](GemmKernel<double>& k) {
    k.compute = flat.compute;
    k.memory = flat.memory;
    k.fixed = flat.fixed;
    k.quantizes = false;
  });
  out.engine.gemm = {};
  out.engine.attention.prefill = flat.compute;
  out.engine.attention.cache = flat.memory;
  out.engine.attention.fixed = flat.fixed;
  out.engine.attention.ramp = Count<double>{0};
  out.engine.attention.reread = Ratio<double>{0};
  for (OperandRule<double>* r : rules_of(out, ""))
    r->ceiling = r->memory = r->experts = Ratio<double>{1};
  return out;
}

ServingPlan<double> at_peak(const ServingPlan<double>& plan) {
  GemmKernel<double> peak;
  peak.compute = peak.memory = Ratio<double>{1};
  peak.fixed = {};
  ServingPlan<double> out = at_flat(plan, peak);
  const EngineMemory<double> memory = out.engine.memory;
  out.engine.overhead = {};
  out.engine.elementwise = {};
  out.engine.all_reduce = {};
  out.engine.all_to_all = {};
  out.engine.memory = memory;
  out.engine.limits.eager = false;
  out.kernels.small = out.kernels.large = std::nullopt;
  out.settings.launch.reset();
  return out;
}

std::vector<ServedRow> served_rows(Workspace& work, Diagnostics& diagnostics) {
  std::error_code error;
  for (const fs::path& root : work.roots()) {
    const fs::path folder = root / "plans/measured/serving";
    if (!fs::is_directory(folder, error)) continue;
    Rows rows(work, diagnostics);
    for (const std::string& name : plan_files(folder.string(), diagnostics)) rows.file(name);
    if (diagnostics.has_errors()) return {};
    return std::move(rows.out);
  }
  return {};
}

}  // namespace reckon
