// Where a field of a bound plan was stated, for messages.
#pragma once

#include <string>
#include <string_view>

#include "reckon/doc/bind.hpp"

namespace reckon {

class Places {
 public:
  Places(const Origins& origins, const doc::Value& tree) : origins_(origins), tree_(tree) {}

  // The field's own place; else that of the nearest mapping around it.
  Span of(std::string_view path) const {
    if (const auto at = origins_.find(path); at != origins_.end()) return at->second.span;
    for (std::string p(path); !p.empty();) {
      if (const doc::Value* v = tree_.at(p); v && v->span) return v->span;
      const std::size_t dot = p.rfind('.');
      p = dot == p.npos ? "" : p.substr(0, dot);
    }
    return tree_.span;
  }
  // Stated, and not as nothing: `bias: none` and `shared: 0` are no claims.
  bool claimed(std::string_view path) const {
    const doc::Value* v = stated(path) ? tree_.at(path) : nullptr;
    if (!v) return false;
    for (const char* nothing : {"none", "no", "false", "off", "0"})
      if (v->is_scalar() && v->text == nothing) return false;
    return true;
  }
  bool stated(std::string_view path) const { return origins_.contains(path); }

 private:
  const Origins& origins_;
  const doc::Value& tree_;
};

}  // namespace reckon
