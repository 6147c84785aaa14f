// Chips and kernels by name, bound.
#include "reckon/doc/bind.hpp"
#include "reckon/engine/kernel_model.hpp"
#include "reckon/spec/compiled_once.hpp"

namespace reckon {
namespace {

template <class S>
std::optional<S> load_as(Workspace& work, Shelf shelf, const std::string& id, Span said,
                         Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.error_count();
  const doc::Value* tree = work.load(shelf, id, said, diagnostics);
  if (!tree) return {};
  S out;
  Origins origins;
  bind(*tree, out, {diagnostics, origins});
  if (diagnostics.error_count() > before) return {};
  return out;
}

}  // namespace

std::optional<Chip<double>> load_chip(Workspace& work, const std::string& id, Span said,
                                      Diagnostics& diagnostics) {
  return load_as<Chip<double>>(work, Shelf::kChips, id, said, diagnostics);
}

std::optional<Kernels<double>> load_kernels(Workspace& work, const std::string& id, Span said,
                                            Diagnostics& diagnostics) {
  return load_as<Kernels<double>>(work, Shelf::kKernels, id, said, diagnostics);
}

}  // namespace reckon
