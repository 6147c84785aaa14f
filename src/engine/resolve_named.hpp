// What every kind of named thing has in common when its name is looked up: a name, or {base: NAME, what differs}, or
// all of it written out.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "overlay.hpp"
#include "reckon/engine/workspace.hpp"

namespace reckon {

bool is_none(const doc::Value& v);  // nothing, or the bare word none

// The file behind a name, or a model imported from somebody's config.json. assume: the family whose facts it takes.
doc::Value load_named(Workspace& work, Shelf shelf, const doc::Value& said,
                      const std::string& assume, Diagnostics& diagnostics);

// A format's name -> {name, size}: bits per weight as bytes.
doc::Value stored(Workspace& work, const doc::Value& said, Diagnostics& diagnostics);

// A name, or {base: NAME, what differs}, or everything written out. `complete` looks up what the named thing refers to,
// before and after what differs is laid over it: so one field deep inside can be overridden.
template <class Complete>
doc::Value named(Workspace& work, Shelf shelf, const doc::Value& said, Diagnostics& diagnostics,
                 Complete complete, const std::string& assume = "") {
  if (said.is_scalar()) {
    doc::Value out = load_named(work, shelf, said, assume, diagnostics);
    if (!out.is_mapping()) return out;
    complete(out);
    return out;
  }
  if (!said.is_mapping()) {
    diagnostics.error(said.span,
                      fmt::format("expected a name of one of the {} or a mapping, found {}",
                                  shelf_info(shelf).word, doc::kind_of(said)));
    return doc::faulty();
  }
  doc::Value rest = said;
  const doc::Value* base = said.find("base");
  doc::Value out = doc::mapping(said.span);
  if (base) {
    if (!base->is_scalar()) {
      diagnostics.error(base->span, fmt::format("base: expected a name of one of the {}",
                                                shelf_info(shelf).word));
      return doc::faulty();
    }
    const doc::Value* family = said.find("assumed");
    out = named(work, shelf, *base, diagnostics, complete,
                family && family->is_scalar() ? family->text : "");
    if (!out.is_mapping()) return out;
    std::erase_if(rest.entries, [](const doc::Entry& e) { return e.key == "base"; });
  }
  if (shelf == Shelf::kNodes)
    lay_over_node(out, rest);
  else
    lay_over(out, rest);
  complete(out);
  return out;
}

// Replaces the value under `key`, if there is one, by what `make` turns it into.
template <class Make>
void rewrite(doc::Value& mapping, std::string_view key, Make make) {
  if (doc::Value* at = mapping.find(key); at && !at->is_null()) *at = make(*at);
}

}  // namespace reckon
