#include "reckon/engine/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "../four_digits.hpp"
#include "parts.hpp"
#include "reckon/base/text.hpp"
#include "reckon/doc/write.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

using Column = MeasuredColumn;
using Points = std::vector<const MeasuredPoint*>;

bool wanted(const MeasuredSet& set, CalibrateWhat what) {
  return is_collective(set.kernel) == (what == CalibrateWhat::kCollectives);
}

std::vector<double> errors_by(const std::function<double(const MeasuredPoint&)>& seconds,
                              const Points& points) {
  std::vector<double> out;
  for (const MeasuredPoint* p : points) out.push_back(std::log(seconds(*p) / p->seconds));
  return out;
}

void add_constants(const KernelModel& model, const FitOutcome& fit, CalibratedSet& out) {
  for (std::size_t i = 0; i < fit.values.size(); ++i)
    out.constants.push_back({model.parameters[i].name, model.dims[i], four_digits(fit.values[i]),
                             fit.low[i], fit.high[i], fit.at_bound[i]});
}

Constants rounded(const Constants& values) {
  Constants out;
  for (const double v : values) out.push_back(four_digits(v));
  return out;
}

// Why a fit explains nothing; empty if it does.
std::string why_failed(const CalibratedSet& fit) {
  constexpr double kMost = 0.5;
  const bool at_bounds = std::all_of(fit.constants.begin(), fit.constants.end(),
                                     [](const CalibratedConstant& c) { return c.at_bound; });
  if (at_bounds) return "every constant is at its bound";
  const std::string error = format_quantity(fit.in_sample.mean, kOne, Hint::kFraction);
  if (fit.in_sample.mean > kMost) return fmt::format("it is off by {} on average", error);
  if (fit.in_sample.mean > 0 && fit.in_sample.mean >= fit.flat.mean)
    return fmt::format("it is off by {}, one flat efficiency by {}", error,
                       format_quantity(fit.flat.mean, kOne, Hint::kFraction));
  return "";
}

// Fits one set and adds its entry to the file.
void fit_set(const MeasuredSet& set, const KernelModel& model, Calibration& out) {
  const Points points = timed_points(set);
  const FittedSet fitted = fit_points(model, points);
  CalibratedSet& report = out.sets.emplace_back();
  report.name = name_of(set);
  report.span = set.span;
  add_constants(model, fitted.outcome, report);
  report.in_sample = fitted.in_sample;
  report.flat = summarize_log_errors(errors_by(model.flat, points));
  if (const std::string why = why_failed(report); !why.empty())
    out.failed.push_back(fmt::format("{}: {}", report.name, why));
  const LeaveOut what = usual_leave_out(set.kernel);
  const std::vector<double> keys = keys_of(set, points, what);
  FitRecord<double> record;
  record.rows = Count<double>(static_cast<double>(points.size()));
  record.error = Ratio<double>(four_digits(fitted.in_sample.mean));
  record.source = set.source;
  if (std::set<double>(keys.begin(), keys.end()).size() > 2) {
    report.left_what = std::string(name_of(what));
    report.left_out =
        summarize_log_errors(left_out_errors(model, points, keys, fitted.outcome.values));
    record.left_out = Ratio<double>(four_digits(report.left_out.mean));
  }
  model.store(rounded(fitted.outcome.values), record, out.kernels);
}

bool possible(const MeasuredSet& set, const KernelModel& model, const Chip<double>& chip,
              Diagnostics& d) {
  if (is_hot(set)) return true;
  bool good = true;
  for (const MeasuredPoint* p : timed_points(set)) {
    const double least = model.peak(*p);
    if (p->seconds * kAbovePeak >= least) continue;
    good = false;
    d.error(p->span, fmt::format("{} {} in {}: the printed peak and bandwidth of {} need {}",
                                 name_of(set.kernel), shape_of(set, *p),
                                 format_quantity(p->seconds, kSecond), chip.name,
                                 format_quantity(least, kSecond)))
        .help(
            "is it that chip, that unit of time, and were the inputs in memory rather than in a "
            "cache?");
  }
  return good;
}

// From one small kernel to the next, in a stream and in a graph.
void add_launch(const std::vector<const MeasuredSet*>& sets, Kernels<double>& out) {
  std::optional<double> seconds[2];
  std::string source;
  for (const MeasuredSet* s : sets) {
    if (s->kernel != MeasuredKernel::kLaunch || timed_points(*s).empty()) continue;
    seconds[static_cast<std::size_t>(s->launch)] = four_digits(timed_points(*s).front()->seconds);
    source = s->source;
  }
  if (!seconds[0]) return;
  LaunchCost<double> launch;
  launch.stream = Seconds<double>(*seconds[0]);
  launch.graph = Seconds<double>(seconds[1].value_or(*seconds[0]));
  launch.rows = Count<double>(seconds[1] ? 2 : 1);
  launch.source = source;
  out.launch = launch;
}

