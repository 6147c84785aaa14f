#include "reckon/load/step_table.hpp"

#include <algorithm>
#include <cmath>

namespace reckon::load {
namespace {

// 0, then 1, and on as the header says; the last is the most that is asked for.
std::vector<double> prefill_knots(double most) {
  std::vector<double> out{0, 1};
  for (double x = 16; x < most; x += x < 256 ? 16 : x < 2048 ? 64 : std::floor(x / 32))
    out.push_back(x);
  if (most > 1) out.push_back(most);
  return out;
}

std::vector<double> context_knots(double most) {
  std::vector<double> out{0, 64};
  while (out.back() < most) out.push_back(std::ceil(out.back() * (1 + 1.0 / 12)));
  return out;
}

constexpr double kUnknown = -1;

}  // namespace

struct StepTable::Row {
  explicit Row(std::size_t n) : entries(n) {
    for (auto& e : entries) e.store(kUnknown, std::memory_order_relaxed);
  }
  std::vector<std::atomic<double>> entries;
};

StepTable::StepTable(std::function<double(const Step&)> model, const StepRange& range)
    : model_(std::move(model)),
      prefill_(prefill_knots(range.prefill)),
      context_(context_knots(range.context)),
      rows_(static_cast<std::size_t>(std::max(range.decodes, 0)) + 1) {}

StepTable::~StepTable() {
  for (auto& r : rows_) delete r.load();
}

StepTable::Row& StepTable::row(std::size_t decodes) const {
  Row* is = rows_[decodes].load(std::memory_order_acquire);
  if (is) return *is;
  auto made = std::make_unique<Row>(prefill_.size() * context_.size());
  if (rows_[decodes].compare_exchange_strong(is, made.get())) return *made.release();
  return *is;  // another thread was first
}

StepTable::Place StepTable::place(const std::vector<double>& knots, double x) {
  const auto above = std::upper_bound(knots.begin(), knots.end(), x);
  if (above == knots.end()) return {knots.size() - 1, 0};
  const auto i = static_cast<std::size_t>(above - knots.begin()) - 1;
  return {i, (x - knots[i]) / (knots[i + 1] - knots[i])};
}

double StepTable::entry(Row& row, double decodes, std::size_t x, std::size_t t) const {
  std::atomic<double>& e = row.entries[x * context_.size() + t];
  double value = e.load(std::memory_order_relaxed);
  if (value == kUnknown) {
    value = model_({decodes, context_[t], prefill_[x]});
    e.store(value, std::memory_order_relaxed);
  }
  return value;
}

double StepTable::at(const Step& s) const {
  const auto n = static_cast<std::size_t>(std::max(s.decodes, 0.0));
  if (n >= rows_.size() || s.prefill > prefill_.back() || s.context > context_.back())
    return model_(s);
  Row& r = row(n);
  const Place x = place(prefill_, s.prefill);
  const Place t = n > 0 ? place(context_, s.context) : Place{0, 0};
  const auto across = [&](std::size_t i) {
    const double low = entry(r, s.decodes, i, t.below);
    return t.share > 0 ? low + t.share * (entry(r, s.decodes, i, t.below + 1) - low) : low;
  };
  const double low = across(x.below);
  return x.share > 0 ? low + x.share * (across(x.below + 1) - low) : low;
}

}  // namespace reckon::load
