#include "tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>

#include "reckon/base/edit_distance.hpp"
#include "reckon/base/text.hpp"
#include "reckon/doc/bind.hpp"
#include "reckon/units/format.hpp"
#include "reckon/units/parse.hpp"

namespace reckon {
namespace {

using Column = MeasuredColumn;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

constexpr MeasuredColumnInfo kColumns[kMeasuredColumns] = {
    {"m", kOne, "m"},
    {"n", kOne, "n"},
    {"k", kOne, "k"},
    {"groups", kOne, "groups"},
    {"batch", kOne, "batch"},
    {"length", kOne, "length"},
    {"heads", kOne, "heads"},
    {"kv_heads", kOne, "kv_heads"},
    {"head_width", kOne, "head_width"},
    {"hidden", kOne, "hidden"},
    {"inner", kOne, "inner"},
    {"top_k", kOne, "top_k"},
    {"tokens", kOne, "tokens"},
    {"ranks", kOne, "ranks"},
    {"nodes", kOne, "nodes"},
    {"bytes", kByte, "bytes B"},
    {"time", kSecond, "time us"},
    {"rate", kFlopRate, "rate TFLOP/s"},
    {"busbw", kByteRate, "busbw GB/s"},
    {"bandwidth", kByteRate, "bandwidth GB/s"},
};

bool is_measured(Column c) { return c >= Column::kTime; }

std::vector<std::string> column_names() {
  std::vector<std::string> out;
  for (const MeasuredColumnInfo& c : kColumns) out.emplace_back(c.name);
  return out;
}

// Sizes that a kernel's time can't be understood without.
std::vector<Column> needed(MeasuredKernel kernel) {
  switch (kernel) {
    case MeasuredKernel::kGemm:
      return {Column::kM, Column::kN, Column::kK};
    case MeasuredKernel::kGroupedGemm:
      return {Column::kGroups, Column::kM, Column::kN, Column::kK};
    case MeasuredKernel::kAttentionPrefill:
      return {Column::kLength, Column::kHeadWidth};
    case MeasuredKernel::kAttentionDecode:
      return {Column::kBatch, Column::kLength, Column::kKvHeads, Column::kHeadWidth};
    case MeasuredKernel::kAllReduce:
    case MeasuredKernel::kAllGather:
    case MeasuredKernel::kReduceScatter:
    case MeasuredKernel::kAllToAll:
      return {Column::kRanks};
    case MeasuredKernel::kDispatch:
    case MeasuredKernel::kCombine:
      return {Column::kTokens, Column::kRanks, Column::kHidden, Column::kTopK};
    case MeasuredKernel::kCacheRead:
      return {Column::kBytes};
    case MeasuredKernel::kNorm:
    case MeasuredKernel::kSwiglu:
    case MeasuredKernel::kQuantize:
      return {Column::kTokens, Column::kHidden};
    case MeasuredKernel::kLayerDecode:
    case MeasuredKernel::kLayerPrefill:
      return {Column::kBatch, Column::kLength,  Column::kHidden,   Column::kInner,
              Column::kHeads, Column::kKvHeads, Column::kHeadWidth};
    default:
      return {};
  }
}

}  // namespace

double flops_of(const MeasuredSet& set, const MeasuredPoint& p) {
  const double product = 2 * p.at(Column::kM) * p.at(Column::kN) * p.at(Column::kK);
  if (set.kernel == MeasuredKernel::kGemm) return product;
  if (set.kernel == MeasuredKernel::kGroupedGemm) return p.at(Column::kGroups) * product;
  if (set.kernel == MeasuredKernel::kAttentionPrefill)
    return (set.causal ? 2 : 4) * p.at(Column::kBatch, 1) * p.at(Column::kHeads, 1) *
           p.at(Column::kHeadWidth) * p.at(Column::kLength) * p.at(Column::kLength);
  return kNone;
}

namespace {

// Seconds of a point from what was measured; NaN if that was a rate of an amount that is not stated.
double seconds_of(const MeasuredSet& set, const MeasuredPoint& p) {
  if (!std::isnan(p.at(Column::kTime))) return p.at(Column::kTime);
  if (const double bus = p.at(Column::kBusRate); !std::isnan(bus))
    return bus_factor(set.kernel, p.at(Column::kRanks)) * p.at(Column::kBytes) / bus;
  return flops_of(set, p) / p.at(Column::kRate);
}

bool read_cell(const TableCell& cell, const TableColumn& column, double& out,
               Diagnostics& diagnostics) {
  const MeasuredColumnInfo& info = column_info(column.column);
  char* end = nullptr;
  const double x = std::strtod(cell.text.c_str(), &end);
  const auto fault = [&](const std::string& what) {
    diagnostics.error(cell.span, fmt::format("{}: {}", info.name, what))
        .help(is_measured(column.column) ? "a measured value is a positive number"
                                         : "a size is a whole number of at least 1");
    return false;
  };
  if (cell.text.empty() || *end != '\0')
    return fault(fmt::format("'{}' is not a number", printable(cell.text)));
  if (!std::isfinite(x)) return fault(fmt::format("'{}' is no measured value", cell.text));
  if (!(x > 0)) return fault(fmt::format("{} is not positive", cell.text));
  if (!is_measured(column.column) && column.column != Column::kBytes && x != std::floor(x))
    return fault(fmt::format("{} is not a whole number", cell.text));
  out = x * column.unit;
  return true;
}

// Seconds by each of the measured columns that a row fills; NaN for a rate of an amount that is not stated.
std::array<double, kMeasuredColumns> seconds_by_column(const MeasuredSet& set,
                                                       const MeasuredPoint& p) {
  std::array<double, kMeasuredColumns> out;
  out.fill(kNone);
  for (const Column c : {Column::kTime, Column::kRate, Column::kBusRate}) {
    if (std::isnan(p.at(c))) continue;
    MeasuredPoint alone = p;
    for (const Column other : {Column::kTime, Column::kRate, Column::kBusRate})
      if (other != c) alone.values[static_cast<std::size_t>(other)] = kNone;
    out[static_cast<std::size_t>(c)] = seconds_of(set, alone);
  }
  // Of a collective the array over the time; of a copy or a read what was moved over it. What a kernel that reads and
  // writes moves is counted in more than one way.
  const bool plain =
      is_collective(set.kernel) || set.kernel == MeasuredKernel::kMemoryRead ||
      set.kernel == MeasuredKernel::kMemoryWrite || set.kernel == MeasuredKernel::kHostToDevice ||
      set.kernel == MeasuredKernel::kDeviceToHost || set.kernel == MeasuredKernel::kPeerCopy;
  if (plain)
    out[static_cast<std::size_t>(Column::kBandwidth)] =
        p.at(Column::kBytes) / p.at(Column::kBandwidth);
  return out;
}

// A row that states a time and a rate: they must say the same, but for what was rounded away.
bool agree(const MeasuredSet& set, const MeasuredPoint& p, const std::vector<TableColumn>& columns,
           const std::vector<TableCell>& cells, Diagnostics& diagnostics) {
  constexpr double kSame = 0.02;
  const auto seconds = seconds_by_column(set, p);
  const TableCell* first = nullptr;
  double slack = 0, by_first = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const double s = seconds[static_cast<std::size_t>(columns[i].column)];
    if (std::isnan(s)) continue;
    const double rounded =
        half_of_last_digit(cells[i].text) / std::strtod(cells[i].text.c_str(), nullptr);
    if (first && std::abs(s / by_first - 1) > kSame + slack + rounded) {
      diagnostics
          .error(cells[i].span, fmt::format("{}: {} means {}", column_info(columns[i].column).name,
                                            cells[i].text, format_quantity(s, kSecond)))
          .note(first->span,
                fmt::format("and {} means {}", first->text, format_quantity(by_first, kSecond)))
          .help("one row, one measurement: mend the figure or its unit, or leave the column out");
      return false;
    }
    if (first) continue;
    first = &cells[i];
    slack = rounded;
    by_first = s;
  }
  return true;
}

void add_common(MeasuredPoint& p, Column c, const std::optional<Count<double>>& said) {
  if (said) p.values[static_cast<std::size_t>(c)] = said->raw;
}

std::vector<TableCell> cells_of(const doc::Value& list) {
  std::vector<TableCell> out;
  for (const doc::Value& v : list.items) out.push_back({v.text, v.span});
  return out;
}

// One group's columns and rows onto its set.
void read_rows(const MeasuredGroup<double>& group, MeasuredSet& set, Diagnostics& diagnostics) {
  if (!group.columns.is_sequence() || !group.rows.is_sequence()) {
    const doc::Value& at = group.columns.is_sequence() ? group.rows : group.columns;
    diagnostics.error(at.span, "columns and rows are lists")
        .help("columns: [m, n, k, time us], rows: [[1, 4096, 4096, 13.2]]");
    return;
  }
  std::vector<TableColumn> columns;
  for (const TableCell& said : cells_of(group.columns)) {
    TableColumn c{};
    if (!read_column(said, c, diagnostics)) return;
    columns.push_back(c);
  }
  if (!no_column_twice(columns, cells_of(group.columns), diagnostics)) return;
  for (const doc::Value& row : group.rows.items) {
    if (!row.is_sequence()) {
      diagnostics.error(row.span,
                        fmt::format("a row is a list of numbers, found a {}", doc::kind_of(row)));
      continue;
    }
    if (!add_point(set, columns, cells_of(row), row.span, diagnostics)) continue;
    MeasuredPoint& p = set.points.back();
    add_common(p, Column::kHeadWidth, group.head_width);
    add_common(p, Column::kHidden, group.hidden);
    add_common(p, Column::kTopK, group.top_k);
    p.seconds = seconds_of(set, p);
  }
  for (const auto& [column, said] :
       {std::pair{Column::kHeadWidth, group.head_width}, std::pair{Column::kHidden, group.hidden},
        std::pair{Column::kTopK, group.top_k}})
    if (said) set.columns.insert(set.columns.begin(), column);
}

MeasuredSet set_of(const Measurements<double>& file, const MeasuredGroup<double>& g) {
  MeasuredSet s;
  s.kernel = g.kernel;
  s.chip = g.device.empty() ? file.chip : "";
  s.device = g.device;
  s.library = g.library;
  s.format = g.format;
  s.kv_format = g.kv_format;
  s.conditions = g.conditions;
  s.source = g.source;
  s.launch = g.launch;
  s.causal = g.causal;
  s.held_out = g.held_out;
  s.quantizes = g.quantizes;
  s.head_width = g.head_width ? g.head_width->raw : 0;
  return s;
}

}  // namespace

