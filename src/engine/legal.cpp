#include "reckon/engine/legal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "legal_classes.hpp"
#include "legal_mesh.hpp"
#include "legal_recompute.hpp"
#include "legal_recurrent.hpp"
#include "legal_run.hpp"
#include "legal_schedule.hpp"
#include "legal_stack.hpp"
#include "legal_tensor.hpp"
#include "places.hpp"
#include "reckon/base/text.hpp"
#include "reckon/cost/parameters.hpp"
#include "reckon/cost/schedule.hpp"
#include "whole_number.hpp"

namespace reckon {
namespace {

class TrainingCheck {
 public:
  TrainingCheck(const TrainingPlan<double>& plan, const Places& places, Diagnostics& out)
      : plan_(plan), places_(places), out_(out) {}

  void run() {
    const std::size_t before = out_.error_count();
    hardware();
    divided_ = degrees();  // else nothing can be said about the data degree
    tensor();
    pipeline();
    sharding();
    experts();
    batch();
    context();
    check_mesh(plan_, divided_ && out_.error_count() == before, places_, out_);
    efficiency();
    priced();
    adapters();
    optimizer();
    const Precision<double>& precision = plan_.precision;
    check_classes(plan_.model, precision.classes, "precision.classes", places_, out_);
    check_classes(plan_.model, precision.gradient_classes, "precision.gradient_classes", places_,
                  out_);
    check_run(plan_, places_, out_);
    laws();
    check_stack(plan_, places_, out_);
  }

 private:
  Diagnostic& fault(std::string_view path, std::string message) {
    return out_.error(places_.of(path), std::move(message));
  }
  // Of size and tokens to a loss, of that to a batch.
  void laws() {
    const Law<double>&law = plan_.law, &batch = plan_.batch_law;
    if (law.family != LawFamily::kLoss || !law.loss)
      fault("law", fmt::format("law: '{}' gives no loss of a size and tokens", law.id))
          .help("law: besiroglu; `reckon list laws` prints those of family loss");
    if (batch.family != LawFamily::kBatch || !batch.batch)
      fault("batch_law", fmt::format("batch_law: '{}' is no law of the critical batch", batch.id))
          .help("batch_law: kaplan_batch");
  }

  bool dimensioned() const { return plan_.model.hidden && !plan_.model.layers.empty(); }

  // A printed GB may mean GiB; what a driver reports can't exceed that.
  void capacity(const ChipMemory<double>& m) {
    if (!m.usable) return;
    const double printed = value_of(m.capacity.raw), usable = value_of(m.usable->raw);
    if (usable <= printed * 1.073741824) return;
    fault("cluster.node.chip.memory.capacity",
          "the usable memory exceeds the capacity, even if its GB meant GiB")
        .note(places_.of("cluster.node.chip.memory.usable"), "usable is stated here")
        .help("override both: chip: {memory.capacity: 40 GB, memory.usable: 40 GB}");
  }

  void hardware() {
    const Chip<double>& chip = plan_.cluster.node.chip;
    capacity(chip.memory);
    const Compute compute = plan_.precision.compute;
    if (!chip.peak.of(compute)) {
      std::vector<std::string> has;
      for (std::size_t i = 0; i < names(Compute{}).size(); ++i) {
        if (chip.peak.of(static_cast<Compute>(i))) has.emplace_back(names(Compute{})[i]);
      }
      fault("precision.compute", fmt::format("the chip states no {} peak", name_of(compute)))
          .note(places_.of("cluster.node.chip.peak"),
                fmt::format("peaks stated: {}", join(has, ", ")))
          .help("choose another precision, or state the peak: chip: {peak." +
                std::string(name_of(compute)) + ": … TFLOP/s}");
    }
    const Node<double>& node = plan_.cluster.node;
    if (number(plan_.cluster.nodes) > 1 && !(node.fabric && node.nics && number(node.nics) > 0))
      fault("cluster.nodes", "several nodes, but the node states no network")
          .note(places_.of("cluster.node"), "nics and fabric are missing here")
          .help("state them: node: {nics: 8, fabric: ib-ndr}");
    if (number(node.gpus) > 1 && !chip.link)
      fault("cluster.node.gpus", "several GPUs in a node, but the chip states no link between them")
          .note(places_.of("cluster.node.chip"), "link is missing here")
          .help("state it: chip: {link.one_way: 63 GB/s}");
    check_offload(plan_, places_, out_);
  }

