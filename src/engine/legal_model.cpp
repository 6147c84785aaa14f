// A model's dimensions: what each kind of mixer and MLP needs, and what must divide.
#include <fmt/format.h>

#include <cmath>

#include "places.hpp"
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
constexpr Belonging kBelongings[] = {{"mixer", "heads", "attention or mla"},
                                     {"mixer", "kv_heads", "attention"},
                                     {"mixer", "head_width", "attention"},
                                     {"mixer", "bias", "attention"},
                                     {"mixer", "qk_norm", "attention"},
                                     {"mixer", "window", "attention or mla"},
                                     {"mixer", "q_rank", "mla"},
                                     {"mixer", "kv_rank", "mla"},
                                     {"mixer", "nope_width", "mla"},
                                     {"mixer", "rope_width", "mla"},
                                     {"mixer", "v_width", "mla"},
                                     {"mlp", "width", "dense or moe"},
                                     {"mlp", "matrices", "dense or moe"},
                                     {"mlp", "bias", "dense"},
                                     {"mlp", "experts", "moe"},
                                     {"mlp", "top_k", "moe"},
                                     {"mlp", "shared", "moe"},
                                     {"mlp", "shared_width", "moe"},
                                     {"mlp", "router", "moe"},
                                     {"mlp", "router_bias", "moe"},
                                     {"mlp", "node_limit", "moe"}};

class ModelCheck {
 public:
  ModelCheck(const Model<double>& model, std::string path, const Places& places, Diagnostics& out)
      : model_(model), path_(std::move(path)), places_(places), out_(out) {}

  void run() {
    if (!model_.assumed.empty())
      out_.warning(places_.of(path_ + ".assumed"),
                   fmt::format("assumed: the facts of '{}' were taken for an architecture that has no "
                               "record, so every figure of this model is assumed",
                               model_.assumed));
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
  }

  void need(const Number& x, const std::string& field, const char* what) {
    if (x) return;
    const std::string path = group_.empty() ? path_ : group_;
    out_.error(places_.of(path + "." + field), fmt::format("the model needs {} ({})", field, what));
  }

  void heads(const Mixer<double>& m) {
    if (!m.heads || !m.kv_heads) return;
    if (std::fmod(value(m.heads), value(m.kv_heads)) == 0) return;
    out_.error(places_.of(group_ + ".mixer.kv_heads"),
               fmt::format("kv_heads = {} does not divide heads = {}", value(m.kv_heads),
                           value(m.heads)))
        .note(places_.of(group_ + ".mixer.heads"), "heads is stated here")
        .help("nearest divisors: " + nearest_divisors(static_cast<long>(value(m.heads)),
                                                      static_cast<long>(value(m.kv_heads))));
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
    }
    if (m.kind == MixerKind::kAbstract)
      out_.error(places_.of(group_ + ".mixer.kind"),
                 "mixer kind 'abstract' belongs to models that state params");
  }

  void mlp(const Mlp<double>& m) {
    belongs("mlp", name_of(m.kind));
    if (m.kind == MlpKind::kAbstract)
      out_.error(places_.of(group_ + ".mlp.kind"),
                 "mlp kind 'abstract' belongs to models that state params");
    if (m.kind != MlpKind::kDense && m.kind != MlpKind::kMoe) return;
    need(m.width, "mlp.width", "inner width");
    if (value(m.matrices) != 2 && value(m.matrices) != 3)
      out_.error(places_.of(group_ + ".mlp.matrices"),
                 fmt::format("an MLP has 2 or 3 matrices, not {}", value(m.matrices)));
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
