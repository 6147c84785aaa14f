// Models that can't be: each line is a model and what reckon says to it, where and what to do.
#include "data.hpp"
#include "reckon/engine/legal.hpp"
#include "reckon/engine/model.hpp"
#include "reckon/spec/compiled_once.hpp"

namespace reckon {
namespace {

// What is said to a model with these layers, and these keys beside them.
std::string faults(const std::string& layers, const std::string& keys = "") {
  Diagnostics d;
  const std::string text = "hidden: 64\nvocab: 100\n" + keys + "layers:\n  - " + layers + "\n";
  const doc::Value said = test::data().read_text("model.yaml", text, d);
  Model<double> model;
  Origins origins;
  const doc::Value tree = resolve_model(test::data(), said, d);
  if (!d.has_errors()) bind(tree, model, {d, origins, "model"});
  doc::Value plan = doc::mapping();
  doc::set(plan, "model", tree);
  if (!d.has_errors()) check_model(model, "model", origins, plan, d);
  return d.render();
}

std::string mixer(const std::string& m) {
  return faults("{count: 2, mixer: {" + m + "}, mlp: {kind: none}}");
}
std::string mlp(const std::string& m) {
  return faults("{count: 2, mixer: {kind: none}, mlp: {" + m + "}}");
}

constexpr const char* kDense =
    "{count: 2, mixer: {kind: none}, mlp: {kind: dense, width: 128, matrices: 3}}";

void check(const std::string& said, const std::string& message) {
  CAPTURE(said);
  CHECK(said.find(message) != std::string::npos);
}

}  // namespace

TEST_CASE("whole models pass") {
  CHECK(faults(kDense).empty());
  CHECK(mixer("kind: mamba1, inner: 128, state: 16, conv: 4, dt_rank: 4").empty());
  CHECK(mixer("kind: lightning, heads: 4, head_width: 16").empty());
}

TEST_CASE("a mixer that keeps a state says all that it needs") {
  check(mixer("kind: mamba1, state: 16, conv: 4, dt_rank: 4"), "the model needs mixer.inner");
  check(mixer("kind: mamba1, inner: 128, conv: 4, dt_rank: 4"), "the model needs mixer.state");
  check(mixer("kind: mamba1, inner: 128, state: 16, dt_rank: 4"), "the model needs mixer.conv");
  check(mixer("kind: mamba1, inner: 128, state: 16, conv: 4"), "the model needs mixer.dt_rank");
  check(mixer("kind: mamba2, heads: 8, head_width: 16, state: 16, conv: 4"),
        "the model needs mixer.groups");
  check(mixer("kind: mamba2, heads: 8, state: 16, groups: 2, conv: 4"),
        "the model needs mixer.head_width");
  check(mixer("kind: delta_net, heads: 8, head_width: 16, conv: 4"),
        "the model needs mixer.key_heads");
  check(mixer("kind: lightning, head_width: 16"), "the model needs mixer.heads");
}

TEST_CASE("what shares a mixer's heads divides them") {
  check(mixer("kind: mamba2, heads: 8, head_width: 16, state: 16, groups: 3, conv: 4"),
        "groups = 3 does not divide heads = 8");
  check(mixer("kind: delta_net, heads: 8, key_heads: 3, head_width: 16, conv: 4"),
        "key_heads = 3 does not divide heads = 8");
  check(mixer("kind: attention, heads: 8, kv_heads: 3, head_width: 16"),
        "kv_heads = 3 does not divide heads = 8");
}

TEST_CASE("an indexer is whole or not there") {
  const std::string mla =
      "kind: mla, heads: 4, kv_rank: 32, nope_width: 16, rope_width: 8, v_width: 16";
  CHECK(mixer(mla).empty());
  check(mixer(mla + ", index_heads: 4, index_width: 8"), "the model needs mixer.index_top_k");
  check(mixer(mla + ", index_top_k: 64"), "the model needs mixer.index_heads");
}

TEST_CASE("a field of another kind is refused, since it would change nothing") {
  check(mixer("kind: mamba1, inner: 128, state: 16, conv: 4, dt_rank: 4, heads: 8"),
        "heads belongs to mixer kind attention, mla, mamba2, delta_net or lightning, and this one "
        "is mamba1");
  check(mixer("kind: attention, heads: 4, head_width: 16, state: 16"),
        "state belongs to mixer kind mamba1 or mamba2, and this one is attention");
  check(mixer("kind: lightning, heads: 4, head_width: 16, conv: 4"), "conv belongs to mixer kind");
  check(mixer("kind: lightning, heads: 4, head_width: 16, sinks: yes"),
        "sinks belongs to mixer kind attention");
  check(mlp("kind: dense, width: 128, latent: 32"), "latent belongs to mlp kind moe");
  check(mlp("kind: dense, width: 128, shared_gate: yes"), "shared_gate belongs to mlp kind moe");
}

TEST_CASE("zero, negative and absurd sizes") {
  check(mixer("kind: lightning, heads: 0, head_width: 16"), "must be at least 1");
  check(mixer("kind: mamba1, inner: -128, state: 16, conv: 4, dt_rank: 4"), "inner");
  check(faults("{count: 9223372036854775808, mixer: {kind: none}, mlp: {kind: dense, width: 128}}"),
        "count: '9223372036854775808' is more than the 2^24");
  check(mlp("kind: dense, width: 1e300"), "width: '1e300' is more than the 2^24");
  check(faults("{count: 16777216, mixer: {kind: none}, mlp: {kind: dense, width: 16777216}}"),
        "5.4e+16 parameters, more than are counted exactly");
}

TEST_CASE("what is beside the token path, and what the files can hold") {
  const std::string mtp =
      "mtp: {mixer: {kind: attention, heads: 3, head_width: 16, kv_heads: 2}, "
      "mlp: {kind: none}}\n";
  check(faults(kDense, mtp), "kv_heads = 2 does not divide heads = 3");
  check(faults(kDense, "vision: {layers: 2, hidden: 30, width: 64, heads: 4, patch_inputs: 588}\n"),
        "heads = 4 does not divide hidden = 30");
  check(faults(kDense, "files: {base: bf16, mtp: yes}\n"), "the model states no mtp modules");
  check(faults(kDense, "files: {base: bf16, vision: yes}\n"), "the model states no vision tower");
  check(faults(kDense, "files: {base: bf16, tied_copy: yes}\n"), "the model's head is not tied");
  check(faults(kDense, "files: {base: bf61}\n"), "no number format called 'bf61'");
  check(faults(kDense, "files: {base: bf16, formats: {attention: [fp8]}}\n"), "expected a mapping");
}

TEST_CASE("a model by itself: options that can't be") {
  Diagnostics d;
  ModelRequest r{"llama-3-8b", "8192", "1", "bf16", "fp32", "exact", false, ""};
  const auto said = [&](const ModelRequest& request) {
    Diagnostics faults;
    report_model(test::data(), request, faults);
    return faults.render();
  };
  CHECK(said(r).empty());
  r.windows = "none";
  check(said(r), "--windows: expected exact or full, found 'none'");
  r.windows = "full";
  r.format = "bf16,fp9";
  check(said(r), "no number format called 'fp9'");
  r.format = "bf16";
  r.published = "many";
  check(said(r), "--published");
  r = {"generic-7b", "8192", "1", "bf16", "fp32", "exact", true, ""};
  check(said(r), "--stored");
}

}  // namespace reckon
