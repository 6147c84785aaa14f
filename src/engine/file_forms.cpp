// What only files may say, put into the descriptions of the structs that they are bound to.
#include "file_forms.hpp"

#include <algorithm>

#include "reckon/engine/field_at.hpp"
#include "reckon/engine/file_kinds.hpp"
#include "reckon/spec/compiled_once.hpp"
#include "reckon/spec/training.hpp"

namespace reckon {
namespace {

using Kind = Description::Kind;

bool same_fields(const Description& a, const Description& b) {
  return a.kind == Kind::kGroup && a.parts.size() == b.parts.size() &&
         std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(),
                    [](const Description& x, const Description& y) { return x.key == y.key; });
}

Description* part_of(Description& group, std::string_view key) {
  const auto at = std::find_if(group.parts.begin(), group.parts.end(),
                               [key](const Description& d) { return d.key == key; });
  return at == group.parts.end() ? nullptr : &*at;
}

// {params: 7B, layers: 32, heads: 32}
void add_abstract_keys(Description& model) {
  part_of(model, "layers")->one_word = true;
  const Description group = describe<LayerGroup<double>>();
  for (const AbstractKey& k : kAbstractKeys) {
    if (part_of(model, k.key)) continue;
    const std::string path =
        (k.part.empty() ? "" : std::string(k.part) + ".") + std::string(k.field);
    Description key = *field_at(group, path);
    key.key = k.key;
    key.required = false;
    model.parts.push_back(std::move(key));
  }
}

// {node: hgx-h100, gpus: 64}
void add_gpus(Description& cluster) {
  Description gpus = *part_of(*part_of(cluster, "node"), "gpus");
  gpus.symbol = "";
  gpus.meaning = "of the whole cluster, in place of nodes";
  gpus.required = false;
  part_of(cluster, "nodes")->required = false;
  cluster.parts.push_back(std::move(gpus));
}

struct Known {
  Description model = describe<Model<double>>(), cluster = describe<Cluster<double>>(),
              assume = describe<Assume<double>>(), law = describe<Law<double>>();
};

void add_forms(Description& d, const Known& known) {
  for (Description& part : d.parts) add_forms(part, known);
  if (same_fields(d, known.assume)) {
    part_of(d, "overlap")->one_word = true;  // none, full, 50%
    if (!d.key.empty() && !d.by_name) d.one_word = true;
  }
  if (same_fields(d, known.model)) add_abstract_keys(d);
  if (same_fields(d, known.cluster)) add_gpus(d);
  if (same_fields(d, known.law)) part_of(d, "samples")->one_word = true;  // a block of lines
}

}  // namespace

Description in_files(const FileKind& kind) {
  static const Known known;
  Description out = kind.description();
  add_forms(out, known);
  for (const std::string_view key : kind.blocks)
    if (Description* list = part_of(out, key)) list->one_word = true;
  return out;
}

}  // namespace reckon