template <class Entry, class Same>
void replace_entries(std::vector<Entry>& base, const std::vector<Entry>& fresh, Same same) {
  std::vector<Entry> out = fresh;
  for (Entry& b : base)
    if (std::none_of(fresh.begin(), fresh.end(),
                     [&](const Entry& f) { return b.library == f.library && same(b, f); }))
      out.push_back(std::move(b));
  base = std::move(out);
}

// A question that names no library takes the first of those that fit: the one that was measured most.
template <class Entry>
void most_measured_first(std::vector<Entry>& entries) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.rows.raw > b.rows.raw; });
}

bool same_width(const std::optional<Count<double>>& a, const std::optional<Count<double>>& b) {
  return a.has_value() == b.has_value() && (!a || std::abs(a->raw - b->raw) < 0.5);
}

}  // namespace

bool one_chip(const std::vector<const MeasuredSet*>& sets, Diagnostics& d) {
  const MeasuredSet* first = nullptr;
  const MeasuredSet* named = nullptr;  // whose file says on which device
  for (const MeasuredSet* s : sets) {
    if (!first) first = s;
    const std::string& device = s->machine.name;
    if (!named && !device.empty()) named = s;
    if (!device.empty() && device != named->machine.name) {
      d.error(s->span, fmt::format("points of {} beside points of {}", device, named->machine.name))
          .note(named->span, fmt::format("{} is measured here", named->machine.name))
          .help("constants belong to one chip: calibrate each by itself");
      return false;
    }
    if (s->chip == first->chip) continue;
    d.error(s->span, fmt::format("points of {} beside points of {}", s->chip, first->chip))
        .note(first->span, fmt::format("{} is measured here", first->chip))
        .help("constants belong to one chip: calibrate each by itself");
    return false;
  }
  return true;
}

bool stand_once(const std::vector<const MeasuredSet*>& sets, Diagnostics& d) {
  std::map<std::string, const MeasuredPoint*> seen;
  bool good = true;
  for (const MeasuredSet* s : sets) {
    const std::string what =
        fmt::format("{}, {}, {}", name_of(*s), name_of(s->launch), s->conditions);
    for (const MeasuredPoint& p : s->points) {
      const auto [at, first] = seen.emplace(what + " " + shape_of(*s, p), &p);
      if (first || at->second->span.file == p.span.file) continue;
      good = false;
      d.error(p.span, fmt::format("{} {} stands in two files", name_of(*s), shape_of(*s, p)))
          .note(at->second->span, "it stands here too")
          .help("leave one of the files out; a second run of the same is no second measurement");
      break;
    }
  }
  return good;
}

LeaveOut usual_leave_out(MeasuredKernel kernel) {
  if (is_collective(kernel)) return LeaveOut::kSize;
  return kernel == MeasuredKernel::kGemm || kernel == MeasuredKernel::kGroupedGemm
             ? LeaveOut::kShape
             : LeaveOut::kLength;
}

std::vector<double> keys_of(const MeasuredSet& set, const Points& points, LeaveOut what) {
  const bool product =
      set.kernel == MeasuredKernel::kGemm || set.kernel == MeasuredKernel::kGroupedGemm;
  const bool attention = set.kernel == MeasuredKernel::kAttentionDecode ||
                         set.kernel == MeasuredKernel::kAttentionPrefill;
  std::map<std::pair<double, double>, double> shapes;
  std::vector<double> out;
  for (const MeasuredPoint* p : points) {
    if (what == LeaveOut::kShape && product) {
      const auto shape = std::pair(p->at(Column::kN), p->at(Column::kK));
      out.push_back(shapes.emplace(shape, static_cast<double>(shapes.size())).first->second);
    } else if (what == LeaveOut::kM && product) {
      out.push_back(p->at(Column::kM));
    } else if (what == LeaveOut::kSize && is_collective(set.kernel)) {
      out.push_back(p->at(Column::kBytes));
    } else if (what == LeaveOut::kGroup && is_collective(set.kernel)) {
      out.push_back(p->at(Column::kRanks));
    } else if (what == LeaveOut::kLength && attention) {
      out.push_back(p->at(Column::kLength));
    } else if (what == LeaveOut::kLength && !product && !is_collective(set.kernel)) {
      out.push_back(p->at(Column::kTokens));
    }
  }
  return out;
}

// None of the sets is of what was asked for: who has them may want the other word.
static void nothing_of(const std::vector<MeasuredSet>& sets, CalibrateWhat what,
                       Diagnostics& diagnostics) {
  const bool kernels = what == CalibrateWhat::kKernels;
  const auto of = [&sets](CalibrateWhat other) {
    return std::any_of(sets.begin(), sets.end(),
                       [other](const MeasuredSet& s) { return wanted(s, other); });
  };
  auto& f =
      diagnostics.error({}, kernels ? "calibrate kernels: no kernel is measured here"
                                    : "calibrate collectives: no collective is measured here");
  if (kernels && of(CalibrateWhat::kCollectives))
    f.help("collectives are: reckon calibrate collectives FILE");
  if (!kernels && of(CalibrateWhat::kKernels)) f.help("kernels are: reckon calibrate kernels FILE");
}