  double product() const {  // in double: each degree may be large
    const Mesh<double>& m = plan_.mesh;
    return value_of(m.tensor.raw) * value_of(m.context.raw) * value_of(m.pipeline.raw);
  }
  long gpus() const { return number(plan_.cluster.nodes) * number(plan_.cluster.node.gpus); }

  // Whether the degrees multiply to the cluster.
  bool degrees() {
    const double G = static_cast<double>(gpus());
    const Mesh<double>& m = plan_.mesh;
    if (!m.data) return product() <= G && std::fmod(G, product()) == 0 ? true : do_not_divide();
    const double D = value_of(m.data->raw);
    if (D * product() == G) return true;
    auto& f = fault("mesh.data",
                    fmt::format("the degrees make {:.15g} GPUs, the cluster has {}: data {} · "
                                "tensor {} · context {} · pipeline {}",
                                D * product(), gpus(), number(m.data), number(m.tensor),
                                number(m.context), number(m.pipeline)));
    f.note(places_.of("cluster.nodes"), fmt::format("{} GPUs are stated here", gpus()));
    if (std::fmod(G, product()) == 0) {
      f.help(fmt::format("data: {} fills them; without data: the GPUs that are left are taken",
                         G / product()));
    } else {
      f.help(fmt::format("the other degrees must divide {}", gpus()));
    }
    return false;
  }

  bool do_not_divide() {
    const Mesh<double>& m = plan_.mesh;
    const long G = gpus(), t = number(m.tensor), c = number(m.context), p = number(m.pipeline);
    const bool by_tensor = t > 1 && G % t != 0;
    const bool by_pipeline =
        p > 1 &&
        std::fmod(static_cast<double>(G), static_cast<double>(t) * static_cast<double>(p)) != 0;
    const std::string culprit = by_tensor     ? "tensor"
                                : by_pipeline ? "pipeline"
                                : c > 1       ? "context"
                                              : "tensor";
    const long degree = culprit == "tensor" ? t : culprit == "pipeline" ? p : c;
    const double rest = product() / static_cast<double>(degree);
    auto& f =
        fault("mesh." + culprit,
              fmt::format("tensor {} · context {} · pipeline {} = {:.15g} does not divide the "
                          "{} GPUs",
                          t, c, p, product(), G));
    f.note(places_.of("cluster.nodes"), fmt::format("{} GPUs are stated here", G));
    if (rest > static_cast<double>(G) || std::fmod(static_cast<double>(G), rest) != 0) return false;
    const std::string near = nearest_divisors(G / std::lround(rest), degree);
    if (!near.empty()) f.help(fmt::format("nearest {} degrees that work: {}", culprit, near));
    return false;
  }

  void tensor() {
    const long t = number(plan_.mesh.tensor);
    if (plan_.mesh.sequence && t == 1)
      fault("mesh.sequence", "sequence parallelism works between tensor ranks, and tensor is 1")
          .help("set mesh.tensor, or leave mesh.sequence out");
    if (t == 1) return;
    if (!dimensioned()) {
      fault("mesh.tensor", "tensor parallelism needs the model's layers and hidden width")
          .note(places_.of("model"), "the model is stated here")
          .help("write model: {params: 7B, layers: 32, hidden: 4096}");
      return;
    }
    const auto nearest = [this, t](long n) { return tensor_degrees(n, t); };
    check_tensor_degree(plan_.model, {"mesh.tensor", "tensor", t, nearest}, places_, out_);
  }

  // That divide the GPUs of the plan too, where there are any.
  std::string tensor_degrees(long n, long t) const {
    const std::string both = nearest_divisors(std::gcd(n, gpus()), t);
    return both.empty() ? nearest_divisors(n, t) : both;
  }

