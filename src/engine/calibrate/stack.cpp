#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../four_digits.hpp"
#include "../runs/stack_fit.hpp"
#include "parts.hpp"
#include "reckon/base/text.hpp"
#include "reckon/cost/operators/attention.hpp"
#include "reckon/cost/operators/gemm.hpp"
#include "reckon/doc/value.hpp"
#include "reckon/doc/write.hpp"
#include "reckon/engine/calibrate_stack.hpp"
#include "reckon/engine/kernel_model.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

using Column = MeasuredColumn;
using Points = std::vector<const MeasuredPoint*>;

// Everything the fits of one file share. `stack` holds what was found so far.
struct Work {
  const Chip<double>& chip;
  const Stack<double>& usual;
  Stack<double> stack;
  StackCalibration& out;
};

// Where a constant was fitted, beside its points.
void keep(Work& w, const char* field, double value, double low, double high, bool at_bound,
          const std::string& from) {
  Stack<double> usual = w.usual;
  const StackNumber was = stack_number(usual, field);
  const StackNumber now = stack_number(w.stack, field);
  const bool whole = was.hint == Hint::kCount || was.hint == Hint::kLength;
  const double kept = whole ? std::round(value) : four_digits(value);
  if (now.value) *now.value = kept;
  w.out.constants.push_back(
      {{field, was.dim, was.hint, was.value ? *was.value : 0, kept, low, high, at_bound}, from});
}

// The points of a set that a training step resembles.
Points training_points(const MeasuredSet& set) {
  Points out;
  for (const MeasuredPoint* p : timed_points(set))
    if (set.kernel != MeasuredKernel::kGemm || p->at(Column::kM) >= kTrainingRows) out.push_back(p);
  return out;
}

// Of the sets of a kernel and format the one with the most points, cold before hot.
const MeasuredSet* widest(const std::vector<const MeasuredSet*>& sets, MeasuredKernel kernel,
                          const std::vector<std::string>& formats) {
  const auto worth = [](const MeasuredSet& s) {
    return std::pair(!is_hot(s) || s.kernel != MeasuredKernel::kGemm, training_points(s).size());
  };
  const MeasuredSet* best = nullptr;
  for (const MeasuredSet* s : sets) {
    const bool wanted = s->kernel == kernel && s->causal && !training_points(*s).empty() &&
                        std::find(formats.begin(), formats.end(), s->format) != formats.end();
    if (wanted && (!best || worth(*s) > worth(*best))) best = s;
  }
  return best;
}

OperatorMachine<double> machine_of(const Work& w, const Stack<double>& stack,
                                   const Assume<double>& assume, const GemmRates<double>& rates) {
  return {.chip = w.chip, .stack = stack, .assume = assume, .gemm = rates, .gemm16 = rates};
}

void add_source(const MeasuredSet& set, StackCalibration& out) {
  if (out.source.find(set.source) != std::string::npos) return;
  out.source += (out.source.empty() ? "" : "; ") + set.source;
}

// Fits `model` and says on what.
FittedSet fit(const KernelModel& model, const MeasuredSet& set, const Points& points,
              StackCalibration& out_of, std::string& from) {
  FittedSet out = fit_points(model, points);
  from = fmt::format("{}, {}: {} points, {:.1f} % mean error", name_of(set.kernel), set.library,
                     points.size(), 100 * out.in_sample.mean);
  add_source(set, out_of);
  if (!set.format.empty()) from.insert(name_of(set.kernel).size(), " " + set.format);
  return out;
}

bool differ_in_depth(const Points& points) {
  const auto deeper = [&](const MeasuredPoint* p) {
    return std::abs(p->at(Column::kK) - points.front()->at(Column::kK)) > 0.5;
  };
  return std::any_of(points.begin(), points.end(), deeper);
}

// The ceiling of a format, and the depth at which half of it is reached; of fp8 that is a factor on the 16-bit one.
struct GemmConstants {
  Compute format;
  const char *ceiling, *depth;
};

