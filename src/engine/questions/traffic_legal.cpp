#include "traffic_legal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "reckon/units/format.hpp"
#include "reckon/units/formula/plain.hpp"

namespace reckon {
namespace {

constexpr double kMostRequests = 20e6;

bool states(const doc::Value& tree, std::string_view key) {
  const doc::Value* at = tree.is_mapping() ? tree.find(key) : nullptr;
  return at && !at->is_null();
}

void check_lengths(const std::string& of, const std::optional<LengthShape>& shape,
                   const std::optional<Ratio<double>>& spread, const Asked& asked) {
  const std::string key = of + "_spread";
  const LengthShape s = shape.value_or(LengthShape::kConstant);
  if (s != LengthShape::kConstant && !spread)
    asked.fault(of + "_shape", fmt::format("{}: a shape, and no spread", of))
        .help(fmt::format("{}: 0.6, deviation over mean", key));
  if (!spread) return;
  const double v = plain(*spread);
  if (s == LengthShape::kConstant && v > 0)
    asked.fault(key, fmt::format("{}: constant lengths have no spread", of))
        .help(fmt::format("{}_shape: lognormal", of));
  if (s == LengthShape::kUniform && v > 0.577)
    asked.fault(key, "a uniform distribution with a spread above 1/√3 = 0.577 has negative lengths")
        .help(fmt::format("{}_shape: lognormal", of));
  if (s == LengthShape::kNormal && v > 0.4)
    asked.fault(key, "a normal distribution with a spread above 0.4 has negative lengths")
        .help(fmt::format("{}_shape: lognormal", of));
  if (v > 10)
    asked.fault(key, "a spread beyond 10 times the mean").help("state what is typical: 0.5 to 2");
}

}  // namespace

void check_traffic(const TrafficShape<double>& t, const char* users, bool waits,
                   const Asked& asked) {
  if (t.think && !waits)
    asked.fault("think", "think: it is users who think between an answer and their next request")
        .help(fmt::format("{}: 64, in the place of a rate", users));
  if (t.arrivals == ArrivalKind::kGamma && !t.burstiness)
    asked.fault("arrivals", "gamma arrivals need the spread of the times between them")
        .help("burstiness: 2, deviation over mean; 1 is Poisson");
  if (t.burstiness && t.arrivals != ArrivalKind::kGamma)
    asked.fault("burstiness", "burstiness is of gamma arrivals").help("arrivals: gamma");
  if (t.burstiness && plain(*t.burstiness) > 20)
    asked.fault("burstiness", "a spread beyond 20 times the mean is no load that a queue can be in")
        .help("arrivals: bursts, with burst: and pause:");
  if (t.arrivals == ArrivalKind::kBursts && !(t.burst && t.pause))
    asked.fault("arrivals", "bursts need their mean length, and that of the pauses")
        .help("burst: 2 s, pause: 5 s");
  if ((t.burst || t.pause) && t.arrivals != ArrivalKind::kBursts)
    asked
        .fault(t.burst ? "burst" : "pause",
               "lengths of bursts and pauses, and arrivals without any")
        .help("arrivals: bursts");
  if (waits && t.arrivals != ArrivalKind::kPoisson)
    asked.fault("arrivals", "users who wait for their answers set the arrivals themselves")
        .help("leave arrivals out, or state a rate");
  check_lengths("prompt", t.prompt_shape, t.prompt_spread, asked);
  check_lengths("output", t.output_shape, t.output_spread, asked);
}

void check_simulation(const LoadSimulation<double>& s, const Asked& asked) {
  if (plain(s.requests) > kMostRequests)
    asked.fault("requests", "more than 20 million requests would fill the memory")
        .help("requests: 1M");
  if (plain(s.replications) > plain(s.requests) / 100)
    asked.fault("replications", "fewer than 100 requests a replication say nothing")
        .help("replications: 10, requests: 50000");
}

void add_steers(const TrafficShape<double>& t, const LoadSimulation<double>& s,
                std::vector<std::string>& out) {
  if (s.simulate)
    out.insert(out.end(), {"requests", "replications", "seed", "longest", "swap", "block"});
  out.insert(out.end(), {"prompt_spread", "output_spread"});  // that there is none is said too
  // What the closed form has no wait for bears on the simulation, and on what is said of it.
  out.insert(out.end(), {"users", "concurrency", "think", "burst", "pause", "burstiness"});
  if (!t.trace.empty()) out.insert(out.end(), {"rate", "prompt", "output", "burstiness"});
}

void lay_trace(Workspace& work, doc::Value& tree, const char* users, Diagnostics& d) {
  const doc::Value said = *tree.find("trace");
  if (!said.is_scalar()) return;
  for (const char* key : {"rate", users, "arrivals", "burstiness", "prompt", "prompt_spread",
                          "prompt_shape", "output", "output_spread", "output_shape"})
    if (states(tree, key))
      d.error(tree.find(key)->span, fmt::format("{}: stated beside a trace, which says it", key))
          .note(said.span, "the trace is named here")
          .help("leave one of them out");
  double longest = 0;
  if (const doc::Value* at = tree.find("longest"); at && at->is_scalar())
    longest = std::strtod(at->text.c_str(), nullptr);
  const RequestTrace t = read_requests(work, said.text, said.span, longest, d);
  if (t.requests.empty()) return doc::set(tree, "trace", doc::faulty());
  const auto set = [&](const char* key, double value, Dim dim, Hint hint) {
    doc::set(tree, key, doc::scalar(write_quantity(value, dim, hint), said.span));
  };
  set("rate", t.rate, kHertz, Hint::kRequestRate);
  set("prompt", std::round(t.prompt), kOne, Hint::kLength);
  set("output", std::round(t.output), kOne, Hint::kLength);
  if (t.prompt_spread > 0) set("prompt_spread", t.prompt_spread, kOne, Hint::kRatio);
  if (t.output_spread > 0) set("output_spread", t.output_spread, kOne, Hint::kRatio);
  doc::set(tree, "arrivals", doc::scalar("gamma", said.span));
  set("burstiness", std::max(t.burstiness, 1e-6), kOne, Hint::kRatio);
}

void fill_shapes(doc::Value& tree) {
  for (const char* of : {"prompt", "output"}) {
    const std::string shape = fmt::format("{}_shape", of);
    if (states(tree, fmt::format("{}_spread", of)) && !states(tree, shape))
      doc::set(tree, shape, doc::scalar("lognormal"));
  }
}

void check_trace(Workspace& work, doc::Value& tree, Diagnostics& d) {
  if (!states(tree, "trace") || states(tree, "longest") || !states(tree, "model")) return;
  const doc::Value* context = tree.find("model")->find("context");
  const doc::Value* trace = tree.find("trace");
  if (!context || !context->is_scalar() || !trace->is_scalar()) return;
  read_requests(work, trace->text, trace->span, std::strtod(context->text.c_str(), nullptr), d);
}

}  // namespace reckon
