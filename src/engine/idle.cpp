#include "idle.hpp"

#include <algorithm>

#include "reckon/units/formula/reach.hpp"

namespace reckon {
namespace {

// Of the data folder: a chip's file states much that one question doesn't ask.
bool of_data(const Span& span) {
  static const std::vector<std::string_view> shelves{"presets/", "hardware/",   "models/", "formats/",
                                                     "laws/",    "optimizers/", "measurements/"};
  return std::any_of(shelves.begin(), shelves.end(),
                     [&](std::string_view s) { return span.file->name.starts_with(s); });
}

}  // namespace

std::vector<std::string> idle_inputs(const Loaded& loaded) {
  const Recorded recorded(loaded);
  std::vector<std::int32_t> roots;
  for (const Metric& m : recorded.metrics()) roots.push_back(m.node);
  const std::set<std::string_view> read = reached_inputs(recorded.tape(), roots);
  std::vector<std::string> out;
  for (std::int32_t i = 0; i < recorded.tape().size(); ++i) {
    if (recorded.tape().node(i).op != Op::kInput) continue;
    const std::string path(recorded.tape().name_of(i)->path);
    const auto at = loaded.origins.find(path);
    if (at == loaded.origins.end() || !at->second.span || of_data(at->second.span)) continue;
    if (!read.contains(path)) out.push_back(path);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace reckon
