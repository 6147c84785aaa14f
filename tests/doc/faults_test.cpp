// Each file of tests/golden/faults is a kind of fault; beside it, what the user is told. With
// RECKON_BLESS=1 in the environment the expectations are written anew.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "sample.hpp"

namespace fs = std::filesystem;

namespace {

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<fs::path> inputs() {
  std::vector<fs::path> out;
  for (const auto& file :
       fs::directory_iterator(fs::path(RECKON_SOURCE_DIR) / "tests/golden/faults"))
    if (file.path().extension() != ".txt") out.push_back(file.path());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

TEST_CASE("each kind of fault, as it is told") {
  const bool bless = std::getenv("RECKON_BLESS") != nullptr;
  REQUIRE(inputs().size() > 100);
  for (const fs::path& input : inputs()) {
    INFO(input.filename().string());
    const std::string told =
        sample::Bound(read(input), input.filename().string()).diagnostics.render();
    fs::path expectation = input;
    expectation += ".txt";
    if (bless) std::ofstream(expectation, std::ios::binary) << told;
    CHECK(told == read(expectation));
    CHECK(told.find("error: ") != std::string::npos);
  }
}
