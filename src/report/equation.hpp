// «T = formula = numbers = value», on one line or on several.
#pragma once

#include <string>
#include <vector>

namespace reckon {

// Breaks a long expression before its outermost + or −, after its outermost comma or before /, as
// far right as fits; a piece without such a place stays whole.
std::vector<std::string> break_expression(const std::string& text, std::size_t width);

// "T = a + b = 1 + 2 = 3", or a line for each step with the = under each other.
std::vector<std::string> equation_lines(const std::string& symbol,
                                        const std::vector<std::string>& steps, std::size_t width);

}  // namespace reckon
