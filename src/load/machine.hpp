// A batching engine that is played step by step: alone, or fed by what stands before it.
//
//   Machine m(engine, requests, {from, users});
//   Run run = m.run();
//
//   m.add(request, measured);  if (m.next_event() <= t) m.turn();      // fed: {.fed = true}
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <limits>
#include <queue>
#include <stdexcept>
#include <utility>

#include "reckon/load/engine.hpp"
#include "stages.hpp"

namespace reckon::load {

using Id = std::uint32_t;
constexpr Id kNone = static_cast<Id>(-1);

// A request inside the engine. While it decodes its length follows from the count of decode steps, so that a step
// costs nothing per sequence.
struct Live {
  std::int32_t to_prefill = 0;         // tokens still to be computed
  std::int32_t stored = 0;             // cached tokens when it joined the decodes
  std::int32_t made = 0;               // tokens of the answer
  std::int64_t joined = 0, ends = -1;  // decode steps; ends < 0: does not decode
  double last_token = -1;
  Id before = kNone, after = kNone;  // in the order of admission
};

class Machine {
 public:
  Machine(const Engine& e, std::vector<Request>& requests, const PlayOptions& o)
      : e_(e),
        requests_(requests),
        options_(o),
        live_(requests.size()),
        crossing_(static_cast<std::size_t>(std::max(1, e.block)), 0) {
    run_.served.resize(requests.size());
    free_ = e.blocks;
    closed_ = o.users > 0 || o.fed;
    reports_ = o.fed;
    known_ = o.users > 0 ? std::min(o.users, requests.size()) : requests.size();
    if (closed_)
      for (std::size_t i = 0; i < known_; ++i) come(static_cast<Id>(i));
  }

  Run run() {
    while (done_ < requests_.size() && next_event() < kNever) turn();
    return std::move(run_);
  }

  // ── fed from outside: one request after the other, with its arrival ──
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  void add(const Request& r, bool measured) {
    const Id id = static_cast<Id>(requests_.size());
    requests_.push_back(r);
    live_.emplace_back();
    run_.served.emplace_back();
    known_ = requests_.size();
    if (measured && options_.measured_from == kFed) options_.measured_from = id;
    come(id);
  }
  // Nothing comes after the last one.
  void finish() { options_.fed = false; }
  // When something can happen here next: a step begins, or a request arrives.
  double next_event() const { return idle() ? next_arrival() : now_; }
  // Until that, or a step further.
  void turn() {
    take_arrivals();
    if (!idle()) return step();
    if (next_arrival() < kNever) wait_until(next_arrival());
  }
  double now() const { return now_; }
  // Requests answered, or refused, since they were last taken.
  std::vector<Id> take_answered() { return std::exchange(answered_, {}); }
  Run take_run() { return std::move(run_); }

 private:
  bool idle() const { return head_ == kNone && queue_.empty(); }
  void come(Id id) { coming_.push({requests_[id].arrival, id}); }
  double next_arrival() const {
    if (closed_) return coming_.empty() ? kNever : coming_.top().first;
    return next_ < known_ ? requests_[next_].arrival : kNever;
  }
  Live& live(Id id) { return live_[id]; }
  bool decodes(Id id) const { return live_[id].ends >= 0; }
  std::int64_t cached(Id id) const {
    const Live& x = live_[id];
    return decodes(id) ? x.stored + (decode_step_ - x.joined) : x.stored;
  }

  // ── arrivals ──
  void take_arrivals() {
    while (next_arrival() <= now_) {
      const Id id = closed_ ? coming_.top().second : static_cast<Id>(next_);
      if (closed_) coming_.pop();
      ++next_;
      if (id == options_.measured_from) begin_measuring();
      run_.served[id].boundary = now_;
      if (!e_.holds(requests_[id])) {
        run_.refused.push_back(id);
        answered(id);
        continue;
      }
      live(id).to_prefill = e_.prefilled ? 0 : requests_[id].prompt;
      live(id).stored = e_.prefilled ? requests_[id].prompt : 0;
      live(id).made = e_.prefilled ? 1 : 0;
      if (e_.prefilled) comes_with_first(id);
      queue_.push_back(id);
      ++present_;
      since(requests_[id].arrival);
    }
    if (next_ >= requests_.size() && !options_.to_the_end && !options_.fed) measures_ = false;
  }

