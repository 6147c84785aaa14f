// kind: load
#include "reckon/cost/questions/load.hpp"

#include <fmt/format.h>

#include <cmath>
#include <thread>

#include "../legal_classes.hpp"
#include "load_simulated.hpp"
#include "questions.hpp"
#include "reckon/base/text.hpp"
#include "reckon/cost/serving/targets.hpp"
#include "reckon/units/format.hpp"
#include "request_trace.hpp"
#include "say_count.hpp"
#include "serving.hpp"
#include "traffic_legal.hpp"

namespace reckon {
namespace {

constexpr double kNearSaturation = 0.8;

bool states(const doc::Value& tree, std::string_view key) {
  const doc::Value* at = tree.is_mapping() ? tree.find(key) : nullptr;
  return at && !at->is_null();
}

class LoadKind : public QuestionOf<LoadQuestion> {
 public:
  const QuestionInfo& info() const override {
    static const QuestionInfo info{
        "load",
        "what users wait under a request rate: TTFT and TPOT, closed form and simulated",
        "model",
        {"reckon load --rate 8/s --prompt 1000 --output 300 --step 6ms --per-decode 15us "
         "--per-prefill 25us --batch 256 --chunk 512",
         "reckon load llama-3-8b --rate 2/s,4/s,8/s --prompt 1000 --output 300 --batch 128 "
         "--chunk 512 --gpus 1xh100-sxm",
         "reckon load --users 64 --prompt 1000 --output 300 --step 6ms --per-decode 15us "
         "--per-prefill 25us --batch 256 --chunk 512 --simulate"},
        {"decode.*", "chunk.*", "prefill.params", "prefill.head", "capacity", "reserve.*",
         "latency.*", "efficiency.link", "efficiency.network", "efficiency.memory", "ring_factor",
         "ring_across", "windows", "state"},
        {"load.utilisation", "load.ttft.mean", "load.ttft.p90", "load.tpot.mean", "load.end_to_end",
         "simulated.ttft.mean", "simulated.ttft.p90", "simulated.tpot.mean", "simulated.rate"}};
    return info;
  }

 protected:
  void write_out(Workspace& work, doc::Value& tree, Diagnostics& d) const override {
    fill_formats(work, tree, d);
    if (states(tree, "trace")) lay_trace(work, tree, "users", d);
    fill_shapes(tree);
  }

  // A model that has been looked up says how long a request may be.
  void fill(Workspace& work, doc::Value& tree, Diagnostics& d) const override {
    check_trace(work, tree, d);
  }

  void legal(const Input& q, const Asked& asked) const override {
    legal_traffic(q.traffic, asked);
    legal_steps(q, asked);
    legal_engine(q, asked);
    if (asked.failed()) return;
    legal_size(q, asked);
  }

  std::vector<std::string> steers(const Input& q) const override {
    std::vector<std::string> out{"ttft", "tpot"};
    add_steers(q.traffic, q.simulation, out);
    return out;
  }

  void say(const Input& q, const Output& out, Result& r) const override {
    if (r.name.empty()) r.name = title(q);
    if (!q.model) r.assumptions.clear();  // conventions of a model's steps, and none is asked about
    const LoadFigures<double>& f = out.figures;
    if (q.pools.stated()) say_workers(q, r);
    if (!out.holds) return say_too_large(q, *out.limits, r);
    if (f.unbounded)
      say_unbounded(q, f, r);
    else if (f.no_form)
      r.answer.lines.emplace_back(
          "users before pools wait for prefill and decode in a circle, which has no closed form");
    else
      say_waits(q, f, r);
    say_saturation(q, out, r);
    if (!f.unbounded && !q.traffic.users && plain(f.utilisation) > kNearSaturation)
      r.warnings.push_back(fmt::format(
          "{} of saturation: waits grow without bound from here, and small errors of the step's "
          "time or the rate grow with them",
          text(r, kUtilisation.id)));
    if (f.ttft) r.answer.formulas = {std::string(kTtft.id)};
    const double burst = q.traffic.users ? 1 : plain(burst_of(q.traffic, q.traffic.rate));
    warn_of_arrivals(f, burst, q.simulation.simulate, r);
    if (q.traffic.users && !q.pools.stated())
      warn_of_step({plain(*q.traffic.users), plain(*q.traffic.prompt),
                    q.engine.chunk ? plain(*q.engine.chunk) : 0,
                    q.engine.prompts == PromptSteps::kShared, plain(q.engine.overhead)},
                   q.traffic, q.simulation.simulate, r);
    if (f.tpot) r.answer.formulas.emplace_back(kTpot.id);
    r.answer.formulas.emplace_back(kSaturation.id);
    notes(q, f, r);
    r.not_modelled = {
        "a chunk's attention over the prompt before it (a step's time is given by its "
        "decodes and its prompt tokens)",
        "prefix caches, speculative tokens, priorities",
        "scheduling and detokenization on the host (overhead: stands for a request's own)"};
    if (q.model) r.not_modelled.emplace_back("experts that a chunk's own tokens wake");
  }

