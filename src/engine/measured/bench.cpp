// reckon-bench's JSON: points of one machine, by what was run under which conditions.
#include "reckon/spec/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

#include "reckon/base/text.hpp"
#include "reckon/doc/bind.hpp"
#include "tables.hpp"

namespace reckon {
namespace {

constexpr double kVersion = 1;

struct Scale {
  TableColumn time, bytes, flops;
};

// One of the units at the top, as a column of ours reads it.
bool read_unit(const doc::Value& units, const char* key, const char* column, Dim dim, double& out,
               Diagnostics& d) {
  const doc::Value& said = *units.find(key);
  const auto parsed = parse_quantity("1 " + said.text, dim);
  if (const double* x = std::get_if<double>(&parsed)) return out = *x, true;
  d.error(said.span, fmt::format("units: '{}' is no unit of {}", printable(said.text), column));
  return false;
}

bool one_device(const Bench<double>& file, const doc::Value& tree, Diagnostics& d) {
  const std::set<std::string> devices(file.machine.devices.begin(), file.machine.devices.end());
  if (devices.size() == 1) return true;
  const doc::Value& at = *tree.at("machine.devices");
  d.error(at.span, devices.empty() ? "machine.devices is empty: which device was measured?"
                                   : fmt::format("points of different devices in one file: {}",
                                                 listed({devices.begin(), devices.end()})))
      .help("constants belong to one chip: measure on one kind of device");
  return false;
}

bool readable(const Bench<double>& file, const doc::Value& tree, const FileFacts& facts,
              std::string& chip, Diagnostics& d) {
  if (std::abs(file.version.raw - kVersion) > 0) {
    d.error(tree.find("version")->span,
            fmt::format("version {} of reckon-bench's file: this reckon reads version {}",
                        file.version.raw, kVersion))
        .help("measure again with the reckon-bench beside this reckon");
    return false;
  }
  if (!one_device(file, tree, d)) return false;
  // A chip's file of one's own may stand in for the one of the name.
  if (!facts.chip.empty() && facts.chip != kChipToWrite && !is_own_file(facts.chip) &&
      !file.chip.empty() && facts.chip != file.chip) {
    d.error(tree.find("chip")->span,
            fmt::format("measured on {}, and --chip says {}", file.chip, facts.chip))
        .help("leave --chip out: the file says which chip it is");
    return false;
  }
  chip = facts.chip.empty() ? file.chip : facts.chip;
  if (!chip.empty()) {
    check_device(file.machine.devices.front(), chip, tree.at("machine.devices")->span, d);
    return true;
  }
  d.error(tree.span, fmt::format("which chip '{}' is must be said", file.machine.devices.front()))
      .help("--chip h100-sxm; `reckon calibrate chip` writes a file for a chip that has none");
  return false;
}

// What must agree for points to stand in one table. Cold before hot, graphs before streams: what comes first is fitted.
using Key = std::tuple<MeasuredKernel, std::string, std::string, CacheState, bool, bool>;
Key key_of(const BenchPoint<double>& p) {
  return {p.op, p.dtype, p.library, p.cache, p.launch == LaunchedBy::kStream, p.throttled};
}

MeasuredSet set_of(const Bench<double>& file, const BenchPoint<double>& p, const std::string& chip,
                   Span at) {
  MeasuredSet s;
  s.kernel = p.op;
  s.chip = chip;
  // Its constants stand beside those of plain products: a kernel of another kind.
  s.library = p.library + (p.op == MeasuredKernel::kGroupedGemm ? ", grouped" : "");
  s.format = p.dtype;
  s.launch = p.launch;
  s.conditions = p.cache == CacheState::kHot ? "hot in the cache" : "cold";
  if (p.throttled) s.conditions += ", throttled";
  const BenchMachine<double>& m = file.machine;
  s.source = fmt::format(
      "reckon-bench on {}{}{}{}", m.devices.front(), m.driver.empty() ? "" : ", driver " + m.driver,
      m.host.empty() ? "" : ", host " + m.host, m.date.empty() ? "" : ", " + m.date);
  s.file = at ? at.file->name : "";
  s.span = at;
  s.machine.name = m.devices.front();
  s.machine.units = m.units ? m.units->raw : 0;
  return s;
}

// Bytes that a product of this shape may move: its three matrices, in formats of 4 to 64 bits an element.
bool plausible_bytes(const MeasuredSet& set, const MeasuredPoint& p, double bytes) {
  using C = MeasuredColumn;
  if (const double array = p.at(C::kBytes);
      !std::isnan(array))  // read, copied, or two read and one written
    return bytes >= 0.99 * array && bytes <= 3.01 * array;
  if (set.kernel != MeasuredKernel::kGemm && set.kernel != MeasuredKernel::kGroupedGemm)
    return true;
  const double m = p.at(C::kM), n = p.at(C::kN), k = p.at(C::kK), groups = p.at(C::kGroups, 1);
  const double elements = groups * (m * k + k * n + m * n);
  return bytes >= 0.25 * elements && bytes <= 8 * elements;
}

// The amounts that the file states beside the shape must be the shape's, and the result must have been right.
bool holds(const MeasuredSet& set, const BenchPoint<double>& p, const MeasuredPoint& point,
           Diagnostics& d) {
  constexpr double kSame = 0.01;
  const double time = point.at(MeasuredColumn::kTime),
               flops = point.at(MeasuredColumn::kRate) * time,
               bytes = point.at(MeasuredColumn::kBandwidth) * time, own = flops_of(set, point);
  if (!std::isnan(flops) && !std::isnan(own) && std::abs(flops / own - 1) > kSame) {
    d.error(p.flops.span, fmt::format("flops {}: the shape {} has {:.0f}", p.flops.text,
                                      shape_of(set, point), own))
        .help("one of the two is wrong: mend it, or measure the point again");
    return false;
  }
  if (!std::isnan(bytes) && !plausible_bytes(set, point, bytes)) {
    d.error(p.bytes.span, fmt::format("bytes {}: no kernel of the shape {} moves that",
                                      p.bytes.text, shape_of(set, point)))
        .help("one of the two is wrong: mend it, or measure the point again");
    return false;
  }
  if (p.check.is_scalar() && std::strtod(p.check.text.c_str(), nullptr) > 1) {
    d.error(p.check.span,
            fmt::format("check {}: the result is off by more than rounding explains", p.check.text))
        .help("a kernel that gives wrong results has no time: leave the point out");
    return false;
  }
  return true;
}

// A point's sizes and times as a row of a table; false after a fault.
bool add_row(MeasuredSet& set, const BenchPoint<double>& p, const doc::Value& at,
             const Scale& scale, Diagnostics& d) {
  std::vector<TableColumn> columns;
  std::vector<TableCell> cells;
  if (!p.shape.is_mapping()) {
    d.error(p.shape.span, "shape: expected sizes by name").help(R"({"m": 64, "n": 4096})");
    return false;
  }
  for (const doc::Entry& e : p.shape.entries) {
    TableColumn c{};
    const std::string name = e.key == "bytes" ? "bytes B" : e.key;
    if (!read_column({name, e.key_span}, c, d)) return false;
    if (c.column == MeasuredColumn::kBytes) c.unit = scale.bytes.unit;
    columns.push_back(c);
    cells.push_back({e.value.text, e.value.span});
  }
  columns.push_back(scale.time);
  cells.push_back({p.median.text, p.median.span});
  if (!add_point(set, columns, cells, at.span, d)) return false;
  MeasuredPoint& point = set.points.back();
  const auto amount = [&](const doc::Value& v, const TableColumn& unit, MeasuredColumn rate) {
    if (v.is_null()) return true;
    MeasuredSet one;
    if (!add_point(one, {unit}, {{v.text, v.span}}, v.span, d)) return false;
    point.values[static_cast<std::size_t>(rate)] =
        one.points[0].at(unit.column) / point.at(MeasuredColumn::kTime);
    return true;
  };
  return amount(p.bytes, scale.bytes, MeasuredColumn::kBandwidth) &&
         amount(p.flops, scale.flops, MeasuredColumn::kRate) && holds(set, p, point, d);
}

// p10 ≤ median ≤ p90, all of them positive.
bool ordered(const BenchPoint<double>& p, const Scale& scale, Diagnostics& d) {
  double values[3] = {};
  const doc::Value* said[] = {&p.p10, &p.median, &p.p90};
  for (std::size_t i = 0; i < 3; ++i) {
    MeasuredSet one;
    if (!add_point(one, {scale.time}, {{said[i]->text, said[i]->span}}, said[i]->span, d))
      return false;
    values[i] = one.points[0].at(MeasuredColumn::kTime);
  }
  if (values[0] <= values[1] && values[1] <= values[2]) return true;
  d.error(p.median.span, fmt::format("the median {} does not lie between p10 {} and p90 {}",
                                     p.median.text, p.p10.text, p.p90.text));
  return false;
}

// Of the sets of one kernel, format and library, the first is fitted; the others are shown and kept apart.
void hold_out_others(std::vector<MeasuredSet>& sets, std::vector<std::string>& notes) {
  std::set<std::tuple<MeasuredKernel, std::string, std::string>> fitted;
  for (MeasuredSet& s : sets) {
    const bool throttled = s.conditions.find("throttled") != std::string::npos;
    if (s.kernel == MeasuredKernel::kLaunch)
      continue;  // in a stream and in a graph are both wanted
    if (!throttled && fitted.emplace(s.kernel, s.format, s.library).second) continue;
    s.held_out = true;
    notes.push_back(fmt::format("kept apart from the fit: {}, {}, in a {}: {} point{}", name_of(s),
                                s.conditions, name_of(s.launch), s.points.size(),
                                s.points.size() == 1 ? "" : "s"));
  }
}

}  // namespace

std::vector<MeasuredSet> read_bench(doc::Value tree, const FileFacts& facts, Diagnostics& d,
                                    std::vector<std::string>& notes) {
  doc::take(tree, "kind");
  const std::size_t before = d.error_count();
  Bench<double> file;
  Origins origins;
  bind(tree, file, {d, origins});
  std::string chip;
  const std::string name = tree.span ? tree.span.file->name : "the file";
  if (!stands_alone(facts, name, tree.span, d)) return {};
  if (d.error_count() > before || !readable(file, tree, facts, chip, d)) return {};
  Scale scale{{MeasuredColumn::kTime}, {MeasuredColumn::kBytes}, {MeasuredColumn::kRate}};
  const doc::Value& units = *tree.find("units");
  const bool known = read_unit(units, "time", "time", kSecond, scale.time.unit, d) &&
                     read_unit(units, "bytes", "bytes", kByte, scale.bytes.unit, d) &&
                     read_unit(units, "flops", "FLOP", kFlop, scale.flops.unit, d);
  if (!known) return {};
  std::map<Key, MeasuredSet> sets;
  const doc::Value& points = *tree.find("points");
  for (std::size_t i = 0; i < file.points.size(); ++i) {
    const BenchPoint<double>& p = file.points[i];
    const doc::Value& at = points.items[i];
    if (!ordered(p, scale, d)) continue;
    MeasuredSet& set = sets.try_emplace(key_of(p), set_of(file, p, chip, at.span)).first->second;
    add_row(set, p, at, scale, d);
  }
  std::vector<MeasuredSet> out;
  for (auto& [key, set] : sets) {
    if (!file.machine.memory.is_null())
      set.machine.memory =
          std::strtod(file.machine.memory.text.c_str(), nullptr) * scale.bytes.unit;
    check_set(set, d);
    out.push_back(std::move(set));
  }
  if (out.empty() && d.error_count() == before) d.error(points.span, "no point was measured");
  hold_out_others(out, notes);
  return d.error_count() > before ? std::vector<MeasuredSet>{} : out;
}

}  // namespace reckon