void fit_gemm(Work& w, const MeasuredSet& set, const GemmConstants& of) {
  const auto peak = w.chip.peak.of(of.format);
  if (!peak) return;
  const bool fp8 = of.format == Compute::kFp8;
  const GemmStack<double>& k = w.stack.gemm;
  const Points points = training_points(set);
  const double usual_depth = fp8 ? k.depth_fp8.raw : k.depth.raw;
  const Assume<double> assume;
  KernelModel m;
  m.seconds = [&](const Constants& v, const MeasuredPoint& p) {
    const double depth = v.size() > 1 ? v[1] : usual_depth;
    const GemmRates<double> rates{
        *peak, Ratio<double>(v[0]), fp8 ? k.depth * Ratio<double>(depth) : Count<double>(depth),
        fp8 ? k.width_fp8 : Count<double>{}, fp8 ? Bytes<double>(1) : Bytes<double>(2)};
    const Gemm<double> g{Count<double>(p.at(Column::kM)),
                         Count<double>(p.at(Column::kN)),
                         Count<double>(p.at(Column::kK)),
                         {}};
    return gemm_time<double>(g, rates, machine_of(w, w.stack, assume, rates)).raw;
  };
  std::string from;
  if (differ_in_depth(points) && points.size() > 3) {
    m.parameters = {{"ceiling", 0.05, 1}, {"depth", fp8 ? 0.05 : 1.0, fp8 ? 50.0 : 4096.0}};
    m.starts = {{0.7, std::max(usual_depth, 1.0)}, {0.5, std::max(usual_depth, 1.0)}};
    const FitOutcome o = fit(m, set, points, w.out, from).outcome;
    if (!o.at_bound[1]) {  // else these depths do not tell: it stays as it is in the base
      keep(w, of.ceiling, o.values[0], o.low[0], o.high[0], o.at_bound[0], from);
      return keep(w, of.depth, o.values[1], o.low[1], o.high[1], false, from);
    }
  }
  m.parameters = {{"ceiling", 0.05, 1}};
  m.starts = {{0.7}, {0.5}};
  const FitOutcome o = fit(m, set, points, w.out, from).outcome;
  keep(w, of.ceiling, o.values[0], o.low[0], o.high[0], o.at_bound[0], from);
}

void fit_attention(Work& w, const MeasuredSet& set) {
  const auto peak = w.chip.peak.of(Compute::kBf16);
  const Points points = training_points(set);
  if (!peak) return;
  const Assume<double> assume;
  const GemmRates<double> rates{
      *peak, w.stack.gemm.ceiling, w.stack.gemm.depth, {}, Bytes<double>(2)};
  KernelModel m;
  m.parameters = {{"ceiling", 0.02, 1}, {"fill", 1, 20000}};
  m.starts = {{0.5, 500}, {0.3, 2000}};
  m.seconds = [&](const Constants& v, const MeasuredPoint& p) {
    Stack<double> stack = w.stack;
    stack.attention.ceiling = Ratio<double>(v[0]);
    stack.attention.fill = Count<double>(v[1]);
    const Count<double> width(p.at(Column::kHeadWidth));
    const AttentionShape<double> shape{Count<double>(p.at(Column::kBatch, 1)),
                                       Count<double>(p.at(Column::kLength)),
                                       Count<double>(1),
                                       Count<double>(p.at(Column::kHeads, 1)),
                                       width,
                                       width,
                                       {}};
    const double seconds =
        flash_attention<double>(shape, machine_of(w, stack, assume, rates)).forward.raw;
    // A rate alone is of as many heads and sequences as fill the machine: its launch is nothing beside them.
    return std::isnan(p.at(Column::kTime)) ? seconds - stack.fixed.kernel.raw : seconds;
  };
  if (points.size() < 3) return;  // two constants
  std::string from;
  const FitOutcome o = fit(m, set, points, w.out, from).outcome;
  keep(w, "attention.ceiling", o.values[0], o.low[0], o.high[0], o.at_bound[0], from);
  keep(w, "attention.fill", o.values[1], o.low[1], o.high[1], o.at_bound[1], from);
}

// What the best cold copy of the largest arrays reaches of the printed bandwidth.
void read_memory(Work& w, const std::vector<const MeasuredSet*>& sets) {
  const MeasuredSet* from = nullptr;
  double best = 0;
  for (const MeasuredSet* s : sets) {
    if (s->kernel != MeasuredKernel::kMemoryCopy || is_hot(*s)) continue;
    const MeasuredPoint* p = best_of(*s, Column::kBandwidth);
    if (!p || p->at(Column::kBandwidth) <= best) continue;
    best = p->at(Column::kBandwidth);
    from = s;
  }
  if (!from) return;
  add_source(*from, w.out);
  const double share = best / w.chip.memory.bandwidth.raw;
  keep(w, "traffic.efficiency", share, share, share, false,
       fmt::format("{}, {}: the best of {} points", name_of(from->kernel), from->library,
                   from->points.size()));
}

