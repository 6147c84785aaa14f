#include "question_of.hpp"

#include <fmt/format.h>

#include "reckon/base/text.hpp"

namespace reckon {

void fill_defaults(Workspace& work, const std::vector<std::string>& keys, doc::Value& tree,
                   Diagnostics& diagnostics) {
  const auto file = work.find(Shelf::kPresets, "defaults");
  if (file.empty() || keys.empty() || !tree.is_mapping()) return;
  const doc::Value defaults = work.read_data(file, {}, diagnostics);
  for (const std::string& key : keys) {
    const doc::Value* said = tree.find(key);
    const doc::Value* usual = defaults.find(key);
    if (usual && (!said || said->is_null())) doc::set(tree, key, *usual);
  }
}

namespace {

// As a shell takes it.
std::string quoted(const std::string& word) {
  return word.find(' ') == word.npos ? word : "'" + word + "'";
}

}  // namespace

std::string as_flags(const std::vector<std::pair<std::string, std::string>>& sets) {
  std::vector<std::string> out;
  for (const auto& [path, value] : sets) {
    constexpr std::string_view kAssume = "assume.";
    std::string flag = path;
    std::replace(flag.begin(), flag.end(), '_', '-');
    if (path.starts_with(kAssume))
      out.push_back("--assume " + quoted(path.substr(kAssume.size()) + "=" + value));
    else if (path.find('.') != std::string::npos)
      out.push_back(fmt::format("--set {}={}", path, value));
    else
      out.push_back(value == "yes" ? "--" + flag : fmt::format("--{} {}", flag, value));
  }
  return join(out, " ");
}

bool set_field(doc::Value& tree, const std::string& path, const std::string& value, Workspace& work,
               Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.error_count();
  doc::Value parsed = doc::parse_yaml(work.sources().add("also", value), diagnostics);
  if (diagnostics.error_count() > before) return false;
  return doc::set_path(tree, path, std::move(parsed), diagnostics);
}

}  // namespace reckon
