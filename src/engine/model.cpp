#include "reckon/engine/model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collect.hpp"
#include "reckon/cost/kv.hpp"
#include "reckon/cost/model.hpp"
#include "reckon/engine/legal.hpp"
#include "reckon/engine/resolve.hpp"
#include "reckon/engine/said_model.hpp"
#include "reckon/spec/compiled_once.hpp"
#include "reckon/spec/lift.hpp"
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
    line +=
        fmt::format(", indexer of {} heads picks {}", number(x.index_heads), number(x.index_top_k));
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
  const auto parsed = parse_quantity(text, kOne, hint, {.least = 1});
  if (const auto* e = std::get_if<ParseError>(&parsed)) {
    d.error({}, fmt::format("{}: {}", option, e->message)).help(e->help);
    return 1;
  }
  const double x = std::get<double>(parsed);
  if (x < 1) d.error({}, fmt::format("{}: expected at least 1, found {}", option, text));
  return x;
}

// Layers that are alike are one line, wherever they stand.
void add_line(LayerLine line, std::vector<LayerLine>& lines) {
  const auto alike = std::find_if(lines.begin(), lines.end(), [&](const LayerLine& l) {
    return l.mixer == line.mixer && l.mlp == line.mlp && l.per_layer == line.per_layer;
  });
  if (alike == lines.end()) return lines.push_back(std::move(line));
  alike->count += line.count;
  alike->total += line.total;
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
    add_line(std::move(l), out.layers);
  }
}

std::vector<std::string> by_comma(const std::string& text) {
  std::vector<std::string> out{""};
  for (const char c : text) {
    if (c == ',')
      out.emplace_back();
    else if (c != ' ')
      out.back() += c;
  }
  return out;
}

// A format's bytes an element, as an option names it.
Bytes<double> size_of_format(Workspace& work, const std::string& name, const char* option,
                             Diagnostics& d) {
  Origins origins;
  const doc::Value tree = resolve_format(work, doc::scalar(name), d);
  Stored<double> stored;
  if (tree.is_mapping()) bind(tree, stored, {d, origins, option});
  return stored.size;
}

CachedWindows asked_windows(const std::string& text, Diagnostics& d) {
  if (text == name_of(CachedWindows::kFull)) return CachedWindows::kFull;
  if (text != name_of(CachedWindows::kExact))
    d.error({}, fmt::format("--windows: expected exact or full, found '{}'", text))
        .help("exact: layers with a window stop growing there; full: the engine keeps every token");
  return CachedWindows::kExact;
}

void format_lines(Workspace& work, const Model<double>& model, const std::string& formats,
                  ModelQuestion<double> q, ModelReport& out, Diagnostics& diagnostics) {
  for (const std::string& format : by_comma(formats)) {
    q.b = size_of_format(work, format, "--dtype", diagnostics);
    if (diagnostics.has_errors()) return;
    const ModelEstimate<double> e = model_estimate(model, q);
    FormatLine line{format, value_of(e.weights.raw), {}, {}};
    if (e.kv) line.token = value_of(e.kv->per_token.raw);
    if (e.kv) line.sequence = value_of(e.kv->sequence.raw);
    out.formats.push_back(std::move(line));
    if (out.metrics.empty()) e.metrics(Collect(out.metrics));
  }
}

void stored_lines(const Model<double>& model, const ModelRequest& request, ModelReport& out,
                  Diagnostics& diagnostics) {
  const PublishedCount& p = model.parameters;
  const std::string& total = !request.published.empty() ? request.published
                             : !p.published.empty()     ? p.published
                                                        : p.rounded;
  // Nobody asked; but what the file states must be met all the same.
  const bool asked = request.stored || !request.published.empty();
  if (!asked && (total.empty() || model.abstract())) return;
  if (!asked) {
    Diagnostics scratch;
    out.total = explain_published(stored_report(model), total, scratch);
    if (scratch.has_errors()) out.total.reset();
    return;
  }
  if (model.abstract()) {
    diagnostics
        .error({}, "--stored: files are counted tensor by tensor, and this model states params")
        .help("name a model with layers: `reckon list models`");
    return;
  }
  out.stored = stored_report(model);
  if (!total.empty()) out.total = explain_published(*out.stored, total, diagnostics);
}

// The model as said; with whose facts to take, if its architecture has none.
doc::Value said_with(const ModelRequest& request) {
  doc::Value said = said_model(request.model);
  if (request.assume.empty()) return said;
  doc::Value both = doc::mapping();
  doc::set(both, "base", std::move(said));
  doc::set(both, "assumed", doc::scalar(request.assume));
  return both;
}

