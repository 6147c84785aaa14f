// A long list written as one block of text, an item a line or a word: hundreds of scalars of YAML take
// milliseconds to read, four times as long.
//
//   samples: |            # lines
//     1.817714 450.9 2324.275
//     1.831791 527.4 2620.1
#pragma once

#include <string_view>

#include "reckon/doc/value.hpp"

namespace reckon {

// Under `key`, text becomes the list of its parts between any of the characters in `between`; a list stays as it is.
void write_out_list(doc::Value& mapping, std::string_view key, std::string_view between);

}  // namespace reckon