  void pipeline() {
    const long p = number(plan_.mesh.pipeline), v = number(chunks_of(plan_.schedule));
    chunks_right_ = check_chunks(layout(stated_chunks(), 1), kPaths, places_, out_);
    ends(p, v);
    played();
    if (p == 1) return;
    if (!dimensioned()) {
      fault("mesh.pipeline", "a pipeline needs the model's layers and hidden width")
          .note(places_.of("model"), "the model is stated here")
          .help("write model: {params: 7B, layers: 32, hidden: 4096}");
      return;
    }
    long L = 0;
    for (const auto& g : plan_.model.layers) L += number(g.count);
    if (p > L)
      fault("mesh.pipeline", fmt::format("{} pipeline stages, but the model has {} layers", p, L))
          .note(places_.of("model.layers.0.count"), "layers are stated here")
          .help(fmt::format("at most {} stages", L));
    else if (chunks_right_ && v > 1)
      chunks(L, p, v);
  }

  // As they are written: a schedule with a number of its own needs none, and 1 is the default.
  long stated_chunks() const {
    const long stated = number(plan_.schedule.chunks);
    return stated > 1 ? stated : number(chunks_of(plan_.schedule));
  }
  schedule::PipelineLayout layout(long chunks, long n) const {
    const auto whole_number = [](long x) {
      return static_cast<int>(std::min<long>(x, std::numeric_limits<int>::max()));
    };
    return {plan_.schedule.kind, whole_number(number(plan_.mesh.pipeline)), whole_number(chunks),
            whole_number(n)};
  }

  void played() {
    if (!plan_.schedule.played) return;
    if (number(plan_.mesh.pipeline) == 1)
      fault("schedule.played", "there is no pipeline to play: mesh.pipeline is 1")
          .help("leave played out");
  }

  // Layers of the first and last stage, where they are stated.
  void ends(long p, long v) {
    const auto& s = plan_.schedule;
    if (!s.first && !s.last) return;
    const char* at = s.first ? "schedule.first" : "schedule.last";
    long L = 0;
    for (const auto& g : plan_.model.layers) L += number(g.count);
    const long stated = number(s.first) + number(s.last);
    const long between = p - (s.first ? 1 : 0) - (s.last ? 1 : 0);
    if (p == 1)
      fault(at, "layers of an end are stated, and mesh.pipeline is 1: one stage holds them all")
          .help("leave it out");
    else if (v > 1)
      fault(at,
            "layers of the ends are stated for stages of one piece, and this schedule cuts them "
            "in " +
                std::to_string(v))
          .help("leave it out, or write schedule: {kind: 1f1b}");
    else if (L > 0 && (stated + between > L || (between == 0 && stated != L)))
      fault(at, fmt::format("the ends hold {} of {} layers, and {} between hold{} one at least",
                            stated, L, between == 1 ? "1 stage" : fmt::format("{} stages", between),
                            between == 1 ? "s" : ""))
          .note(places_.of("model.layers.0.count"), "layers are stated here")
          .help(between == 0 ? fmt::format("{} in all", L)
                             : fmt::format("at most {} for the ends", L - between));
  }

  // Every chunk holds as many layers; embedding and head may stand in for one each, at the ends. A schedule that is
  // played out takes chunks as they are, of one layer at least.
  void chunks(long L, long p, long v) {
    const long slots = L % p == 0 ? L : L + 2;
    if (slots % (p * v) == 0 || (plan_.schedule.played && p * v <= L)) return;
    const bool chosen = takes_chunks(plan_.schedule.kind);
    auto& f = fault(chosen ? "schedule.chunks" : "mesh.pipeline",
                    fmt::format("{} stages · {} chunks do not divide {} layers", p, v, L));
    f.note(places_.of("model.layers.0.count"), "layers are stated here");
    const long per_stage = slots / p;
    const std::string uneven =
        p * v <= L ? "; or play chunks as uneven as they come: schedule: {played: yes}" : "";
    if (!chosen) {
      f.note(places_.of("schedule.kind"),
             fmt::format("{} gives every stage {} chunks", title_of(plan_.schedule.kind), v));
      f.help("nearest pipeline degrees that work: " + nearest_divisors(L / 2, p) + uneven);
      return;
    }
    if (slots % p == 0 && per_stage == 1) {
      f.help("a stage holds one layer only: write schedule: 1f1b, or take fewer stages");
    } else if (slots % p == 0) {
      f.help("nearest chunks that work: " + nearest_divisors(per_stage, v, 2) + uneven);
    } else {
      f.help("choose a pipeline degree that divides the layers: " + nearest_divisors(L, p) +
             uneven);
    }
  }

