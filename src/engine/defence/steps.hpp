// The steps of the argument, in the order they are made.
#pragma once

#include "reckon/engine/defend.hpp"
#include "variant.hpp"

namespace reckon::defence {

// The ways to share the plan's state that are compared, the plan's own among them; and which it is.
struct Shardings {
  std::vector<Variant> all;
  std::size_t own = 0;
};
Shardings shardings(const LoadedTraining& plan);

// Of those that fit with room to spare the shortest step, of equals the least sharding; nothing if none fits.
bool better(const Variant& a, const Variant& b);
std::optional<std::size_t> best(const Shardings& shardings);

DefenceStep memory_step(const Variant& plan);
DefenceStep sharding_step(const Shardings& shardings);
DefenceStep activations_step(const Variant& plan);
DefenceStep communication_step(const Variant& plan);
DefenceStep cost_step(const Variant& plan, double tokens_per_parameter, const std::string& rule);

// What came first on the way to 64 times the GPUs.
struct Growth {
  DefenceStep step;
  std::string limit;
};
// The network limits where more than `much_exposed` of the step is exposed communication.
Growth growth_step(const Variant& plan, double much_exposed);

std::string what_binds(const Variant& plan, const Growth& growth);

}  // namespace reckon::defence
