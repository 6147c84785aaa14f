// Memory of each pipeline stage, and how it rises and falls over a step.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cell.hpp"
#include "eval_sections.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

struct StageColumn {
  std::string_view id, title;
};
// What a narrow terminal has no room for stands in the other formats.
constexpr std::string_view kOfWide[] = {"parameters", "buffers"};
constexpr StageColumn kColumns[] = {{"layers", "layers"},           {"parameters", "parameters"},
                                    {"states", "states"},           {"in_flight", "in flight"},
                                    {"activations", "activations"}, {"logits", "logits"},
                                    {"buffers", "buffers"},         {"total", "total"}};

std::string id_of(std::size_t stage, std::string_view what) {
  return fmt::format("memory.stage.{}.{}", stage, what);
}

// "0", "1–14"
std::string span_words(std::size_t first, std::size_t last) {
  return first == last ? std::to_string(first) : fmt::format("{}–{}", first, last);
}

std::vector<std::string> cells_of(Reader& r, std::size_t stage,
                                  const std::vector<StageColumn>& columns) {
  std::vector<std::string> out;
  for (const StageColumn& c : columns) out.push_back(r.text(id_of(stage, c.id)));
  return out;
}

// Those that are zero on all stages are left out.
std::vector<StageColumn> columns_of(Reader& r, std::size_t stages, bool narrow) {
  std::vector<StageColumn> out;
  for (const StageColumn& c : kColumns) {
    if (narrow && std::find(std::begin(kOfWide), std::end(kOfWide), c.id) != std::end(kOfWide))
      continue;
    bool any = false;
    for (std::size_t i = 0; i < stages; ++i) any = any || r.number(id_of(i, c.id)).value_or(0) != 0;
    if (any) out.push_back(c);
  }
  return out;
}

constexpr std::size_t kDrawnStages = 16;
constexpr std::array<const char*, 9> kLevels{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

// A column stands for the highest of the points that fall into it.
std::string drawn(const MemoryCurve& c, double full, std::size_t columns) {
  std::string out;
  for (std::size_t i = 0; i < columns; ++i) {
    const std::size_t from = i * c.points.size() / columns;
    const std::size_t to = (i + 1) * c.points.size() / columns;
    const double p = *std::max_element(c.points.begin() + static_cast<std::ptrdiff_t>(from),
                                       c.points.begin() + static_cast<std::ptrdiff_t>(to));
    const double share = full > 0 ? p / full : 0;
    out += share > 1 ? "!" : kLevels[static_cast<std::size_t>(std::ceil(share * 8 - 1e-9))];
  }
  return out;
}

std::string peak_words(const MemoryCurve& c) {
  std::string out = format_quantity(c.peak, kByte, Hint::kNone);
  if (!c.pass.empty())
    out += fmt::format(" at {}, {}", format_quantity(c.at, kOne, Hint::kFraction), c.pass);
  return out;
}

}  // namespace

Section memory_stages_section(Reader& r, const Canvas& canvas) {
  std::size_t stages = 0;
  while (r.result().find(id_of(stages, "total"))) ++stages;
  r.claim_all("memory.stage.");
  if (stages == 0) return {};
  const std::vector<StageColumn> columns = columns_of(r, stages, canvas.width < 100);
  std::vector<Table::Column> titles{{"stage"}};
  for (const StageColumn& c : columns) titles.push_back({std::string(c.title), Align::kRight});
  Section out{.title = "Memory of each stage", .table = Table(titles)};
  for (std::size_t i = 0, last = 0; i < stages; i = last + 1) {
    std::vector<std::string> cells = cells_of(r, i, columns);
    for (last = i; last + 1 < stages && cells_of(r, last + 1, columns) == cells;) ++last;
    cells.insert(cells.begin(), span_words(i, last));
    out.table.row(std::move(cells));
  }
  return out;
}

Section memory_curve_section(Reader& r, const Canvas& canvas) {
  const std::vector<MemoryCurve>& curves = r.result().curves;
  if (curves.empty()) return {};
  const double capacity = r.number("memory.capacity").value_or(0);
  double full = capacity;
  for (const MemoryCurve& c : curves) full = capacity > 0 ? full : std::max(full, c.peak);
  Section out{.title = "Memory over a step",
              .table = Table({{"stage", Align::kRight}, {"from start to end"}, {"peak"}})};
  const std::size_t beside = 52;  // stage and peak in words
  const std::size_t columns =
      std::min(curves.front().points.size(), std::max<std::size_t>(canvas.width, 72) - beside);
  const auto highest = std::max_element(
      curves.begin(), curves.end(),
      [](const MemoryCurve& a, const MemoryCurve& b) { return a.peak < b.peak * (1 - 1e-12); });
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const bool hidden = curves.size() > kDrawnStages && i >= kDrawnStages / 2 &&
                        i < curves.size() - kDrawnStages / 2;
    if (hidden) continue;
    out.table.row(
        {std::to_string(curves[i].stage), drawn(curves[i], full, columns), peak_words(curves[i])});
  }
  const std::string time = r.text("step.time");
  out.notes.push_back(fmt::format(
      "Full height is {}; a column is 1/{} of the step{}. Played out as the schedule says.",
      format_quantity(full, kByte, Hint::kNone), columns,
      time.empty() || time == kAbsent ? ", its passes of equal length" : ""));
  if (!highest->pass.empty())
    out.notes.push_back(fmt::format(
        "The highest, stage {}: {} when the {} begins, with the activations of {} {} kept.",
        highest->stage, format_quantity(highest->peak, kByte, Hint::kNone), highest->pass,
        highest->pieces, highest->pieces == 1 ? "forward pass" : "forward passes"));
  return out;
}

}  // namespace reckon