  void beside(Workspace& work, const LoadedQuestion<LoadQuestion>& loaded, const Output& out,
              Result& r) const override {
    const Input& q = loaded.question;
    if (!q.simulation.simulate || !out.holds) return;
    std::vector<load::Request> trace = trace_of(work, loaded, longest_of(q));
    if (out.figures.unbounded && trace.empty()) {
      r.answer.notes.emplace_back(
          "Not simulated: beyond saturation a simulation's figures depend on how long it runs.");
      return;
    }
    const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
    PlayedLoad of{(q.ttft ? 1 : 0) + (q.tpot ? 1 : 0), !trace.empty(), q.pools.stated(),
                  plain(q.simulation.seed)};
    say_longest(q.traffic, plain(*q.traffic.prompt), plain(*q.traffic.output), longest_of(q), r);
    const load::Scenario scenario = scenario_of(q, out, std::move(trace));
    of.rounds = rounds_of(scenario);
    if (!out.figures.unbounded && !out.figures.no_form) of.used = plain(out.figures.utilisation);
    add_simulation(of, load::simulate(scenario, threads), r);
  }

  std::vector<Alternative> alternatives(const Input& q) const override {
    const std::vector<std::string> shown{"load.ttft.mean", "load.ttft.p90", "load.tpot.mean",
                                         "load.saturation"};
    std::vector<Alternative> out;
    if (q.pools.stated()) return out;
    if (q.engine.prompts != PromptSteps::kFirst)
      out.push_back({"whole prompts first, decodes held up", {{"prompts", "first"}}, shown});
    else
      out.push_back({"prompts in chunks beside the decodes", {{"prompts", "shared"}}, shown});
    return out;
  }

 private:
  static void legal_traffic(const LoadTraffic<double>& t, const Asked& asked) {
    if (!t.rate && !t.users)
      asked.fault("rate", "load: how many requests come is not stated")
          .help(
              "rate: 8 requests/s, or users: 64, who ask again when answered, or trace: FILE.csv");
    if (t.rate && t.users)
      asked.fault("users", "a rate and users who wait for their answers are two loads")
          .note(asked.places.of("rate"), "the rate is stated here")
          .help("leave one of them out");
    if (!t.prompt)
      asked.fault("prompt", "load: how long prompts are is not stated").help("prompt: 1000");
    if (!t.output)
      asked.fault("output", "load: how long answers are is not stated").help("output: 300");
    check_traffic(t, "users", t.users.has_value(), asked);
  }

  static void legal_steps(const Input& q, const Asked& asked) {
    if (!q.model && !q.steps.step)
      asked.fault("step", "load: how long a step takes is not stated")
          .help(
              "step: 6 ms with per_decode: 15 us and per_prefill: 25 us, or a model on GPUs: "
              "--model llama-3-8b --gpus 1xh100-sxm");
    if (!q.model) return;
    if (q.steps.step)
      asked.fault("step", "a step's time is stated, and a model that gives it")
          .note(asked.places.of("model"), "the model is named here")
          .help("leave one of them out");
    for (const auto& [key, value] : {std::pair{"per_decode", q.steps.per_decode},
                                     {"per_cached", q.steps.per_cached},
                                     {"per_prefill", q.steps.per_prefill}})
      if (plain(value) > 0 && !q.steps.step)
        asked.fault(key, fmt::format("{}: the model gives a step's time", key))
            .help("leave it out");
    need_cache(*q.model, "a decode step", asked);
    check_classes(*q.model, q.served.classes, "classes", asked.places, asked.diagnostics);
    need_bandwidth(q.cluster, q.chip, asked);
    need_peak(q.cluster, q.chip, asked);
    need_countable(*q.model, q.assume, true, asked);
    need_tensor({*q.model, q.cluster, q.on, q.assume, q.tensor, "tensor"}, asked);
  }

