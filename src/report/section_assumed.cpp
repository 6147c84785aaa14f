// What was assumed: the preset, how well things run, and what the plan overrides; all of it with places if verbose.
#include <fmt/format.h>

#include <algorithm>

#include "eval_sections.hpp"
#include "reckon/base/text.hpp"

namespace reckon {
namespace {

// "plan.yaml:8" -> "line 8" of the plan itself, "textbook.yaml:5" of another file.
std::string short_place(const std::string& place, const std::string& plan) {
  const std::size_t colon = place.rfind(':');
  if (colon != place.npos && place.compare(0, colon, plan) == 0)
    return "line " + place.substr(colon + 1);
  const std::size_t slash = place.rfind('/');
  return slash == place.npos ? place : place.substr(slash + 1);
}

const Assumption* find(const Result& result, std::string_view path) {
  for (const Assumption& a : result.assumptions) {
    if (a.path == path) return &a;
  }
  return nullptr;
}

std::string with_place(const Assumption& a, const Result& result) {
  return fmt::format("{} ({})", a.value, short_place(a.place, result.file));
}

// "link 82 %, network 92 %" of the paths under one name.
std::string group(const Result& result, std::string_view name) {
  std::vector<std::string> out;
  const std::string prefix = std::string(name) + ".";
  for (const Assumption& a : result.assumptions) {
    if (a.path.starts_with(prefix)) out.push_back(a.path.substr(prefix.size()) + ' ' + a.value);
  }
  return join(out, ", ");
}

std::string overridden(const Result& result) {
  std::vector<std::string> out;
  for (const Assumption& a : result.assumptions) {
    if (a.overridden && a.path != "train.mfu") out.push_back(a.path + ' ' + with_place(a, result));
  }
  return join(out, ", ");
}

std::string stated_mfu(const Result& result) {
  const Assumption *mfu = find(result, "train.mfu"), *flops = find(result, "flops");
  std::string out = mfu ? mfu->value + " of the peak" : "not stated";
  if (flops) out += ", FLOPs counted as " + flops->value;
  return mfu ? fmt::format("{} ({})", out, short_place(mfu->place, result.file)) : out;
}

Section in_short(const Result& result, const Canvas& canvas) {
  KeyValues rows(canvas);
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) rows.add(key, value);
  };
  if (const Assumption* preset = find(result, "preset")) add("preset", with_place(*preset, result));
  add("MFU", stated_mfu(result));
  for (const char* name : {"overlap", "efficiency", "latency"}) add(name, group(result, name));
  add("overridden", overridden(result));
  return {.title = "Assumed (--verbose lists all, with file and source)", .table = rows.table()};
}

std::string full_place(const Assumption& a) {
  return a.place + (a.overridden ? " (overrides the preset)" : "");
}

// The source on lines of its own under the place.
Section in_full(const Result& result, const Canvas& canvas) {
  constexpr std::size_t kIndent = 2, kGap = 2, kNarrowest = 20;
  std::size_t path = 0, value = 0;
  for (const Assumption& a : result.assumptions) {
    path = std::max(path, columns(a.path));
    value = std::max(value, columns(a.value));
  }
  const std::size_t used = kIndent + path + kGap + value + kGap;
  const std::size_t room = std::max(canvas.width, used + kNarrowest) - used;
  Table rows({{"assumption"}, {"value"}, {"stated at, source"}});
  for (const Assumption& a : result.assumptions) {
    rows.row({a.path, a.value, full_place(a)});
    if (a.source.empty()) continue;
    for (const std::string& line : lines_of(wrap(a.source, room))) rows.row({"", "", line});
  }
  return {.title = "Assumed", .table = std::move(rows)};
}

Section as_table(const Result& result) {
  Table rows({{"assumption"}, {"value"}, {"stated at"}, {"source"}});
  for (const Assumption& a : result.assumptions)
    rows.row({a.path, a.value, full_place(a), a.source});
  return {.title = "Assumed", .table = std::move(rows)};
}

}  // namespace

Section assumed_section(Reader& r, const Canvas& canvas) {
  if (r.result().assumptions.empty()) return {};
  if (canvas.markdown) return as_table(r.result());
  return canvas.verbose ? in_full(r.result(), canvas) : in_short(r.result(), canvas);
}

}  // namespace reckon
