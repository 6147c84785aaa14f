// kind: collective
#include "reckon/cost/questions/collective.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels.hpp"
#include "needs.hpp"
#include "question_of.hpp"
#include "questions.hpp"
#include "reckon/engine/calibrate.hpp"
#include "reckon/units/format.hpp"
#include "trace.hpp"

namespace reckon {
namespace {

class Collective : public QuestionOf<CollectiveQuestion> {
 public:
  const QuestionInfo& info() const override {
    static const QuestionInfo info{
        "collective",
        "bytes and time of all-reduce, all-gather, … by every algorithm",
        "op",
        {"reckon collective all-reduce --bytes 14GB --ranks 8 --link 450GB/s",
         "reckon collective all-reduce --bytes 1GB --ranks 2,4,8,64 --gpus 64xh100-sxm",
         "reckon collective all-reduce --bytes 256KiB --gpus 8xh200-sxm --model calibrated",
         "reckon collective all-reduce --bytes 1GB --gpus 64xh100-sxm --model nccl",
         "reckon collective all-reduce --trace "
         "--array \"1 2 3 4; 5 6 7 8; 9 10 11 12; 13 14 15 16\""},
        {"ring_factor", "ring_across", "latency.*", "efficiency.link", "efficiency.network"},
        {"time", "bytes", "factor", "algorithm"}};
    return info;
  }

 protected:
  void legal(const Input& q, const Asked& asked) const override {
    if (q.trace && q.array.empty()) {
      asked.fault("trace", "trace: there is nothing to play")
          .help("--array \"1 2 3 4; 5 6 7 8; 9 10 11 12; 13 14 15 16\": an array a rank");
      return;
    }
    if (!q.array.empty()) check_arrays(q, asked);
    if (!q.ranks && !q.cluster && q.array.empty() && q.op != CollectiveOp::kSend)
      asked.fault("ranks", "collective: how many ranks take part is not stated")
          .help("--ranks 8, or --gpus 8xh100-sxm");
    warn_of_more_gpus(q.cluster, q.ranks, "ranks", asked);
    if (!q.bytes) return;
    if (q.model != CollectiveModel::kLineRate) return legal_library(q, asked);
    for (const auto& [stated, field] :
         {std::pair{!q.library.empty(), "library"}, std::pair{!q.kernels.empty(), "kernels"}})
      if (stated)
        asked.fault(field, fmt::format("{}: line_rate is of no library", field))
            .help("--model calibrated");
    need_links(q.cluster, q.on, q.assume, asked, crosses(q));
    check_algorithm(q, asked);
  }

  void say(const Input& q, const Output& out, Result& r) const override {
    if (r.name.empty()) r.name = title(q, out);
    if (out.chosen && out.time)
      r.answer.lines.push_back(fmt::format(
          "{} by {}: {} {}, {} × the array", text(r, "time"), name_of(kWays[*out.chosen]),
          who_sends(q.op, kWays[*out.chosen]), text(r, "bytes"), text(r, "factor")));
    if (out.chosen)
      r.answer.formulas = {std::string(detail::kWayNames[*out.chosen].bytes.id),
                           std::string(detail::kWayNames[*out.chosen].time.id)};
    else
      r.answer.formulas = {"factor"};
    if (!q.array.empty()) traced(q, r);
    if (q.bytes && q.model == CollectiveModel::kLineRate) r.answer.grids.push_back(ways_grid(out));
    if (q.bytes && q.model == CollectiveModel::kLineRate) duality(q.op, r);
    r.not_modelled = {"contention with other traffic", "the protocol's overhead on small messages"};
    if (q.model != CollectiveModel::kLineRate) return say_library(q, out, r);
    if (q.op == CollectiveOp::kBroadcast || q.op == CollectiveOp::kReduce)
      r.not_modelled.emplace_back(
          "a chain that passes the array on in small pieces (a tree passes it whole)");
  }

  std::vector<Alternative> alternatives(const Input& q) const override {
    if (!q.bytes) return {};
    if (!q.library.empty() || !q.kernels.empty()) return {};
    if (q.model != CollectiveModel::kLineRate)
      return {{"bytes over the link", {{"model", "line_rate"}}, {"bytes", "time"}}};
    const std::vector<std::string> shown{"bytes", "time"};
    std::vector<Alternative> out;
    const bool drops = q.assume.ring_factor == RingFactor::kDrop;
    const bool to_all = q.op == CollectiveOp::kAllToAll, one = q.op == CollectiveOp::kSend;
    if (!to_all && !one)
      out.push_back({drops ? "(q − 1)/q kept" : "(q − 1)/q dropped, as for many ranks",
                     {{"assume.ring_factor", drops ? "keep" : "drop"}},
                     shown});
    if (q.assume.preset != "physical" && q.cluster)
      out.push_back({"measured rates and waiting", {{"assume", "physical"}}, shown});
    if (!q.in_switch && !to_all && !one)
      out.push_back({"reduced in the switch", {{"in_switch", "yes"}}, shown});
    return out;
  }