// A model with what was asked of it, as other plans are loaded.
class AskedModel : public Loaded {
 public:
  Model<double> model;
  ModelQuestion<double> question;

  Result result(Workspace&) const override {
    Result r;
    r.name = model.name;
    model_estimate(model, question).metrics(Collect(r.metrics));
    return r;
  }
  std::shared_ptr<const void> record(const Recording& run,
                                     std::vector<Metric>& metrics) const override {
    auto traced = std::make_shared<Model<Traced>>(lift(model, run));
    const auto& q = question;
    const auto count = [&run](const char* key, const char* symbol, Hint hint, Count<double> x) {
      return Count<Traced>(
          run.template operator()<kOne>(Field(key, symbol, "").hint(hint), key, x.raw));
    };
    const auto bytes = [&run](const char* key, const char* symbol, Bytes<double> x) {
      return Bytes<Traced>(run.template operator()<kByte>(Field(key, symbol, ""), key, x.raw));
    };
    const ModelQuestion<Traced> same{
        count("sequence", "s", Hint::kLength, q.s), count("batch", "B", Hint::kCount, q.B),
        bytes("dtype", "b", q.b), bytes("state", "b_state", q.b_state), q.windows};
    model_estimate(*traced, same).metrics(Collect(metrics));
    return traced;
  }
};

bool read_asked(Workspace& work, const ModelRequest& request, Diagnostics& diagnostics,
                AskedModel& out) {
  const std::size_t before = diagnostics.error_count();
  out.resolved = resolve_model(work, said_with(request), diagnostics);
  ModelQuestion<double>& q = out.question;
  q.s = Count<double>(asked(request.sequence, "--sequence", Hint::kLength, diagnostics));
  q.B = Count<double>(asked(request.batch, "--batch", Hint::kCount, diagnostics));
  q.b_state = size_of_format(work, request.state, "--state", diagnostics);
  q.windows = asked_windows(request.windows, diagnostics);
  for (const auto& [key, text] : {std::pair{"sequence", &request.sequence},
                                  {"batch", &request.batch},
                                  {"dtype", &request.format},
                                  {"state", &request.state}}) {
    const std::string flag = fmt::format("--{}", key);
    out.origins[key].span = {work.sources().add(flag, flag + " " + *text), 1, 1};
  }
  if (diagnostics.error_count() > before) return false;
  bind(out.resolved, out.model, {diagnostics, out.origins, "model"});
  if (diagnostics.error_count() > before) return false;
  check_model(out.model, "model", out.origins, out.resolved, diagnostics);
  constexpr std::string_view kWithin = "model.";
  const Origins within = out.origins;
  for (const auto& [path, stated] : within)  // as the model alone calls them
    if (path.starts_with(kWithin)) out.origins[path.substr(kWithin.size())] = stated;
  return diagnostics.error_count() == before;
}

}  // namespace

ModelReport report_model(Workspace& work, const ModelRequest& request, Diagnostics& diagnostics) {
  ModelReport out;
  AskedModel loaded;
  if (!read_asked(work, request, diagnostics, loaded)) return out;
  const Model<double>& model = loaded.model;
  const ModelQuestion<double>& q = loaded.question;
  out.name = model.name.empty() ? request.model : model.name;
  out.conventions = fmt::format("sequence {}, batch {}, {}", request.sequence, request.batch,
                                by_comma(request.format).front());
  if (any_recurrent(model)) out.conventions += fmt::format(", states in {}", request.state);
  if (request.windows != "exact") out.conventions += ", windows kept whole";
  const PublishedCount& p = model.parameters;
  if (!p.published.empty() || !p.rounded.empty())
    out.published = (p.published.empty() ? p.rounded : p.published) +
                    (p.source.empty() ? "" : fmt::format(" ({})", p.source));
  format_lines(work, model, request.format, q, out, diagnostics);
  layer_lines(model, out);
  stored_lines(model, request, out, diagnostics);
  return out;
}

std::unique_ptr<Loaded> load_model(Workspace& work, const ModelRequest& request,
                                   Diagnostics& diagnostics) {
  auto out = std::make_unique<AskedModel>();
  if (!read_asked(work, request, diagnostics, *out)) return nullptr;
  out->question.b = size_of_format(work, by_comma(request.format).front(), "--dtype", diagnostics);
  return diagnostics.has_errors() ? nullptr : std::move(out);
}

}  // namespace reckon
