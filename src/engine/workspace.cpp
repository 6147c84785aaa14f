#include "reckon/engine/workspace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "reckon/base/edit_distance.hpp"
#include "reckon/base/text.hpp"

namespace reckon {

namespace fs = std::filesystem;

namespace {

constexpr ShelfInfo kInfo[] = {{"hardware/chips", "chip", "chips"},
                               {"hardware/nodes", "node", "nodes"},
                               {"hardware/fabrics", "fabric", "fabrics"},
                               {"hardware/clusters", "cluster", "clusters"},
                               {"hardware/kernels", "kernels", "kernel files"},
                               {"hardware/nccl", "nccl", "NCCL models"},
                               {"models", "model", "models"},
                               {"models/architectures", "architecture", "architectures"},
                               {"formats", "format", "number formats"},
                               {"formats/recipes", "precision", "precision recipes"},
                               {"optimizers", "optimizer", "optimizers"},
                               {"presets", "preset", "presets"},
                               {"hardware/stacks", "stack", "software stacks"},
                               {"hardware/engines", "engine", "serving engines"},
                               {"laws", "law", "laws"}};

bool is_path(std::string_view name) {
  return name.find('/') != name.npos || name.ends_with(".yaml") || name.ends_with(".yml") ||
         name.ends_with(".json");
}

// Takes `kind:` out of a data file and checks it; data without one is taken at its word.
bool check_kind(doc::Value& tree, const ShelfInfo& info, Span said, Diagnostics& diagnostics) {
  for (auto e = tree.entries.begin(); e != tree.entries.end(); ++e) {
    if (e->key != "kind") continue;
    if (e->value.text != info.kind) {
      diagnostics
          .error(e->value.span,
                 fmt::format("expected a file of kind {}, found kind {}", info.kind, e->value.text))
          .note(said, "the file is named here");
      return false;
    }
    tree.entries.erase(e);
    return true;
  }
  return true;
}

}  // namespace

const ShelfInfo& shelf_info(Shelf shelf) { return kInfo[static_cast<std::size_t>(shelf)]; }

bool read_file(const fs::path& file, std::string& out) {
  std::error_code error;
  if (fs::is_directory(file, error)) return false;
  std::ifstream in(file, std::ios::binary);
  if (!in) return false;
  std::ostringstream text;
  text << in.rdbuf();
  out = std::move(text).str();
  return true;
}

Workspace::Workspace(std::vector<fs::path> data_roots) : roots_(std::move(data_roots)) {}

fs::path Workspace::find(Shelf shelf, std::string_view name, std::string_view beside) const {
  std::error_code error;
  if (is_path(name)) {
    const fs::path given{std::string(name)};
    const fs::path near = fs::path(std::string(beside)).parent_path() / given;
    for (const fs::path& p : {near, given}) {
      if (fs::is_regular_file(p, error)) return p;
    }
    for (const fs::path& root : roots_) {
      for (const fs::path& p : {root / near, root / given}) {
        if (fs::is_regular_file(p, error)) return p;
      }
    }
    return {};
  }
  for (const fs::path& root : roots_) {
    const fs::path p = root / shelf_info(shelf).folder / (std::string(name) + ".yaml");
    if (fs::is_regular_file(p, error)) return p;
  }
  return {};
}

std::vector<std::string> Workspace::ids(Shelf shelf) const {
  std::set<std::string> found;
  for (const fs::path& root : roots_) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(root / shelf_info(shelf).folder, error)) {
      if (entry.path().extension() == ".yaml") found.insert(entry.path().stem().string());
    }
  }
  return {found.begin(), found.end()};
}

doc::Value Workspace::read_text(std::string name, std::string text, Diagnostics& diagnostics) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool json =
      name.ends_with(".json") || (first != text.npos && text[first] == '{' &&
                                  !name.ends_with(".yaml") && !name.ends_with(".yml"));
  const SourceFile* file = sources_.add(std::move(name), std::move(text));
  const std::size_t before = diagnostics.error_count();
  doc::Value tree = json ? doc::parse_json(file, diagnostics) : doc::parse_yaml(file, diagnostics);
  return diagnostics.error_count() > before && !tree.is_mapping() ? doc::faulty() : tree;
}

