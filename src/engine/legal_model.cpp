// A model's dimensions: what each kind of mixer and MLP needs, and what must divide.
#include <fmt/format.h>

#include <cmath>

#include "places.hpp"
#include "reckon/cost/parameters.hpp"
#include "reckon/engine/legal.hpp"

namespace reckon {
namespace {

using Number = std::optional<Count<double>>;

double value(const Count<double>& x) { return value_of(x.raw); }
double value(const Number& x) { return x ? value_of(x->raw) : 0; }

// Fields that mean something for some kinds only.
struct Belonging {
  std::string_view part, field, kinds;
};
constexpr std::string_view kHeaded = "attention, mla, mamba2, delta_net or lightning";
constexpr std::string_view kConvolved = "mamba1, mamba2 or delta_net";
constexpr Belonging kBelongings[] = {
    {"mixer", "heads", kHeaded},
    {"mixer", "kv_heads", "attention"},
    {"mixer", "head_width", "attention, mamba2, delta_net or lightning"},
    {"mixer", "bias", "attention"},
    {"mixer", "qk_norm", "attention"},
    {"mixer", "sinks", "attention"},
    {"mixer", "output_gate", "attention"},
    {"mixer", "values_are_keys", "attention"},
    {"mixer", "window", "attention or mla"},
    {"mixer", "q_rank", "mla"},
    {"mixer", "kv_rank", "mla"},
    {"mixer", "nope_width", "mla"},
    {"mixer", "rope_width", "mla"},
    {"mixer", "v_width", "attention, mla or delta_net"},
    {"mixer", "index_heads", "mla"},
    {"mixer", "index_width", "mla"},
    {"mixer", "index_top_k", "mla"},
    {"mixer", "key_heads", "delta_net"},
    {"mixer", "inner", "mamba1"},
    {"mixer", "state", "mamba1 or mamba2"},
    {"mixer", "groups", "mamba2"},
    {"mixer", "conv", kConvolved},
    {"mixer", "conv_bias", kConvolved},
    {"mixer", "dt_rank", "mamba1"},
    {"mixer", "small_norms", "mamba1"},
    {"mixer", "chunk", "mamba2, delta_net or lightning"},
    {"mlp", "width", "dense or moe"},
    {"mlp", "matrices", "dense or moe"},
    {"mlp", "bias", "dense or moe"},
    {"mlp", "experts", "moe"},
    {"mlp", "top_k", "moe"},
    {"mlp", "shared", "moe"},
    {"mlp", "shared_width", "moe"},
    {"mlp", "shared_gate", "moe"},
    {"mlp", "latent", "moe"},
    {"mlp", "router", "moe"},
    {"mlp", "router_bias", "moe"},
    {"mlp", "node_limit", "moe"}};

// Counts are exact up to here: every whole number below it is a double.
constexpr double kMostCounted = 9007199254740992;

class ModelCheck {
 public:
  ModelCheck(const Model<double>& model, std::string path, const Places& places, Diagnostics& out)
      : model_(model), path_(std::move(path)), places_(places), out_(out) {}

  void run() {
    if (!model_.assumed.empty())
      out_.warning(
          places_.of(path_ + ".assumed"),
          fmt::format("assumed: the facts of '{}' were taken for an architecture that has no "
                      "record, so every figure of this model is assumed",
                      model_.assumed));
    const std::size_t before = out_.error_count();
    if (model_.abstract()) return abstract();
    if (model_.active)
      out_.error(places_.of(path_ + ".active"),
                 "active belongs to a model that states params; here parameters are counted")
          .help("leave active out");
    need(model_.hidden, "hidden", "the width of the residual stream");
    if (model_.layers.empty()) out_.error(places_.of(path_ + ".layers"), "the model has no layers");
    if (!model_.hidden) return;
    for (std::size_t i = 0; i < model_.layers.size(); ++i) {
      group_ = fmt::format("{}.layers.{}", path_, i);
      mixer(model_.layers[i].mixer);
      mlp(model_.layers[i].mlp);
    }
    beside();
    if (out_.error_count() == before) countable();
  }

