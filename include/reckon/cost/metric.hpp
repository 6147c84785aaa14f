// The name under which an estimate's number is reported: id, title, hint. A Formula is one too.
#pragma once

#include <string_view>

#include "reckon/units/formula/formula.hpp"

namespace reckon {

struct MetricInfo {
  std::string_view id, title;
  Hint hint = Hint::kNone;

  constexpr MetricInfo(std::string_view id, std::string_view title, Hint hint = Hint::kNone)
      : id(id), title(title), hint(hint) {}
  MetricInfo(const Formula& f) : id(f.id), title(f.title), hint(f.hint) {}
};

}  // namespace reckon
