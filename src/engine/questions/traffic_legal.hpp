// Rules of how requests come and how their lengths spread, and traces laid over a plan: of load and serving alike.
#pragma once

#include "question_of.hpp"
#include "reckon/spec/questions/traffic.hpp"
#include "request_trace.hpp"

namespace reckon {

// `waits`: users who ask again when answered, in place of a rate; `users`: the key that says so.
void check_traffic(const TrafficShape<double>& t, const char* users, bool waits,
                   const Asked& asked);

void check_simulation(const LoadSimulation<double>& s, const Asked& asked);

// Fields that a simulation goes by, if one is asked for, and those that a trace fills in.
void add_steers(const TrafficShape<double>& t, const LoadSimulation<double>& s,
                std::vector<std::string>& out);

// What a trace says stands in the place of the fields that say it: means and spreads. `users`: the key of those who
// wait for their answers.
void lay_trace(Workspace& work, doc::Value& tree, const char* users, Diagnostics& d);

// Shapes of lengths whose spread alone is stated: lognormal.
void fill_shapes(doc::Value& tree);

// The requests of a loaded plan's trace; none where it has no trace. Its faults were said when it was loaded.
template <class Loaded>
std::vector<load::Request> trace_of(Workspace& work, const Loaded& loaded, double longest) {
  const std::string& file = loaded.question.traffic.trace;
  if (file.empty()) return {};
  Diagnostics said;
  const Places places(loaded.origins, loaded.resolved);
  return read_requests(work, file, places.of("trace"), longest, said).requests;
}

// The trace again, held to the longest request that the model or the plan allows.
void check_trace(Workspace& work, doc::Value& tree, Diagnostics& d);

}  // namespace reckon