  // Constants: NCCL's file, or the curve of the chip's kernels.
  bool fills() const override { return true; }
  void fill(Workspace& work, doc::Value& tree, Diagnostics& d) const override {
    const std::string model = said(tree, "model", "line_rate");
    const doc::Value* chip = tree.at("cluster.node.chip.id");
    const doc::Value* unused = model == "nccl" ? nullptr : tree.find("nccl");
    if (unused && unused->is_scalar()) {
      d.error(unused->span, "nccl: only model: nccl asks for it").help("--model nccl");
      *tree.find("nccl") = doc::faulty();
    }
    if (model == "nccl") {
      const doc::Value* stated = tree.find("nccl");
      if (stated && stated->is_mapping()) return;
      const std::string name = said(tree, "nccl", "nccl-2.30");
      const Span at = stated ? stated->span : tree.span;
      if (const doc::Value* file = work.load(Shelf::kNccl, name, at, d))
        doc::set(tree, "nccl", *file);
    } else if (model == "calibrated" && chip) {
      const std::string op = said(tree, "op");
      fill_kernel(work, chip->text,
                  {"collectives", "curve", {{"op", op}}, "curve of the " + op, false}, tree, d);
    }
  }

 private:
  static void legal_library(const Input& q, const Asked& asked) {
    if (!q.cluster) {
      asked
          .fault("model",
                 fmt::format("model: {} is of a chip, and none is stated", name_of(q.model)))
          .help("--gpus 8xh100-sxm");
      return;
    }
    if (q.algorithm != Algorithm::kFastest)
      asked.fault("algorithm", "algorithm: the library chooses its own").help("--model line_rate");
    if (q.anchor_bytes.has_value() != q.anchor_time.has_value())
      asked
          .fault(q.anchor_bytes ? "anchor_bytes" : "anchor_time",
                 "a measured row is its size and its time")
          .help("--anchor-bytes 64MiB --anchor-time 310us");
    if (q.model == CollectiveModel::kCalibrated) {
      legal_anchor(q, asked);
      if (crosses(q))
        asked.fault("model", "model: calibrated curves are of one node, and the ranks take several")
            .help("--model nccl, or line_rate with assume: physical");
      return;
    }
    const bool in_model = q.op == CollectiveOp::kAllReduce || q.op == CollectiveOp::kAllGather ||
                          q.op == CollectiveOp::kReduceScatter;
    if (!in_model)
      asked.fault("op", fmt::format("op: NCCL's tuning model has no {}", name_of(q.op)))
          .help("all-reduce, all-gather, reduce-scatter; or --model calibrated");
    if (crosses(q) && (!q.cluster->node.fabric || !q.cluster->node.nics) && !q.on.network)
      asked
          .fault("cluster",
                 "cluster: the ranks take several nodes, and the node has no network ports")
          .help("--network 50GB/s");
    for (const auto& g : q.nccl->generations)
      if (std::find(g.chips.begin(), g.chips.end(), q.cluster->node.chip.id) != g.chips.end())
        return;
    asked
        .fault("nccl", fmt::format("nccl: {} has no generation for {}", q.nccl->id,
                                   q.cluster->node.chip.id))
        .help("--model line_rate, or calibrated where it was measured");
  }

  // A measured row that the printed link does not allow is no measurement: as `calibrate` says.
  static void legal_anchor(const Input& q, const Asked& asked) {
    const auto& chip = q.cluster->node.chip;
    const Count<double> ranks =
        q.ranks.value_or(Count<double>(q.cluster->nodes.raw * q.cluster->node.gpus.raw));
    if (!q.anchor_bytes || !q.anchor_time || !chip.link || ranks < 2) return;
    CollectiveCurve<double> ideal;
    ideal.op = q.op;
    ideal.rate = q.on.link.value_or(chip.link->one_way);
    const Seconds<double> least = curve_cost(*q.anchor_bytes, ranks, ideal).time;
    if (q.anchor_time->raw * kAbovePeak >= least.raw) return;
    asked
        .fault("anchor_time",
               fmt::format(
                   "anchor_time: {} of {} over {} ranks in {}: the printed link of {} needs {}",
                   name_of(q.op), format_quantity(q.anchor_bytes->raw, kByte), ranks.raw,
                   format_quantity(q.anchor_time->raw, kSecond),
                   chip.name.empty() ? chip.id : chip.name, format_quantity(least.raw, kSecond)))
        .help("is it that size, that unit of time, and that chip?");
  }

