// Where an input's value came from: what `--explain` prints at the end of every derivation.
#pragma once

#include <cstdint>
#include <string_view>

namespace reckon {

enum class OriginKind : std::uint8_t {
  kDefault,     // the program's field default: nobody stated it
  kStated,      // in a file, at a line
  kOverridden,  // stated in a file, in place of what a named chip, node, model or preset says
  kPreset,      // by a preset of `assume:`
};

struct Origin {
  std::string_view file = {};  // lives as long as the Sources it was read from
  int line = 0;
  OriginKind kind = OriginKind::kDefault;
  std::string_view source = {};  // the reference that stands beside the value, if any
};

}  // namespace reckon
