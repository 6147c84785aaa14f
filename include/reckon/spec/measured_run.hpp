// What a plan's run measured, beside the plan: `measured:` of a case in plans/measured.
//
//   measured: {step.time: 14.61 s, tier: A, core: yes, caveat: "6 chunks by table, 12 by the text"}
//
// Keys with a dot, and `fits`, are metrics of the plan; the rest is described here. A file's own `measured:` holds for
// all of its cases: that is where its source stands.
#pragma once

#include <array>
#include <string>

#include "reckon/doc/field.hpp"

namespace reckon {

// A: the whole plan and a time are stated. B: something that matters is not. C: sanity only, never fitted.
enum class RowTier { kA, kB, kC };
constexpr auto names(RowTier) { return std::array{"A", "B", "C"}; }

struct MeasuredFacts {
  RowTier tier = RowTier::kC;
  bool core = false, fit = true;
  std::string source, derived, assumed, caveat, unexplained;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("tier", "",
            "A (plan and time are stated) | B (something that matters is not) | C (sanity only)")
          .required(),
      s.tier...);
    v(Field("source", "", "where the figures are printed").required(), s.source...);
    v(Field("core", "", "of the rows that accuracy is judged by"), s.core...);
    v(Field("fit", "", "no: never fitted on"), s.fit...);
    v(Field("derived", "", "from which printed figure, if not as printed"), s.derived...);
    v(Field("assumed", "", "what of the plan the source does not state"), s.assumed...);
    v(Field("caveat", "", "what to know before it is believed"), s.caveat...);
    v(Field("unexplained", "", "memory: what is not known about it; no budget counts it"),
      s.unexplained...);
  }
};

}  // namespace reckon
