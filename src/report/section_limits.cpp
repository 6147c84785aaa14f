// What an estimate leaves out, and how good it has been.
#include "eval_sections.hpp"
#include "reckon/base/text.hpp"

namespace reckon {

Section limits_section(Reader& r, const Canvas& canvas) {
  Section out{.title = canvas.markdown ? "Limits" : ""};
  std::vector<std::string> accuracy;
  for (const Accuracy& a : r.result().accuracy) accuracy.push_back(a.text);
  if (!accuracy.empty()) out.notes.push_back("Accuracy: " + join(accuracy, "; "));
  if (!r.result().not_modelled.empty())
    out.notes.push_back("Not modelled: " + join(r.result().not_modelled, "; "));
  return out;
}

}  // namespace reckon
