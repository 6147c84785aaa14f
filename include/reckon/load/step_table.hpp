// The time of a step as a table that fills itself: a simulation asks for millions, and a model takes microseconds each.
//
//   StepTable table(model, {.decodes = 256, .context = 8192, .prefill = 2048});
//   engine.step = [&](const Step& s) { return table.at(s); };
//
// Exact in the number of decodes, and where a step carries no prompt tokens or a full chunk; linear in between: prompt
// tokens every 16 up to 256, every 64 up to 2048, then by a thirty-second, contexts by a twelfth. Any number of threads
// may ask: an entry is the model's own value, whoever writes it, so the order in which they come changes nothing.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "reckon/load/engine.hpp"

namespace reckon::load {

// The most that a step carries.
struct StepRange {
  int decodes = 256;
  double context = 8192, prefill = 512;
};

class StepTable {
 public:
  StepTable(std::function<double(const Step&)> model, const StepRange& range);
  ~StepTable();
  StepTable(const StepTable&) = delete;
  StepTable& operator=(const StepTable&) = delete;

  double at(const Step& s) const;

 private:
  struct Row;
  struct Place {
    std::size_t below;
    double share;  // of the next one
  };
  static Place place(const std::vector<double>& knots, double x);
  double entry(Row& row, double decodes, std::size_t x, std::size_t t) const;
  Row& row(std::size_t decodes) const;

  std::function<double(const Step&)> model_;
  std::vector<double> prefill_, context_;  // knots
  mutable std::vector<std::atomic<Row*>> rows_;
};

}  // namespace reckon::load
