#include "legal_classes.hpp"

#include <fmt/format.h>

#include "reckon/cost/classes.hpp"

namespace reckon {

void check_classes(const Model<double>& model, const std::optional<TensorFormats<double>>& classes,
                   std::string_view path, const Places& places, Diagnostics& out) {
  if (classes && classes->router_bias)
    out.error(
           places.of(fmt::format("{}.router_bias", path)),
           fmt::format("{}.router_bias: correction biases have a format of their own in a model's "
                       "files only",
                       path))
        .help("they are kept as norms and biases are: state vectors");
  if (!classes || !model.abstract()) return;
  bool any = false;
  for_each_class([&any](TensorClass, const auto& own) { any = any || own.has_value(); }, *classes);
  if (!any) return;
  out.error(places.of(path),
            fmt::format("{}: formats by class of tensors can't be priced, an abstract model states "
                        "no tensors",
                        path))
      .note(places.of("model.params"), "the model is stated here")
      .help("name a model (`reckon list models`), or one format for all weights");
}

}  // namespace reckon