  static void legal_engine(const Input& q, const Asked& asked) {
    if (q.engine.swap && q.engine.preempted != Preempted::kSwap)
      asked.fault("swap", "a time to move caches out, and caches that are computed again")
          .help("preempted: swap");
    if (!q.engine.swap && q.engine.preempted == Preempted::kSwap)
      asked.fault("preempted", "how long it takes to move a cached token out is not stated")
          .help("swap: 2 us");
    if (!q.pools.stated() && !q.engine.chunk)
      asked.fault("chunk", "chunk: how many prompt tokens a step takes at most is not stated")
          .help("chunk: 512");
    check_simulation(q.simulation, asked);
    legal_pools(q, asked);
  }

  // Workers of both kinds, and requests at a rate.
  static void legal_pools(const Input& q, const Asked& asked) {
    const LoadPools<double>& p = q.pools;
    if (!p.stated()) {
      for (const auto& [key, idle] : {std::pair{"transfer", p.transfer.has_value()},
                                      {"transfer_token", p.transfer_token.has_value()},
                                      {"prefill_step", p.prefill_step.has_value()},
                                      {"prefill_token", p.prefill_token.has_value()}})
        if (idle)
          asked.fault(key, fmt::format("{}: is of pools, and no workers are stated", key))
              .help("prefill_workers: 2, decode_workers: 1");
      return;
    }
    if (!p.prefill || !p.decode)
      asked
          .fault(p.prefill ? "prefill_workers" : "decode_workers",
                 "pools: prefill workers feed decode workers, and one of the two is not stated")
          .help(p.prefill ? "decode_workers: 1" : "prefill_workers: 1");
    if (q.traffic.users && !q.simulation.simulate)
      asked
          .fault("users",
                 "users: who wait for their answers before pools wait for both in a circle, which "
                 "has no closed form")
          .help("--simulate plays them out (in a file simulate: yes); or state a rate");
    if (p.prefill_token && !p.prefill_step)
      asked.fault("prefill_token", "prefill_token: the time of the step itself is not stated")
          .help("prefill_step: 6 ms");
    if (q.engine.prompts != PromptSteps::kShared)
      asked.fault("prompts", "prompts: prefill workers take one whole prompt at a time")
          .help("leave it out");
  }

  // A mean request must fit the model's positions and the cache.
  static void legal_size(const Input& q, const Asked& asked) {
    const double s = plain(*q.traffic.prompt), o = plain(*q.traffic.output), all = s + o;
    // Requests that are longer are not played, and on average they must be shorter.
    const double longest = q.traffic.longest || q.simulation.simulate ? longest_of(q) : 0;
    if (longest > 0 && all > longest)
      asked
          .fault(
              "prompt",
              fmt::format("prompt and answer are {:.0f} tokens, and {} {:.0f}", all,
                          q.traffic.longest ? "the longest is" : "the model's context is", longest))
          .help("shorter prompts, or longest: for a model that was extended");
    else if (q.model)
      check_context_length(*q.model, all, "prompt and answer take", "prompt", asked);
    if (q.engine.cache_tokens) legal_cache(q, all, asked);
  }

  // Caches are kept in whole blocks, of the cache and of each request.
  static void legal_cache(const Input& q, double all, const Asked& asked) {
    constexpr double kRequests = 32;
    const double block = plain(q.engine.block), cache = plain(*q.engine.cache_tokens);
    const double takes = std::ceil(all / block);
    if (std::floor(cache / block) >= takes && answer(q).holds) return;
    const std::string why =
        cache < block
            ? fmt::format("the cache holds no whole block: {:.0f} tokens, and a block is {:.0f}",
                          cache, block)
            : fmt::format("the cache does not hold one request of {:.0f} tokens{}", all,
                          block > 1 ? fmt::format(", in blocks of {:.0f}", block) : "");
    asked.fault("cache_tokens", why)
        .help(fmt::format("cache_tokens: {:.0f}{}", kRequests * takes * block,
                          cache < block ? ", or a smaller block" : ""));
  }

  // Workers of a model lie in the cluster that is named.
  static void say_workers(const Input& q, Result& r) {
    if (!q.model || !q.cluster) return;
    const double takes = plain((*q.pools.prefill + *q.pools.decode) * q.tensor);
    const double has = plain(q.cluster->nodes * q.cluster->node.gpus);
    if (takes <= has) return;
    r.say_no(No::kGpus);
    r.warnings.push_back(fmt::format(
        "{} and {} take {}, and the cluster has {}: name a larger one, or fewer workers",
        count_of(plain(*q.pools.prefill), "prefill worker"),
        count_of(plain(*q.pools.decode), "decode worker"), count_of(takes, "GPU"),
        format_quantity(has, kOne, Hint::kCount)));
  }

