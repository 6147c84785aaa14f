// Forms that only files have, which are written out before a struct is bound (resolve*.cpp, write_out_policy.cpp).
#pragma once

#include <array>
#include <string_view>

#include "reckon/doc/value.hpp"

namespace reckon {

// Keys of an abstract model, and where its one layer group holds them.
struct AbstractKey {
  std::string_view key, part, field;  // part of the group: "", mixer or mlp
};
inline constexpr std::array kAbstractKeys{
    AbstractKey{"layers", "", "count"},           AbstractKey{"heads", "mixer", "heads"},
    AbstractKey{"kv_heads", "mixer", "kv_heads"}, AbstractKey{"head_width", "mixer", "head_width"},
    AbstractKey{"mlp_width", "mlp", "width"},     AbstractKey{"mlp_matrices", "mlp", "matrices"}};

}  // namespace reckon
