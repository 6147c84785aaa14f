// The plan with something changed, judged and evaluated; and how its metrics read.
//
//   const Variant ddp = varied(base, "DDP", [](Plan& p) { p.sharding.zero = Count<double>(0); });
//   ddp.legal(), ddp.text("memory.states"), ddp.number("step.time")
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reckon/engine/load.hpp"

namespace reckon::defence {

using Plan = TrainingPlan<double>;

struct Variant {
  std::string title;
  std::shared_ptr<const LoadedTraining> loaded;
  std::vector<Metric> metrics;
  std::string why_not;  // it can't be: the first fault

  bool legal() const { return why_not.empty(); }
  bool fits() const;  // no: it does not, or nobody can tell
  const Plan& plan() const { return loaded->plan; }
  std::optional<double> number(std::string_view id) const;
  std::string text(std::string_view id) const;  // "–" without a value
  // a / b of two metrics.
  std::optional<double> ratio(std::string_view a, std::string_view b) const;
};

Variant varied(const LoadedTraining& base, std::string title,
               const std::function<void(Plan&)>& change);

inline Count<double> count(long n) { return Count<double>(static_cast<double>(n)); }
long whole_of(const Count<double>& n);

std::string bytes_text(double bytes);
std::string time_text(double seconds);
std::string percent_text(double share);
std::string times_text(double ratio);  // "1.5 ×"

}  // namespace reckon::defence
