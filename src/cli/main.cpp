#include <fmt/format.h>

#include <exception>

#include "options.hpp"

int main(int argc, char** argv) {
  try {
    return reckon::cli::run(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "reckon: internal error: {}\n", e.what());
    return 3;
  }
}
