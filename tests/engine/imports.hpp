// Configs written by a test and imported.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "data.hpp"
#include "reckon/engine/import.hpp"
#include "reckon/engine/legal.hpp"
#include "reckon/spec/compiled_once.hpp"

namespace reckon::test {

// A folder of the test's own, gone when the test is.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              ("reckon-import-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  Folder(Folder&&) = delete;
  Folder& operator=(Folder&&) = delete;

  std::string write(const std::string& name, const std::string& text) const {
    const auto file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file.string();
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct Taken {
  Imported imported;
  Model<double> model;
  std::string faults;  // rendered, without the folder's name
  bool good = false;
};

inline std::string without(std::string text, const std::string& what) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what))
    text.erase(at, what.size());
  return text;
}

inline Taken take(const Folder& folder, const std::string& file,
                  const ImportRequest& request = {}) {
  Workspace work({RECKON_SOURCE_DIR});
  Diagnostics d;
  Taken out;
  out.imported = import_model(work, file, {}, request, d);
  if (out.imported.model.is_mapping()) {
    doc::Value plan = doc::mapping();
    Origins origins;
    const doc::Value tree = resolve_model(work, out.imported.model, d);
    if (!d.has_errors()) bind(tree, out.model, {d, origins, "model"});
    doc::set(plan, "model", tree);
    if (!d.has_errors()) check_model(out.model, "model", origins, plan, d);
  }
  out.faults = without(d.render(), folder.path().string() + "/");
  out.good = !d.has_errors() && out.imported.model.is_mapping();
  for (ImportedFact& f : out.imported.facts)
    f.place = without(f.place, folder.path().string() + "/");
  out.imported.model = {};  // its places are the workspace's
  return out;
}

inline Taken take_text(const Folder& folder, const std::string& config,
                       const ImportRequest& request = {}) {
  return take(folder, folder.write("config.json", config), request);
}

}  // namespace reckon::test
