// Published models, from specs of their own (real_models.yaml): counts to the last digit, caches,
// and which terms a published total contains.
#include <cmath>
#include <map>
#include <random>

#include "data.hpp"
#include "reckon/cost/files.hpp"
#include "reckon/cost/model.hpp"
#include "reckon/cost/shards.hpp"
#include "reckon/engine/legal.hpp"
#include "reckon/engine/stored.hpp"
#include "reckon/spec/compiled_once.hpp"
#include "reckon/units/formula/recording.hpp"

namespace reckon {
namespace {

struct Published {
  std::string name, published;
  Count<double> total, active, active_no_input, state{0}, mtp{0};
  Bytes<double> kv, growing;
  Model<double> model;
};

double number(const doc::Value& entry, const char* key) {
  const doc::Value* v = entry.find(key);
  return v ? std::stod(v->text) : 0;
}

Model<double> bound_model(const doc::Value& said) {
  Diagnostics d;
  Origins origins;
  Model<double> model;
  const doc::Value tree = resolve_model(test::data(), said, d);
  if (!d.has_errors()) bind(tree, model, {d, origins, "model"});
  if (!d.has_errors()) check_model(model, "model", origins, doc::mapping(), d);
  INFO(d.render());
  REQUIRE(d.all().empty());
  return model;
}

const std::vector<Published>& published() {
  static const std::vector<Published> all = [] {
    Diagnostics d;
    const doc::Value file =
        test::data().read(RECKON_SOURCE_DIR "/tests/engine/real_models.yaml", {}, d);
    INFO(d.render());
    REQUIRE(!d.has_errors());
    std::vector<Published> out;
    for (const doc::Value& e : file.items) {
      Published p;
      p.name = e.find("name")->text;
      INFO(p.name);
      p.published = e.find("published")->text;
      p.total = Count<double>(number(e, "total"));
      p.active = Count<double>(number(e, "active"));
      p.active_no_input = Count<double>(number(e, "active_no_input"));
      p.state = Count<double>(number(e, "state"));
      p.mtp = Count<double>(number(e, "mtp"));
      p.kv = Bytes<double>(number(e, "kv"));
      p.growing = Bytes<double>(number(e, "growing"));
      p.model = bound_model(*e.find("model"));
      out.push_back(std::move(p));
    }
    return out;
  }();
  return all;
}

const Model<double>& model_called(const std::string& name) {
  for (const Published& p : published())
    if (p.name == name) return p.model;
  FAIL("no model " << name);
  return published().front().model;
}

constexpr CachedAs<double> kBf16{Bytes<double>(2.0), Bytes<double>(1.0), CachedWindows::kExact};

double sum(const Parameters<double>& n) {
  return (n.embedding + n.positions + n.head + n.attention + n.mlp + n.experts + n.shared +
          n.router + n.vectors)
      .raw;
}

std::string said(const PublishedTotal& p) {
  std::string out(name_of(p.verdict));
  for (const std::string& t : p.terms) out += " + " + t;
  return out;
}

PublishedTotal explained(const Model<double>& model, const std::string& total) {
  Diagnostics d;
  const PublishedTotal p = explain_published(stored_report(model), total, d);
  REQUIRE(!d.has_errors());
  return p;
}

}  // namespace

TEST_CASE("parameters of published models, to the last digit") {
  REQUIRE(published().size() >= 45);
  for (const Published& p : published()) {
    CAPTURE(p.name);
    const Parameters<double> n = parameters(p.model);
    CHECK(n.total.raw == p.total.raw);
    CHECK(n.active.raw == p.active.raw);
    CHECK(n.active_no_input.raw == p.active_no_input.raw);
    CHECK(sum(n) == n.total.raw);
  }
}

TEST_CASE("modules for further tokens, with the copies their files hold") {
  for (const Published& p : published()) {
    if (!p.model.mtp) continue;
    CAPTURE(p.name);
    const Parameters<double> n = parameters(p.model);
    const double copies = p.model.mtp->copies ? 2 * n.embedding.raw : 0;
    CHECK(n.mtp.raw + copies == p.mtp.raw);
  }
}

TEST_CASE("vision towers and projectors") {
  CHECK(parameters(model_called("Gemma-3-27b")).vision.raw == 423060336);
  CHECK(parameters(model_called("Llama-4-Scout")).vision.raw == 871932416);
}

TEST_CASE("cache of a token, all of it and what keeps growing; states of fixed size") {
  for (const Published& p : published()) {
    CAPTURE(p.name);
    const KvCache<double> c = kv_cache(p.model, kBf16, Count<double>(100000.0));
    CHECK(c.per_token.raw - c.indexer.raw == p.kv.raw);
    CHECK(c.growing.raw - c.indexer.raw == p.growing.raw);
    CHECK(c.state.raw == p.state.raw);  // at a byte an element
  }
  CHECK(kv_cache(model_called("DeepSeek-V3.2"), kBf16, Count<double>(1.0)).indexer.raw == 15616);
}

TEST_CASE("published totals are met by the parameters or by what is stored, but for Kimi-K2") {
  for (const Published& p : published()) {
    CAPTURE(p.name);
    const PublishedTotal t = explained(p.model, p.published);
    CAPTURE(said(t), t.remainder);
    if (p.name == "Kimi-K2-Instruct") continue;
    if (p.published.find_first_of("TBM") == std::string::npos) {
      CHECK(t.verdict != PublishedVerdict::kUnexplained);
      CHECK(t.remainder == 0);
    }
  }
}

TEST_CASE("which terms a published total contains") {
  using V = PublishedVerdict;
  const auto& v3 = model_called("DeepSeek-V3");
  CHECK(said(explained(v3, "671026419200")) == "match + parameters");
  CHECK(said(explained(v3, "684531386000")) ==
        "match + parameters + scales of blocks + modules for further tokens + scales of those "
        "modules + their copies of embedding and head");
  CHECK(explained(v3, "684489845504").verdict == V::kMatch);  // the same without scales
  CHECK(explained(v3, "671026419201").verdict == V::kUnexplained);
  const PublishedTotal kimi = explained(model_called("Kimi-K2-Instruct"), "1026470731056");
  CHECK(kimi.verdict == V::kUnexplained);
  CHECK(kimi.remainder == 3416);
  CHECK(said(kimi) == "unexplained + parameters + scales of blocks");
  const auto& oss = model_called("gpt-oss-20b");
  CHECK(said(explained(oss, "20914757184")) == "match + parameters");
  CHECK(said(explained(oss, "21511953984")) == "match + parameters + scales of blocks");
  CHECK(said(explained(model_called("Qwen3-0.6B"), "751632384")) ==
        "match + parameters + tied head, stored a second time");
  // A model whose file says nothing of its files: the terms are tried all the same.
  CHECK(said(explained(model_called("Qwen3-Next-80B-A3B"), "81324862720")) ==
        "explained + parameters + modules for further tokens");
  CHECK(explained(model_called("Llama-2-7b"), "6738417664").verdict == V::kMatch);
  CHECK(explained(model_called("OPT-175B"), "175B").verdict == V::kMatch);
  CHECK(explained(model_called("OPT-175B"), "174B").verdict == V::kUnexplained);
}

TEST_CASE("bytes of published files, and their elements by format") {
  const StoredReport v3 = stored_report(model_called("DeepSeek-V3"));
  CHECK(v3.bytes == 688574839360);
  std::map<std::string, double> of;
  for (const StoredFormat& f : v3.formats) of[f.name] = f.elements;
  CHECK(of["bf16"] == 3918786560);
  CHECK(of["fp8-e4m3-128x128"] == 680571043840);
  CHECK(of["fp32"] == 41555600);
  const StoredReport oss = stored_report(model_called("gpt-oss-20b"));
  CHECK(oss.bytes == 13761264768);
  CHECK(file_contents(model_called("gpt-oss-20b")).bytes.raw == 13761264768);
  CHECK(file_contents(model_called("DeepSeek-V3")).bytes.raw == 688574839360);
  CHECK(file_contents(model_called("DeepSeek-V3.2")).scales.raw == 41591584);
  CHECK(file_contents(model_called("Kimi-K2-Instruct")).scales.raw == 62495192);
}

TEST_CASE("a layer group's own formats take the place of the files'") {
  Model<double> model = model_called("Llama-3.1-8B (= Llama-3-8B)");
  const Stored<double> bf16{"bf16", Bytes<double>(2.0), {}}, fp8{"fp8", Bytes<double>(1.0), {}};
  model.files.emplace().base = bf16;
  const double before = file_contents(model).bytes.raw;
  model.layers.front().stored.emplace().mlp = fp8;
  const Parameters<double> n = parameters(model);
  CHECK(file_contents(model).bytes.raw == before - n.mlp.raw);
  model.files->formats.emplace().mlp = bf16;  // of the model; the group's own stands
  CHECK(file_contents(model).bytes.raw == before - n.mlp.raw);
}

TEST_CASE("parts that no published model here has: latent experts, shared keys, wide values") {
  const auto total = [](const std::string& layer) {
    Diagnostics d;
    const std::string text =
        "hidden: 64\nvocab: 100\nfinal_norm: no\nnorms_per_layer: 0\nlayers: [" + layer + "]\n";
    return parameters(bound_model(test::data().read_text("model.yaml", text, d))).total.raw - 12800;
  };
  CHECK(total("{count: 1, mixer: {kind: none}, mlp: {kind: moe, experts: 4, top_k: 2, width: 32, "
              "latent: 16, shared: 1, router: no}}") ==
        4 * 3 * 16 * 32 + 2 * 64 * 16 + 3 * 64 * 32);
  CHECK(total("{count: 1, mixer: {kind: attention, heads: 8, kv_heads: 2, head_width: 12, v_width: "
              "8}, mlp: {kind: none}}") == 64 * (96 + 24 + 16) + 64 * 64);
  CHECK(total("{count: 1, mixer: {kind: attention, heads: 8, kv_heads: 2, head_width: 8, "
              "values_are_keys: yes}, mlp: {kind: none}}") == 64 * (64 + 16) + 64 * 64);
  CHECK(total("{count: 3, norms: 2, mixer: {kind: none}, mlp: {kind: none}}") == 3 * 2 * 64);
}

TEST_CASE("cache of wide keys and narrow values, and of a mixer whose values are its keys") {
  Model<double> model;
  model.hidden = Count<double>(64.0);
  LayerGroup<double>& g = model.layers.emplace_back();
  g.count = Count<double>(1.0);
  g.mlp.kind = MlpKind::kNone;
  g.mixer.heads = Count<double>(8.0);
  g.mixer.kv_heads = Count<double>(2.0);
  g.mixer.head_width = Count<double>(12.0);
  g.mixer.v_width = Count<double>(8.0);
  CHECK(kv_cache(model, kBf16, Count<double>(1.0)).per_token.raw == 2 * 2 * (12 + 8));
  g.mixer.v_width.reset();
  g.mixer.values_are_keys = true;
  CHECK(kv_cache(model, kBf16, Count<double>(1.0)).per_token.raw == 2 * 2 * (12 + 12));
}

TEST_CASE("windows stop growing, unless the engine keeps every token") {
  const Model<double>& gemma = model_called("Gemma-3-27b");
  const Count<double> T(8192.0);
  CachedAs<double> as = kBf16;
  CHECK(kv_cache(gemma, as, T).sequence.raw == 81920.0 * 8192 + (507904.0 - 81920) * 1024);
  as.windows = CachedWindows::kFull;
  CHECK(kv_cache(gemma, as, T).sequence.raw == 507904.0 * 8192);
}

TEST_CASE("a cache never shrinks as its sequence grows, and a state never grows") {
  for (const Published& p : published()) {
    CAPTURE(p.name);
    double before = 0, state = -1;
    for (double T = 1; T < 1e6; T *= 4) {
      const KvCache<double> c = kv_cache(p.model, kBf16, Count<double>(T));
      CHECK(c.sequence.raw >= before);
      before = c.sequence.raw;
      if (state >= 0) CHECK(c.state.raw + c.convolution.raw == state);
      state = c.state.raw + c.convolution.raw;
      CHECK(c.growing.raw + c.windowed.raw == Approx(c.per_token.raw));
    }
  }
}

TEST_CASE("layers add up to the totals, and stages to the model") {
  for (const Published& p : published()) {
    CAPTURE(p.name);
    const Parameters<double> n = parameters(p.model);
    double layers = 0, path = 0;
    for (const LayerGroup<double>& g : p.model.layers) {
      const LayerParameters<double> l = layer_parameters(p.model, g);
      layers += g.count.raw * l.total().raw;
      path += g.count.raw * (l.one_token + l.one_token_vectors).raw;
    }
    double outer = 0;
    for_each_outer_vector(p.model,
                          [&](const char*, VectorKind, Count<double> w) { outer += w.raw; });
    CHECK(layers + outer + (n.embedding + n.positions + n.head).raw == n.total.raw);
    CHECK(path + outer == n.active_no_embeddings.raw);
    if (p.model.tied) continue;  // both ends hold the table
    TrainingPlan<double> plan;
    plan.model = p.model;
    for (const int stages : {1, 2, 3}) {
      const Stages<double> split(p.model, stages);
      const Degrees<double> one{Count<double>(1.0), Count<double>(1.0)};
      std::vector<LayerShard<double>> shards;
      for (const LayerGroup<double>& g : p.model.layers)
        shards.push_back(layer_shard(p.model, {}, g, one));
      double all = 0;
      for (int i = 0; i < stages; ++i) {
        const StageShard<double> s = stage_shard(plan, shards, split, i);
        all += s.dense.raw + s.experts.full.raw;
      }
      CHECK(all == n.total.raw);
    }
  }
}

TEST_CASE("ranks of tensor and expert parallelism hold what divides once, and no more than whole") {
  for (const Published& p : published()) {
    CAPTURE(p.name);
    for (const LayerGroup<double>& g : p.model.layers) {
      const auto held = [&](double t, double e) {
        const LayerShard<double> s =
            layer_shard(p.model, {}, g, Degrees<double>{Count<double>(t), Count<double>(e)});
        return s.matrices.full.raw + s.experts.full.raw + s.vectors.raw;
      };
      const double whole = held(1, 1);
      CHECK(whole == layer_parameters(p.model, g).total().raw);
      CHECK(held(2, 1) <= whole);
      CHECK(2 * held(2, 1) >= whole);
      CHECK(held(1, 2) <= whole);
    }
  }
}

TEST_CASE("FLOPs of what mixes tokens, beside the matrices") {
  const Count<double> s(8192.0);
  const auto of = [&](const char* name, std::size_t g) {
    const Model<double>& model = model_called(name);
    return mixing_flops(model, model.layers[g].mixer, s).causal.raw;
  };
  CHECK(of("Jamba-1.5-Mini", 0) == 7.0 * 8192 * 16 + 2.0 * 4 * 8192);
  CHECK(of("Nemotron-H-8B", 0) == 7.0 * 8192 * 128 + 2.0 * 4 * (8192 + 2048));
  CHECK(of("Qwen3-Next-80B-A3B", 0) == 8.0 * 4096 * 128 + 2.0 * 4 * 8192);
  CHECK(of("MiniMax-Text-01", 0) == 5.0 * 8192 * 128);
  // The indexer looks at all pairs, attention at the 2048 it picks.
  const double seen = 2048 * (1 - 2048 / (2 * 8192.0));
  CHECK(of("DeepSeek-V3.2", 0) ==
        Approx(2 * seen * 128 * (192 + 128) + 2 * (8192 / 2.0) * 64 * 128).epsilon(1e-12));
}

TEST_CASE("the recording of a model is its plain run, and dual numbers agree with differences") {
  const ModelQuestion<double> q{Count<double>(8192.0), Count<double>(16.0), Bytes<double>(2.0)};
  const Origins origins;
  for (const Published& p : published()) {
    CAPTURE(p.name);
    const ModelEstimate<double> plain = model_estimate(p.model, q);
    const Recording run(origins);
    Tape tape;
    const Model<Traced> traced = lift(p.model, run);
    const ModelEstimate<Traced> recorded = model_estimate(
        traced, ModelQuestion<Traced>{Count<Traced>(Traced(8192)), Count<Traced>(Traced(16)),
                                      Bytes<Traced>(Traced(2))});
    CHECK(value_of(recorded.n.total.raw) == plain.n.total.raw);
    CHECK(value_of(recorded.n.active.raw) == plain.n.active.raw);
    CHECK(value_of(recorded.kv->sequence.raw) == plain.kv->sequence.raw);
    CHECK(value_of(recorded.flops.causal->raw) == plain.flops.causal->raw);
    if (plain.files) CHECK(value_of(recorded.files->bytes.raw) == plain.files->bytes.raw);
    // One more hidden element, by the derivative and by counting.
    const auto dual = parameters(lift(p.model, Differentiating{"hidden"})).total.raw;
    CHECK(dual.v == plain.n.total.raw);
    Model<double> more = p.model, less = p.model;
    *more.hidden += Count<double>(1.0);
    *less.hidden = *less.hidden - Count<double>(1.0);
    const double slope = (parameters(more).total.raw - parameters(less).total.raw) / 2;
    CHECK(dual.d == Approx(slope).epsilon(1e-9));
  }
}

}  // namespace reckon
