#include "breakdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reckon/base/text.hpp"

namespace reckon {
namespace {

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

// The cell at which a value falls on a scale; 0 for what is no size.
std::size_t cell_at(double value, double scale, std::size_t cells) {
  if (!(value > 0) || !(scale > 0) || !std::isfinite(scale)) return 0;
  const double at = std::round(value / scale * static_cast<double>(cells));
  return static_cast<std::size_t>(std::min(at, static_cast<double>(cells)));
}

}  // namespace

void Breakdown::part(std::string label, std::string value, double size) {
  rows_.push_back(
      {std::move(label), std::move(value), share(size, limit_), "", end_, end_ + size, true});
  end_ += size;
}

void Breakdown::total(std::string label, std::string value, double size) {
  rows_.push_back(
      {std::move(label), std::move(value), share(size, limit_), "", 0, size, true, true});
  end_ = std::max(end_, size);
}

void Breakdown::line(std::string label, std::string value, std::string share, std::string word) {
  rows_.push_back({std::move(label), std::move(value), std::move(share), std::move(word)});
}

std::string Breakdown::share(double part, double whole) {
  if (!(whole > 0) || !std::isfinite(part)) return "";
  const double percent = 100 * part / whole;
  if (!(std::abs(percent) < 1e6)) return "";  // says nothing as a share
  return percent > 0 && percent < 0.05 ? "<0.1 %" : fmt::format("{:.1f} %", percent);
}

std::size_t Breakdown::bar_cells() const {
  constexpr std::size_t kIndent = 2, kGap = 2, kFewest = 12, kMost = 40;
  std::size_t label = 0, value = 0, share = 0;
  for (const Row& r : rows_) {
    label = std::max(label, columns(r.label));
    value = std::max(value, columns(r.value));
    share = std::max(share, columns(r.share));
  }
  const std::size_t used = kIndent + label + kGap + value + kGap + share + kGap;
  return std::clamp(canvas_.width > used ? canvas_.width - used : 0, kFewest, kMost);
}

std::string Breakdown::bar(const Row& row, std::size_t cells) const {
  const double scale = std::max(limit_, end_);
  const std::size_t limit = cell_at(limit_, scale, cells);
  std::size_t from = cell_at(row.from, scale, cells), to = cell_at(row.to, scale, cells);
  if (from == to && row.to > row.from)
    return repeated(" ", std::min(from, cells - 1)) + "▏";  // too thin for a cell
  std::string out = repeated(" ", from);
  out += repeated("█", std::min(to, limit) - std::min(from, limit));
  out += canvas_.paint.bad(repeated("▓", std::max(to, limit) - std::max(from, limit)));
  if (row.is_total && to < limit) out += canvas_.paint.dim(repeated("░", limit - to));
  return out;
}

Table Breakdown::table() const {
  const std::size_t cells = bar_cells();
  const auto title = [this](const char* text) { return canvas_.markdown ? text : ""; };
  Table out(
      {{title("part")}, {title("size"), Align::kRight}, {title("share"), Align::kRight}, {""}});
  for (const Row& r : rows_) {
    const std::string last = r.has_bar && !canvas_.markdown ? bar(r, cells) : r.word;
    out.row({r.label, r.value, r.share, last});
  }
  return out;
}

}  // namespace reckon
