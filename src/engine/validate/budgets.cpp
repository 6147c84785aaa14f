#include "budgets.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reckon/base/text.hpp"
#include "reckon/doc/bind.hpp"
#include "reckon/spec/budgets.hpp"

namespace reckon {
namespace {

std::filesystem::path budget_file(const Workspace& work) {
  std::error_code error;
  for (const auto& root : work.roots())
    if (std::filesystem::is_regular_file(root / "measurements/budgets.yaml", error))
      return root / "measurements/budgets.yaml";
  return {};
}

// A word of an enumeration; false after a fault at the budget.
template <NamedEnum E>
bool word_of(const std::string& said, const char* key, Span span, E& out, Diagnostics& d) {
  const auto words = names(E{});
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (said != words[i]) continue;
    out = static_cast<E>(i);
    return true;
  }
  d.error(span, fmt::format("{}: '{}' is none of {}", key, said,
                            listed({words.begin(), words.end()}, "or")));
  return false;
}

}  // namespace

std::vector<StatedBudget> budgets_for(Workspace& work, const ValidateRequest& request,
                                      Diagnostics& diagnostics) {
  const auto path = budget_file(work);
  if (path.empty()) return {};
  doc::Value tree = work.read_data(path, {}, diagnostics);
  doc::take(tree, "kind");
  Budgets<double> file;
  Origins origins;
  const std::size_t before = diagnostics.error_count();
  bind(tree, file, {diagnostics, origins});
  if (diagnostics.error_count() > before) return {};
  std::vector<StatedBudget> out;
  for (std::size_t i = 0; i < file.budgets.size(); ++i) {
    const ErrorBudget<double>& b = file.budgets[i];
    const Span span = tree.find("budgets")->items[i].span;
    LeaveOut leave{};
    StatedBudget stated{b.family, b.family, b.source, {}, b.error.raw, span};
    if (!word_of(b.leave_out, "leave_out", span, leave, diagnostics) ||
        !word_of(b.form, "form", span, stated.form, diagnostics))
      continue;
    if (b.of != (request.collectives ? "collectives" : "kernels") || leave != request.leave_out)
      continue;
    if (leave != LeaveOut::kNothing)
      stated.name +=
          fmt::format(", leaving out {} {}", leave == LeaveOut::kM ? "an" : "a", name_of(leave));
    out.push_back(std::move(stated));
  }
  return out;
}

}  // namespace reckon