 private:
  void abstract() {
    if (model_.active && value(model_.active) > value(model_.params))
      out_.error(places_.of(path_ + ".active"),
                 "a token can't pass more parameters than the model has")
          .note(places_.of(path_ + ".params"), "all parameters are stated here");
    for (std::size_t i = 0; i < model_.layers.size(); ++i) {
      group_ = fmt::format("{}.layers.{}", path_, i);
      heads(model_.layers[i].mixer);
    }
    for (const auto& [key, said] : {std::pair{"mtp", model_.mtp.has_value()},
                                    {"vision", model_.vision.has_value()},
                                    {"files", model_.files.has_value()}}) {
      if (!said) continue;
      out_.error(places_.of(path_ + "." + key),
                 fmt::format("{} belongs to a model whose parameters are counted, and this one "
                             "states params",
                             key))
          .note(places_.of(path_ + ".params"), "all parameters are stated here")
          .help(fmt::format("leave {} out, or write the layers out", key));
    }
  }

  // What is off the token path, and what the files hold of it.
  void beside() {
    if (model_.mtp) {
      group_ = path_ + ".mtp";
      mixer(model_.mtp->mixer);
      mlp(model_.mtp->mlp);
    }
    if (model_.vision) vision(*model_.vision);
    if (!model_.files) return;
    const ModelFiles<double>& f = *model_.files;
    holds(f.mtp, "mtp", model_.mtp.has_value(), "the model states no mtp modules");
    holds(f.vision, "vision", model_.vision.has_value(), "the model states no vision tower");
    holds(f.tied_copy, "tied_copy", model_.tied, "the model's head is not tied");
  }
  void holds(bool said, const char* key, bool has, const char* why) {
    if (!said || has) return;
    out_.error(places_.of(fmt::format("{}.files.{}", path_, key)),
               fmt::format("the files can't hold this: {}", why))
        .help(fmt::format("leave files.{} out, or state it in the model", key));
  }
  void vision(const VisionTower<double>& x) {
    const std::string at = path_ + ".vision";
    if (std::fmod(value(x.hidden), value(x.heads)) != 0)
      out_.error(places_.of(at + ".heads"), fmt::format("heads = {} does not divide hidden = {}",
                                                        value(x.heads), value(x.hidden)))
          .note(places_.of(at + ".hidden"), "hidden is stated here");
    matrices(x.matrices, at + ".matrices");
  }

  void countable() {
    const Parameters<double> n = parameters(model_);
    if (value_of(n.total.raw) + value_of(n.mtp.raw) + value_of(n.vision.raw) <= kMostCounted)
      return;
    out_.error(places_.of(path_ + ".layers"),
               fmt::format("the model has {:.3g} parameters, more than are counted exactly (2^53)",
                           value_of(n.total.raw)))
        .help("check its counts and widths: published models have less than 1e13");
  }

  void need(const Number& x, const std::string& field, const char* what) {
    if (x) return;
    const std::string path = group_.empty() ? path_ : group_;
    out_.error(places_.of(path + "." + field), fmt::format("the model needs {} ({})", field, what));
  }

  void heads(const Mixer<double>& m) { divides(m.kv_heads, "kv_heads", m.heads); }

  // So many of a mixer's heads share one of these.
  void divides(const Number& part, std::string_view field, const Number& heads) {
    if (!heads || !part || std::fmod(value(heads), value(part)) == 0) return;
    out_.error(places_.of(fmt::format("{}.mixer.{}", group_, field)),
               fmt::format("{} = {} does not divide heads = {}", field, value(part), value(heads)))
        .note(places_.of(group_ + ".mixer.heads"), "heads is stated here")
        .help("nearest divisors: " +
              nearest_divisors(static_cast<long>(value(heads)), static_cast<long>(value(part))));
  }

  void matrices(const Count<double>& n, const std::string& path) {
    if (value(n) == 2 || value(n) == 3) return;
    out_.error(places_.of(path), fmt::format("an MLP has 2 or 3 matrices, not {}", value(n)));
  }

  // A field of another kind than the layer's would change nothing.
  void belongs(const std::string& part, std::string_view kind) {
    for (const Belonging& b : kBelongings) {
      const std::string path = fmt::format("{}.{}.{}", group_, part, b.field);
      if (b.part != part || b.kinds.find(kind) != b.kinds.npos || !places_.claimed(path)) continue;
      out_.error(places_.of(path), fmt::format("{} belongs to {} kind {}, and this one is {}",
                                               b.field, part, b.kinds, kind))
          .note(places_.of(fmt::format("{}.{}.kind", group_, part)), "its kind is stated here")
          .help(fmt::format("leave {} out", b.field));
    }
  }