doc::Value Workspace::read(const fs::path& file, Span said, Diagnostics& diagnostics) {
  return read_as(file.string(), file, said, diagnostics);
}

doc::Value Workspace::read_as(std::string name, const fs::path& file, Span said,
                              Diagnostics& diagnostics) {
  std::string text;
  if (!read_or_say(file, said, text, diagnostics)) return doc::faulty();
  return read_text(std::move(name), std::move(text), diagnostics);
}

namespace {

// A file of the same folder with nearly that name.
std::string nearest_beside(const fs::path& file) {
  std::error_code error;
  const fs::path folder = file.parent_path();
  std::vector<std::string> names;
  for (const auto& e : fs::directory_iterator(folder.empty() ? fs::path(".") : folder, error))
    if (e.is_regular_file(error)) names.push_back(e.path().filename().string());
  std::sort(names.begin(), names.end());
  const std::string near = closest(file.filename().string(), names);
  return near.empty() || near == file.filename() ? "" : (folder / near).string();
}

}  // namespace

bool Workspace::read_or_say(const fs::path& file, Span said, std::string& text,
                            Diagnostics& diagnostics) const {
  if (read_file(file, text)) return true;
  std::error_code error;
  const char* why = fs::is_directory(file, error) ? "is a folder"
                    : fs::exists(file, error)     ? "can't be read"
                                                  : "does not exist";
  auto& fault = diagnostics.error(said, fmt::format("{} {}", file.string(), why));
  if (fs::is_directory(file, error))
    fault.help("name a file in it; `reckon check` alone takes folders");
  else if (const std::string near = nearest_beside(file); !near.empty())
    fault.help(fmt::format("did you mean '{}'?", near));
  return false;
}

namespace {

// The names that begin with the word and a dash, the shortest, and those hardly longer.
std::vector<std::string> family_of(const std::string& word, const std::vector<std::string>& known) {
  constexpr std::size_t kMost = 4, kLonger = 2;
  std::vector<std::string> out;
  for (const std::string& id : known)
    if (id.starts_with(word + "-")) out.push_back(id);
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
  const std::size_t longest = out.empty() ? 0 : out.front().size() + kLonger;
  std::erase_if(out, [longest](const std::string& id) { return id.size() > longest; });
  if (out.size() > kMost) out.resize(kMost);
  return out;
}

// The nearest name; beside it the one that the word says more than (a100-sxm-80g: a100-sxm). Before one that is merely
// spelt alike come those that hold the word whole (fp4: nvfp4), and after it those that the word holds (mxfp8: fp8).
std::vector<std::string> alike(const std::string& word, const std::vector<std::string>& known) {
  constexpr std::size_t kMost = 4, kLetters = 3;
  std::vector<std::string> out, hold, held;
  std::string begins;
  for (const std::string& id : known)
    if (word.starts_with(id + "-") && id.size() > begins.size()) begins = id;
  if (!begins.empty()) out.push_back(begins);
  for (const std::string& id : known) {
    if (word.size() >= kLetters && id.find(word) != id.npos && hold.size() < kMost)
      hold.push_back(id);
    if (id.size() >= kLetters && word.find(id) != word.npos && held.size() < kMost)
      held.push_back(id);
  }
  // Of a family the plain ones: fp8 is fp8-e4m3 or fp8-e5m2 before any of longer name.
  // Beside a single one stand those that end so: fp4 is fp4-e2m1, mxfp4 or nvfp4.
  std::vector<std::string> family = family_of(word, known);
  for (const std::string& id : family.size() == 1 ? known : std::vector<std::string>())
    if (id.ends_with(word) && id.size() <= word.size() + 2) family.push_back(id);
  if (!family.empty()) return family;
  const std::string near = closest(word, known);
  const bool same_letters =
      near.size() == word.size();  // fp8 for fp4: another thing as often as a slip
  if (!hold.empty() && (near.empty() || same_letters)) return hold;
  if (!near.empty() && near != begins) out.push_back(near);
  return out.empty() ? held : out;
}

}  // namespace

