#include "reckon/units/formula/formula.hpp"

#include <algorithm>

namespace reckon {

std::vector<const Formula*> registered_formulas() {
  std::vector<const Formula*> out;
  for (const Formula* f = Formula::first; f; f = f->next) out.push_back(f);
  std::sort(out.begin(), out.end(), [](auto* a, auto* b) { return a->id < b->id; });
  return out;
}

std::vector<std::string_view> duplicate_formula_ids() {
  std::vector<std::string_view> out;
  std::string_view last;
  for (const Formula* f : registered_formulas()) {
    if (f->id == last && (out.empty() || out.back() != last)) out.push_back(last);
    last = f->id;
  }
  return out;
}

}  // namespace reckon
