#include "assumed.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reckon/base/text.hpp"
#include "reckon/spec/training.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

std::string place_of(const Origins& origins, const std::string& path) {
  const auto at = origins.find(path);
  if (at == origins.end() || !at->second.span) return "default";
  return fmt::format("{}:{}", at->second.span.file->name, at->second.span.line);
}

// Every key of a described struct as text, with its place.
class ListAssumptions {
 public:
  ListAssumptions(const Origins& origins, std::string path, std::vector<Assumption>& out)
      : origins_(origins), path_(std::move(path)), out_(out) {}

  template <class T>
  void operator()(const Field& f, const T& member) const {
    const std::string path = path_ + "." + std::string(f.name);
    if constexpr (detail::is_quantity<T>) {
      add(path, format_quantity(value_of(member.raw), detail::dim_of(T{}), f.hint_));
    } else if constexpr (detail::Element<T>::optional) {
      if (member) (*this)(f, *member);
    } else if constexpr (std::is_same_v<T, bool>) {
      add(path, member ? "yes" : "no");
    } else if constexpr (NamedEnum<T>) {
      add(path, std::string(name_of(member)));
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (f.name != "source") add(path, member);
    } else if constexpr (Described<T>) {
      T::fields(ListAssumptions(origins_, path, out_), member);
    }
  }

 private:
  void add(const std::string& path, std::string value) const {
    Assumption a{
        path.substr(path.find('.') + 1), std::move(value), place_of(origins_, path), {}, false};
    if (const auto at = origins_.find(path); at != origins_.end()) {
      a.source = at->second.source;
      a.overridden = at->second.replaced && path.starts_with("assume.") && path != "assume.preset";
    }
    out_.push_back(std::move(a));
  }

  const Origins& origins_;
  std::string path_;
  std::vector<Assumption>& out_;
};

std::vector<Assumption> all_of(const Origins& origins, const Assume<double>& assume) {
  std::vector<Assumption> all;
  Assume<double>::fields(ListAssumptions(origins, "assume", all), assume);
  return all;
}

bool of_preset(const Span& span) { return !span || span.file->name.starts_with("presets/"); }

}  // namespace

bool bears(const Bearing& keys, std::string_view path) {
  return path == "preset" || std::any_of(keys.begin(), keys.end(), [&](std::string_view key) {
           return matches_pattern(path, key);
         });
}

void list_assumptions(const Loaded& loaded, const Assume<double>& assume, const Bearing& keys,
                      std::vector<Assumption>& out) {
  for (Assumption& a : all_of(loaded.origins, assume)) {
    if (bears(keys, a.path)) out.push_back(std::move(a));
  }
}

void list_limits(const Loaded& loaded, const MemoryLimits<double>& limits,
                 std::vector<Assumption>& out) {
  MemoryLimits<double>::fields(ListAssumptions(loaded.origins, "memory", out), limits);
}

void refuse_idle_assumptions(const Loaded& loaded, const Assume<double>& assume,
                             const Bearing& keys, std::string_view kind, Diagnostics& diagnostics) {
  for (const Assumption& a : all_of(loaded.origins, assume)) {
    const auto at = loaded.origins.find("assume." + a.path);
    if (bears(keys, a.path) || at == loaded.origins.end() || of_preset(at->second.span)) continue;
    diagnostics
        .error(at->second.span,
               fmt::format("assume.{}: no {} question depends on it", a.path, kind))
        .help(fmt::format("leave it out; what it depends on: {}",
                          join({keys.begin(), keys.end()}, ", ")));
  }
}

}  // namespace reckon
