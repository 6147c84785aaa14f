// kind: budgets. The errors that predictions are held to: measurements/budgets.yaml. Loosening one is a line of a diff.
#pragma once

#include <string>
#include <vector>

#include "reckon/doc/field.hpp"
#include "reckon/units/quantity.hpp"

namespace reckon {

template <class R>
struct ErrorBudget {
  std::string of, family, leave_out = "nothing", form = "ramp", source;
  Ratio<R> error;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("of", "", "kernels | collectives | serving").required(), s.of...);
    v(Field("family", "", "as `reckon validate` prints it").required(), s.family...);
    v(Field("leave_out", "", "nothing | shape | m | size | length | group | chip | model"),
      s.leave_out...);
    v(Field("form", "", "of a collective's curve: ramp | root"), s.form...);
    v(Field("error", "", "largest mean |predicted/measured − 1|").required().share(), s.error...);
    v(Field("source", "", "where the figure comes from"), s.source...);
  }
};

template <class R>
struct Budgets {
  std::string id, comment;
  std::vector<ErrorBudget<R>> budgets;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("id", "", "the file's name, filled in by the program"), s.id...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("budgets", "", "").required(), s.budgets...);
  }
};

}  // namespace reckon
