// What an estimate leaves out, and how good it has been.
#include "eval_sections.hpp"
#include "reckon/base/text.hpp"

namespace reckon {

Section limits_section(Reader& r, const Canvas& canvas) {
  Section out{.title = canvas.markdown ? "Limits" : ""};
  if (r.number("step.time"))
    out.notes.emplace_back(
        "Accuracy: step time rests on the stated MFU; not validated against measured runs");
  if (!r.result().not_modelled.empty())
    out.notes.push_back("Not modelled: " + join(r.result().not_modelled, "; "));
  return out;
}

}  // namespace reckon