  // Its first token is of whoever prefilled it. Where sums start with it, it is not in their time, as none is whose
  // step ended before.
  void comes_with_first(Id id) {
    run_.served[id].first = live(id).last_token = requests_[id].arrival;
    if (id != options_.measured_from) count_first();
  }
  void count_first() {
    if (!measures_) return;
    ++run_.totals.tokens;
    ++run_.totals.first_tokens;
  }

  // What it has waited by the end of the step in which it came.
  void since(double arrival) {
    if (!measures_) return;
    run_.totals.present += now_ - arrival;
    run_.totals.waiting += now_ - arrival;
  }
  void begin_measuring() {
    run_.totals = {};
    run_.totals.begin = run_.totals.end = now_;
    run_.gaps.clear();
    measures_ = true;
  }

  // ── admission ──
  long needed(Id id) const {
    const Request& r = requests_[id];
    if (e_.reserve == CacheReserve::kLongest)
      return e_.blocks_of(static_cast<long>(r.prompt) + r.output);
    return e_.blocks_of(std::max<long>(live_[id].to_prefill, live_[id].stored));
  }
  bool fits(Id id) const {
    if (running_ >= e_.batch) return false;
    if (e_.blocks == 0) return true;
    const bool spare = e_.reserve == CacheReserve::kOnDemand && head_ != kNone;
    const long kept = spare ? static_cast<long>(e_.kept_free * static_cast<double>(e_.blocks)) : 0;
    return free_ - needed(id) - (next_block(id) ? 1 : 0) >= kept;
  }

  // It would ask for a block in its first step already.
  bool next_block(Id id) const {
    const Live& x = live_[id];
    return e_.reserve == CacheReserve::kOnDemand && x.to_prefill == 0 && x.stored % e_.block == 0;
  }

  Id admit() {
    const Id id = queue_.front();
    queue_.pop_front();
    take_blocks(needed(id));
    append(id);
    return id;
  }

  void take_blocks(long n) {
    if (e_.blocks == 0) {
      used_ += n;
    } else {
      free_ -= n;
      used_ = e_.blocks - free_;
    }
    run_.totals.most_blocks = std::max(run_.totals.most_blocks, used_);
  }
  long held(Id id) const {
    if (e_.reserve == CacheReserve::kLongest) return needed(id);
    return e_.blocks_of(std::max<std::int64_t>(cached(id), prompt_of(id)));
  }
  // Blocks of a prompt were taken when it was admitted, though not all of it is computed.
  std::int64_t prompt_of(Id id) const {
    return decodes(id) ? 0 : live_[id].stored + live_[id].to_prefill;
  }

  void append(Id id) {
    live(id).before = tail_;
    live(id).after = kNone;
    (tail_ == kNone ? head_ : live(tail_).after) = id;
    tail_ = id;
    ++running_;
  }
  void unlink(Id id) {
    const Live& x = live(id);
    (x.before == kNone ? head_ : live(x.before).after) = x.after;
    (x.after == kNone ? tail_ : live(x.after).before) = x.before;
    --running_;
  }

  // ── decoding ──
  std::size_t phase(Id id) const {
    const auto b = static_cast<std::int64_t>(crossing_.size());
    const Live& x = live_[id];
    return static_cast<std::size_t>(((x.joined - x.stored) % b + b) % b);
  }

  void join(Id id) {
    Live& x = live(id);
    x.joined = decode_step_;
    x.ends = decode_step_ + (requests_[id].output - x.made);
    ++decoding_;
    context_ += x.stored;
    ++crossing_[phase(id)];
    ends_.push({x.ends, id});
    fresh_.push_back(id);
  }
  // Out of the decodes, with what it has cached by now.
  void leave(Id id) {
    Live& x = live(id);
    --crossing_[phase(id)];
    x.stored = static_cast<std::int32_t>(cached(id));
    context_ -= x.stored;
    --decoding_;
    x.ends = -1;
  }

