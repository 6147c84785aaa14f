// The format files as the engine reads them, for tests of the codec.
#pragma once

#include <string>

#include "catch.hpp"
#include "reckon/engine/number_format.hpp"

namespace reckon::test {

inline NumberFormatInUse number_format(const std::string& id) {
  static Workspace work({RECKON_SOURCE_DIR});
  INFO(id);
  Diagnostics diagnostics;
  const auto f = load_number_format(work, id, {}, diagnostics);
  INFO(diagnostics.render());
  REQUIRE(f);
  return *f;
}

inline Element element(const std::string& id) { return number_format(id).element; }

// Formats whose codes are few enough to go through all of them.
inline const char* const kSmallFormats[] = {"bf16",         "fp16",          "fp8-e5m2",
                                            "fp8-e4m3",     "fp8-e4m3-ieee", "fp8-e3m4-ieee",
                                            "fp8-e5m2fnuz", "fp8-e4m3fnuz",  "fp8-e4m3b11fnuz",
                                            "fp6-e3m2",     "fp6-e2m3",      "fp4-e2m1",
                                            "ue4m3",        "e8m0",          "int8",
                                            "int4",         "int4-affine",   "uint4",
                                            "uint8",        "int8-affine",   "mxint8",
                                            "nf4"};

}  // namespace reckon::test
