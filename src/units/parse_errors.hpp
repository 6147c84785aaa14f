// The refusals of parse_quantity(), one function each: what is wrong, and what to write instead.
#pragma once

#include "decimal.hpp"
#include "reckon/units/parse.hpp"
#include "unit.hpp"

namespace reckon::refuse {

// What was written, and what the field wants.
struct Written {
  std::string_view text;              // trimmed, as the user wrote it
  Dim dim;                            // wanted
  Hint hint;                          // wanted
  WholeRange whole = {};              // that is allowed
  Decimal number = {};                // as far as it could be read
  std::string_view number_text = {};  // "80" of "80GB"
};

ParseError nothing(const Written& w);
ParseError not_a_number(const Written& w);
ParseError comma(const Written& w);
// `help`: what to write instead; nothing: like the form's example.
ParseError negative(const Written& w, std::string help);
ParseError not_finite(const Written& w);
ParseError out_of_range(const Written& w);
ParseError fraction(const Written& w, const Decimal& value);
ParseError no_unit(const Written& w);
ParseError percent(const Written& w);
ParseError bare_suffix(const Written& w, std::string_view suffix);
ParseError suffix_not_allowed(const Written& w, std::string_view suffix);
ParseError two_lengths(const Written& w, std::string_view suffix);
ParseError unknown_unit(const Written& w, std::string_view unit, std::string_view factor);
ParseError wrong_unit(const Written& w, std::string_view unit, const UnitReading& r);

// 400 GBps, 400 gb/s, 80 KB, 80 gb: bits or bytes, 1000 or 1024. Nothing if `unit` has one meaning.
std::optional<ParseError> two_readings(const Written& w, std::string_view unit);

}  // namespace reckon::refuse
