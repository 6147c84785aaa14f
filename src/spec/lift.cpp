#include "reckon/spec/lift.hpp"

namespace reckon {

Origin Recording::origin_of(const std::string& path) const {
  const auto at = origins_.find(path);
  if (at == origins_.end() || !at->second.span) return {};
  const Stated& s = at->second;
  return {s.span.file->name, s.span.line,
          s.replaced ? OriginKind::kOverridden : OriginKind::kStated, s.source};
}

}  // namespace reckon