  // ── preemption ──
  long growing() const {
    if (e_.reserve == CacheReserve::kLongest) return 0;
    return crossing_[static_cast<std::size_t>(decode_step_) % crossing_.size()];
  }
  void make_room() {
    if (e_.blocks == 0) return take_blocks(growing());
    while (free_ < growing()) evict(tail_);
    take_blocks(growing());
  }
  void evict(Id id) {
    if (id == kNone || id == head_) throw std::logic_error("a sequence alone overflows the cache");
    take_blocks(-held(id));
    unlink(id);
    Live& x = live(id);
    if (decodes(id)) {
      const std::int64_t made = requests_[id].output - (x.ends - decode_step_);
      x.last_token = last_token_of(id);
      leave(id);
      x.made = static_cast<std::int32_t>(made);
    } else {
      std::erase(prefill_, id);
    }
    give_up(id);
    queue_.push_front(id);
    if (measures_) ++run_.totals.preemptions;
    evicted_ = true;
  }
  void give_up(Id id) {
    Live& x = live(id);
    std::erase(fresh_, id);
    if (e_.evict == Preempted::kSwap && x.to_prefill == 0) {
      swapping_ += e_.swap * x.stored;
      return;
    }
    if (measures_) run_.totals.recomputed += x.stored;
    x.to_prefill = requests_[id].prompt + x.made;
    x.stored = 0;
  }
  double last_token_of(Id id) const {
    const bool fresh = std::find(fresh_.begin(), fresh_.end(), id) != fresh_.end();
    return fresh ? live_[id].last_token : decoded_at_;
  }

  // ── a step ──
  void step() {
    evicted_ = false;
    admit_ready();
    int prefill = 0;
    if (e_.order == StepOrder::kChunked) make_room();
    prefill = compose();
    if (e_.order == StepOrder::kPrefillFirst && prefill == 0) make_room();
    const bool decode = decoding_ > 0 && (e_.order == StepOrder::kChunked || prefill == 0);
    const double n = decode ? static_cast<double>(decoding_) : 0;
    if (running_ == 0) return;  // answers of one token that came with it
    if (prefill == 0 && !decode) throw std::logic_error("a step without work");
    double time =
        e_.step({n, n > 0 ? static_cast<double>(context_) / n : 0, static_cast<double>(prefill)}) +
        swapping_;
    swapping_ = 0;
    if (options_.stages) time = options_.stages->pass(now_, time);
    account(time, prefill, decode);
    now_ += time;
    take_arrivals();
    if (decode) advance();
    for (const Id id : finished_prompts_) first_token(id);
  }

  // Requests that come with their cache, or whose cache is read back: they decode in this very step.
  void admit_ready() {
    while (!queue_.empty() && live(queue_.front()).to_prefill == 0 && fits(queue_.front())) {
      const Id id = admit();
      if (run_.served[id].start < 0) run_.served[id].start = now_;
      if (!e_.prefilled) swapping_ += e_.swap * live(id).stored;
      if (live(id).made >= requests_[id].output) {
        retire(id);
      } else {
        join(id);
      }
    }
  }

  // Prompt tokens of the step, in the order of arrival; of a step without decodes one whole prompt.
  int compose() {
    finished_prompts_.clear();
    int room = e_.chunk, taken = 0;
    const bool whole = e_.order == StepOrder::kPrefillFirst;
    std::size_t i = 0;
    while (room > 0) {
      if (i == prefill_.size() && !admit_next()) break;
      const Id id = prefill_[i++];
      const int part = whole ? live(id).to_prefill : std::min(room, live(id).to_prefill);
      work_on(id, part);
      taken += part;
      room -= part;
      if (whole || e_.one_prompt) break;
    }
    std::erase_if(prefill_, [this](Id id) { return live(id).to_prefill == 0; });
    return taken;
  }

