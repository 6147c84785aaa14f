#include "text_list.hpp"

#include <algorithm>
#include <string>

namespace reckon {

void write_out_list(doc::Value& mapping, std::string_view key, std::string_view between) {
  doc::Value* at = mapping.is_mapping() ? mapping.find(key) : nullptr;
  if (!at || !at->is_scalar()) return;
  doc::Value list = doc::sequence(at->span);
  const std::string_view text = at->text;
  for (std::size_t from = text.find_first_not_of(between); from != text.npos;) {
    const std::size_t to = std::min(text.find_first_of(between, from), text.size());
    list.items.push_back(doc::scalar(std::string(text.substr(from, to - from)), at->span));
    list.items.back().quoted = true;
    from = text.find_first_not_of(between, to);
  }
  *at = std::move(list);
}

}  // namespace reckon