  void say_library(const Input& q, const Output& out, Result& r) const {
    if (!out.time) return;
    if (!out.nccl && !out.curve) {
      r.answer.lines.emplace_back("one rank sends nothing: 0 s");
      return;
    }
    const std::string who =
        out.nccl ? fmt::format("{} by {}", q.nccl->name, kNcclWays[out.nccl->winner].name)
                 : fmt::format("the measured curve of {}", q.curve->library);
    r.answer.lines.push_back(
        fmt::format("{} by {}: {} bus bandwidth", text(r, "time"), who, text(r, "bandwidth.bus")));
    r.answer.formulas = {"time", "bandwidth.bus"};
    r.not_modelled = {"contention with other traffic"};
    r.answer.notes.emplace_back(
        "Latencies and ring conventions of assume: do not bear on it: the library's are in its "
        "constants.");
    if (out.nccl) {
      Grid g{"What NCCL weighs", "algorithm and protocol", {{"time", "time"}}, {}};
      for (std::size_t i = 0; i < std::size(kNcclWays); ++i)
        g.rows.push_back({"nccl." + std::string(kNcclWays[i].id), std::string(kNcclWays[i].name),
                          out.nccl->ways[i] ? "" : "it can't run here", out.nccl->winner == i});
      r.answer.grids.push_back(std::move(g));
      r.answer.notes.emplace_back(
          "NCCL's own estimate: 7 to 17 % off on H100, 20 to 37 % too fast on A100 and B200 at "
          "small sizes.");
      r.not_modelled.emplace_back("CollNet, NVLS over several nodes and PAT");
      return;
    }
    warn_outside(q, out, r);
  }

  // Beyond what was measured the curve is carried on.
  static void warn_outside(const Input& q, const Output& out, Result& r) {
    const auto& c = *q.curve;
    if (c.ranks.size() == 2 && (out.q.raw < c.ranks[0].raw || out.q.raw > c.ranks[1].raw))
      r.warnings.push_back(
          fmt::format("{} ranks lie outside what was measured, {} … {}: the curve "
                      "is carried beyond it",
                      out.q.raw, c.ranks[0].raw, c.ranks[1].raw));
    if (c.bytes.size() == 2 && (q.bytes->raw < c.bytes[0].raw || q.bytes->raw > c.bytes[1].raw))
      r.warnings.push_back(
          fmt::format("{} lie outside what was measured, {} … {}: the curve is carried beyond it",
                      format_quantity(q.bytes->raw, kByte), format_quantity(c.bytes[0].raw, kByte),
                      format_quantity(c.bytes[1].raw, kByte)));
    std::string line = fmt::format("Curve: {}", c.library);
    if (c.rows.raw > 0) line += fmt::format(", fitted on {} points", c.rows.raw);
    if (c.error)
      line += fmt::format(" to {}", format_quantity(c.error->raw, kOne, Hint::kFraction));
    if (c.left_out)
      line += fmt::format("; on sizes left out {}",
                          format_quantity(c.left_out->raw, kOne, Hint::kFraction));
    r.answer.notes.push_back(line + ".");
  }

  static bool crosses(const Input& q) {
    if (!q.ranks || (!q.on.node_gpus && !q.cluster)) {
      return q.cluster && value_of(q.cluster->nodes.raw) > 1;
    }
    const Count<double> node = node_size(q.cluster, q.on, *q.ranks);
    return value_of(node.raw) < value_of(q.ranks->raw);
  }

  static bool direct(const Input& q) { return q.algorithm == Algorithm::kAllPeer; }

  static void check_arrays(const Input& q, const Asked& asked) {
    const auto arrays = read_arrays(q.array, asked);
    if (arrays && q.ranks && value_of(q.ranks->raw) != static_cast<double>(arrays->size()))
      asked
          .fault("ranks", fmt::format("ranks: {} are stated, and array holds {}",
                                      value_of(q.ranks->raw), arrays->size()))
          .help("leave ranks out: array says how many");
    const bool plays =
        q.algorithm == Algorithm::kFastest || q.algorithm == Algorithm::kRing || direct(q);
    if (!plays)
      asked.fault("algorithm", fmt::format("algorithm: {} is not drawn", name_of(q.algorithm)))
          .help("ring and all-peer (direct exchange) are");
  }