const MeasuredColumnInfo& column_info(MeasuredColumn column) {
  return kColumns[static_cast<std::size_t>(column)];
}

bool is_collective(MeasuredKernel kernel) {
  return kernel >= MeasuredKernel::kAllReduce && kernel <= MeasuredKernel::kAllToAll;
}

bool read_kernel(const std::string& word, Span span, MeasuredKernel& out,
                 Diagnostics& diagnostics) {
  const auto words = names(MeasuredKernel{});
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (word != words[i]) continue;
    out = static_cast<MeasuredKernel>(i);
    return true;
  }
  const std::vector<std::string> known(words.begin(), words.end());
  const std::string near = closest(word, known);
  diagnostics.error(span, fmt::format("no kernel is called '{}'", printable(word)))
      .help(near.empty() ? "one of " + join(known, ", ") : fmt::format("did you mean '{}'?", near));
  return false;
}

bool read_column(const TableCell& said, TableColumn& out, Diagnostics& diagnostics) {
  const std::size_t space = said.text.find(' ');
  const std::string name = said.text.substr(0, space);
  const std::string unit = space == std::string::npos ? "" : said.text.substr(space + 1);
  for (std::size_t i = 0; i < kMeasuredColumns; ++i) {
    const MeasuredColumnInfo& info = kColumns[i];
    if (info.name != name) continue;
    out = {static_cast<Column>(i), 1};
    if (info.dim == kOne && unit.empty()) return true;
    if (unit.empty()) {
      diagnostics.error(said.span, fmt::format("column '{}' states no unit", name))
          .help(fmt::format("write '{}'", info.example));
      return false;
    }
    const auto parsed = parse_quantity("1 " + unit, info.dim);
    if (const double* x = std::get_if<double>(&parsed); x && info.dim != kOne) {
      out.unit = *x;
      return true;
    }
    diagnostics.error(said.span, fmt::format("'{}' is no unit of the column '{}'", unit, name))
        .help(fmt::format("write '{}'", info.example));
    return false;
  }
  const std::string near = closest(name, column_names());
  diagnostics.error(said.span, fmt::format("no column is called '{}'", printable(name)))
      .help(near.empty() ? "one of " + join(column_names(), ", ")
                         : fmt::format("did you mean '{}'?", near));
  return false;
}

