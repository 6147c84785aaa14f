// A plan's tree laid over another. A key that names a file is no end of a path: over `cluster: 64xh100-sxm`,
// `cluster.node.gpus: 16` makes {base: 64xh100-sxm, node: {gpus: 16}}, and so does --set.
#pragma once

#include <string_view>

#include "reckon/doc/value.hpp"

namespace reckon {

// `overlay` over `tree`: names along the way are opened, then merged. Where a file can be named, a mapping with
// `base`, and one that is whole without what lies below, starts anew.
void lay_over(doc::Value& tree, const doc::Value& overlay);

// The same for a node: with fewer GPUs of it go fewer of its network ports, unless those are stated too.
void lay_over_node(doc::Value& node, const doc::Value& overlay);

// Opens the names that a path such as `cluster.node.gpus` runs through.
void open_names_along(doc::Value& tree, std::string_view path);

// A word as the mapping it stands for: `sharding: fsdp`, `assume: {overlap: full}`; null if it is none.
doc::Value sharding_of(const doc::Value& word);
doc::Value overlap_of(const doc::Value& word);

// A number as stated, {value: …} included: the scalar, or null.
const doc::Value* scalar_in(const doc::Value* v);

}  // namespace reckon
