// The data files as the engine reads them, for tests that go through a whole shelf.
#pragma once

#include <string>

#include "catch.hpp"
#include "reckon/engine/load.hpp"
#include "reckon/spec/compiled_once.hpp"

namespace reckon::test {

inline Workspace& data() {
  static Workspace work({RECKON_SOURCE_DIR});
  return work;
}

// The file called `id`, looked up by `resolve` (resolve_chip, resolve_node, …) and bound. Any fault fails the test.
template <class S, class Resolve>
S bound(Resolve resolve, const std::string& id) {
  INFO(id);
  Diagnostics diagnostics;
  const doc::Value tree = resolve(data(), doc::scalar(id), diagnostics);
  S out;
  Origins origins;
  if (!diagnostics.has_errors()) bind(tree, out, {diagnostics, origins});
  INFO(diagnostics.render());
  REQUIRE(diagnostics.all().empty());
  return out;
}

// Shelves whose files stand for themselves.
template <Shelf shelf>
doc::Value load_from(Workspace& work, const doc::Value& said, Diagnostics& diagnostics) {
  const doc::Value* found = work.load(shelf, said.text, said.span, diagnostics);
  return found ? *found : doc::faulty();
}

}  // namespace reckon::test
