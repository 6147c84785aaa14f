#include "reckon/engine/model.hpp"

#include <fmt/format.h>

#include "collect.hpp"
#include "reckon/cost/model.hpp"
#include "reckon/engine/legal.hpp"
#include "reckon/engine/load.hpp"
#include "reckon/engine/said_model.hpp"
#include "reckon/units/format.hpp"
#include "reckon/units/parse.hpp"

namespace reckon {
namespace {

long number(const std::optional<Count<double>>& x) {
  return x ? static_cast<long>(value_of(x->raw)) : 0;
}
long number(const Count<double>& x) { return static_cast<long>(value_of(x.raw)); }

std::string attention_line(const Model<double>& model, const Mixer<double>& x) {
  std::string line = fmt::format("attention, {} heads, {} KV heads of {}", number(x.heads),
                                 number(kv_heads(x)), number(head_width(model, x)));
  if (x.v_width) line += fmt::format(" and {}", number(x.v_width));
  if (x.window) line += fmt::format(", window {}", number(x.window));
  if (x.output_gate) line += ", gated";
  if (x.sinks) line += ", sinks";
  return line;
}

std::string mla_line(const Mixer<double>& x) {
  std::string line = fmt::format("MLA, {} heads, latent {} + {}", number(x.heads),
                                 number(x.kv_rank), number(x.rope_width));
  if (x.index_heads)
    line += fmt::format(", indexer of {} heads picks {}", number(x.index_heads),
                        number(x.index_top_k));
  return line;
}

std::string mixer_line(const Model<double>& model, const Mixer<double>& x) {
  switch (x.kind) {
    case MixerKind::kAttention:
      return attention_line(model, x);
    case MixerKind::kMla:
      return mla_line(x);
    case MixerKind::kMamba1:
      return fmt::format("mamba1, width {}, state {}", number(x.inner), number(x.state));
    case MixerKind::kMamba2:
      return fmt::format("mamba2, {} heads of {}, state {}, {} groups", number(x.heads),
                         number(x.head_width), number(x.state), number(x.groups));
    case MixerKind::kDeltaNet:
      return fmt::format("gated delta-net, {} heads of {}, {} key heads of {}", number(x.heads),
                         number(value_head_width(model, x)), number(x.key_heads),
                         number(x.head_width));
    case MixerKind::kLightning:
      return fmt::format("lightning attention, {} heads of {}", number(x.heads),
                         number(x.head_width));
    case MixerKind::kAbstract:
      return "not stated";
    case MixerKind::kNone:
      break;
  }
  return "none";
}

std::string mlp_line(const Mlp<double>& m) {
  switch (m.kind) {
    case MlpKind::kDense:
      return fmt::format("{} matrices of width {}", number(m.matrices), number(m.width));
    case MlpKind::kMoe:
      return fmt::format("top {} of {} experts of width {}, {} shared{}", number(m.top_k),
                         number(m.experts), number(m.width), number(m.shared),
                         m.latent ? fmt::format(", latent {}", number(m.latent)) : "");
    case MlpKind::kAbstract:
      return "not stated";
    case MlpKind::kNone:
      break;
  }
  return "none";
}

double asked(const std::string& text, const char* option, Hint hint, Diagnostics& d) {
  const auto parsed = parse_quantity(text, kOne, hint);
  if (const auto* e = std::get_if<ParseError>(&parsed)) {
    d.error({}, fmt::format("{}: {}", option, e->message)).help(e->help);
    return 1;
  }
  const double x = std::get<double>(parsed);
  if (x < 1) d.error({}, fmt::format("{}: expected at least 1, found {}", option, text));
  return x;
}

void layer_lines(const Model<double>& model, ModelReport& out) {
  for (const LayerGroup<double>& g : model.layers) {
    LayerLine l;
    l.count = value_of(g.count.raw);
    l.mixer = mixer_line(model, g.mixer);
    l.mlp = mlp_line(g.mlp);
    if (!model.abstract()) {
      l.per_layer = value_of(layer_parameters(model, g).total().raw);
      l.total = l.count * l.per_layer;
    }
    out.layers.push_back(std::move(l));
  }
}

}  // namespace

ModelReport report_model(Workspace& work, const ModelRequest& request, Diagnostics& diagnostics) {
  ModelReport out;
  const std::size_t before = diagnostics.error_count();
  Model<double> model;
  Origins origins;
  const doc::Value tree = resolve_model(work, said_model(request.model), diagnostics);
  const doc::Value format = resolve_precision(
      work,
      [&] {
        doc::Value v = doc::mapping();
        doc::set(v, "weights", doc::scalar(request.format));
        return v;
      }(),
      diagnostics);
  ModelQuestion<double> q;
  q.s = Count<double>(asked(request.sequence, "--sequence", Hint::kLength, diagnostics));
  q.B = Count<double>(asked(request.batch, "--batch", Hint::kCount, diagnostics));
  if (diagnostics.error_count() > before) return out;
  Stored<double> stored;
  bind(*format.find("weights"), stored, {diagnostics, origins, "dtype"});
  bind(tree, model, {diagnostics, origins, "model"});
  if (diagnostics.error_count() > before) return out;
  check_model(model, "model", origins, tree, diagnostics);
  if (diagnostics.error_count() > before) return out;
  q.b = stored.size;
  out.name = model.name.empty() ? request.model : model.name;
  out.conventions =
      fmt::format("sequence {}, batch {}, {}", request.sequence, request.batch, request.format);
  const PublishedCount& p = model.parameters;
  if (!p.published.empty() || !p.rounded.empty())
    out.published = fmt::format("{} ({})", p.published.empty() ? p.rounded : p.published, p.source);
  model_estimate(model, q).metrics(Collect(out.metrics));
  layer_lines(model, out);
  return out;
}

}  // namespace reckon
