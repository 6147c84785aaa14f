#include "equation.hpp"

#include <algorithm>

#include "reckon/base/text.hpp"

namespace reckon {
namespace {

// A place to break: `at` is where the next line begins.
struct Break {
  std::size_t at = std::string::npos;
  int nesting = 1000;
};

bool starts(const std::string& text, std::size_t i, std::string_view word) {
  return text.compare(i, word.size(), word) == 0;
}

// The best break that leaves at most `width` columns before it.
Break best_break(const std::string& text, std::size_t width) {
  Break best;
  int nesting = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++nesting;
    if (text[i] == ')') --nesting;
    if (text[i] != ' ' || i == 0) continue;
    const bool operator_next =
        starts(text, i, " + ") || starts(text, i, " − ") || starts(text, i, " / ");
    if (!operator_next && text[i - 1] != ',') continue;
    if (columns(std::string_view(text).substr(0, i)) > width) break;
    const int cost = nesting * 2 + (starts(text, i, " / ") ? 1 : 0);
    if (cost <= best.nesting) best = {i + 1, cost};
  }
  return best;
}

}  // namespace

std::vector<std::string> break_expression(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  std::string rest = text;
  while (columns(rest) > width) {
    const Break b = best_break(rest, width);
    if (b.at == std::string::npos) break;
    lines.push_back(rest.substr(0, b.at - 1));
    rest = rest.substr(b.at);
  }
  lines.push_back(rest);
  return lines;
}

std::vector<std::string> equation_lines(const std::string& symbol,
                                        const std::vector<std::string>& steps, std::size_t width) {
  const std::string joined = symbol + " = " + join(steps, " = ");
  if (columns(joined) <= width || steps.empty()) return {joined};
  constexpr std::size_t kWidestIndent = 24;
  const std::size_t indent = std::min(columns(symbol), kWidestIndent);
  const std::string equals = std::string(indent, ' ') + " = ", under(indent + 5, ' ');
  std::vector<std::string> lines;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const std::string lead = k == 0 ? symbol + " = " : equals;
    const std::size_t used = std::max(columns(lead), under.size());
    const auto pieces = break_expression(steps[k], width > used ? width - used : 1);
    for (std::size_t p = 0; p < pieces.size(); ++p) lines.push_back((p ? under : lead) + pieces[p]);
  }
  return lines;
}

}  // namespace reckon
