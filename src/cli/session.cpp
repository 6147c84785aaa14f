#include "session.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>

namespace reckon::cli {
namespace {

std::filesystem::path program() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error);
}

bool wants_colour() {
  const char* no = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) != 0 && !(no && *no);
}

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 100;
  return std::clamp<std::size_t>(size.ws_col, 80, 110);
}

}  // namespace

Session::Session(const std::string& data_option)
    : work_(default_roots(data_option, RECKON_SOURCE_DATA, program())),
      colour_(wants_colour()),
      width_(terminal_width()) {}

void Session::print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw std::runtime_error("stdout can't be written");
}

bool Session::report_faults() {
  const bool failed = diagnostics_.has_errors();
  if (!diagnostics_.all().empty()) {
    std::fflush(stdout);
    fmt::print(stderr, "{}", diagnostics_.render(colour_ && isatty(STDERR_FILENO) != 0));
  }
  diagnostics_ = Diagnostics();
  return failed;
}

void Session::note(const std::string& text) const {
  std::fflush(stdout);
  fmt::print(stderr, "note: {}\n", text);
}

doc::Value Session::read_plan(const std::string& name) {
  if (name != "-") return work_.read(name, {}, diagnostics_);
  std::string text{std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
  return work_.read_text("<stdin>", std::move(text), diagnostics_);
}

bool split_sets(const std::vector<std::string>& words, Sets& out, Diagnostics& diagnostics) {
  bool ok = true;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      diagnostics.error({}, fmt::format("--set {}: expected path=value", word))
          .help("for example --set mesh.tensor=8");
      ok = false;
      continue;
    }
    out.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return ok;
}

bool format_of_file(const std::string& file, Format& out) {
  const std::pair<const char*, Format> endings[] = {{".txt", Format::kText},
                                                    {".json", Format::kJson},
                                                    {".csv", Format::kCsv},
                                                    {".md", Format::kMarkdown}};
  for (const auto& [ending, format] : endings) {
    if (!file.ends_with(ending)) continue;
    out = format;
    return true;
  }
  return false;
}

bool write_file(const std::string& file, const std::string& text, Diagnostics& diagnostics) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.flush();
  if (out) return true;
  diagnostics.error({}, fmt::format("{} can't be written", file));
  return false;
}

}  // namespace reckon::cli
