// What every answer by a scaling law says of it: name, constants, what it counts, where it was fitted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "question_of.hpp"
#include "reckon/spec/law.hpp"

namespace reckon {

// "besiroglu", or the name of a law written out in place.
std::string law_name(const Law<double>& law);
// "E 1.8172, A 482.01, B 2085.43, α 0.3478, β 0.3658"
std::string law_constants(const Law<double>& law);
// "qualitative", as it stands beside a number; "" for laws that give their source's figures.
std::string law_mark(const Law<double>& law);

// Faults of a law whose family asks for constants it does not state. `field` holds the law.
void check_law(const Law<double>& law, std::string_view field, const Asked& asked);

// The rows that lead every answer: law, constants, what it counts.
void head_law(const Law<double>& law, Result& r);

// Warnings where an answer lies outside the runs that the law was fitted to.
struct LawAt {
  std::optional<double> params, tokens, flops;
};
void warn_outside(const Law<double>& law, const LawAt& at, Result& r);

// Bootstrapped constants of its file; a sample that can't be read is a fault.
std::vector<LossTerms<double>> law_samples(const Law<double>& law);
// Metrics `id`.low and `id`.high beside the metric `id`.
void add_interval(std::string_view id, std::vector<double> values, Result& r);

}  // namespace reckon
