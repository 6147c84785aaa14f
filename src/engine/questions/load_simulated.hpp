// A load question played out: what the simulation found, beside the closed form.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reckon/cost/questions/load.hpp"
#include "reckon/engine/result.hpp"
#include "reckon/load/simulate.hpp"

namespace reckon {

// Most tokens of prompt and answer: stated, or the model's context; 0 if neither is.
double longest_of(const LoadQuestion<double>& question);

load::Scenario scenario_of(const LoadQuestion<double>& question, const LoadAnswer<double>& answer,
                           std::vector<load::Request> trace);

// Arrivals and spreads of lengths; the means, and the rate, are the caller's.
void set_traffic(const TrafficShape<double>& shape, double longest, load::Traffic& out);

// "64 users", and what they think.
std::string users_text(const TrafficShape<double>& shape, double users);
// How a simulation is asked for.
inline constexpr const char* kToSimulate = "--simulate, in a file simulate: yes";
// A figure of the closed form; where it has none, that a simulation says, or has said.
std::string or_simulate(const Result& r, std::string_view id, bool simulated);
// "p50 12 ms, p90 31 ms; p99 by simulation alone (…)".
std::string ranks_text(const Result& r,
                       const std::vector<std::pair<std::string, std::string_view>>& ranks,
                       bool simulated);
// Where the closed form is not for such arrivals: what it leaves out, and where to find it.
void warn_of_arrivals(const LoadFigures<double>& f, double burst, bool simulated, Result& r);
// Of two targets the closed form asks for each by itself, and the simulation for both at once.
void say_each_alone(bool simulated, Result& r);
// Users whose answers are of one length stay in step if several prompts share a chunk.
struct InStep {
  double users = 0, prompt = 0, chunk = 0;  // of one engine; tokens
  bool shared = false;                      // chunks take from several prompts
  double overhead = 0;                      // s of a request before it is at the engine
};
void warn_of_step(const InStep& of, const TrafficShape<double>& shape, bool simulated, Result& r);
// Caches wait for each other's ports, which the closed form leaves out.
void warn_of_ports(const LoadFigures<double>& f, Result& r);
// What a simulation cuts of requests drawn longer than the longest.
void say_longest(const TrafficShape<double>& shape, double prompt, double output, double longest,
                 Result& r);

// What is said of a simulated load beside its outcome.
struct PlayedLoad {
  int targets = 0;  // of TTFT, of TPOT
  bool trace = false, pools = false;
  double seed = 1;
  double engines = 1;           // that share the load: rates and counts are of all of them
  std::size_t users = 0;        // of one of them, where some have one more; else 0
  std::string closed = "load";  // ids of the closed form: load.ttft.mean
  double used = 0;              // share of saturation by the closed form, where it says
  double rounds = 0;            // how often a user asks in one run; 0 where requests come at a rate
};

// That of a scenario.
double rounds_of(const load::Scenario& scenario);

// Metrics simulated.*, deviation.* of the closed form, a table of both, what is to be said.
void add_simulation(const PlayedLoad& of, const load::Outcome& outcome, Result& r);

}  // namespace reckon
