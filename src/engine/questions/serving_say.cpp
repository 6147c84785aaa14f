// What is said of a serving answer: in words, in tables, and what is left out.
#include "serving_say.hpp"

#include <fmt/format.h>

#include <cmath>

#include "reckon/base/table.hpp"
#include "reckon/base/text.hpp"
#include "reckon/units/format.hpp"
#include "say_count.hpp"
#include "serving.hpp"
#include "serving_load.hpp"
#include "serving_money.hpp"

namespace reckon {
namespace {

constexpr const char* kStepOpTitles[kStepOps] = {"products into attention",
                                                 "attention",
                                                 "products out of attention",
                                                 "up and gate",
                                                 "down",
                                                 "routed experts",
                                                 "shared experts",
                                                 "elementwise",
                                                 "all-reduces",
                                                 "tokens to experts",
                                                 "overhead",
                                                 "the output head",
                                                 "hops between stages",
                                                 "between context ranks"};

using Plan = ServingPlan<double>;
using Out = ServingAnswer<double>;

std::string length(const Count<double>& n) { return format_quantity(n.raw, kOne, Hint::kLength); }

std::string text_of_count(const Count<double>& n) {
  return format_quantity(n.raw, kOne, Hint::kCount);
}

// The layers whose products say from where compute binds.
bool moe_last(const Plan& q) {
  return !q.model.layers.empty() && q.model.layers.back().mlp.kind == MlpKind::kMoe;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// "mostly attention: 4.2 ms".
std::string largest_part(const StepTimes<double>& t) {
  std::size_t most = 0;
  for (std::size_t o = 1; o < kStepOps; ++o)
    if (t.op[most] < t.op[o]) most = o;
  if (t.gpu < t.host)
    return fmt::format("mostly the host: {}", format_quantity(t.host.raw, kSecond));
  return fmt::format("mostly {}: {}", kStepOpTitles[most],
                     format_quantity(t.op[most].raw, kSecond));
}

std::string title(const Plan& q, const Out& out) {
  return fmt::format("{} on {} {} under {}", model_name(q.model), text_of_count(out.gpus),
                     q.cluster->node.chip.name, q.engine.name);
}

// What was asked, in a few words.
void say_asked(const Plan& q, const Out& out, Result& r) {
  r.headline.emplace_back("model", fmt::format("{}, {} weights, {} cache", model_name(q.model),
                                               q.served.weights.name, q.served.cache.name));
  const double n = value_of(out.replicas.raw);
  const std::string as =
      q.prefill ? std::string("in pools for prompts and for answers")
                : fmt::format("{} replica{}", text_of_count(out.replicas), n == 1 ? "" : "s");
  r.headline.emplace_back("GPUs", fmt::format("{} {}, {} under {}", text_of_count(out.gpus),
                                              q.cluster->node.chip.name, as, q.engine.name));
  std::string asked = fmt::format("prompts of {}, answers of {}", length(*q.workload.prompt),
                                  length(*q.workload.output));
  if (q.workload.rate || q.workload.concurrency) asked += ", " + load_text(q);
  if (q.targets.ttft)
    asked += ", TTFT within " + format_quantity(q.targets.ttft->raw, kSecond, Hint::kNone);
  if (q.targets.tpot)
    asked += ", TPOT within " + format_quantity(q.targets.tpot->raw, kSecond, Hint::kNone);
  r.headline.emplace_back("load", asked);
}

// How the cache's space comes about, so that a pencil finds it too.
std::string space_text(const Plan& q, const Result& r) {
  const auto share = [](const Ratio<double>& x) {
    return format_quantity(x.raw, kOne, Hint::kFraction);
  };
  const Ratio<double> part = stated_or(q.settings.fraction, q.engine.memory.fraction);
  const std::string beside = fmt::format("{} of weights and {} of reserve",
                                         text(r, "memory.weights"), text(r, "memory.reserve"));
  if (stated_or(q.settings.of, q.engine.memory.of) == MemoryBase::kTotal)
    return fmt::format("{} of a GPU's {}, less {}", share(part), text(r, "memory.capacity"),
                       beside);
  return fmt::format("{} of what {} of a GPU's {} leave beside {}", share(part),
                     share(q.engine.memory.usable), text(r, "memory.capacity"), beside);
}

void say_memory(const Plan& q, const Out& out, Result& r) {
  if (out.running) {
    const double held = value_of(out.memory.batch.raw);
    const bool too_large = q.workload.batch && !q.stated && !out.holds;
    if (too_large)
      r.warnings.push_back(
          fmt::format("the static batch of {} does not fit: memory holds {} such sequences{}",
                      text_of_count(*q.workload.batch), text(r, "decode.batch_by_memory"),
                      value_of(q.mesh.data.raw) > 1 ? " on each data rank" : ""));
    if (too_large || !(held >= 1 || q.stated)) r.say_no(No::kMemory);
    r.answer.lines.push_back(fmt::format(
        "{}: {} of cache{}, {}{}, {} such sequence{}{}", space_text(q, r), text(r, "memory.cache"),
        out.memory.shared.raw > 0 ? fmt::format(", {} of it for the prefix that all share",
                                                format_quantity(out.memory.shared.raw, kByte))
                                  : std::string(),
        text(r, "kv.capacity_tokens"), value_of(q.mesh.data.raw) > 1 ? " on all data ranks" : "",
        text(r, "decode.batch_by_memory"), held < 2 && held >= 1 ? "" : "s",
        value_of(q.mesh.data.raw) > 1 ? " on each" : ""));
    return;
  }
  r.say_no(No::kMemory);
  const double over = value_of(out.memory.sequence.raw) - value_of(out.memory.space.raw);
  r.answer.lines.push_back(fmt::format(
      "does not fit: {} of weights and {} of reserve leave a GPU of {} no room for one sequence of "
      "{}; short by {}",
      text(r, "memory.weights"), text(r, "memory.reserve"), text(r, "memory.capacity"),
      text(r, "kv.per_sequence"), format_quantity(over, kByte)));
}

// Times of the plan's own, in the place of the model's.
bool states_prefill(const Plan& q) { return q.stated && q.stated->prefill; }
bool states_step(const Plan& q) {
  return q.stated && (q.stated->decode || !q.stated->layer.empty());
}
std::string states_drafts(const Plan& q) {
  return q.speculative ? "a token, of times as stated" : "as stated";
}

// What speculation is made of, and how a step and its drafting become the time between tokens.
void say_speculation(const Plan& q, const Out& out, Result& r) {
  if (!q.speculative) return;
  const Speculative<double>& x = *q.speculative;
  const auto share = [](const Ratio<double>& s) {
    return format_quantity(s.raw, kOne, Hint::kFraction);
  };
  const Running<double>& run = *out.running;
  const bool free = !(x.draft.raw > 0);
  r.answer.lines.push_back(fmt::format(
      "speculation: {} drafted for each step{}; a step yields {} tokens ({}): {}{} over these, {} "
      "between tokens",
      count_of(plain(x.tokens), "token"),
      free ? std::string(", taken to cost nothing (speculative.draft)")
           : fmt::format(", {} of its time each", share(x.draft)),
      text(r, "decode.tokens_per_step"),
      x.accepted ? std::string("as stated")
                 : fmt::format("each draft accepted at {}, one by one", share(*x.acceptance)),
      format_quantity(value_of((run.per_token * *run.yield).raw), kSecond),
      free ? "" : " with its drafting", text(r, "decode.tpot")));
}

std::string between_tokens(const Out& out, const Result& r) {
  if (!out.running->answers_decode) return "";
  return fmt::format(", {} between a user's tokens", text(r, "serve.saturation.tpot"));
}

std::string never_idle(const Out& out, const Result& r) {
  const Running<double>& run = *out.running;
  const bool chunk = value_of(run.full.n.raw) < value_of(run.most.raw) - 1e-9;
  return fmt::format("never idle, a batch of {} ({} binds): {} a GPU{}; {} of all replicas",
                     text(r, chunk ? "serve.saturation.batch" : "decode.batch_most"),
                     chunk ? "the chunk" : out.bound,
                     text(r, "serve.saturation.tokens_per_second_per_gpu"), between_tokens(out, r),
                     text(r, "serve.saturation.request_rate"));
}

std::string never_idle_pools(const Plan& q, const Out& out, const Result& r) {
  return fmt::format(
      "never idle, pools of any size filled to their shares, decode batches of {} ({}): {} a GPU{}",
      text_of_count(Count<double>(std::floor(value_of(out.running->pools->batch.raw)))),
      q.workload.batch ? std::string("as stated") : fmt::format("{} binds", out.bound),
      text(r, "serve.saturation.tokens_per_second_per_gpu"), between_tokens(out, r));
}

void say_running(const Plan& q, const Out& out, Result& r) {
  const Running<double>& run = *out.running;
  const double ranks = value_of((q.prefill ? q.prefill->mesh : q.mesh).data.raw);
  const bool longest = run.longest_prompt && value_of(run.longest_prompt->raw) >= 1;
  r.answer.lines.push_back(
      fmt::format("a prompt of {} {}{}: {} {}, {}{}", length(*q.workload.prompt),
                  ranks > 1 ? fmt::format("on each of {} data ranks", ranks) : std::string("alone"),
                  !q.prefill  ? ""
                  : ranks > 1 ? " of a prefill worker"
                              : " on a prefill worker",
                  q.prefill ? "computed after" : "first token after", text(r, "prefill.ttft"),
                  states_prefill(q) ? "as stated" : largest_part(run.prompt.step),
                  longest ? fmt::format("; up to {} within {}", text(r, "prefill.longest_prompt"),
                                        format_quantity(q.targets.ttft->raw, kSecond))
                          : std::string()));
  r.answer.lines.push_back(fmt::format(
      "{} of {} sequence{} over {}: {}, {}{}",
      q.prefill ? "a decode worker's step" : "a decode step", text(r, "decode.batch"),
      run.n.raw == 1 ? "" : "s", text(r, "decode.context"),
      text(r, states_step(q) ? "decode.tpot" : "decode.time"),
      states_step(q) ? states_drafts(q) : largest_part(run.decode),
      run.compute_from
          ? fmt::format("; {} take longer to compute than to read from {} tokens a step",
                        moe_last(q) ? "experts" : "products", text(r, "decode.compute_from"))
          : std::string()));
  say_speculation(q, out, r);
  // No batch keeps the target: say_targets() has its floor, and there is nothing that users would be served.
  if (value_of(run.most.raw) < 1) return;
  r.answer.lines.push_back(q.prefill ? never_idle_pools(q, out, r) : never_idle(out, r));
  if (run.fixed)
    r.answer.lines.push_back(fmt::format(
        "a static batch of {}{}: prompts {}, then {} a token; {}", text_of_count(*q.workload.batch),
        out.holds || q.stated ? "" : ", if memory held it", text(r, "static.prefill.time"),
        text(r, "static.decode.time"), text(r, "static.tokens_per_second")));
  say_money(q, out, r);
}

// What nobody uses.
void say_idle(const Plan& q, const Out& out, Result& r) {
  const double all = value_of((q.cluster->nodes * q.cluster->node.gpus).raw);
  const double used = value_of(out.gpus.raw);
  if (!(used < all) || q.prefill) return;
  r.warnings.push_back(fmt::format("{} of the cluster's {} GPUs {} idle: a replica takes {}",
                                   all - used, all, all - used == 1 ? "is" : "are",
                                   text_of_count(out.replica)));
}

// A target that no batch keeps: its floor, and what sets it.
void say_targets(const Plan& q, const Out& out, Result& r) {
  const Running<double>& run = *out.running;
  if (run.by_target && value_of(run.by_target->raw) < 1) {
    r.say_no(No::kTarget);
    r.warnings.push_back(fmt::format(
        "no batch keeps {} between tokens: a single sequence{} takes {} ({})",
        format_quantity(q.targets.tpot->raw, kSecond),
        q.prefill ? " of a decode worker" : ", with its share of a prompt,",
        text(r, "serve.saturation.tpot"), largest_part(q.prefill ? run.decode : run.full.step)));
  }
  const bool pools = q.prefill.has_value();
  const Seconds<double>& floor = pools ? run.pools->ttft : run.ttft;
  if (q.targets.ttft && *q.targets.ttft < floor) {
    r.say_no(No::kTarget);
    r.warnings.push_back(
        pools
            ? fmt::format("no load keeps {} to the first token: the prompt alone takes {} on its "
                          "worker, and its cache {} to move",
                          format_quantity(q.targets.ttft->raw, kSecond),
                          text(r, "pools.prefill_time"), text(r, "kv.transfer"))
            : fmt::format(
                  "no load keeps {} to the first token: the prompt alone takes {} ({}); {}",
                  format_quantity(q.targets.ttft->raw, kSecond), text(r, "prefill.ttft"),
                  largest_part(run.prompt.step),
                  value_of(run.longest_prompt->raw) < 1
                      ? "not even one token does"
                      : fmt::format("prompts of up to {} do", text(r, "prefill.longest_prompt"))));
  }
  if (q.stated && (q.workload.rate || q.workload.concurrency))
    r.warnings.emplace_back(
        "stated times hold for one batch, not for every step of a load: what users wait is not "
        "said (leave stated: out, or state steps of any batch: kind: load)");
  if (!q.workload.rate || run.load || q.stated) return;
  const double load = value_of(q.workload.rate->raw) / value_of(run.requests.raw);
  if (load < 1) return;
  r.say_no(No::kQueue);
  r.warnings.push_back(
      fmt::format("the queue grows without bound: {} arrive, and {} {} {} at most",
                  format_quantity(q.workload.rate->raw, kHertz, Hint::kRequestRate),
                  count_of(plain(out.replicas), "replica"), out.replicas > 1 ? "take" : "takes",
                  at_most(plain(run.requests))));
}

// Operator by operator, a prompt beside a decode step.
void add_operators(const Running<double>& run, Result& r) {
  Table table({{"operator"},
               {"prompt", Align::kRight},
               {"", Align::kRight},
               {"decode step", Align::kRight},
               {"", Align::kRight}});
  const auto cell = [](const Seconds<double>& t) {
    return t.raw > 0 ? format_quantity(t.raw, kSecond) : std::string();
  };
  const auto share = [](const Seconds<double>& t, const Seconds<double>& of) {
    return t.raw > 0 ? format_quantity(t.raw / of.raw, kOne, Hint::kFraction) : std::string();
  };
  for (std::size_t o = 0; o < kStepOps; ++o) {
    const Seconds<double> pre = run.prompt.step.op[o], dec = run.decode.op[o];
    if (pre.raw <= 0 && dec.raw <= 0) continue;
    table.row({kStepOpTitles[o], cell(pre), share(pre, run.prompt.step.time), cell(dec),
               share(dec, run.decode.time)});
  }
  const std::string chunks =
      run.prompt.chunks.raw > 1
          ? fmt::format(" (of a prompt: its {} chunks)", text_of_count(run.prompt.chunks))
          : std::string();
  r.answer.pictures.push_back({"Where the time goes" + chunks, lines_of(table.text())});
}

void add_ways(Result& r) {
  Grid g{"Ways to combine prompts and answers",
         "",
         {{"batch", "batch"},
          {"per_gpu", "tokens/s a GPU"},
          {"tpot", "between tokens"},
          {"ttft", "first token"}},
         {{"ways.prefill_first", "prompts stop decodes", ""},
          {"ways.mixed", "mixed, in chunks", ""},
          {"ways.disaggregated", "pools of their own", ""}}};
  std::size_t best = 0;
  double most = 0;
  for (std::size_t i = 0; i < g.rows.size(); ++i) {
    const Metric* m = r.find(g.rows[i].id + ".per_gpu");
    if (m && m->value > most) {
      most = m->value;
      best = i;
    }
  }
  g.rows[best].note = "most tokens/s a GPU";
  r.answer.grids.push_back(std::move(g));
}

void add_frontier(const Out& out, Result& r) {
  if (out.running->frontier.empty()) return;
  Grid g{"Tokens/s of a user against tokens/s of a GPU",
         "",
         {{"tensor", "tensor"}, {"batch", "batch"}, {"per_user", "a user"}, {"per_gpu", "a GPU"}},
         {}};
  for (std::size_t i = 0; i < out.running->frontier.size(); ++i)
    g.rows.push_back({fmt::format("frontier.{}", i + 1), fmt::format("{}", i + 1)});
  r.answer.grids.push_back(std::move(g));
}

void add_pools(const Plan& q, const Out& out, Result& r) {
  if (!q.prefill) return;
  const ServingPools<double>& p = *out.running->pools;
  if (p.prefill_space && !(*p.prefill_space > p.prefill_sequence)) {
    r.say_no(No::kMemory);
    r.warnings.push_back(fmt::format(
        "a prefill worker's GPU does not hold the model: {} are left beside weights and reserve, "
        "and a prompt's cache takes {}: more tensor ranks there, or weights in fewer bytes",
        format_quantity(p.prefill_space->raw, kByte),
        format_quantity(p.prefill_sequence.raw, kByte)));
  }
  r.answer.lines.push_back(fmt::format(
      "pools: a prefill worker of {} takes {}, a decode worker of {} {}; {} decode workers for "
      "each prefill worker are even; {} and {} give {} a GPU",
      count_of(plain(p.prefill_gpus), "GPU"), text(r, "pools.prefill_rate"),
      count_of(plain(p.decode_gpus), "GPU"), text(r, "pools.decode_rate"), text(r, "pools.ratio"),
      count_of(plain(p.best.x), "prefill worker"), count_of(plain(p.best.y), "decode worker"),
      text(r, "pools.best.per_gpu")));
  if (p.asked)
    r.answer.lines.push_back(fmt::format(
        "{} and {}, {}: {}, {} a GPU; {} binds", count_of(plain(p.asked->x), "prefill worker"),
        count_of(plain(p.asked->y), "decode worker"), count_of(plain(p.asked->gpus), "GPU"),
        text(r, "pools.rate"), text(r, "pools.per_gpu"), p.asked->binds));
  r.answer.notes.emplace_back(
      "Ranks that prefill: does not state are the plan's: tensor, data, pipeline, expert.");
  say_pools_beyond(q, p, r);
  if (p.transfer)
    r.answer.lines.push_back(fmt::format("a prompt's cache of {} moves in {}: first token after {}",
                                         text(r, "kv.prompt"), text(r, "kv.transfer"),
                                         text(r, "pools.ttft")));
  if (p.transfer_load && value_of(p.transfer_load->raw) > 1)
    r.warnings.push_back(fmt::format("moving the caches needs {} of the smaller pool's ports",
                                     text(r, "kv.transfer_load")));
}

}  // namespace

void say_serving(const Plan& q, const Out& out, Result& r) {
  if (r.name.empty()) r.name = title(q, out);
  say_asked(q, out, r);
  say_memory(q, out, r);
  if (out.running) {
    const bool serves = value_of(out.running->most.raw) >= 1;  // some batch keeps the target
    say_running(q, out, r);
    if (serves) {
      add_pools(q, out, r);
      say_load(q, out, r);
      say_idle(q, out, r);
    }
    say_targets(q, out, r);
    add_operators(*out.running, r);
    if (serves) {
      add_ways(r);
      add_frontier(out, r);
    }
    r.answer.formulas = {"prefill.time", "decode.time",
                         q.prefill ? "serve.saturation.tokens_per_second_per_gpu"
                                   : "serve.saturation.tokens_per_second"};
  }
  say_formats(q.served, r);
  say_shared_heads(q.model, q.mesh.tensor, q.assume.decode.shared_heads, r);
  r.answer.notes.emplace_back(
      q.prefill ? "TPOT excludes the first token. prefill.* is of a prefill worker, decode.* of a "
                  "decode worker; serve.saturation.* of pools filled to their shares."
                : "TPOT excludes the first token. decode.* prices steps of decodes alone; "
                  "serve.saturation.* steps that carry prompts too.");
  r.not_modelled = {"tokenizing and detokenizing", "a scheduler's time that grows with the batch",
                    "fragments of cache blocks"};
  const bool dealt = q.assume.decode.shared_heads == SharedHeads::kByBatch &&
                     number(q.mesh.tensor) > number(fewest_kv_heads(q.model));
  if (dealt)
    r.not_modelled.emplace_back(
        "the exchange of queries and outputs among ranks that share a head");
  if (!out.running || !out.running->load) r.not_modelled.emplace_back("waiting in a queue");
  if (q.mesh.data.raw > 1) r.not_modelled.emplace_back("experts' imbalance beyond one factor");
  say_mixers(q.model, r);
}

}  // namespace reckon
