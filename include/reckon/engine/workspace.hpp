// The files behind an answer: finds data by name, reads each file once, keeps every text for its spans.
//
//   Workspace work({"data", "/usr/share/reckon"});
//   const doc::Value* chip = work.load(Shelf::kChips, "h100-sxm", at, diagnostics);
//
// A name is looked up as a path relative to the file that says it, then in each data root in order. A miss names the
// nearest file that exists.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reckon/doc/value.hpp"

namespace reckon {

// Where each kind of data lives under a root, and the `kind:` its files carry.
enum class Shelf {
  kChips,
  kNodes,
  kFabrics,
  kClusters,
  kKernels,
  kNccl,
  kModels,
  kArchitectures,
  kFormats,
  kRecipes,
  kOptimizers,
  kPresets,
  kStacks,
  kEngines,
  kLaws
};

struct ShelfInfo {
  std::string_view folder, kind, word;  // "hardware/chips", "chip", "chips"
};
const ShelfInfo& shelf_info(Shelf shelf);
inline constexpr Shelf kShelves[] = {
    Shelf::kChips,   Shelf::kNodes,   Shelf::kFabrics,    Shelf::kClusters, Shelf::kKernels,
    Shelf::kNccl,    Shelf::kStacks,  Shelf::kEngines,    Shelf::kModels,   Shelf::kArchitectures,
    Shelf::kFormats, Shelf::kRecipes, Shelf::kOptimizers, Shelf::kPresets,  Shelf::kLaws};

class Workspace {
 public:
  explicit Workspace(std::vector<std::filesystem::path> data_roots);

  Sources& sources() { return sources_; }
  const std::vector<std::filesystem::path>& roots() const { return roots_; }

  // The tree of the data file called `name` (an id, or a path with / or .yaml), without its `kind:`, and with
  // `id` set; nullptr after reporting a fault at `said` (where the name was said).
  const doc::Value* load(Shelf shelf, std::string_view name, Span said, Diagnostics& diagnostics);

  // The file behind a name, or empty.
  std::filesystem::path find(Shelf shelf, std::string_view name,
                             std::string_view beside = "") const;

  // Ids on a shelf, sorted, from all roots.
  std::vector<std::string> ids(Shelf shelf) const;

  // Any file as a tree (YAML, or JSON by its first character or ending); null after a fault. `said` may be empty.
  doc::Value read(const std::filesystem::path& file, Span said, Diagnostics& diagnostics);
  // The same, named from its data root.
  doc::Value read_data(const std::filesystem::path& file, Span said, Diagnostics& diagnostics) {
    return read_as(shown_name(file), file, said, diagnostics);
  }
  doc::Value read_text(std::string name, std::string text, Diagnostics& diagnostics);
  // A data file as it is ("measurements/errors.csv"), read once; null where no root has it.
  const std::string* data_text(const std::string& path);
  // JSON that others wrote: bare Infinity and NaN are taken for texts.
  doc::Value read_lenient(const std::filesystem::path& file, Span said, Diagnostics& diagnostics);

 private:
  std::string shown_name(const std::filesystem::path& file) const;
  doc::Value read_as(std::string name, const std::filesystem::path& file, Span said,
                     Diagnostics& diagnostics);
  const doc::Value* keep(const std::string& key, doc::Value tree);
  bool read_or_say(const std::filesystem::path& file, Span said, std::string& text,
                   Diagnostics& diagnostics) const;

  std::vector<std::filesystem::path> roots_;
  Sources sources_;
  std::map<std::string, doc::Value, std::less<>> loaded_;
  std::map<std::string, std::optional<std::string>, std::less<>> texts_;
};

// Roots in this order: --data, RECKON_DATA, the tree that the program lies in or was built from, the installed share.
std::vector<std::filesystem::path> default_roots(const std::string& data_option,
                                                 const std::string& source_tree,
                                                 const std::filesystem::path& program);

// The whole file; false if it can't be read.
bool read_file(const std::filesystem::path& file, std::string& out);

}  // namespace reckon
