// A struct with every kind of member, and shortcuts, for the tests of this floor.
#pragma once

#include <array>
#include <string>

#include "catch.hpp"
#include "reckon/doc/bind.hpp"

namespace sample {

using namespace reckon;

enum class Recompute { kNone, kSelective, kFull };
constexpr auto names(Recompute) { return std::array{"none", "selective", "full"}; }

struct Mesh {
  Count<double> tensor{1}, pipeline{1};
  std::optional<Count<double>> expert;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("tensor", "p_t", "ranks that split each layer").degree(), s.tensor...);
    v(Field("pipeline", "p_p", "stages").degree(), s.pipeline...);
    v(Field("expert", "p_e", "ranks that share the experts").degree(), s.expert...);
  }
};

// "overlap: full" is short for {data: 1}.
struct Overlap {
  Ratio<double> data{};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("data", "o", "share of gradients that hides behind compute").share(), s.data...);
  }
  static bool from_scalar(const doc::Value& v, Overlap& out, const BindContext& c) {
    if (v.text == "full") out.data = Ratio<double>(1.0);
    if (v.text == "half")
      c.diagnostics.error(v.span, "'half' is not offered").help("write {data: 50%}");
    return v.text == "full";
  }
};

struct Memory {
  Bytes<double> capacity;
  ByteRate<double> bandwidth;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("capacity", "C", "as the vendor prints it").required(), s.capacity...);
    v(Field("bandwidth", "W_m", "reads and writes together").limit(Limit::kPositive),
      s.bandwidth...);
  }
};

struct Layers {
  Count<double> count{1};
  std::string kind = "dense";

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("count", "n", "how many").count().limit(Limit::kAtLeastOne).required(), s.count...);
    v(Field("kind", "", "dense or a name"), s.kind...);
  }
};

struct Plan {
  std::string name;
  Memory memory;
  Mesh mesh;
  Overlap overlap;
  Recompute recompute = Recompute::kNone;
  std::optional<Ratio<double>> mfu;
  std::optional<Mesh> second_mesh;
  bool fused = false;
  std::vector<std::string> tags;
  std::vector<Layers> layers;
  std::vector<Bytes<double>> sizes;
  doc::Value expect;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "shown in tables"), s.name...);
    v(Field("memory", "", "of one chip").required(), s.memory...);
    v(Field("mesh", "", "how ranks divide the work"), s.mesh...);
    v(Field("overlap", "", "what hides"), s.overlap...);
    v(Field("recompute", "", "activations computed again"), s.recompute...);
    v(Field("mfu", "MFU", "share of the peak").efficiency(), s.mfu...);
    v(Field("second_mesh", "", "of the other pool"), s.second_mesh...);
    v(Field("fused", "", "the kernel is fused"), s.fused...);
    v(Field("tags", "", "free words"), s.tags...);
    v(Field("layers", "", "groups of equal layers"), s.layers...);
    v(Field("sizes", "S", "message sizes"), s.sizes...);
    v(Field("expect", "", "what a check compares"), s.expect...);
  }
};

// A text parsed; its Sources live as long.
struct Parsed {
  Sources sources;
  Diagnostics diagnostics;
  doc::Value tree;

  explicit Parsed(std::string text, std::string name = "f.yaml") {
    const SourceFile* file = sources.add(name, std::move(text));
    tree = name.ends_with(".json") ? doc::parse_json(file, diagnostics)
                                   : doc::parse_yaml(file, diagnostics);
  }
};

struct Bound : Parsed {
  Plan plan;
  Origins origins;

  explicit Bound(std::string text, std::string name = "f.yaml")
      : Parsed(std::move(text), std::move(name)) {
    if (diagnostics.has_errors()) return;
    doc::expand_dotted_keys(tree, diagnostics, {"expect"});
    if (!diagnostics.has_errors()) bind(tree, plan, {diagnostics, origins});
  }
};

}  // namespace sample
