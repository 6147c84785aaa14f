// A text held to a file of tests/golden/report; with RECKON_BLESS=1 in the environment the file is written anew.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "catch.hpp"

inline void check_golden(const std::string& name, const std::string& text) {
  const auto path = std::filesystem::path(RECKON_SOURCE_DIR) / "tests/golden/report" / name;
  if (std::getenv("RECKON_BLESS")) std::ofstream(path, std::ios::binary) << text;
  std::ifstream in(path, std::ios::binary);
  INFO(path.string());
  REQUIRE(in);
  CHECK(text == std::string(std::istreambuf_iterator<char>(in), {}));
}
