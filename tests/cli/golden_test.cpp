// The program as a person sees it: commands and, under each, what they print.
//
//   $ reckon list fabrics --format csv
//   kind,id,name,figures
//   …
//   ! stderr has an exclamation mark
//   [exit 0]
//
// Each file under tests/golden/cli holds some commands; they run through sh in the source tree.
// RECKON_BLESS=1 rewrites what stands under them.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"

namespace fs = std::filesystem;

namespace {

std::string slurp(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

void add_lines(const std::string& text, const char* lead, std::string& out) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out += lead + line + "\n";
}

std::string run(const std::string& command, const fs::path& scratch) {
  const fs::path out = scratch / "out", err = scratch / "err";
  const std::string bin = fs::path(RECKON_PROGRAM).parent_path().string();
  const std::string line = "cd '" RECKON_SOURCE_DIR "' && PATH='" + bin + "':$PATH TMP='" +
                           scratch.string() + "' NO_COLOR=1 COLUMNS=100 sh -c '" +
                           replaced(command, "'", "'\\''") + "' >'" + out.string() + "' 2>'" +
                           err.string() + "' </dev/null";
  const int status = std::system(line.c_str());
  std::string text;
  add_lines(slurp(out), "", text);
  add_lines(slurp(err), "! ", text);
  text += "[exit " + std::to_string(WIFEXITED(status) ? WEXITSTATUS(status) : 128) + "]\n";
  return replaced(replaced(text, RECKON_SOURCE_DIR "/", ""), scratch.string(), "$TMP");
}

}  // namespace

TEST_CASE("commands print what their golden files say") {
  const bool bless = std::getenv("RECKON_BLESS") != nullptr;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(RECKON_SOURCE_DIR "/tests/golden/cli"))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  REQUIRE(!files.empty());
  // Of one length whatever the process: a caret's line is as long as the name it marks.
  std::string process = std::to_string(getpid());
  process.insert(0, 7 - std::min<std::size_t>(process.size(), 7), '0');
  const fs::path scratch = fs::temp_directory_path() / ("reckon-cli-" + process);
  fs::create_directories(scratch);
  for (const fs::path& file : files) {
    const std::string expected = slurp(file);
    std::string actual;
    std::istringstream lines(expected);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("#") && actual.find('$') == std::string::npos) actual += line + "\n";
      if (!line.starts_with("$ ")) continue;
      if (!actual.empty()) actual += "\n";
      actual += line + "\n" + run(line.substr(2), scratch);
    }
    if (bless && actual != expected) std::ofstream(file, std::ios::binary) << actual;
    if (bless) continue;
    INFO(file.string());
    CHECK(actual == expected);
  }
  fs::remove_all(scratch);
}
