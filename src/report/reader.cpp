#include "reader.hpp"

#include <algorithm>
#include <utility>

#include "cell.hpp"
#include "reckon/base/text.hpp"

namespace reckon {

const Metric* Reader::get(std::string_view id) {
  const Metric* m = result_.find(id);
  if (m) seen_.emplace(id);
  return m;
}

void Reader::claim(std::initializer_list<std::string_view> ids) {
  for (const std::string_view id : ids) get(id);
}

void Reader::claim_all(std::string_view prefix) {
  for (const Metric& m : result_.metrics) {
    if (m.id.starts_with(prefix)) seen_.insert(m.id);
  }
}

std::string Reader::text(std::string_view id) {
  const Metric* m = get(id);
  return m ? shown(*m) : "";
}

std::optional<double> Reader::number(std::string_view id) {
  const Metric* m = get(id);
  if (!m || !reason_of(*m).empty()) return std::nullopt;
  return m->value;
}

std::vector<const Metric*> Reader::not_shown() const {
  std::vector<const Metric*> out;
  for (const Metric& m : result_.metrics) {
    if (!seen_.contains(m.id)) out.push_back(&m);
  }
  return out;
}

std::string Reader::assumed(std::string_view path) const {
  for (const Assumption& a : result_.assumptions) {
    if (a.path == path) return a.value;
  }
  return "";
}

void Absences::add(std::string label, const std::string& reason) {
  const auto same = [&](const auto& entry) { return entry.first == reason; };
  auto at = std::find_if(by_reason_.begin(), by_reason_.end(), same);
  if (at == by_reason_.end()) at = by_reason_.insert(at, {reason, {}});
  at->second.push_back(std::move(label));
}

void Absences::append_to(std::vector<std::string>& notes) const {
  for (const auto& [reason, labels] : by_reason_)
    notes.push_back(std::string(kAbsent) + ' ' + join(labels, ", ") + ": " + reason);
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t end; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1))
    out.emplace_back(text.substr(0, end));
  out.emplace_back(text);
  return out;
}

Table KeyValues::table() const {
  constexpr std::size_t kIndent = 2, kGap = 2, kNarrowest = 20;
  std::size_t keys = 0;
  for (const auto& [key, value] : rows_) keys = std::max(keys, columns(key));
  const std::size_t used = kIndent + keys + kGap;
  const std::size_t room = std::max(canvas_.width, used + kNarrowest) - used;
  Table out({{""}, {""}});
  for (const auto& [key, value] : rows_) {
    std::string name = key;
    for (const std::string& line : lines_of(wrap(value, room)))
      out.row({std::exchange(name, ""), line});
  }
  return out;
}

}  // namespace reckon
