#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>

#include "options.hpp"
#include "session.hpp"

namespace {

// Where a standard stream is closed, the next file opened would take its place and be written to. Open for reading
// alone, the place is taken and writing to it still fails.
void hold_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    const int copy = dup(stream);
    if (copy == -1)
      static_cast<void>(std::fopen("/dev/null", "r"));  // takes the lowest number that is free
    else
      close(copy);
  }
}

}  // namespace

int main(int argc, char** argv) {
  hold_standard_streams();
  try {
    return reckon::cli::run(argc, argv);
  } catch (const reckon::cli::OutputFailed& failed) {
    if (failed.reason != EPIPE)  // a reader that has gone wants no more, nor a message
      reckon::cli::write_err(
          fmt::format("error: stdout can't be written: {}\n", std::strerror(failed.reason)));
    return reckon::cli::kUsage;
  } catch (const std::exception& e) {
    reckon::cli::write_err(fmt::format("reckon: internal error: {}\n", e.what()));
    return reckon::cli::kInternal;
  }
}
