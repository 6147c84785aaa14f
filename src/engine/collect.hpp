// Turns what an estimate lists into metrics.
#pragma once

#include <optional>
#include <vector>

#include "reckon/cost/metric.hpp"
#include "reckon/engine/result.hpp"

namespace reckon {

class Collect {
 public:
  explicit Collect(std::vector<Metric>& out) : out_(out) {}

  template <Dim D, class R>
  void operator()(const MetricInfo& info, const Quantity<D, R>& q) const {
    Metric& m = add(info);
    m.value = value_of(q.raw);
    m.dim = D;
    if constexpr (std::is_same_v<R, Traced>) m.node = q.raw.id;
  }
  template <Dim D, class R>
  void operator()(const MetricInfo& info, const std::optional<Quantity<D, R>>& q,
                  const char* reason) const {
    if (q) return (*this)(info, *q);
    Metric& m = add(info);
    m.dim = D;
    m.reason = reason;
  }
  void operator()(const MetricInfo& info, std::string_view text) const { add(info).text = text; }
  void operator()(const MetricInfo& info, bool yes, const char* unknown) const {
    Metric& m = add(info);
    m.value = yes ? 1 : 0;
    if (unknown) m.reason = unknown;
  }

 private:
  Metric& add(const MetricInfo& info) const {
    Metric& m = out_.emplace_back();
    m.id = info.id;
    m.title = info.title;
    m.hint = info.hint;
    return m;
  }
  std::vector<Metric>& out_;
};

}  // namespace reckon