  // How many numbers there are says how many ranks.
  void write_out(Workspace&, doc::Value& tree, Diagnostics&) const override {
    const doc::Value* array = tree.find("array");
    const doc::Value* ranks = tree.find("ranks");
    const doc::Value* cluster = tree.find("cluster");
    const auto states = [](const doc::Value* v) { return v && !v->is_null(); };
    if (!states(array) || !array->is_scalar() || states(ranks) || states(cluster)) return;
    const auto arrays = 1 + std::count(array->text.begin(), array->text.end(), ';');
    doc::set(tree, "ranks", doc::scalar(std::to_string(arrays), array->span));
  }

  void check_algorithm(const Input& q, const Asked& asked) const {
    if (q.algorithm == Algorithm::kFastest || asked.failed()) return;
    const Output out = answer(q);
    for (std::size_t i = 0; i < std::size(kWays); ++i) {
      if (kWays[i] != q.algorithm || !out.why_not[i]) continue;
      asked
          .fault("algorithm", fmt::format("algorithm: no {} by {}: {}", name_of(q.op),
                                          name_of(q.algorithm), out.why_not[i]))
          .help("algorithm: fastest shows what can run");
    }
  }

  static void traced(const Input& q, Result& r) {
    Diagnostics unused;
    const Places nowhere({}, {});
    const auto arrays = read_arrays(q.array, {nowhere, unused});
    play_on(*arrays, q.op, direct(q), q.trace, r);
    r.answer.lines.push_back(fmt::format("the busiest rank sends {} of {} numbers",
                                         text(r, "trace.sent"), arrays->front().size()));
  }

  // Where only the word of the user is missing.
  static bool switch_could(const Input& q) {
    if (q.in_switch) return false;
    Input with = q;
    with.in_switch = true;
    return !answer(with).why_not[std::size(kWays) - 1];
  }

  static const char* who_sends(CollectiveOp op, Algorithm algorithm) {
    if (algorithm == Algorithm::kTree) return "the longest path carries";
    if (op == CollectiveOp::kBroadcast) return "the root sends";
    if (op == CollectiveOp::kReduce) return "the root receives";
    return "each rank sends";
  }

  static std::string title(const Input& q, const Output& out) {
    std::string s(name_of(q.op));
    if (q.bytes) s += " of " + format_quantity(value_of(q.bytes->raw), kByte, Hint::kNone);
    const long ranks = static_cast<long>(value_of(out.q.raw));
    if (q.op == CollectiveOp::kSend) return s;
    s += fmt::format(" over {} rank{}", ranks, ranks == 1 ? "" : "s");
    const long nodes = static_cast<long>(value_of(out.nodes.raw));
    if (nodes > 1) s += fmt::format(" in {} nodes", nodes);
    return s;
  }

  static Grid ways_grid(const Output& out) {
    Grid g{"Algorithms",
           "algorithm",
           {{"steps", "steps"}, {"bytes", "a rank sends"}, {"time", "time"}},
           {}};
    for (std::size_t i = 0; i < std::size(kWays); ++i) {
      const std::string_view id = detail::kWayNames[i].time.id;
      g.rows.push_back({std::string(id.substr(0, id.find('.'))), std::string(name_of(kWays[i])),
                        out.why_not[i] ? out.why_not[i] : "", out.chosen == i});
    }
    return g;
  }

  static void duality(CollectiveOp op, Result& r) {
    const auto note = [&r](const char* text) { r.answer.notes.emplace_back(text); };
    if (op == CollectiveOp::kAllReduce)
      note("An all-reduce is a reduce-scatter, then an all-gather: halves.time adds the two.");
    if (op == CollectiveOp::kAllGather || op == CollectiveOp::kReduceScatter)
      note(
          "Forward and backward are dual: the gradient of an all-gather is a reduce-scatter, and "
          "the other way round; both send the same bytes.");
    if (op == CollectiveOp::kBroadcast || op == CollectiveOp::kReduce)
      note(
          "Forward and backward are dual: the gradient of a broadcast is a reduce, and the other "
          "way round.");
    if (op == CollectiveOp::kAllToAll)
      note("An all-to-all is its own dual: its gradient is an all-to-all of the same bytes.");
  }
};

}  // namespace

const Question& collective_question() {
  static const Collective kind;
  return kind;
}

}  // namespace reckon