const std::string* Workspace::data_text(const std::string& path) {
  const auto [at, fresh] = texts_.try_emplace(path);
  for (std::size_t i = 0; fresh && !at->second && i < roots_.size(); ++i) {
    std::string text;
    if (read_file(roots_[i] / path, text)) at->second = std::move(text);
  }
  return at->second ? &*at->second : nullptr;
}

doc::Value Workspace::read_lenient(const fs::path& file, Span said, Diagnostics& diagnostics) {
  std::string text;
  if (!read_or_say(file, said, text, diagnostics)) return {};
  return doc::parse_json(sources_.add(file.string(), std::move(text)), diagnostics, true);
}

// Data files are named from their root: presets/textbook.yaml. `reckon show --path` knows the rest.
std::string Workspace::shown_name(const fs::path& file) const {
  for (const fs::path& root : roots_) {
    const std::string prefix = (root / "").string(), name = file.string();
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return file.string();
}

const doc::Value* Workspace::keep(const std::string& key, doc::Value tree) {
  return &loaded_.insert_or_assign(key, std::move(tree)).first->second;
}

const doc::Value* Workspace::load(Shelf shelf, std::string_view name, Span said,
                                  Diagnostics& diagnostics) {
  const ShelfInfo& info = shelf_info(shelf);
  const fs::path file = find(shelf, name, said ? said.file->name : "");
  if (file.empty()) {
    const std::vector<std::string> known = ids(shelf);
    auto& fault = diagnostics.error(
        said, fmt::format("no {} called '{}'", info.word.substr(0, info.word.size() - 1), name));
    const std::vector<std::string> near = alike(std::string(name), known);
    if (!near.empty()) {
      fault.help(fmt::format("did you mean '{}'?", fmt::join(near, "', or '")));
    } else {
      fault.help(
          fmt::format("`reckon list {}` prints those there are; a path to a YAML file works too",
                      info.folder.substr(0, info.folder.find('/'))));
    }
    return nullptr;
  }
  const std::string key = fmt::format("{}:{}", info.folder, file.string());  // its kind was checked
  if (const auto at = loaded_.find(key); at != loaded_.end()) return &at->second;
  const std::size_t before = diagnostics.error_count();
  doc::Value tree = read_as(shown_name(file), file, said, diagnostics);
  if (diagnostics.error_count() > before) return nullptr;
  if (!tree.is_mapping()) {
    diagnostics.error(said,
                      fmt::format("{} holds {}, not a mapping", file.string(), doc::kind_of(tree)));
    return nullptr;
  }
  doc::expand_dotted_keys(tree, diagnostics);
  if (!check_kind(tree, info, said, diagnostics)) return nullptr;
  doc::set(tree, "id", doc::scalar(is_path(name) ? file.stem().string() : std::string(name)));
  return keep(key, std::move(tree));
}

namespace {

bool holds_data(const fs::path& folder) {
  std::error_code error;
  return fs::is_directory(folder / "presets", error) &&
         fs::is_directory(folder / "hardware" / "chips", error);
}

// The source tree that the program lies in, at its top or below its build folder; empty for an installed one.
fs::path tree_around(const fs::path& program) {
  for (fs::path at = program.parent_path(); at.has_relative_path(); at = at.parent_path())
    if (holds_data(at)) return at;
  return {};
}

}  // namespace

std::vector<fs::path> default_roots(const std::string& data_option, const std::string& source_tree,
                                    const fs::path& program) {
  std::vector<fs::path> roots;
  std::error_code error;
  const auto add = [&](const fs::path& p) {
    if (!p.empty() && fs::is_directory(p / "presets", error)) roots.push_back(p);
  };
  if (!data_option.empty()) roots.emplace_back(data_option);
  if (const char* env = std::getenv("RECKON_DATA"); env && *env) roots.emplace_back(env);
  const fs::path tree = tree_around(program);
  add(tree.empty() ? fs::path(source_tree) : tree);
  add(program.parent_path().parent_path() / "share" / "reckon");
  return roots;
}

}  // namespace reckon
