// Which data a program reads: those of the tree it lies in before those of the one it was built from.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "catch.hpp"
#include "reckon/engine/workspace.hpp"

namespace reckon {
namespace {

namespace fs = std::filesystem;

TEST_CASE(
    "a program copied into another tree reads that tree's data; an installed one those it was "
    "built from") {
  unsetenv("RECKON_DATA");
  const fs::path top = fs::temp_directory_path() / (std::to_string(getpid()) + "-roots");
  for (const char* tree : {"copy", "built"}) {
    fs::create_directories(top / tree / "presets");
    fs::create_directories(top / tree / "hardware" / "chips");
  }
  fs::create_directories(top / "usr" / "share" / "reckon" / "presets");
  const std::string built = (top / "built").string();
  const std::vector<fs::path> copy{top / "copy"};
  CHECK(default_roots("", built, top / "copy" / "reckon") == copy);
  CHECK(default_roots("", built, top / "copy" / "build" / "dev" / "reckon") == copy);
  const std::vector<fs::path> installed{top / "built", top / "usr" / "share" / "reckon"};
  CHECK(default_roots("", built, top / "usr" / "bin" / "reckon") == installed);
  const std::vector<fs::path> said{"mine", top / "copy"};
  CHECK(default_roots("mine", built, top / "copy" / "reckon") == said);
  fs::remove_all(top);
}

}  // namespace
}  // namespace reckon