bool add_point(MeasuredSet& set, const std::vector<TableColumn>& columns,
               const std::vector<TableCell>& cells, Span row, Diagnostics& diagnostics) {
  if (cells.size() != columns.size()) {
    diagnostics.error(row, fmt::format("a row of {} numbers, and {} columns are named",
                                       cells.size(), columns.size()));
    return false;
  }
  MeasuredPoint p{row, {}, kNone};
  p.values.fill(kNone);
  bool good = true;
  for (std::size_t i = 0; i < cells.size(); ++i)
    good = read_cell(cells[i], columns[i], p.values[static_cast<std::size_t>(columns[i].column)],
                     diagnostics) &&
           good;
  if (!good) return false;
  if (!agree(set, p, columns, cells, diagnostics)) return false;
  for (const TableColumn& c : columns)
    if (std::find(set.columns.begin(), set.columns.end(), c.column) == set.columns.end())
      set.columns.push_back(c.column);
  p.seconds = seconds_of(set, p);
  set.points.push_back(p);
  return true;
}

void check_set(const MeasuredSet& set, Diagnostics& diagnostics) {
  std::map<std::string, Span> seen;
  for (const MeasuredPoint& p : set.points) {
    const std::string shape = shape_of(set, p);
    const auto [at, first] = seen.emplace(shape, p.span);
    if (first) continue;
    diagnostics
        .error(p.span, fmt::format("the point {} stands twice", shape.empty() ? "here" : shape))
        .note(at->second, "it stands here first")
        .help("keep one, or put the other into a group of its own that says what differs");
  }
  if (set.points.empty()) return;
  bool measured = false;
  for (const Column c : set.columns) measured = measured || is_measured(c);
  if (!measured)
    diagnostics.error(set.span, "no column says what was measured")
        .help("add time us, rate TFLOP/s, busbw GB/s or bandwidth GB/s");
  // A rate alone: what a kernel reaches at best.
  const auto ceiling = [&set](const MeasuredPoint& p) {
    return std::isnan(p.at(Column::kTime)) && set.columns.size() == 1;
  };
  const std::vector<Column> need = needed(set.kernel);
  const auto lacking = [&](Column c) {
    return std::find_if(set.points.begin(), set.points.end(),
                        [&](const MeasuredPoint& p) { return std::isnan(p.at(c)) && !ceiling(p); });
  };
  for (const Column c : need) {
    const auto at = lacking(c);
    if (at == set.points.end()) continue;
    const bool all = std::all_of(set.points.begin(), set.points.end(),
                                 [c](const MeasuredPoint& p) { return std::isnan(p.at(c)); });
    if (all)
      diagnostics
          .error(set.span, fmt::format("{}: column '{}' is missing", name_of(set.kernel),
                                       column_info(c).name))
          .help("add it to columns, or to the group if all rows share it");
    else
      diagnostics
          .error(at->span, fmt::format("{}: this point states no {}", name_of(set.kernel),
                                       column_info(c).name))
          .help("say what was measured, or leave the point out");
  }
  // A size that the kernel can do without is one of all points, or of none.
  for (const Column c : set.columns) {
    if (is_measured(c) || std::find(need.begin(), need.end(), c) != need.end()) continue;
    if (const auto at = lacking(c); at != set.points.end())
      diagnostics
          .error(at->span, fmt::format("{}: this point states no {}, and others do",
                                       name_of(set.kernel), column_info(c).name))
          .help("say it of all points of one kernel, or of none");
  }
}

