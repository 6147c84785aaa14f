// The kernel models by kind, and what they share. Each returns nothing, and why not, for a set it can't price.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reckon/engine/kernel_model.hpp"

namespace reckon::models {

using Column = MeasuredColumn;
using Points = std::vector<const MeasuredPoint*>;

inline constexpr double kMicro = 1e-6, kGiga = 1e9, kMega = 1e6;

inline Count<double> count(const MeasuredPoint& p, Column c, double otherwise = 1) {
  return Count<double>(p.at(c, otherwise));
}

// [from, to] of a column.
template <class Q>
std::vector<Q> range_of(const Points& points, Column c) {
  double low = HUGE_VAL, high = 0;
  for (const MeasuredPoint* p : points) {
    low = std::min(low, p->at(c));
    high = std::max(high, p->at(c));
  }
  return {Q(low), Q(high)};
}

template <class Entry>
void set_record(Entry& e, const FitRecord<double>& record) {
  static_cast<FitRecord<double>&>(e) = record;
}

// The entry whose library is the set's, else the first that speaks of the same thing.
template <class Entry, class Same>
const Entry* entry_for(const std::vector<Entry>& entries, const MeasuredSet& set, Same same) {
  const Entry* first = nullptr;
  for (const Entry& e : entries) {
    if (!same(e)) continue;
    if (e.library == set.library) return &e;
    if (!first) first = &e;
  }
  return first;
}

inline const FitParameter kFixed{"fixed", 1e-8, 1e-3}, kCompute{"compute", 0.02, 1},
    kMemory{"memory", 0.02, 1};

std::optional<KernelModel> gemm_model(const MeasuredSet& set, const Chip<double>& chip,
                                      const Kernels<double>& generic, std::string& why_not);
std::optional<KernelModel> decode_model(const MeasuredSet& set, const Chip<double>& chip,
                                        const Kernels<double>& generic, std::string& why_not);
std::optional<KernelModel> prefill_model(const MeasuredSet& set, const Chip<double>& chip,
                                         const Kernels<double>& generic, std::string& why_not);
std::optional<KernelModel> stream_model(const MeasuredSet& set, const Chip<double>& chip,
                                        const Kernels<double>& generic, std::string& why_not);
std::optional<KernelModel> curve_model(const MeasuredSet& set, const Chip<double>& chip,
                                       const Kernels<double>& generic, CurveForm form,
                                       std::string& why_not);
std::optional<KernelModel> dispatch_model(const MeasuredSet& set, const Chip<double>& chip,
                                          const Kernels<double>& generic, std::string& why_not);

}  // namespace reckon::models