  void mixer(const Mixer<double>& m) {
    belongs("mixer", name_of(m.kind));
    if (m.kind == MixerKind::kAttention) {
      need(m.heads, "mixer.heads", "query heads");
      if (!m.heads) return;
      heads(m);
      if (!m.head_width && std::fmod(value(model_.hidden), value(m.heads)) != 0)
        out_.error(
                places_.of(group_ + ".mixer.heads"),
                fmt::format("heads = {} does not divide hidden = {}, and no head_width is stated",
                            value(m.heads), value(model_.hidden)))
            .note(places_.of(path_ + ".hidden"), "hidden is stated here")
            .help("state head_width");
    }
    if (m.kind == MixerKind::kMla) {
      need(m.heads, "mixer.heads", "query heads");
      need(m.kv_rank, "mixer.kv_rank", "the latent that is cached");
      need(m.nope_width, "mixer.nope_width", "head width without positions");
      need(m.rope_width, "mixer.rope_width", "head width with positions");
      need(m.v_width, "mixer.v_width", "width of a value head");
      indexer(m);
    }
    if (recurrent(m.kind)) state_of(m);
    if (m.kind == MixerKind::kAbstract)
      out_.error(places_.of(group_ + ".mixer.kind"),
                 "mixer kind 'abstract' belongs to models that state params");
  }

  void indexer(const Mixer<double>& m) {
    if (!m.index_heads && !m.index_width && !m.index_top_k) return;
    need(m.index_heads, "mixer.index_heads", "heads of the indexer");
    need(m.index_width, "mixer.index_width", "width of its heads");
    need(m.index_top_k, "mixer.index_top_k", "tokens that it picks");
  }

  // A mixer that keeps a state.
  void state_of(const Mixer<double>& m) {
    if (m.kind == MixerKind::kMamba1) {
      need(m.inner, "mixer.inner", "inner width");
      need(m.dt_rank, "mixer.dt_rank", "rank of the time step");
    } else {
      need(m.heads, "mixer.heads", "heads of the values");
      need(m.head_width, "mixer.head_width", "width of a head");
    }
    if (m.kind == MixerKind::kMamba1 || m.kind == MixerKind::kMamba2)
      need(m.state, "mixer.state", "state of a channel");
    if (m.kind == MixerKind::kMamba2) {
      need(m.groups, "mixer.groups", "groups that share B and C");
      divides(m.groups, "groups", m.heads);
    }
    if (m.kind == MixerKind::kDeltaNet) {
      need(m.key_heads, "mixer.key_heads", "heads of queries and keys");
      divides(m.key_heads, "key_heads", m.heads);
    }
    if (m.kind != MixerKind::kLightning)
      need(m.conv, "mixer.conv", "taps of the short convolution");
  }

  void mlp(const Mlp<double>& m) {
    belongs("mlp", name_of(m.kind));
    if (m.kind == MlpKind::kAbstract)
      out_.error(places_.of(group_ + ".mlp.kind"),
                 "mlp kind 'abstract' belongs to models that state params");
    if (m.kind != MlpKind::kDense && m.kind != MlpKind::kMoe) return;
    need(m.width, "mlp.width", "inner width");
    matrices(m.matrices, group_ + ".mlp.matrices");
    if (m.kind == MlpKind::kDense) return;
    need(m.experts, "mlp.experts", "routed experts");
    need(m.top_k, "mlp.top_k", "experts of a token");
    if (m.experts && m.top_k && value(m.top_k) > value(m.experts))
      out_.error(
              places_.of(group_ + ".mlp.top_k"),
              fmt::format("a token can't go to {} of {} experts", value(m.top_k), value(m.experts)))
          .note(places_.of(group_ + ".mlp.experts"), "experts are stated here");
  }

  const Model<double>& model_;
  std::string path_, group_;
  const Places& places_;
  Diagnostics& out_;
};

}  // namespace

void check_model(const Model<double>& model, const std::string& path, const Origins& origins,
                 const doc::Value& tree, Diagnostics& diagnostics) {
  const Places places(origins, tree);
  ModelCheck(model, path, places, diagnostics).run();
}

std::string nearest_divisors(long n, long x, long least) {
  long below = 0, above = 0;
  for (long d = 1; d <= n / d; ++d) {
    if (n % d != 0) continue;
    for (const long c : {d, n / d}) {
      if (c < least) continue;
      if (c < x && c > below) below = c;
      if (c > x && (above == 0 || c < above)) above = c;
    }
  }
  if (below && above) return fmt::format("{} and {}", below, above);
  return below || above ? fmt::format("{}", below ? below : above) : "";
}

}  // namespace reckon