bool nothing_beside(const std::vector<SaidBeside>& options, const std::string& file, Span at,
                    Diagnostics& d) {
  bool good = true;
  for (const SaidBeside& x : options) {
    if (!x.said) continue;
    good = false;
    d.error(at, fmt::format("{}: {} says it itself", x.option, file))
        .help("leave it out; it is for CSV and for the outputs of other tools");
  }
  return good;
}

bool stands_alone(const FileFacts& facts, const std::string& file, Span at, Diagnostics& d) {
  return nothing_beside({{"--kernel", !facts.kernel.empty()},
                         {"--library", !facts.library.empty()},
                         {"--dtype", !facts.format.empty()},
                         {"--column", !facts.columns.empty()}},
                        file, at, d);
}

std::string name_of(const MeasuredSet& set) {
  std::string out(name_of(set.kernel));
  if (!set.format.empty()) out += " " + set.format;
  if (!set.kv_format.empty()) out += ", cache " + set.kv_format;
  if (set.kernel == MeasuredKernel::kAttentionPrefill && !set.causal) out += ", all pairs";
  if (set.head_width > 0) out += fmt::format(", heads of {}", set.head_width);
  return fmt::format("{}, {}, {}", out, set.library, set.chip.empty() ? set.device : set.chip);
}

std::string shape_of(const MeasuredSet& set, const MeasuredPoint& point) {
  std::vector<std::string> words;
  for (const Column c : set.columns) {
    if (is_measured(c) || std::isnan(point.at(c))) continue;
    words.push_back(fmt::format("{}={:.0f}", column_info(c).name, point.at(c)));
  }
  return join(words, " ");
}

