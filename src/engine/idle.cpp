#include "idle.hpp"

#include <algorithm>

#include "reckon/units/formula/reach.hpp"

namespace reckon {
namespace {

// A plan with cases states once what only some of them ask for; a flag is meant for the one question.
bool of_flag(const Span& span) { return span && span.file->name.starts_with("--"); }

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
    if (at == loaded.origins.end() || !of_flag(at->second.span)) continue;
    if (path.find('.') != path.npos)
      continue;  // a figure of a machine or a model that a flag names
    if (!read.contains(path)) out.push_back(path);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace reckon