  void sharding() {
    const long z = number(plan_.sharding.zero);
    if (z > 3) fault("sharding.zero", fmt::format("ZeRO has stages 0 to 3, not {}", z));
    if (plan_.sharding.within == Within::kNode && z == 0)
      fault("sharding.within", "nothing is sharded: zero is 0")
          .help("write sharding: {zero: 3, within: node} (HSDP)");
    if (plan_.sharding.within != Within::kNode || !divided_) return;
    const long ranks = data_degree() * number(plan_.mesh.context);
    const long in_node =
        std::max(1L, std::min(ranks, number(plan_.cluster.node.gpus) / number(plan_.mesh.tensor)));
    if (ranks % in_node != 0)
      fault("sharding.within",
            fmt::format("{} data ranks do not divide into groups of the {} in a node", ranks,
                        in_node))
          .note(places_.of("cluster.node.gpus"), "GPUs of a node are stated here")
          .help("choose degrees whose data · context is a multiple of the ranks in a node");
    else if (z > 0 && in_node == 1 && ranks > 1)
      fault("sharding.within",
            fmt::format("nothing is sharded: tensor = {} leaves one data rank to a node of {} GPUs",
                        number(plan_.mesh.tensor), number(plan_.cluster.node.gpus)))
          .help("write sharding: fsdp to shard over all data ranks, or ddp");
  }

  long data_degree() const {
    const Mesh<double>& m = plan_.mesh;
    if (m.data) return number(m.data);
    return number(plan_.cluster.nodes) * number(plan_.cluster.node.gpus) /
           (number(m.tensor) * number(m.context) * number(m.pipeline));
  }

  // Experts are split as the rest is, or a tensor rank holds whole ones: nothing between is priced.
  void expert_tensor() {
    if (!plan_.mesh.expert_tensor) return;
    const long t_e = number(plan_.mesh.expert_tensor), t = number(plan_.mesh.tensor);
    if (t_e != 1 && t_e != t)
      fault("mesh.expert_tensor",
            fmt::format("expert_tensor = {} is neither 1 nor tensor = {}", t_e, t))
          .help(t == 1 ? std::string("write expert_tensor: 1")
                       : fmt::format("write expert_tensor: 1, or {}", t));
    if (t_e == 1 && t > 1 && !plan_.mesh.sequence)
      fault("mesh.expert_tensor",
            "tensor ranks that hold whole experts send them different tokens, which needs "
            "sequence parallelism")
          .help("add sequence: yes");
  }

  void experts() {
    expert_tensor();
    const long e = number(plan_.mesh.expert);
    if (e == 1) return;
    bool any = false;
    for (std::size_t i = 0; i < plan_.model.layers.size(); ++i) {
      const Mlp<double>& m = plan_.model.layers[i].mlp;
      if (m.kind != MlpKind::kMoe) continue;
      any = true;
      const long E = number(m.experts);
      if (E % e != 0)
        fault("mesh.expert", fmt::format("expert = {} does not divide experts = {}", e, E))
            .note(places_.of(fmt::format("model.layers.{}.mlp.experts", i)),
                  "experts are stated here")
            .help("nearest degrees that work: " + nearest_divisors(E, e));
    }
    if (!any)
      fault("mesh.expert", "expert parallelism, but the model has no routed experts")
          .note(places_.of("model"), "the model is stated here")
          .help("leave mesh.expert out");
    if (!divided_) return;
    const long t_e = number(plan_.mesh.expert_tensor);
    const bool whole = t_e == 1 && number(plan_.mesh.tensor) > 1;
    const long ranks =
        data_degree() * number(plan_.mesh.context) * (whole ? number(plan_.mesh.tensor) : 1);
    if (ranks % e != 0)
      fault("mesh.expert", fmt::format("expert = {} does not divide data · context{} = {} ranks", e,
                                       whole ? " · tensor" : "", ranks))
          .help("nearest degrees that work: " + nearest_divisors(ranks, e));
  }