  bool admit_next() {
    if (queue_.empty() || evicted_ || live(queue_.front()).to_prefill == 0 || !fits(queue_.front()))
      return false;
    prefill_.push_back(admit());
    return true;
  }

  void work_on(Id id, int part) {
    if (run_.served[id].start < 0) run_.served[id].start = now_;
    Live& x = live(id);
    x.to_prefill -= part;
    x.stored += part;
    if (x.to_prefill == 0) finished_prompts_.push_back(id);
  }

  void first_token(Id id) {
    Live& x = live(id);
    if (run_.served[id].first < 0) {
      run_.served[id].first = now_;
      count_first();
    } else {
      add_gap(now_ - x.last_token, 1);
      if (measures_) ++run_.totals.tokens;
    }
    ++x.made;
    x.last_token = now_;
    if (x.made >= requests_[id].output) {
      retire(id);
    } else {
      join(id);
    }
  }

  // Every decoding sequence has one more token.
  void advance() {
    const long old = decoding_ - static_cast<long>(fresh_.size());
    if (old > 0) add_gap(now_ - decoded_at_, old);
    for (const Id id : fresh_) add_gap(now_ - live(id).last_token, 1);
    fresh_.clear();
    if (measures_) run_.totals.tokens += decoding_;
    context_ += decoding_;
    ++decode_step_;
    decoded_at_ = now_;
    while (!ends_.empty() && ends_.top().first <= decode_step_) {
      const auto [at, id] = ends_.top();
      ends_.pop();
      if (live(id).ends != at) continue;  // evicted meanwhile
      leave(id);
      retire(id);
    }
  }

  void retire(Id id) {
    take_blocks(-held(id));
    unlink(id);
    run_.served[id].last = now_;
    --present_;
    answered(id);
  }
  void answered(Id id) {
    ++done_;
    if (reports_) answered_.push_back(id);
    if (options_.users == 0 || known_ >= requests_.size()) return;
    requests_[known_].arrival += now_;  // what its user thinks
    come(static_cast<Id>(known_++));
  }

  void add_gap(double time, long count) {
    if (measures_) run_.gaps.push_back({time, count});
  }
  void wait_until(double t) {
    if (measures_) run_.totals.end = t;
    now_ = t;
  }
  void account(double time, int prefill, bool decode) {
    if (!measures_) return;
    Totals& t = run_.totals;
    t.end = now_ + time;
    t.busy += time;
    if (prefill > 0) t.prefilling += time;
    t.decoding += time * static_cast<double>(decoding_);
    t.admitted += time * static_cast<double>(running_);
    t.blocks += time * static_cast<double>(used_);
    t.waiting += time * static_cast<double>(queue_.size());
    t.present += time * static_cast<double>(present_);
    t.prompt_tokens += prefill;
    ++t.steps;
    t.decode_steps += decode ? 1 : 0;
  }

  const Engine& e_;
  std::vector<Request>& requests_;
  PlayOptions options_;
  Run run_;
  std::vector<Live> live_;
  std::vector<long> crossing_;  // decoding sequences by the step at which their next block begins
  std::deque<Id> queue_;        // arrived, not admitted
  std::vector<Id> prefill_, finished_prompts_, fresh_, answered_;
  using Coming = std::pair<double, Id>;
  std::priority_queue<Coming, std::vector<Coming>, std::greater<>> coming_;  // of a closed loop
  using End = std::pair<std::int64_t, Id>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  Id head_ = kNone, tail_ = kNone;
  std::size_t next_ = 0, known_ = 0, done_ = 0;
  std::int64_t decode_step_ = 0, context_ = 0;
  long decoding_ = 0, free_ = 0, used_ = 0, present_ = 0;
  int running_ = 0;
  double now_ = 0, decoded_at_ = 0, swapping_ = 0;
  bool evicted_ = false, measures_ = false, closed_ = false, reports_ = false;
};

}  // namespace reckon::load