Calibration calibrate(Workspace& work, const std::vector<MeasuredSet>& sets, CalibrateWhat what,
                      const CalibrateOptions& options, Diagnostics& diagnostics) {
  Calibration out;
  std::vector<const MeasuredSet*> chosen;
  for (const MeasuredSet& s : sets)
    if (wanted(s, what) && !s.held_out && !s.chip.empty()) chosen.push_back(&s);
  if (!one_chip(chosen, diagnostics) || !stand_once(chosen, diagnostics)) return out;
  const auto generic = load_kernels(work, "generic", {}, diagnostics);
  if (!generic || chosen.empty()) {
    if (generic) nothing_of(sets, what, diagnostics);
    return out;
  }
  const auto chip = load_chip(work, chosen.front()->chip, chosen.front()->span, diagnostics);
  if (!chip) return out;
  out.kernels.name = options.name;
  out.kernels.chip = chosen.front()->chip;
  const MeasuredSet* too_small = nullptr;
  std::vector<const MeasuredSet*> layers;
  if (what == CalibrateWhat::kKernels) {
    add_launch(chosen, out.kernels);
    add_ceilings(chosen, *chip, out);
  }
  for (const MeasuredSet* s : chosen) {
    if (is_layer(s->kernel)) layers.push_back(s);
    if (is_layer(s->kernel) || is_ceiling(s->kernel) || s->kernel == MeasuredKernel::kLaunch)
      continue;
    std::string why;
    const auto model = model_of(*s, *chip, *generic, options.form, why);
    const std::size_t points = timed_points(*s).size();
    if (model && points < model->parameters.size()) {
      why = fmt::format("{} point{} can't fix {} constants", points, points == 1 ? "" : "s",
                        model->parameters.size());
      too_small = s;
    }
    if (!why.empty() || !model) {
      out.skipped.push_back(fmt::format("{}: {}", name_of(*s), why));
      continue;
    }
    if (possible(*s, *model, *chip, diagnostics)) fit_set(*s, *model, out);
  }
  most_measured_first(out.kernels.gemm);
  most_measured_first(out.kernels.decode);
  most_measured_first(out.kernels.prefill);
  most_measured_first(out.kernels.latent);
  most_measured_first(out.kernels.streams);
  for (const MeasuredSet* s : layers) check_layers(*s, *chip, *generic, out);
  const bool links_only = std::all_of(chosen.begin(), chosen.end(), [](const MeasuredSet* s) {
    return s->kernel == MeasuredKernel::kHostToDevice ||
           s->kernel == MeasuredKernel::kDeviceToHost || s->kernel == MeasuredKernel::kPeerCopy;
  });
  if (out.sets.empty() && links_only && !diagnostics.has_errors()) {
    diagnostics.error(chosen.front()->span, "nothing to fit: only the links are measured here")
        .help(fmt::format("`reckon calibrate chip {} --onto {}` lays them onto the chip's file",
                          chosen.front()->file, chosen.front()->chip));
  } else if (out.sets.empty() && out.skipped.empty() && !diagnostics.has_errors()) {
    diagnostics.error(chosen.front()->span, "nothing to fit: no product, attention or other kernel")
        .help("measure some: reckon-bench without --only");
  } else if (out.sets.empty() && !diagnostics.has_errors())
    diagnostics
        .error(too_small ? too_small->span : chosen.front()->span,
               "nothing to fit: " + out.skipped.front())
        .help(out.skipped.front().find("states no") != std::string::npos
                  ? "`reckon show CHIP` prints its peaks; --dtype says which format was measured"
                  : "measure more shapes: more than there are constants");
  return out;
}

Kernels<double> laid_onto(Kernels<double> base, const Kernels<double>& fresh) {
  replace_entries(base.gemm, fresh.gemm,
                  [](const auto& a, const auto& b) { return a.format == b.format; });
  replace_entries(base.decode, fresh.decode,
                  [](const auto& a, const auto& b) { return a.kv_format == b.kv_format; });
  replace_entries(base.prefill, fresh.prefill, [](const auto& a, const auto& b) {
    return a.format == b.format && a.kv_format == b.kv_format && a.causal == b.causal &&
           same_width(a.head_width, b.head_width);
  });
  replace_entries(base.latent, fresh.latent,
                  [](const auto& a, const auto& b) { return a.kv_format == b.kv_format; });
  replace_entries(base.collectives, fresh.collectives,
                  [](const auto& a, const auto& b) { return a.op == b.op; });
  replace_entries(base.dispatch, fresh.dispatch,
                  [](const auto& a, const auto& b) { return a.step == b.step; });
  replace_entries(base.streams, fresh.streams, [](const auto& a, const auto& b) {
    return a.op == b.op && a.format == b.format;
  });
  if (fresh.launch) base.launch = fresh.launch;
  return base;
}

std::string kernels_text(const Kernels<double>& kernels) {
  doc::Value tree = to_tree(kernels);
  doc::take(tree, "id");
  return "kind: kernels\n" + doc::write_yaml(tree);
}

}  // namespace reckon
