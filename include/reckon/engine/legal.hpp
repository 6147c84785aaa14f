// Whether a plan can exist: degrees that multiply and divide, dimensions that fit together, options that can be priced.
//
// Every fault points at the two places that disagree and names the nearest values that work. What merely does not fit
// in memory is legal: that is a result. Needs a plan that bound without faults.
#pragma once

#include "reckon/base/diagnostic.hpp"
#include "reckon/doc/bind.hpp"
#include "reckon/spec/model.hpp"

namespace reckon {

template <class R>
struct TrainingPlan;  // spec/training.hpp

// `tree` is the resolved document: the place of a mapping where a field is missing.
void check_legal(const TrainingPlan<double>& plan, const Origins& origins, const doc::Value& tree,
                 Diagnostics& diagnostics);

// The model alone; `path` is where it stands in the plan ("model").
void check_model(const Model<double>& model, const std::string& path, const Origins& origins,
                 const doc::Value& tree, Diagnostics& diagnostics);

// The divisors of n nearest to x, below and above, x itself excluded, none less than `least`: "4 and 8"; empty if
// there is none.
std::string nearest_divisors(long n, long x, long least = 1);

}  // namespace reckon
