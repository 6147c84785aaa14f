// Plain ceilings: the best rate of arithmetic, memory and copies, and the chip's file that they make.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../four_digits.hpp"
#include "../measured/tables.hpp"
#include "parts.hpp"
#include "reckon/base/text.hpp"
#include "reckon/doc/write.hpp"
#include "reckon/units/format.hpp"

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

namespace {

std::vector<const MeasuredSet*> all_of(const std::vector<MeasuredSet>& sets) {
  std::vector<const MeasuredSet*> out;
  for (const MeasuredSet& s : sets) out.push_back(&s);
  return out;
}

// What was measured of the links: between devices, and to the host by its slower direction.
struct Links {
  Best peer, to_device, to_host;

  bool any() const { return peer.set || host(); }
  const Best* host() const {
    if (!to_device.set || !to_host.set)
      return to_device.set ? &to_device : to_host.set ? &to_host : nullptr;
    return to_device.rate < to_host.rate ? &to_device : &to_host;
  }
  std::string shown() const {
    std::vector<std::string> out;
    if (peer.set) out.push_back("between devices " + format_quantity(peer.rate, kByteRate));
    if (host()) out.push_back("to the host " + format_quantity(host()->rate, kByteRate));
    return join(out, ", ");
  }
};

Links links_of(const std::vector<MeasuredSet>& sets) {
  Links out;
  for (const MeasuredSet& s : sets) {
    if (s.kernel == MeasuredKernel::kPeerCopy) improve(out.peer, s);
    if (s.kernel == MeasuredKernel::kHostToDevice) improve(out.to_device, s);
    if (s.kernel == MeasuredKernel::kDeviceToHost) improve(out.to_host, s);
  }
  return out;
}

doc::Value rate_text(double rate) {
  return doc::scalar(write_quantity(four_digits(rate), kByteRate, Hint::kNone));
}

}  // namespace

std::string chip_onto(Workspace& work, const std::string& base,
                      const std::vector<MeasuredSet>& sets, const CalibrateOptions& options,
                      Diagnostics& d) {
  const Links links = links_of(sets);
  if (!one_chip(all_of(sets), d)) return "";
  if (!links.any()) {
    d.error(sets.empty() ? Span{} : sets.front().span,
            "calibrate chip --onto: no link is measured here")
        .help("nvbandwidth's output tells them; without --onto reckon-bench's makes a whole file");
    return "";
  }
  const auto chip = load_chip(work, base, {}, d);
  if (!chip) return "";
  const MeasuredSet& measured = links.peer.set ? *links.peer.set : *links.host()->set;
  check_device(measured.machine.name, base, measured.span, d);
  doc::Value tree = work.read_data(work.find(Shelf::kChips, base), {}, d);
  if (!tree.is_mapping()) return "";
  doc::expand_dotted_keys(tree, d);
  const auto quoted = [](std::string text) {
    doc::Value v = doc::scalar(std::move(text));
    v.quoted = true;
    return v;
  };
  std::string from;
  if (links.peer.set) {
    const bool whole = !chip->link || !chip->link->peer ||
                       chip->link->peer->raw >= chip->link->one_way.raw;  // a switch: all to one
    if (!chip->link) doc::set_path(tree, "link.kind", quoted("as measured"), d);
    if (whole) doc::set_path(tree, "link.one_way", rate_text(links.peer.rate), d);
    doc::set_path(tree, "link.peer", rate_text(links.peer.rate), d);
    from = links.peer.set->source;
  }
  if (const Best* host = links.host()) {
    if (!chip->host) doc::set_path(tree, "host.kind", quoted("as measured"), d);
    doc::set_path(tree, "host.one_way", rate_text(host->rate), d);
    if (from.empty()) from = host->set->source;
  }
  doc::set(tree, "name",
           quoted(options.name.empty() ? chip->name + ", links as measured" : options.name));
  doc::set(tree, "source",
           quoted(fmt::format("{}; links, as copies reach them: {}", chip->source, from)));
  return doc::write_yaml(tree);
}

std::optional<Chip<double>> calibrate_chip(const std::vector<MeasuredSet>& sets,
                                           const CalibrateOptions& options, Diagnostics& d) {
  if (!one_chip(all_of(sets), d)) return {};
  const Links links = links_of(sets);
  Best peak, memory;
  for (const MeasuredSet& s : sets) {
    const bool hot = is_hot(s);
    if (s.kernel == MeasuredKernel::kFma) improve(peak, s);
    if (is_memory(s.kernel) && !hot) improve(memory, s);
  }
  for (const auto& [best, what] : {std::pair{&peak, "fma"}, {&memory, "cold memory-read"}}) {
    if (best->set) continue;
    const std::string has = links.any() ? "; measured are only the links: " + links.shown() : "";
    d.error(sets.empty() ? Span{} : sets.front().span,
            fmt::format("a chip's file needs a point of {}, and there is none{}", what,
                        peak.set || memory.set ? "" : has))
        .help(links.any() ? "--onto CHIP lays them onto a chip's file, such as --onto h100-sxm; or "
                            "name a file of reckon-bench --only fma,memory-read on it beside this"
                          : fmt::format("reckon-bench --only \"{}\"", what));
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
  if (links.peer.set) {
    chip.link.emplace();
    chip.link->kind = "one copies what another has written";
    chip.link->one_way = ByteRate<double>(four_digits(links.peer.rate));
  }
  if (const Best* host = links.host()) {
    chip.host.emplace();
    chip.host->kind = fmt::format("as a copy {} reaches it", name_of(host->set->kernel));
    chip.host->one_way = ByteRate<double>(four_digits(host->rate));
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