// Launches of a stream: what runs without graphs pay.
void read_launch(Work& w, const std::vector<const MeasuredSet*>& sets) {
  for (const MeasuredSet* s : sets) {
    if (s->kernel != MeasuredKernel::kLaunch || s->launch != LaunchedBy::kStream) continue;
    const Points points = timed_points(*s);
    if (points.empty()) continue;
    const double t = points.front()->seconds;
    add_source(*s, w.out);
    keep(w, "fixed.kernel", t, t, t, false, "launch, in a stream");
    return;
  }
}

// Whether the base is for that chip.
bool is_for(const Stack<double>& base, const std::string& chip, Diagnostics& d) {
  if (base.chips.empty()) return true;
  if (std::find(base.chips.begin(), base.chips.end(), chip) != base.chips.end()) return true;
  d.error({}, fmt::format("--onto {}: a stack of {}, and {} was measured", base.id,
                          join(base.chips, ", "), chip))
      .help("`reckon list stacks` says which chips each is for");
  return false;
}

}  // namespace

StackCalibration calibrate_stack(Workspace& work, const std::vector<MeasuredSet>& sets,
                                 const std::string& base, Diagnostics& d) {
  StackCalibration out;
  std::vector<const MeasuredSet*> chosen;
  for (const MeasuredSet& s : sets)
    if (!s.held_out && !s.chip.empty()) chosen.push_back(&s);
  if (chosen.empty()) {
    d.error({}, "calibrate stack: nothing of one chip is measured here");
    return out;
  }
  if (!one_chip(chosen, d) || !stand_once(chosen, d)) return out;
  const auto chip = load_chip(work, chosen.front()->chip, chosen.front()->span, d);
  const auto usual = chip ? whole_stack(work, base, {}, d) : std::nullopt;
  if (!usual || !is_for(*usual, chip->id, d)) return out;
  out.base = base;
  out.chip = chip->id;
  Work w{*chip, *usual, *usual, out};
  read_memory(w, chosen);
  read_launch(w, chosen);
  if (const auto* s = widest(chosen, MeasuredKernel::kGemm, {"bf16", "fp16"}))
    fit_gemm(w, *s, {Compute::kBf16, "gemm.ceiling", "gemm.depth"});
  if (const auto* s = widest(chosen, MeasuredKernel::kGemm, {"fp8"}); s && usual->gemm.ceiling_fp8)
    fit_gemm(w, *s, {Compute::kFp8, "gemm.ceiling_fp8", "gemm.depth_fp8"});
  if (const auto* s = widest(chosen, MeasuredKernel::kAttentionPrefill, {"bf16", "fp16"}))
    fit_attention(w, *s);
  if (out.constants.empty())
    d.error({}, "calibrate stack: no point tells a constant of a stack")
        .help(fmt::format("products of at least {:.0f} rows, causal prompts, cold copies, launches",
                          kTrainingRows));
  const auto measured = [&](std::string_view part) {
    return std::any_of(out.constants.begin(), out.constants.end(), [part](const auto& c) {
      return std::string_view(c.constant.field).starts_with(part);
    });
  };
  for (const char* part : {"gemm", "attention", "traffic", "fixed", "network", "overlap"})
    if (!measured(part)) out.kept.emplace_back(part);
  return out;
}

std::string stack_overlay(const StackCalibration& c, const std::string& name) {
  Diagnostics ignored;
  doc::Value tree = doc::mapping();
  const auto quoted = [](std::string text) {
    doc::Value v = doc::scalar(std::move(text));
    v.quoted = true;
    return v;
  };
  doc::set(tree, "kind", doc::scalar("stack"));
  if (!name.empty()) doc::set(tree, "name", quoted(name));
  doc::set(tree, "base", doc::scalar(c.base));
  doc::set(tree, "fitted", quoted("on kernels measured alone, not on runs: a run reaches less"));
  for (const MeasuredConstant& k : c.constants)
    doc::set_path(tree, k.constant.field,
                  doc::scalar(write_quantity(k.constant.value, k.constant.dim, k.constant.hint)),
                  ignored);
  std::vector<std::string> from;
  for (const MeasuredConstant& k : c.constants)
    if (std::find(from.begin(), from.end(), k.from) == from.end()) from.push_back(k.from);
  doc::set(tree, "source", quoted(c.source + "; " + join(from, "; ")));
  return doc::write_yaml(tree);
}

}  // namespace reckon
