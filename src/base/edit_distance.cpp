#include "reckon/base/edit_distance.hpp"

#include <algorithm>
#include <cstdlib>

#include "reckon/base/text.hpp"

namespace reckon {
namespace {

constexpr std::size_t kShortestPrefix = 2;  // letters that one word must share with another

int allowed_distance(std::size_t letters) {
  return std::clamp(static_cast<int>(letters / 3), 1, 3);
}

bool one_begins_other(std::string_view a, std::string_view b) {
  if (std::min(a.size(), b.size()) < kShortestPrefix) return false;
  return a.substr(0, b.size()) == b || b.substr(0, a.size()) == a;
}

}  // namespace

// Rows of the usual table; a swap of neighbours looks two rows back.
int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> before(b.size() + 1), previous(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(previous);
    previous.swap(row);
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int change = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({change, previous[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string closest(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string wanted = lowered(word);
  const int allowed = allowed_distance(wanted.size());
  const std::string* best = nullptr;
  int best_distance = 0;
  for (const std::string& candidate : candidates) {
    const std::string c = lowered(candidate);
    const int apart =
        static_cast<int>(std::max(c.size(), wanted.size()) - std::min(c.size(), wanted.size()));
    const bool begins = one_begins_other(wanted, c);
    if (apart > allowed && !begins) continue;  // no need for the table
    // h200 is what h200-sxm and h200-nvl are called for short.
    const bool family = c.starts_with(wanted + "-");
    const int distance = family ? 0 : begins ? apart : edit_distance(wanted, c);
    const bool close = distance <= allowed && distance < static_cast<int>(wanted.size());
    if ((close || begins) && (!best || distance < best_distance)) {
      best = &candidate;
      best_distance = distance;
    }
  }
  return best ? *best : std::string();
}

}  // namespace reckon