  static void say_too_large(const Input& q, const BatchLimits<double>& limits, Result& r) {
    r.say_no(No::kMemory);
    const auto bytes = [](Bytes<double> x) { return format_quantity(plain(x), kByte); };
    const Bytes<double> free = limits.free ? *limits.free : Bytes<double>{};
    std::vector<std::string> ways;  // that make it fit, or may
    if (const long t = ranks_that_hold(limits, *q.model, 1, number(q.tensor)))
      ways.push_back(fmt::format("more GPUs (tensor: {})", t));
    if (*limits.sequence < limits.stored + free) ways.emplace_back("weights in fewer bytes");
    if (free > Bytes<double>{}) ways.emplace_back("shorter prompts and answers");
    r.answer.lines.push_back(fmt::format(
        "does not fit: {} of weights leave a GPU {} for the cache, and a request takes {}; short "
        "by {}{}",
        bytes(limits.stored), bytes(max(free, Bytes<double>{})), bytes(*limits.sequence),
        bytes(*limits.sequence - free), ways.empty() ? "" : ": " + listed(ways, "or")));
    r.answer.formulas = {std::string(kCacheConcurrency.id)};
  }

  static std::string title(const Input& q) {
    const auto length = [](Count<double> n) {
      return format_quantity(plain(n), kOne, Hint::kLength);
    };
    const std::string load =
        q.traffic.users ? users_text(q.traffic, plain(*q.traffic.users))
                        : format_quantity(plain(*q.traffic.rate), kHertz, Hint::kRequestRate);
    return fmt::format("{}, prompts of {}, answers of {}{}", load, length(*q.traffic.prompt),
                       length(*q.traffic.output),
                       q.model ? " on " + model_name(*q.model) : std::string());
  }

  static void say_unbounded(const Input& q, const LoadFigures<double>& f, Result& r) {
    r.say_no(No::kQueue);
    r.answer.lines.push_back(
        fmt::format("the queue grows without bound: {} come, and {} {} at most",
                    format_quantity(plain(*q.traffic.rate), kHertz, Hint::kRequestRate),
                    f.full.by_move_first ? "the ports move caches of" : "the engine finishes",
                    at_most(plain(f.full.rate))));
  }

  static void say_waits(const Input& q, const LoadFigures<double>& f, Result& r) {
    const bool played = q.simulation.simulate;
    if (f.ttft_p50)
      r.answer.lines.push_back(fmt::format(
          "TTFT {} mean, {}", text(r, kTtft.id),
          ranks_text(r, {{"p50", kTtftP50.id}, {"p90", kTtftP90.id}, {"p99", kTtftP99.id}},
                     played)));
    else if (f.no_waits)
      r.answer.lines.push_back("TTFT: " + or_simulate(r, kTtft.id, played));
    else if (f.no_percentiles)
      r.answer.lines.push_back(fmt::format("TTFT {} mean; its percentiles: {}", text(r, kTtft.id),
                                           or_simulate(r, kTtftP50.id, played)));
    else
      r.answer.lines.push_back(
          fmt::format("TTFT {} mean, nearly all of it waiting for a place; its percentiles: {}",
                      text(r, kTtft.id), or_simulate(r, kTtftP50.id, played)));
    if (f.waiting && f.ttft && q.pools.stated())
      r.answer.lines.push_back(fmt::format(
          "waiting for a prefill worker {}, prefill {}, {}", text(r, kQueue.id),
          text(r, kPrefillAlone.id),
          cache_moves(q).known ? "moving the cache " + text(r, kChunking.id)
                               : "moving the cache left out: neither transfer nor a link is "
                                 "stated"));
    else if (f.waiting && f.ttft)
      r.answer.lines.push_back(
          fmt::format("waiting {} (the step that runs {}, prompts ahead {}, a place in the batch "
                      "{}), prefill alone "
                      "{}, chunks and the others' tokens {}",
                      text(r, kWaitsMean.id), text(r, kResidual.id), text(r, kQueue.id),
                      text(r, kSlotMean.id), text(r, kPrefillAlone.id), text(r, kChunking.id)));
    if (f.tpot)
      r.answer.lines.push_back(
          fmt::format("TPOT {} mean, p90 {}, without the first token{}", text(r, kTpot.id),
                      or_simulate(r, kTpotP90.id, played),
                      f.inclusive ? fmt::format("; {} with it", text(r, kInclusive.id)) : ""));
    else if (f.no_tpot && !f.no_waits)
      r.answer.lines.push_back("TPOT: " + or_simulate(r, kTpot.id, played));
    if (f.end_to_end)
      r.answer.lines.push_back(fmt::format(
          "{} end to end; {} inside at once, {} of them decoding; {}", text(r, kEndToEnd.id),
          text(r, kPresent.id), text(r, kDecoding.id), text(r, kOutputRate.id)));
    else
      r.answer.lines.push_back(
          fmt::format("{} decode at once; {}", text(r, kDecoding.id), text(r, kOutputRate.id)));
    say_targets(q, f, r);
  }