  void batch() {
    const Batch<double>& b = plan_.batch;
    const bool by_sequence = b.global || b.micro;
    if (b.tokens_per_gpu && by_sequence) {
      fault("batch.tokens_per_gpu",
            "the batch is stated twice: tokens_per_gpu, and global or micro")
          .help("write {tokens_per_gpu: 16384}, or {global: 128, micro: 1, sequence: 8192}");
      return;
    }
    if (b.tokens_per_gpu) return by_tokens();
    if (b.micro_batches)
      fault("batch.micro_batches",
            "micro_batches goes with tokens_per_gpu; here it follows from global and micro");
    const std::pair<const char*, bool> needed[] = {{"global", b.global.has_value()},
                                                   {"micro", b.micro.has_value()},
                                                   {"sequence", b.sequence.has_value()}};
    bool complete = true;
    for (const auto& [field, there] : needed) {
      if (there) continue;
      complete = false;
      out_.error(places_.of("batch"), fmt::format("the batch states no {}", field))
          .help("write {global: 128, micro: 1, sequence: 8192}, or {tokens_per_gpu: 16384}");
    }
    if (complete && divided_) micro_batches();
  }

  void micro_batches() {
    const long B = number(plan_.batch.global), b = number(plan_.batch.micro), D = data_degree();
    if (B % (D * b) != 0) {
      const long step = D * b, below = B / step * step;
      auto& f = fault(
          places_.stated("batch.micro") ? "batch.micro" : "batch",
          fmt::format("global = {} is no multiple of data {} · micro {} = {}", B, D, b, step));
      f.note(places_.of("batch.global"), "global is stated here");
      const std::string micro =
          b > 1 && B % D == 0 ? "; or micro: " + nearest_divisors(B / D, b) : std::string();
      f.help((below > 0
                  ? fmt::format("nearest global batches that work: {} and {}", below, below + step)
                  : fmt::format("the smallest global batch that works: {}", step)) +
             micro);
      return;
    }
    stages_filled(B / (D * b));
  }

  // {tokens_per_gpu, micro_batches}: a micro-batch is whole tokens, and whole sequences where they are stated.
  void by_tokens() {
    const Batch<double>& b = plan_.batch;
    const long n = b.micro_batches ? number(b.micro_batches) : 1;
    if (divided_) {
      const double ranks = static_cast<double>(data_degree()) * value_of(plan_.mesh.context.raw);
      const double rank_tokens =
          value_of(b.tokens_per_gpu->raw) * static_cast<double>(gpus()) / ranks;
      const double micro = rank_tokens / static_cast<double>(n);
      if (micro != std::floor(micro))
        fault(b.micro_batches ? "batch.micro_batches" : "batch.tokens_per_gpu",
              fmt::format("{} micro-batches do not divide the {:.15g} tokens of a data rank", n,
                          rank_tokens))
            .note(places_.of("batch.tokens_per_gpu"), "tokens_per_gpu is stated here")
            .help("nearest counts that work: " + nearest_divisors(std::lround(rank_tokens), n));
      else if (b.sequence)
        whole_sequences(n, micro, value_of(b.sequence->raw) / value_of(plan_.mesh.context.raw));
    }
    stages_filled(n);
  }

  void whole_sequences(long n, double micro, double piece) {
    if (piece != std::floor(piece) || std::fmod(micro, piece) == 0) return;
    auto& f =
        fault(plan_.batch.micro_batches ? "batch.micro_batches" : "batch.tokens_per_gpu",
              fmt::format("a micro-batch of {:.15g} tokens is no multiple of the {:.15g} that a "
                          "rank holds of a sequence",
                          micro, piece));
    f.note(places_.of("batch.sequence"), "sequence is stated here");
    const double sequences = micro * static_cast<double>(n) / piece;
    if (sequences == std::floor(sequences) && n > 1)
      f.help("nearest micro_batches that work: " + nearest_divisors(std::lround(sequences), n));
    else
      f.help("choose tokens_per_gpu as a multiple of the sequence, or a shorter sequence");
  }

