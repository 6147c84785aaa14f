// A budget that is missed by less than the digits shown is not printed as «6.3 % at most 6.3 %».
#include "catch.hpp"
#include "reckon/report/validate.hpp"
#include "reckon/report/validate_runs.hpp"
#include "reckon/report/validate_serving.hpp"

using namespace reckon;

namespace {

constexpr double kLimit = 0.063, kMissed = 0.06347, kKept = 0.06297;

ErrorSummary errors_of(double mean) {
  ErrorSummary e;
  e.rows = 3;
  e.mean = mean;
  return e;
}

bool has(const std::string& text, const char* words) { return text.find(words) != text.npos; }

void holds_apart(const std::string& missed, const std::string& kept) {
  INFO(missed << kept);
  CHECK(has(missed, "6.35 %"));
  CHECK(has(missed, "missed"));
  CHECK(has(kept, "6.3 %"));
  CHECK(has(kept, "holds"));
  CHECK_FALSE(has(kept, "6.30 %"));
}

}  // namespace

TEST_CASE("budgets: figures that rounding would make the limit have a digit more") {
  const auto runs = [](double value) {
    RunsReport r;
    RunBudgetLine b;
    b.name = "runs, core rows";
    b.value = value;
    b.limit = kLimit;
    r.budgets.push_back(b);
    return validate_runs_text(r, {});
  };
  const auto kernels = [](double value) {
    ValidateReport r;
    BudgetLine b;
    b.limit = kLimit;
    b.errors = errors_of(value);
    r.budgets.push_back(b);
    return validate_text(r, {});
  };
  const auto serving = [](double value) {
    ServingReport r;
    ServingBudget b;
    b.limit = kLimit;
    b.errors = errors_of(value);
    r.budgets.push_back(b);
    return validate_serving_text(r, {});
  };
  holds_apart(runs(kMissed), runs(kKept));
  holds_apart(kernels(kMissed), kernels(kKept));
  holds_apart(serving(kMissed), serving(kKept));
}
