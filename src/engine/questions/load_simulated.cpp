#include "load_simulated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "needs.hpp"
#include "reckon/base/text.hpp"
#include "reckon/units/format.hpp"
#include "say_count.hpp"

namespace reckon {
namespace {

struct Part {
  const char* id;
  const char* title;
  load::Figures load::Outcome::*figures;
};
constexpr Part kParts[] = {
    {"ttft", "time to first token", &load::Outcome::ttft},
    {"waiting", "wait before the first step on the prompt", &load::Outcome::waiting},
    {"service", "prefill on an idle engine", &load::Outcome::service},
    {"sharing", "what chunks and the others' tokens add", &load::Outcome::sharing},
    {"tpot", "time per token after the first, of requests", &load::Outcome::tpot},
    {"tpot_inclusive", "time per token with the first", &load::Outcome::tpot_inclusive},
    {"itl", "time between tokens, of all tokens", &load::Outcome::itl},
    {"end_to_end", "time to the last token", &load::Outcome::end_to_end},
};
struct Rank {
  const char* id;
  const char* title;
  double load::Spread::*of;
};
constexpr Rank kRanks[] = {{"mean", "mean", &load::Spread::mean},
                           {"p50", "p50", &load::Spread::p50},
                           {"p90", "p90", &load::Spread::p90},
                           {"p95", "p95", &load::Spread::p95},
                           {"p99", "p99", &load::Spread::p99}};

void add(Result& r, std::string id, std::string title, double value, Dim dim, Hint hint,
         const char* reason = "") {
  Metric m;
  m.id = std::move(id);
  m.title = std::move(title);
  m.value = value;
  m.dim = dim;
  m.hint = hint;
  m.reason = reason;
  r.metrics.push_back(std::move(m));
}

// Why a figure is not there: a run of few requests for its users is over before what is measured begins.
constexpr const char* kTooShort = "the run is too short to tell: more requests (requests:)";
constexpr const char* kOneRun = "one run says nothing of it: replications: 10";
const char* too_short(std::size_t runs) { return runs > 0 ? "" : kTooShort; }
const char* no_half(std::size_t runs) { return runs > 1 ? "" : runs == 1 ? kOneRun : kTooShort; }

// Answers of one token have no time per token after it.
bool decodes(const load::Outcome& o) { return o.tpot.value.p99 > 0; }

// Below the last digits of a clock there is nothing.
double deviation(double form, double simulated) {
  constexpr double kDigits = 1e-9;
  const double off = form / simulated - 1;
  return std::abs(off) < kDigits ? 0 : off;
}

void add_spreads(const load::Outcome& o, const std::string& closed, Result& r) {
  for (const Part& p : kParts) {
    if (!decodes(o) && (p.figures == &load::Outcome::tpot || p.figures == &load::Outcome::itl))
      continue;
    for (const Rank& k : kRanks) {
      const std::string title = fmt::format("simulated: {}, {}", p.title, k.title);
      const load::Figures& figures = o.*p.figures;
      const double value = figures.value.*k.of;
      add(r, fmt::format("simulated.{}.{}", p.id, k.id), title, value, kSecond, Hint::kNone,
          too_short(figures.runs));
      add(r, fmt::format("simulated.{}_half.{}", p.id, k.id), title + ", half of its 95 % interval",
          figures.half.*k.of, kSecond, Hint::kNone, no_half(figures.runs));
      const Metric* form = r.find(fmt::format("{}.{}.{}", closed, p.id, k.id));
      if (form && form->has_value() && value > 0)
        add(r, fmt::format("deviation.{}.{}", p.id, k.id),
            fmt::format("closed form over simulation, less one: {}, {}", p.title, k.title),
            deviation(form->value, value), kOne, Hint::kFraction);
    }
  }
}

void add_totals(const load::Outcome& o, const PlayedLoad& of, Result& r) {
  const auto figure = [&](const char* id, const char* title, load::Figure f, Dim dim, Hint hint) {
    add(r, fmt::format("simulated.{}", id), fmt::format("simulated: {}", title), f.value, dim, hint,
        too_short(f.runs));
  };
  const auto ratio = [&](const char* id, const char* title, load::Figure f, Hint hint) {
    figure(id, title, f, kOne, hint);
  };
  const auto rate = [&](const char* id, const char* title, load::Figure f, Hint hint) {
    figure(id, title, f, kHertz, hint);
  };
  const auto all = [&](load::Figure f) {
    f.value *= of.engines;
    return f;
  };
  rate("rate", "requests that arrived", all(o.rate), Hint::kRequestRate);
  rate("tokens_rate", "tokens/s of all answers", all(o.tokens_rate), Hint::kTokenRate);
  figure("residual", "wait for the step that runs, mean", o.residual, kSecond, Hint::kNone);
  ratio("busy", "share of the time that a step runs", o.busy, Hint::kFraction);
  if (of.pools)
    ratio("prefill_busy", "share of the time that a prefill worker works", o.prefill_busy,
          Hint::kFraction);
  if (of.pools)
    figure("port_wait", "wait for ports, of a cache that is to move", o.port_wait, kSecond,
           Hint::kNone);
  else
    ratio("prefilling", "share of the time in steps with prompt tokens", o.prefilling,
          Hint::kFraction);
  ratio("decoding", "sequences that decode at once", all(o.decoding), Hint::kRatio);
  if (!of.pools) {
    ratio("present", "requests inside at once", all(o.present), Hint::kRatio);
    ratio("little", "rate · time inside: the same by Little's law", all(o.little), Hint::kRatio);
  }
  ratio("batch_share", "share of the batch that is taken", o.batch_share, Hint::kFraction);
  if (o.cache_share.value > 0)
    ratio("cache_share", "share of the cache's blocks that is taken", o.cache_share,
          Hint::kFraction);
  if (of.targets > 0) {
    ratio("met", "share of requests within the targets", o.met, Hint::kFraction);
    rate("goodput", "requests/s within the targets", all(o.goodput), Hint::kRequestRate);
  }
  const auto count = [&](const char* id, const char* title, double value) {
    add(r, fmt::format("simulated.{}", id), title, value, kOne, Hint::kCount);
  };
  count("requests", "requests played out", static_cast<double>(o.requests));
  count("steps", "steps of the measured time", static_cast<double>(o.steps));
  count("preemptions", "caches that made room, measured time", static_cast<double>(o.preemptions));
  count("refused", "requests that the cache can never hold", static_cast<double>(o.refused));
}

bool has(const Result& r, const std::string& prefix) {
  for (const Metric& m : r.metrics)
    if (m.has_value() && m.id.starts_with(prefix)) return true;
  return false;
}

std::string played_at(const PlayedLoad& of) {
  if (of.engines <= 1) return "";
  if (of.users == 0) return fmt::format(" at one of {:.0f} engines", of.engines);
  return fmt::format(" at one of {:.0f} engines with {} and one with {}", of.engines,
                     count_of(static_cast<double>(of.users), "user"), of.users + 1);
}

void add_grid(const PlayedLoad& of, const load::Outcome& o, Result& r) {
  Grid g{fmt::format("Closed form and simulation: {} requests{}, seed {}{}",
                     format_quantity(static_cast<double>(o.requests), kOne, Hint::kCount),
                     played_at(of), format_quantity(of.seed, kOne, Hint::kCount),
                     o.ttft.runs > 1 ? "; ± at 95 % confidence" : ""),
         "",
         {},
         {}};
  for (const Rank& k : kRanks) g.columns.push_back({k.id, k.title});
  for (const auto& [id, name] : {std::pair{"ttft", "TTFT"}, std::pair{"tpot", "TPOT"}}) {
    if (!has(r, fmt::format("simulated.{}.", id))) continue;
    if (has(r, fmt::format("{}.{}.", of.closed, id)))
      g.rows.push_back({fmt::format("{}.{}", of.closed, id), fmt::format("{}, closed form", name)});
    g.rows.push_back({fmt::format("simulated.{}", id), fmt::format("{}, simulated", name)});
    if (has(r, fmt::format("simulated.{}_half.", id)))
      g.rows.push_back({fmt::format("simulated.{}_half", id), "  ±"});
    if (has(r, fmt::format("deviation.{}.", id)))
      g.rows.push_back({fmt::format("deviation.{}", id), "  closed form off by"});
  }
  if (o.itl.runs > 0) g.rows.push_back({"simulated.itl", "between tokens, simulated"});
  g.rows.push_back({"simulated.end_to_end", "end to end, simulated"});
  r.answer.grids.push_back(std::move(g));
}

// By chance too waits grow from quarter to quarter: not where the closed form sees half of the engine idle.
bool grows(const PlayedLoad& of, const load::Outcome& o) {
  constexpr double kIdle = 0.5;
  return o.growing && !(of.used > 0 && of.used < kIdle);
}

// What was played decides: the answer is no where waits grow, or where fewer than nine of ten meet the targets.
void judge(const PlayedLoad& of, const load::Outcome& o, Result& r) {
  constexpr double kNineOfTen = 0.9;
  const bool met = of.targets == 0 || o.met.value >= kNineOfTen;
  if (!met) r.say_no(No::kTarget);
  if (grows(of, o)) r.say_no(No::kQueue);
}

void say(const PlayedLoad& of, const load::Outcome& o, Result& r) {
  std::string line =
      fmt::format("simulated: TTFT {} mean, {} p90, {} p99", text(r, "simulated.ttft.mean"),
                  text(r, "simulated.ttft.p90"), text(r, "simulated.ttft.p99"));
  if (decodes(o))
    line += fmt::format("; TPOT {} mean, {} p90, {} p99", text(r, "simulated.tpot.mean"),
                        text(r, "simulated.tpot.p90"), text(r, "simulated.tpot.p99"));
  r.answer.lines.push_back(std::move(line));
  if (of.pools)
    r.answer.lines.push_back(fmt::format(
        "simulated: TTFT is {} waiting for a prefill worker, {} prefill, {} transfer ({} of it "
        "waiting for ports); prefill workers are busy {} of the time, decode workers {}",
        text(r, "simulated.waiting.mean"), text(r, "simulated.service.mean"),
        text(r, "simulated.sharing.mean"), text(r, "simulated.port_wait"),
        text(r, "simulated.prefill_busy"), text(r, "simulated.busy")));
  else
    r.answer.lines.push_back(
        fmt::format("simulated: TTFT is {} waiting ({} for the step that runs), {} prefill alone, "
                    "{} chunks and "
                    "the others' tokens",
                    text(r, "simulated.waiting.mean"), text(r, "simulated.residual"),
                    text(r, "simulated.service.mean"), text(r, "simulated.sharing.mean")));
  if (of.targets > 0)
    r.answer.lines.push_back(fmt::format(
        "{} of the requests meet {}: a goodput of {}", text(r, "simulated.met"),
        of.targets > 1 ? "both targets at once" : "the target", text(r, "simulated.goodput")));
  if (o.preemptions > 0)
    r.warnings.push_back(fmt::format("{} times a cache had to make room for others",
                                     text(r, "simulated.preemptions")));
  if (o.refused > 0)
    r.warnings.push_back(
        fmt::format("{} of {} requests are longer than the whole cache and were left out",
                    text(r, "simulated.refused"), text(r, "simulated.requests")));
  judge(of, o, r);
  if (grows(of, o))
    r.warnings.push_back(
        "simulated waits grow with every request: the load is beyond what the engine takes, and "
        "the figures would be longer for more requests");
  constexpr double kEnoughRounds = 20;
  if (of.rounds > 0 && of.rounds < kEnoughRounds)
    r.warnings.push_back(
        fmt::format("a user asks {:.3g} times in a run: the figures are of the start, when all ask "
                    "at once, rather than of the load; "
                    "{:.0f} times as many requests would do (requests:)",
                    of.rounds, std::ceil(kEnoughRounds / of.rounds)));
  if (of.trace)
    r.answer.notes.push_back(
        "A trace is one run: no confidence interval stands beside its figures.");
}

// Tokens that the cache holds; 0 if nothing says.
double cache_tokens(const LoadQuestion<double>& q, const LoadAnswer<double>& a) {
  if (q.engine.cache_tokens) return plain(*q.engine.cache_tokens);
  if (!a.cache_concurrency) return 0;
  return plain(*a.cache_concurrency) * plain(a.held);
}

}  // namespace

double longest_of(const LoadQuestion<double>& q) {
  if (q.traffic.longest) return plain(*q.traffic.longest);
  return q.model && q.model->context ? plain(*q.model->context) : 0;
}

load::Scenario scenario_of(const LoadQuestion<double>& q, const LoadAnswer<double>& a,
                           std::vector<load::Request> trace) {
  load::Scenario s;
  s.engine.step = [step = step_times(q)](const load::Step& x) {
    return step(x.decodes, x.context, x.prefill);
  };
  s.engine.batch = whole(q.engine.batch);
  if (q.engine.chunk) s.engine.chunk = whole(*q.engine.chunk);
  s.engine.one_prompt = q.engine.prompts == PromptSteps::kAlone;
  s.engine.order =
      q.engine.prompts == PromptSteps::kFirst ? StepOrder::kPrefillFirst : StepOrder::kChunked;
  s.engine.block = whole(q.engine.block);
  s.engine.reserve = q.engine.reserve;
  s.engine.evict = q.engine.preempted;
  if (q.engine.swap) s.engine.swap = plain(*q.engine.swap);
  if (const double tokens = cache_tokens(q, a); tokens > 0)
    s.engine.blocks = static_cast<long>(tokens / s.engine.block);
  const LoadTraffic<double>& t = q.traffic;
  if (t.rate) s.traffic.rate = plain(*t.rate);
  s.traffic.prompt.mean = plain(*t.prompt);
  s.traffic.output.mean = plain(*t.output);
  set_traffic(t, longest_of(q), s.traffic);
  if (q.pools.stated()) {
    load::Pools pools;
    pools.prefill = whole(*q.pools.prefill);
    pools.decode = whole(*q.pools.decode);
    const CacheMoves<double> moves = cache_moves(q);
    pools.transfer = plain(moves.fixed);
    pools.transfer_token = plain(moves.token);
    pools.send_token = pools.receive_token = pools.transfer_token;
    pools.step = prefill_times(q);
    s.pools = std::move(pools);
    s.engine.chunk = 1 << 30;  // whole prompts, one at a time
  }
  s.trace = std::move(trace);
  if (t.users) s.users = static_cast<std::size_t>(whole(*t.users));
  s.overhead = plain(q.engine.overhead);
  s.targets = {q.ttft ? plain(*q.ttft) : 0, q.tpot ? plain(*q.tpot) : 0};
  s.requests = static_cast<std::size_t>(whole(q.simulation.requests));
  s.replications = whole(q.simulation.replications);
  s.seed = static_cast<std::uint64_t>(plain(q.simulation.seed));
  return s;
}

double rounds_of(const load::Scenario& s) {
  if (s.users == 0 || !s.trace.empty()) return 0;
  // Of two kinds of engines each plays its part of a run.
  const std::size_t users = s.one_more > 0 ? 2 * s.users + 1 : s.users;
  return static_cast<double>(s.requests) / std::max(1, s.replications) / static_cast<double>(users);
}

std::string users_text(const TrafficShape<double>& shape, double users) {
  const std::string who =
      fmt::format("{} user{}", format_quantity(users, kOne, Hint::kCount), users == 1 ? "" : "s");
  if (!shape.think) return who;
  return fmt::format("{} who think for {}", who, format_quantity(plain(*shape.think), kSecond));
}

std::string or_simulate(const Result& r, std::string_view id, bool simulated) {
  const std::string s = text(r, id);
  if (s != "–") return s;
  return simulated ? "simulated below" : fmt::format("by simulation alone ({})", kToSimulate);
}

std::string ranks_text(const Result& r,
                       const std::vector<std::pair<std::string, std::string_view>>& ranks,
                       bool simulated) {
  std::vector<std::string> has, lacks;
  for (const auto& [name, id] : ranks) {
    const std::string s = text(r, id);
    if (s == "–")
      lacks.push_back(name);
    else
      has.push_back(name + " " + s);
  }
  if (lacks.empty()) return join(has, ", ");
  const std::string others =
      listed(lacks) +
      (simulated ? " simulated below" : fmt::format(" by simulation alone ({})", kToSimulate));
  return has.empty() ? others : join(has, ", ") + "; " + others;
}

void warn_of_arrivals(const LoadFigures<double>& f, double burst, bool simulated, Result& r) {
  if (f.unbounded || f.no_form || !f.no_percentiles) return;
  const char* where = simulated ? "simulated below" : kToSimulate;
  if (f.no_waits) {
    r.warnings.push_back(f.no_waits +
                         (simulated ? std::string("d below") : fmt::format(" ({})", kToSimulate)));
    return;
  }
  r.warnings.push_back(fmt::format(
      "arrivals are {} (dispersion {}, Poisson 1): the closed form's mean wait is off by up to a "
      "third, and its percentiles do not hold ({})",
      burst > 1 ? "uneven" : "more even than by chance", format_quantity(burst, kOne, Hint::kRatio),
      where));
}

void say_each_alone(bool simulated, Result& r) {
  r.answer.lines.push_back(
      fmt::format("each target by itself: how many requests keep both is {}",
                  simulated ? "simulated below" : fmt::format("simulated ({})", kToSimulate)));
}

void warn_of_step(const InStep& of, const TrafficShape<double>& shape, bool simulated, Result& r) {
  const bool differ = shape.output_spread && plain(*shape.output_spread) > 0;
  if (!of.shared || of.users <= 1 || differ || shape.think || !shape.trace.empty()) return;
  const bool together = of.chunk >= 2 * of.prompt;
  r.warnings.push_back(fmt::format(
      "answers of one length keep users in step: {} ({}; output_spread: 0.5 takes them apart)",
      together
          ? "those whose prompts share a chunk stay together, and wait for each other's prompts"
      : of.overhead > 0
          ? "they come one behind the other, and catch up with each other as their requests take a "
            "while to be there: TTFT is up to half higher than the closed form's"
          : "they come one behind the other, and wait for nobody until every chunk is full",
      simulated ? "simulated below" : kToSimulate));
}

void warn_of_ports(const LoadFigures<double>& f, Result& r) {
  constexpr double kBusyPorts = 0.5;
  if (!f.full.by_move || f.unbounded) return;
  const double busy = plain(f.rate) / plain(*f.full.by_move);
  if (busy <= kBusyPorts) return;
  r.warnings.push_back(
      fmt::format("caches that move take {} of a pool's ports: they wait for each other, which the "
                  "closed form leaves out ({})",
                  format_quantity(busy, kOne, Hint::kFraction), kToSimulate));
}

void say_longest(const TrafficShape<double>& shape, double prompt, double output, double longest,
                 Result& r) {
  if (longest <= 0 || !shape.trace.empty()) return;
  constexpr double kDeviations = 3;  // beyond them too few to matter
  const auto reaches = [&](double mean, const auto& spread) {
    return spread && mean * (1 + kDeviations * plain(*spread)) > longest;
  };
  if (!reaches(prompt, shape.prompt_spread) && !reaches(output, shape.output_spread)) return;
  r.answer.notes.push_back(
      fmt::format("Prompts and answers drawn longer than {} tokens ({}) are cut to that.",
                  format_quantity(longest, kOne, Hint::kCount),
                  shape.longest ? "longest" : "the model's context"));
}

void add_simulation(const PlayedLoad& of, const load::Outcome& o, Result& r) {
  add_spreads(o, of.closed, r);
  add_totals(o, of, r);
  say(of, o, r);
  add_grid(of, o, r);
}

void set_traffic(const TrafficShape<double>& t, double longest, load::Traffic& out) {
  out.arrivals.kind = t.arrivals;
  if (t.burstiness) out.arrivals.spread = plain(*t.burstiness);
  if (t.burst) out.arrivals.on = plain(*t.burst);
  if (t.pause) out.arrivals.off = plain(*t.pause);
  if (t.think) out.think = plain(*t.think);
  const auto lengths = [&](load::Lengths& x, const auto& shape, const auto& spread) {
    x.shape = spread ? shape.value_or(LengthShape::kLognormal) : LengthShape::kConstant;
    x.spread = spread ? plain(*spread) : 0;
    if (longest > 0) x.longest = longest;
  };
  lengths(out.prompt, t.prompt_shape, t.prompt_spread);
  lengths(out.output, t.output_shape, t.output_spread);
}

}  // namespace reckon