  void stages_filled(long n) {
    const long p = number(plan_.mesh.pipeline);
    if (chunks_right_) {
      SchedulePaths paths = kPaths;
      paths.micro_batches = plan_.batch.tokens_per_gpu ? "batch.micro_batches" : "batch.micro";
      const auto x = layout(number(chunks_of(plan_.schedule)), n);
      check_layout(x, paths, places_, out_);
      if ((!counts_slots(x.kind) || plan_.schedule.played) && passes_of(x) > kMostPasses)
        fault("schedule.kind",
              fmt::format("{} is timed by playing it out, and {:.0f} passes are too many for that",
                          title_of(x.kind), passes_of(x)))
            .help(fmt::format("at most {:.0f} micro-batches at so many stages, or kind: 1f1b",
                              std::floor(kMostPasses / passes_of(layout(x.chunks, 2)) * 2)));
    }
    if (n < p && schedule::least_micro_batches(plan_.schedule.kind, 1) == 1)
      out_.warning(places_.of("mesh.pipeline"),
                   fmt::format("{} micro-batch{} for {} stages: some stages always wait", n,
                               n == 1 ? "" : "es", p));
  }

  void context() {
    const long c = number(plan_.mesh.context);
    if (c == 1) return;
    if (!dimensioned()) {
      fault("mesh.context", "context parallelism needs the model's layers and hidden width");
      return;
    }
    if (!plan_.batch.sequence) {
      fault("mesh.context",
            "context parallelism splits the sequence, and batch.sequence is not stated");
      return;
    }
    const bool attends =
        std::any_of(plan_.model.layers.begin(), plan_.model.layers.end(),
                    [](const auto& g) { return g.mixer.kind != MixerKind::kNone; });
    if (!attends) {
      fault("mesh.context", "context parallelism passes keys and values, and no layer has a mixer")
          .note(places_.of("model.layers"), "the layers are stated here")
          .help("leave mesh.context out");
      return;
    }
    const long s = number(plan_.batch.sequence);
    if (s % c != 0)
      fault("mesh.context", fmt::format("context = {} does not divide sequence = {}", c, s))
          .note(places_.of("batch.sequence"), "sequence is stated here")
          .help("nearest degrees that work: " + nearest_divisors(s, c));
  }

  // What is assumed, or stated of the model, against the plan's other figures.
  void efficiency() {
    double layers = 0;
    for (const auto& g : plan_.model.layers) layers += value_of(g.count.raw);
    if (layers > 0 && value_of(plan_.assume.gathered_layers.raw) > layers)
      fault("assume.gathered_layers",
            fmt::format("{} layers gathered at once, but the model has {}",
                        number(plan_.assume.gathered_layers), layers))
          .note(places_.of("model.layers.0.count"), "layers are stated here");
    const long positions = number(plan_.model.positions);
    if (positions > 0 && plan_.batch.sequence && number(plan_.batch.sequence) > positions)
      fault("batch.sequence", fmt::format("sequence = {}, but the model learned {} positions",
                                          number(plan_.batch.sequence), positions))
          .note(places_.of("model.positions"), "positions are stated here")
          .help(fmt::format("at most {} tokens", positions));
    const bool shaped = dimensioned() && plan_.batch.sequence;
    if (plan_.assume.train.mfu && plan_.assume.flops != FlopCount::k6n && !shaped)
      fault(
          "assume.flops",
          fmt::format("flops: {} counts attention, which needs the model's layers and hidden width "
                      "and batch.sequence",
                      name_of(plan_.assume.flops)))
          .help("state them, or use flops: 6n");
    if (plan_.assume.attention == AttentionKernel::kUnfused && !shaped)
      fault("assume.attention",
            "unfused attention keeps score matrices, which needs the model's heads and "
            "batch.sequence");
  }

