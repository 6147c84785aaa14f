// Plain ceilings: the best rate of arithmetic, memory and copies, and the chip's file that they make.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../four_digits.hpp"
#include "parts.hpp"
#include "reckon/base/text.hpp"
#include "reckon/doc/write.hpp"

namespace reckon {
namespace {

using Column = MeasuredColumn;

constexpr MeasuredKernel kCeilings[] = {
    MeasuredKernel::kMemoryRead,   MeasuredKernel::kMemoryWrite, MeasuredKernel::kMemoryCopy,
    MeasuredKernel::kMemoryTriad,  MeasuredKernel::kCacheRead,   MeasuredKernel::kHostToDevice,
    MeasuredKernel::kDeviceToHost, MeasuredKernel::kPeerCopy,    MeasuredKernel::kFma};

bool is_memory(MeasuredKernel k) {
  return k >= MeasuredKernel::kMemoryRead && k <= MeasuredKernel::kMemoryTriad;
}

Column rate_of(MeasuredKernel k) {
  return k == MeasuredKernel::kFma ? Column::kRate : Column::kBandwidth;
}

// What the chip's file prints of it.
double printed(const MeasuredSet& set, const Chip<double>& chip) {
  if (is_memory(set.kernel)) return chip.memory.bandwidth.raw;
  if (set.kernel == MeasuredKernel::kFma && chip.peak.fp32) return chip.peak.fp32->raw;
  if (set.kernel == MeasuredKernel::kPeerCopy && chip.link) return chip.link->one_way.raw;
  const bool host =
      set.kernel == MeasuredKernel::kHostToDevice || set.kernel == MeasuredKernel::kDeviceToHost;
  return host && chip.host ? chip.host->one_way.raw : 0;
}

// The best of a kind over all cold sets; with its place.
struct Best {
  const MeasuredSet* set = nullptr;
  double rate = 0;
};

void improve(Best& best, const MeasuredSet& set) {
  const MeasuredPoint* p = best_of(set, rate_of(set.kernel));
  if (!p || p->at(rate_of(set.kernel)) <= best.rate) return;
  best = {&set, p->at(rate_of(set.kernel))};
}

// Each format's peak: what registers alone reach, else the best product.
void set_peak(Chip<double>& chip, const std::string& format, double rate) {
  if (format == "fp32") chip.peak.fp32 = FlopRate<double>(four_digits(rate));
}

}  // namespace

bool is_ceiling(MeasuredKernel kernel) {
  return std::find(std::begin(kCeilings), std::end(kCeilings), kernel) != std::end(kCeilings);
}

const MeasuredPoint* best_of(const MeasuredSet& set, Column rate) {
  const MeasuredPoint* best = nullptr;
  for (const MeasuredPoint& p : set.points)
    if (!std::isnan(p.at(rate)) && (!best || p.at(rate) > best->at(rate))) best = &p;
  return best;
}

void add_ceilings(const std::vector<const MeasuredSet*>& sets, const Chip<double>& chip,
                  Calibration& out) {
  for (const MeasuredSet* s : sets) {
    if (!is_ceiling(s->kernel)) continue;
    const Column rate = rate_of(s->kernel);
    const MeasuredPoint* p = best_of(*s, rate);
    if (!p) continue;
    out.ceilings.push_back({fmt::format("{}, {}", name_of(s->kernel), s->library) +
                                (is_hot(*s) ? ", hot in the cache" : ""),
                            shape_of(*s, *p), rate == Column::kRate ? kFlopRate : kByteRate,
                            p->at(rate), printed(*s, chip)});
  }
}

std::optional<Chip<double>> calibrate_chip(const std::vector<MeasuredSet>& sets,
                                           const CalibrateOptions& options, Diagnostics& d) {
  Best peak, memory, link;
  for (const MeasuredSet& s : sets) {
    const bool hot = is_hot(s);
    if (s.kernel == MeasuredKernel::kFma) improve(peak, s);
    if (is_memory(s.kernel) && !hot) improve(memory, s);
    if (s.kernel == MeasuredKernel::kPeerCopy) improve(link, s);
  }
  for (const auto& [best, what] : {std::pair{&peak, "fma"}, {&memory, "cold memory-read"}}) {
    if (best->set) continue;
    d.error(sets.empty() ? Span{} : sets.front().span,
            fmt::format("a chip's file needs a {} point, and there is none", what))
        .help(fmt::format("reckon-bench --only \"{}\"", what));
    return {};
  }
  const MeasuredSet& first = *memory.set;
  if (!(first.machine.memory > 0)) {
    d.error(first.span, "machine.memory is not stated: how much the device has");
    return {};
  }
  Chip<double> chip;
  chip.name = options.name.empty() ? first.machine.name : options.name;
  set_peak(chip, peak.set->format, peak.rate);
  chip.memory.capacity = Bytes<double>(first.machine.memory);
  chip.memory.bandwidth = ByteRate<double>(four_digits(memory.rate));
  chip.memory.kind = fmt::format("as {} reaches it", name_of(memory.set->kernel));
  if (first.machine.units > 0) chip.units = Count<double>(first.machine.units);
  if (link.set) {
    chip.link.emplace();
    chip.link->kind = "one copies what another has written";
    chip.link->one_way = ByteRate<double>(four_digits(link.rate));
  }
  chip.source = first.source + ": measured, not printed by a vendor";
  return chip;
}

std::string chip_text(const Chip<double>& chip) {
  doc::Value tree = to_tree(chip);
  doc::take(tree, "id");
  return "kind: chip\n" + doc::write_yaml(tree);
}

}  // namespace reckon