std::vector<MeasuredSet> read_tables(doc::Value tree, Diagnostics& diagnostics) {
  doc::take(tree, "kind");
  Measurements<double> file;
  Origins origins;
  const std::size_t before = diagnostics.error_count();
  bind(tree, file, {diagnostics, origins});
  if (diagnostics.error_count() > before) return {};
  std::vector<MeasuredSet> out;
  const doc::Value* groups = tree.find("groups");
  for (std::size_t i = 0; i < file.groups.size(); ++i) {
    const MeasuredGroup<double>& g = file.groups[i];
    const doc::Value& at = groups->items[i];
    MeasuredSet set = set_of(file, g);
    set.span = at.span;
    set.file = at.span ? at.span.file->name : "";
    if (!g.chip.empty() && g.chip != file.chip) {
      diagnostics
          .error(at.find("chip")->span,
                 fmt::format("a point of chip '{}' in a file of '{}'", g.chip, file.chip))
          .help("one file holds one chip: split it");
      continue;
    }
    if (set.chip.empty() && set.device.empty()) {
      diagnostics.error(at.span, "neither the file nor the group says which chip was measured")
          .help("write chip: h100-sxm at the top");
      continue;
    }
    read_rows(g, set, diagnostics);
    check_set(set, diagnostics);
    out.push_back(std::move(set));
  }
  return diagnostics.error_count() > before ? std::vector<MeasuredSet>{} : out;
}

}  // namespace reckon
