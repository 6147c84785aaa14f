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

namespace {

void look_up_field(Workspace& work, LookUp how, doc::Value& at, const doc::Value* chip,
                   Diagnostics& d) {
  switch (how) {
    case LookUp::kNone:
      return;
    case LookUp::kModel:
      at = resolve_model(work, at, d);
      return;
    case LookUp::kPrecision:
      at = resolve_precision(work, at, d);
      return;
    case LookUp::kOptimizer:
      at = resolve_optimizer(work, at, d);
      return;
    case LookUp::kFormat:
      at = resolve_format(work, at, d);
      return;
    case LookUp::kClasses:
      at = resolve_classes(work, at, d);
      return;
    case LookUp::kChip:
      at = resolve_chip(work, at, d);
      return;
    case LookUp::kAssume:
      at = resolve_assume(work, at, d);
      return;
    case LookUp::kLaw:
      at = resolve_law(work, at, d);
      return;
    case LookUp::kStack:
      at = resolve_stack(work, at, chip, d);
      return;
  }
}

void look_up(Workspace& work, const QuestionField& f, doc::Value& tree, Diagnostics& d) {
  doc::Value* at = tree.find(f.name);
  if (at && !at->is_null()) look_up_field(work, f.how, *at, tree.at("cluster.node.chip"), d);
}

bool has_default(const QuestionField& f) {
  return !f.optional && (f.how == LookUp::kPrecision || f.how == LookUp::kOptimizer ||
                         f.how == LookUp::kAssume || f.how == LookUp::kLaw);
}

}  // namespace

void look_up(Workspace& work, const std::vector<QuestionField>& fields, std::string_view name,
             doc::Value& tree, Diagnostics& d) {
  for (const QuestionField& f : fields)
    if (f.name == name) look_up(work, f, tree, d);
}

void look_up_all(Workspace& work, const std::vector<QuestionField>& fields, doc::Value& tree,
                 Diagnostics& d) {
  std::vector<std::string> defaults;
  bool has_cluster = false;
  for (const QuestionField& f : fields) {
    if (has_default(f)) defaults.emplace_back(f.name);
    has_cluster = has_cluster || f.name == "cluster";
  }
  fill_defaults(work, defaults, tree, d);
  if (has_cluster) resolve_hardware(work, tree, d);
  for (const QuestionField& f : fields) look_up(work, f, tree, d);
}

void check_models(const std::vector<QuestionField>& fields, const Loaded& loaded, Diagnostics& d) {
  for (const QuestionField& f : fields) {
    if (f.model) check_model(*f.model, std::string(f.name), loaded.origins, loaded.resolved, d);
  }
}

}  // namespace reckon
