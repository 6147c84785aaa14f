#include "reckon/doc/write.hpp"

#include "sample.hpp"

using namespace reckon;
using sample::Bound;

namespace {

std::string exported(const sample::Plan& plan, Defaults defaults = Defaults::kLeaveOut) {
  return doc::write_yaml(to_tree(plan, defaults));
}

}  // namespace

TEST_CASE("what differs from the defaults is written") {
  const Bound b(
      "memory: {capacity: {value: 80 GB, source: sheet}}\nmesh: {tensor: 8, pipeline: 1}\n"
      "mfu: 40%\nfused: yes\nsizes: [1 MB, 1048576 B]\nrecompute: none\noverlap: full\n");
  CHECK(b.diagnostics.render() == "");
  CHECK(exported(b.plan) ==
        "memory: {capacity: 80 GB}\nmesh: {tensor: 8}\noverlap: {data: 1}\nmfu: 40%\n"
        "fused: true\nsizes: [1 MB, 1 MiB]\n");
}

TEST_CASE("everything is written, on demand") {
  sample::Plan plan;
  plan.name = "null";
  plan.second_mesh.emplace();
  plan.layers.emplace_back();
  CHECK(exported(plan, Defaults::kWrite) ==
        "name: \"null\"\n"
        "memory: {capacity: 0 B, bandwidth: 0 B/s}\n"
        "mesh: {tensor: 1, pipeline: 1}\n"
        "overlap: {data: 0%}\n"
        "recompute: none\n"
        "second_mesh: {tensor: 1, pipeline: 1}\n"
        "fused: false\n"
        "tags: []\n"
        "layers:\n"
        "- {count: 1, kind: dense}\n"
        "sizes: []\n");
  CHECK(exported(plan) ==
        "name: \"null\"\nmemory: {capacity: 0 B}\nsecond_mesh: {}\nlayers:\n- {count: 1}\n");
}

namespace {

// Differs from its own default in its place.
struct Outer {
  sample::Mesh mesh{Count<double>(4.0), Count<double>(2.0), {}};
  std::vector<std::string> tags{"a"};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("mesh", "", ""), s.mesh...);
    v(Field("tags", "", ""), s.tags...);
  }
};

}  // namespace

TEST_CASE("the default is that of the place, not of the type") {
  Outer o;
  CHECK(doc::write_yaml(to_tree(o)) == "{}\n");
  o.mesh.tensor = Count<double>(1.0);
  o.tags.clear();
  const std::string text = doc::write_yaml(to_tree(o));
  CHECK(text == "mesh: {tensor: 1}\ntags: []\n");
  sample::Parsed p(text);
  Origins origins;
  Outer back;
  bind(p.tree, back, {p.diagnostics, origins});
  CHECK(p.diagnostics.render() == "");
  CHECK(back.mesh.tensor.raw == 1);
  CHECK(back.mesh.pipeline.raw == 2);
  CHECK(back.tags.empty());
}

TEST_CASE("what is written binds to the same struct") {
  const Bound b(
      "name: \"8: x\"\nmemory: {capacity: 80 GiB, bandwidth: 3.3333 TB/s}\n"
      "mesh: {tensor: 8, expert: 3}\noverlap: {data: 33.3%}\nrecompute: full\nmfu: 0.123456789\n"
      "second_mesh: {}\ntags: [a, '', 'null']\nlayers: [{count: 3}, {count: 2, kind: moe}]\n"
      "sizes: [1.1 kB]\nexpect: [{memory.total: 1}]\n");
  CHECK(b.diagnostics.render() == "");
  for (const Defaults d : {Defaults::kLeaveOut, Defaults::kWrite}) {
    const Bound again(exported(b.plan, d));
    CHECK(again.diagnostics.render() == "");
    CHECK(exported(again.plan, Defaults::kWrite) == exported(b.plan, Defaults::kWrite));
    CHECK(again.plan.memory.capacity.raw == b.plan.memory.capacity.raw);
    CHECK(again.plan.overlap.data.raw == b.plan.overlap.data.raw);
    CHECK(again.plan.mfu->raw == 0.123456789);
    CHECK(again.plan.second_mesh.has_value());
    CHECK(again.plan.tags == b.plan.tags);
    CHECK(again.plan.layers.at(1).kind == "moe");
  }
}