  // What has no price: options without the model's dimensions, mixers that keep a state in some of the ways of others.
  void priced() {
    check_recurrent(plan_, places_, out_);
    check_modules(plan_.model, plan_.recompute, plan_.recompute_modules, places_, out_);
    if (dimensioned()) return;
    if (plan_.recompute != Recompute::kNone)
      fault("recompute", "recompute can't be priced: the model states no layers and hidden width")
          .help("write model: {params: 7B, layers: 32, hidden: 4096}, or recompute: none");
  }

  void adapters() {
    const auto& a = plan_.trainable.adapters;
    if (!a) return;
    if (plan_.model.abstract()) {
      fault("trainable.adapters",
            "adapters attach to matrices, which an abstract model does not state")
          .note(places_.of("model.params"), "the model is stated here")
          .help("name a model: `reckon list models`");
      return;
    }
    if (a->targets.empty()) fault("trainable.adapters.targets", "no target: nothing would train");
    std::vector<std::string> has;
    for (const auto& g : plan_.model.layers) {
      const bool attention = g.mixer.kind == MixerKind::kAttention;
      if (attention) has.insert(has.end(), {"q", "k", "o"});
      if (attention && !g.mixer.values_are_keys) has.emplace_back("v");
      if (g.mixer.kind == MixerKind::kMla) has.insert(has.end(), {"q", "o"});
      if (g.mlp.kind == MlpKind::kDense || g.mlp.kind == MlpKind::kMoe)
        has.insert(has.end(), {"up", "down"});
      if (number(g.mlp.matrices) == 3) has.emplace_back("gate");
    }
    for (const Target t : a->targets) {
      if (std::find(has.begin(), has.end(), std::string(name_of(t))) == has.end())
        fault("trainable.adapters.targets", fmt::format("the model has no matrix '{}'", name_of(t)))
            .note(places_.of("model.layers"), "its layers are stated here");
    }
  }

  void optimizer() {
    for (const OptimizerState<double>& s : plan_.optimizer.states) {
      const bool plain = s.covers == Covers::kAll && s.shape == StateShape::kFull;
      if (plain) continue;
      if (plan_.model.abstract())
        fault("optimizer",
              fmt::format(
                  "optimizer {}: its {} can't be priced, an abstract model states no matrices",
                  plan_.optimizer.id, s.name))
            .note(places_.of("model.params"), "the model is stated here")
            .help("name a model (`reckon list models`), or use adamw");
      if (plan_.trainable.adapters && s.shape == StateShape::kFactored)
        fault("optimizer", fmt::format("optimizer {}: factored states are not priced for adapters",
                                       plan_.optimizer.id))
            .help("use adamw or adamw-8bit");
    }
  }

  static inline const SchedulePaths kPaths{"schedule.kind", "schedule.chunks", "mesh.pipeline",
                                           "batch.micro"};
  const TrainingPlan<double>& plan_;
  const Places& places_;
  Diagnostics& out_;
  bool chunks_right_ = true;
  bool divided_ = false;
};

// Of two values that don't go together a fault shows the one that --set states, whichever was found at fault: that is
// what the user just said.
Diagnostic at_flag(Diagnostic d) {
  const auto by_flag = [](const Span& at) { return at && at.file->name == "--set"; };
  if (by_flag(d.span)) return d;
  for (Diagnostic::Note& n : d.notes) {
    if (!by_flag(n.span)) continue;
    std::swap(n.span, d.span);
    n.text = "what it goes with";
    break;
  }
  return d;
}

}  // namespace

void check_legal(const TrainingPlan<double>& plan, const Origins& origins, const doc::Value& tree,
                 Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.error_count();
  check_model(plan.model, "model", origins, tree, diagnostics);
  if (diagnostics.error_count() > before) return;
  const Places places(origins, tree);
  Diagnostics found;
  TrainingCheck(plan, places, found).run();
  for (const Diagnostic& d : found.all()) diagnostics.add(at_flag(d));
}

}  // namespace reckon
