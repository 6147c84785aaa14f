// What each kind of quantity is called, and how one is usually written: the words of messages.
#pragma once

#include <string_view>

#include "reckon/units/dim.hpp"

namespace reckon {

struct Form {
  Dim dim;
  Hint hint;
  std::string_view kind;     // "a size"
  std::string_view example;  // "80 GB"
  std::string_view units;    // "GB or GiB": what to write after a number that has none
};

// The hint, or kNone where it says nothing about quantities of this dimension (tokens of a size).
Hint fitting(Dim dim, Hint hint);

// The form of exactly this hint, else that of the dimension; nullptr if people have no word for it.
const Form* find_form(Dim dim, Hint hint);

}  // namespace reckon
