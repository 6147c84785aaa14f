#include "generate.hpp"

#include <algorithm>
#include <cmath>

#include "../whole_number.hpp"
#include "reckon/schedule/order.hpp"

namespace reckon::searching {
Generator::Generator(const TrainingPlan<double>& plan, const Choices& choices)
    : plan_(plan),
      choices_(choices),
      gpus_(gpus_of(plan)),
      node_gpus_(number(plan.cluster.node.gpus)),
      closed_forms_(!plan.stack &&
                    (plan.assume.stages != StageBalance::kByFlops || plan.model.abstract())) {
  for (const auto& g : plan.model.layers) layers_ += static_cast<int>(number(g.count));
  for (const int p : choices.pipeline) {
    if (gpus_ % p != 0 || !stages_hold(p)) continue;
    auto ways = ways_of(p);
    if (!ways.empty()) depths_.push_back({p, std::move(ways)});
  }
}

// p stages of a layer at least, and the stated ends.
bool Generator::stages_hold(int p) const {
  const auto& s = plan_.schedule;
  if (p == 1) return !s.first && !s.last;
  if (!plan_.model.hidden || plan_.model.layers.empty() || p > layers_) return false;
  if (!s.first && !s.last) return true;
  const long stated = (s.first ? number(*s.first) : 0) + (s.last ? number(*s.last) : 0);
  const long between = p - (s.first ? 1 : 0) - (s.last ? 1 : 0);
  return stated + between <= layers_ && (between != 0 || stated == layers_);
}

bool Generator::chunks_divide(int p, int v) const {
  if (v == 1) return true;
  if (plan_.schedule.first || plan_.schedule.last) return false;
  if (plan_.schedule.played && p * v <= layers_) return true;
  const int slots = layers_ % p == 0 ? layers_ : layers_ + 2;
  return slots % (p * v) == 0;
}

// One stage has no schedule to choose.
std::vector<std::pair<ScheduleKind, int>> Generator::ways_of(int p) const {
  std::vector<std::pair<ScheduleKind, int>> out;
  if (p == 1) {
    out.emplace_back(ScheduleKind::k1f1b, 1);
    return out;
  }
  for (const ScheduleKind kind : choices_.kinds) add_ways(kind, p, out);
  return out;
}

void Generator::add_ways(ScheduleKind kind, int p,
                         std::vector<std::pair<ScheduleKind, int>>& out) const {
  if (!takes_chunks(kind)) {
    if (chunks_divide(p, fixed_chunks(kind))) out.emplace_back(kind, 1);
    return;
  }
  for (int v = 2; v * p <= layers_ + 2; ++v) {
    const auto& listed = choices_.chunks;
    if (!listed.empty() && std::find(listed.begin(), listed.end(), v) == listed.end()) continue;
    if (chunks_divide(p, v)) out.emplace_back(kind, v);
  }
}

long Generator::micro_batches(const Shape& s, int, long D) const {
  if (plan_.batch.tokens_per_gpu) return micro_batches_by_tokens(s, D);
  const long B = number(*plan_.batch.global), step = D * s.micro;
  return B % step == 0 ? B / step : 0;
}

// A micro-batch is whole tokens, and whole sequences where they are stated.
long Generator::micro_batches_by_tokens(const Shape& s, long D) const {
  const double ranks = static_cast<double>(D) * s.context;
  const double tokens = plan_.batch.tokens_per_gpu->raw * static_cast<double>(gpus_) / ranks;
  const double micro = tokens / s.micro;
  if (micro != std::floor(micro)) return 0;
  if (!plan_.batch.sequence) return s.micro;
  const double piece = plan_.batch.sequence->raw / s.context;
  return piece == std::floor(piece) && std::fmod(micro, piece) != 0 ? 0 : s.micro;
}

bool Generator::experts_divide(const Shape& s, long D) const {
  if (s.expert == 1) return true;
  const bool whole = s.expert_tensor == 1 && s.tensor > 1;
  return D * s.context * (whole ? s.tensor : 1) % s.expert == 0;
}

bool Generator::runs(ScheduleKind kind, int p, int v, long n) const {
  if (p == 1) return true;
  const int chunks = takes_chunks(kind) ? v : fixed_chunks(kind);
  const schedule::PipelineLayout x{kind, p, chunks, static_cast<int>(n)};
  if (schedule::fault_of(x) != schedule::LayoutFault::kNone) return false;
  if (counts_slots(kind) && !plan_.schedule.played) return true;
  if (passes_of(x) > kMostPasses) return false;
  if (choices_.played || plan_.schedule.played || kind == plan_.schedule.kind) return true;
  // Only where a published formula holds.
  const bool fills = kind == ScheduleKind::kZbH1   ? n >= p
                     : kind == ScheduleKind::kZbH2 ? n >= 2 * p - 1
                                                   : false;
  return closed_forms_ && fills;
}

bool Generator::plays() const {
  const auto is_played = [this](ScheduleKind k) {
    return !counts_slots(k) && (choices_.played || k == plan_.schedule.kind);
  };
  return plan_.schedule.played ||
         std::any_of(choices_.kinds.begin(), choices_.kinds.end(), is_played);
}

bool Generator::shards(int zero, Within within, long ranks, int tensor) const {
  if (within == Within::kAll) return zero == 0 || ranks > 1 || choices_.zero.size() == 1;
  if (zero == 0) return false;
  const long in_node = std::max(1L, std::min(ranks, node_gpus_ / tensor));
  if (ranks % in_node != 0 || (in_node == 1 && ranks > 1)) return false;
  return in_node != ranks || choices_.within.size() == 1;  // else the same as `all`
}

bool Generator::sequence_fits(const Shape& s) const {
  if (s.sequence && s.tensor == 1) return false;
  if (s.expert_tensor == 0) return true;
  if (s.expert_tensor != 1 && s.expert_tensor != s.tensor) return false;
  // Where it says nothing more than the default does, once.
  if (s.expert_tensor == s.tensor)
    return std::find(choices_.expert_tensor.begin(), choices_.expert_tensor.end(), 0) ==
           choices_.expert_tensor.end();
  return s.tensor == 1 || s.sequence;
}

std::uint64_t Generator::count_rests(const Shape& s) const {
  std::uint64_t n = 0;
  rests(s, [&](const Rest&) { ++n; });
  return n;
}

std::vector<Generator::Counted> Generator::shapes() const {
  std::vector<Counted> out;
  const bool by_tokens = plan_.batch.tokens_per_gpu.has_value();
  const std::vector<int> one{0};
  Shape s;
  for (const int t : choices_.tensor) {
    for (const int c : choices_.context) {
      if (gpus_ % (static_cast<long>(t) * c) != 0) continue;
      s.tensor = t;
      s.context = c;
      for (const bool sequence : choices_.sequence) {
        s.sequence = sequence && (t > 1 || choices_.tensor.size() == 1);
        if (sequence && t == 1 && choices_.sequence.size() > 1) continue;
        for (const int e : choices_.expert) {
          s.expert = e;
          for (const int t_e : choices_.expert_tensor) {
            s.expert_tensor = t_e;
            if (!sequence_fits(s)) continue;
            for (const int b : choices_.micro) {
              s.micro = b;
              for (const int p : by_tokens ? choices_.pipeline : one) {
                s.pipeline = p;
                const std::uint64_t rests = count_rests(s);
                if (rests == 0) continue;
                for (const Recompute r : choices_.recompute) {
                  s.recompute = r;
                  out.push_back({s, rests});
                }
              }
            }
          }
        }
      }
    }
  }
  return out;
}

// The first rule that each mesh breaks.
std::map<Rule, std::uint64_t> Generator::refusals() const {
  std::map<Rule, std::uint64_t> out;
  for (const int t : choices_.tensor) {
    for (const int c : choices_.context) {
      for (const int p : choices_.pipeline) {
        const long groups = static_cast<long>(t) * c * p;
        if (gpus_ % groups != 0) {
          ++out[Rule::kMesh];
          continue;
        }
        if (!stages_hold(p)) {
          ++out[Rule::kLayers];
          continue;
        }
        const long D = gpus_ / groups;
        bool batch = false;
        for (const int b : choices_.micro) {
          Shape s;
          s.tensor = t;
          s.context = c;
          s.micro = b;
          batch = batch || micro_batches(s, p, D) != 0;
        }
        ++out[!batch                                                  ? Rule::kBatch
              : choices_.expert.size() == 1 && choices_.expert[0] > 1 ? Rule::kExperts
                                                                      : Rule::kSchedule];
      }
    }
  }
  return out;
}

}  // namespace reckon::searching
