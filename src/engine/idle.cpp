#include "idle.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reckon/units/formula/reach.hpp"

namespace reckon {
namespace {

// A plan with cases states once what only some of them ask for; a flag is meant for the one question. A path with a dot
// is a figure of a machine or a model that a flag names.
// Targets and lengths of a simulation are read by what decides, not by what computes.
bool decides(std::string_view path) {
  for (const std::string_view word : {"tpot", "ttft", "requests", "seed", "trace"})
    if (path == word) return true;
  return false;
}

bool is_flag(const Origins::value_type& stated) {
  if (decides(stated.first)) return false;
  const Span& span = stated.second.span;
  return span && span.file->name.starts_with("--") && stated.first.find('.') == std::string::npos;
}

// An answer that stops at «does not fit» says nothing that the other flags could bear on.
bool stops_short(const std::vector<Metric>& metrics) {
  for (const Metric& m : metrics)
    if (m.id == "fits") return m.has_value() && m.value == 0;
  return false;
}

bool is_number(const Tape& tape, const std::string& path) {
  for (std::int32_t i = 0; i < tape.size(); ++i) {
    if (tape.node(i).op == Op::kInput && tape.name_of(i)->path == path) return true;
  }
  return false;
}

}  // namespace

void warn_of_idle_flags(const Loaded& loaded, Diagnostics& diagnostics,
                        const std::vector<std::string>& steers) {
  // Recording takes longer than answering, and most plans come from files.
  if (std::none_of(loaded.origins.begin(), loaded.origins.end(), is_flag)) return;
  const Recorded recorded(loaded);
  if (stops_short(recorded.metrics())) return;
  std::vector<std::int32_t> roots;
  for (const Metric& m : recorded.metrics()) roots.push_back(m.node);
  const std::set<std::string_view> read = reached_inputs(recorded.tape(), roots);
  for (const auto& stated : loaded.origins) {
    const std::string& path = stated.first;
    if (std::find(steers.begin(), steers.end(), path) != steers.end()) continue;
    if (is_flag(stated) && !read.contains(path) && is_number(recorded.tape(), path))
      diagnostics.warning(stated.second.span, fmt::format("{}: nothing here depends on it", path));
  }
}

}  // namespace reckon
