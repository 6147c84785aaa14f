#include "memory_curve.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "legal_schedule.hpp"
#include "reckon/schedule/play.hpp"

namespace reckon {
namespace {

using schedule::Op;
using schedule::Pass;

constexpr int kPoints = 56;             // of a curve
constexpr double kMostPlayedOut = 2e5;  // passes: some tens of milliseconds

double bytes(const Bytes<double>& x) { return value_of(x.raw); }

// What comes or goes, and when.
struct Change {
  double at = 0, bytes = 0;
  int micro_batches = 0;  // pieces kept, more or fewer
  const Op* op = nullptr;
};

bool runs_backward(const Op& op) { return op.pass != Pass::kForward && op.pass != Pass::kWeight; }
bool runs_forward(const Op& op) { return op.pass == Pass::kForward || op.pass == Pass::kPair; }
bool frees(const Op& op) { return op.pass != Pass::kForward && op.pass != Pass::kBackward; }
int backward_chunk(const Op& op) { return op.pass == Pass::kPair ? op.backward_chunk : op.chunk; }

// "forward pass of micro-batch 7", from 1.
std::string pass_words(const Op& op) {
  if (op.pass == Pass::kForward) return fmt::format("forward pass {}", op.micro_batch + 1);
  if (op.pass == Pass::kPair)
    return fmt::format("forward pass {} beside a backward pass", op.micro_batch + 1);
  return fmt::format("{} pass {}", op.pass == Pass::kWeight ? "weight" : "backward",
                     op.micro_batch + 1);
}

class Curves {
 public:
  Curves(const TrainingPlan<double>& plan, const TrainingEstimate<double>& e,
         const MemoryByStage<double>& memory)
      : plan_(plan),
        e_(e),
        memory_(memory),
        stages_(plan.model, cut_of(plan)),
        layers_(layer_parts(plan, e.layout)) {
    layout_ = stages_.cut().layout();
    layout_.micro_batches = whole(e.layout.n);
  }

  std::vector<MemoryCurve> all() {
    std::vector<MemoryCurve> out;
    if (memory_.stages.empty() || layers_.kept.empty() || passes_of(layout_) > kMostPlayedOut)
      return out;
    order_ = schedule::order_of(layout_);
    run_ = schedule::play(layout_, order_, times());
    if (run_.stuck || run_.time <= 0) return out;
    for (int i = 0; i < layout_.ranks; ++i) out.push_back(curve(i));
    return out;
  }

 private:
  // Of the estimate, or where it has none, passes of equal length.
  schedule::PipelineTimes times() const {
    if (!e_.step) return even_times(layout_, {1, 1, 1});
    const auto& c = e_.communication;
    const auto exposed = c.tensor.exposed + c.context.exposed + c.expert.exposed;
    schedule::PipelineTimes out;
    for (const auto& t : piece_passes(plan_, e_.layout, stages_, e_.step->compute, exposed))
      out.piece.push_back({plain(t.F), plain(t.B), plain(t.W)});
    return out;
  }

  // What one micro-batch leaves on a piece.
  double kept_of(int piece) const {
    double sum = 0;
    stages_.groups_of_piece(piece, [&](std::size_t g, Count<double> n) {
      const double every = plan_.recompute_every ? value_of(plan_.recompute_every->raw) : 1;
      sum += std::ceil(value_of(n.raw) / every) * bytes(layers_.kept[g].kept);
    });
    if (piece == 0 && layers_.mask) sum += bytes(*layers_.mask);
    return sum * (1 - value_of(plan_.offloaded.activations.raw));
  }
  // Of a layer that is being recomputed, or of its modules.
  double live_of(int rank) const {
    if (!again_of(plan_).has_live()) return 0;
    double largest = 0;
    stages_.groups_of(rank, [&](std::size_t g, Count<double>) {
      largest = std::max(largest, bytes(layers_.kept[g].live));
    });
    if (plan_.recompute == Recompute::kModules) return largest;
    const double every = plan_.recompute_every ? value_of(plan_.recompute_every->raw) : 1;
    return (value_of(plan_.assume.live_layers.raw) + every - 1) * largest;
  }
  // On the way to the host and back: two layers.
  double under_way(int rank) const {
    const double share = value_of(plan_.offloaded.activations.raw);
    double largest = 0;
    for (const LayerMemory<double>& l : layers_.kept) largest = std::max(largest, bytes(l.kept));
    return std::min(2 * share * largest,
                    bytes(memory_.stages[static_cast<std::size_t>(rank)].host_activations));
  }

  std::vector<Change> changes(int rank, double live, double logits) const {
    std::vector<Change> out;
    const auto& ops = order_[static_cast<std::size_t>(rank)];
    const auto& slots = run_.slots[static_cast<std::size_t>(rank)];
    for (std::size_t k = 0; k < ops.size(); ++k) {
      const Op& op = ops[k];
      if (runs_forward(op))
        out.push_back({slots[k].start, kept_of(layout_.piece(rank, op.chunk)), 1, &op});
      const int piece = layout_.piece(rank, backward_chunk(op));
      if (runs_backward(op)) {
        const double temporary = live + (piece + 1 == layout_.pieces() ? logits : 0);
        out.push_back({slots[k].start, temporary, 0, &op});
        out.push_back({slots[k].end, -temporary, 0, nullptr});
      }
      if (frees(op)) out.push_back({slots[k].end, -kept_of(piece), -1, nullptr});
    }
    std::stable_sort(out.begin(), out.end(), [](const Change& a, const Change& b) {
      return a.at != b.at ? a.at < b.at : a.bytes < b.bytes;
    });
    return out;
  }

  MemoryCurve curve(int rank) const {
    const StageMemory<double>& m = memory_.stages[static_cast<std::size_t>(rank)];
    const double base = bytes(m.state_total + m.buffers + m.reserve) + under_way(rank);
    MemoryCurve out{.stage = rank, .points = std::vector<double>(kPoints, base), .peak = base};
    double now = base, since = 0;
    int kept = 0;
    const auto hold = [&](double until) {
      const auto column = [this](double t) {
        return std::min(kPoints - 1, static_cast<int>(t / run_.time * kPoints));
      };
      for (int c = column(since); since < until && c <= column(until * (1 - 1e-12)); ++c) {
        double& p = out.points[static_cast<std::size_t>(c)];
        p = std::max(p, now);
      }
      since = until;
    };
    for (const Change& c : changes(rank, live_of(rank), bytes(m.logits))) {
      hold(c.at);
      now += c.bytes;
      kept += c.micro_batches;
      if (now <= out.peak * (1 + 1e-12) || !c.op) continue;
      out.peak = now;
      out.at = c.at / run_.time;
      out.pass = pass_words(*c.op);
      out.pieces = kept;
    }
    hold(run_.time);
    return out;
  }

  const TrainingPlan<double>& plan_;
  const TrainingEstimate<double>& e_;
  const MemoryByStage<double>& memory_;
  Stages<double> stages_;
  LayerParts<double> layers_;
  schedule::PipelineLayout layout_;
  schedule::Order order_;
  schedule::Played run_;
};

}  // namespace

std::vector<MemoryCurve> memory_curves(const TrainingPlan<double>& plan,
                                       const TrainingEstimate<double>& e,
                                       const MemoryByStage<double>& stages) {
  return stages.stages.empty() ? std::vector<MemoryCurve>{} : Curves(plan, e, stages).all();
}

}  // namespace reckon