  static void say_targets(const Input& q, const LoadFigures<double>& f, Result& r) {
    const auto target = [&](const char* what, const auto& most, const auto& mean, const auto& p90,
                            const Formula& id) {
      if (!most || !mean) return;
      const double x = plain(*most);
      const bool all = p90 && plain(*p90) <= x, half = plain(*mean) <= x;
      if (!q.simulation.simulate && kept(most, mean, p90) == Kept::kNo) r.say_no(No::kTarget);
      r.answer.lines.push_back(
          fmt::format("target {} {}: {}", what, format_quantity(x, kSecond, Hint::kNone),
                      all            ? "nine of ten requests meet it"
                      : half && !p90 ? "met on average"
                      : half         ? "not met: on average it is, not by nine of ten requests"
                             : fmt::format("not met, on average it is {}", text(r, id.id))));
    };
    target("TTFT", q.ttft, f.ttft, f.ttft_p90, kTtft);
    target("TPOT", q.tpot, f.tpot, f.tpot_p90, kTpot);
    if (q.ttft && q.tpot && f.ttft && f.tpot) say_each_alone(q.simulation.simulate, r);
  }

  static void say_saturation(const Input& q, const Output& out, Result& r) {
    const LoadFigures<double>& f = out.figures;
    const bool pools = q.pools.stated();
    const char* what = f.full.by_move_first ? "the ports that caches move over never rest"
                       : f.full.by_prefill_first
                           ? pools ? "the prefill workers never rest" : "every chunk is full"
                       : out.by_cache ? "the cache is full"
                       : pools        ? "the decode workers' batches are full"
                                      : "the batch is full";
    r.answer.lines.push_back(
        fmt::format("{}saturates at {}, where {}",
                    f.unbounded || f.no_form ? "" : text(r, kUtilisation.id) + " of saturation: ",
                    text(r, kSaturation.id), what));
    if (out.cache_concurrency)
      r.answer.lines.push_back(fmt::format(
          "the cache holds {} such requests{}", text(r, kCacheConcurrency.id),
          out.by_cache ? fmt::format(", fewer than the batch's {:.0f}", plain(q.engine.batch))
                       : ""));
  }

  static void notes(const Input& q, const LoadFigures<double>& f, Result& r) {
    if (f.no_form) return;
    if (q.pools.stated()) warn_of_ports(f, r);
    if (!f.unbounded && q.pools.stated())
      r.answer.notes.emplace_back(
          "Closed form of pools against its simulation: tests/load/pools_agreement_test.cpp. The "
          "first token is seen when the cache has moved; a decode worker's wait is in TPOT.");
    else if (!f.unbounded && !q.traffic.users)
      r.answer.notes.emplace_back(
          "Closed form against its simulation over 216 loads of Poisson arrivals up to 80 % of "
          "saturation: mean absolute deviation 2 % of TTFT's mean, 3 % of p50, 5 % of p90, 5 % of "
          "p99 (up to 50 %); 3 % of TPOT's mean and p90, 7 % of its p99. How good the step's time "
          "is, is another matter.");
    if (q.traffic.users && !q.traffic.think)
      r.answer.notes.emplace_back(
          "Closed form against its simulation over 540 loads of 1 to 320 users: mean absolute "
          "deviation 1 % of TTFT's mean, 3 % of p90 (up to 90 % of saturation), 1 % of TPOT and of "
          "the rate. How good the step's time is, is another matter.");
    if (!q.traffic.trace.empty())
      r.answer.notes.emplace_back(
          "The closed form takes the trace's rate, means and spreads, lengths as lognormal and "
          "arrivals by their burstiness; the simulation plays the trace itself.");
  }
};

}  // namespace

const Question& load_question() {
  static const LoadKind kind;
  return kind;
}

}  // namespace reckon
