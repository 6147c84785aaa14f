// The assumptions in force, as a result lists them: each key of `assume:` with its value and place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reckon/engine/loaded.hpp"
#include "reckon/spec/assume.hpp"

namespace reckon {

template <class R>
struct MemoryLimits;  // spec/training.hpp

// Keys that bear on an answer: "ring_factor", "latency.*".
using Bearing = std::vector<std::string_view>;
bool bears(const Bearing& keys, std::string_view path);

void list_assumptions(const Loaded& loaded, const Assume<double>& assume, const Bearing& keys,
                      std::vector<Assumption>& out);
void list_limits(const Loaded& loaded, const MemoryLimits<double>& limits,
                 std::vector<Assumption>& out);

// An assumption that is stated over the preset and bears on nothing would be ignored in silence: a fault.
void refuse_idle_assumptions(const Loaded& loaded, const Assume<double>& assume,
                             const Bearing& keys, std::string_view kind, Diagnostics& diagnostics);

}  // namespace reckon
