#include "session.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>

#include "reckon/base/atomic_file.hpp"
#include "reckon/load/simulate.hpp"
#include "reckon/report/html.hpp"

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

// A folder may hold a part of the data, what lies beside the program fills in the rest; one that holds none of it is
// a slip.
void check_data_folder(const char* said, const std::string& folder, Diagnostics& diagnostics) {
  if (folder.empty()) return;
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    diagnostics.error({}, fmt::format("{} {}: {}", said, folder,
                                      std::filesystem::exists(folder, error) ? "is no folder"
                                                                             : "does not exist"));
    return;
  }
  for (const Shelf shelf : kShelves) {
    if (std::filesystem::is_directory(folder / std::filesystem::path(shelf_info(shelf).folder),
                                      error))
      return;
  }
  for (const char* other : {"plans", "measurements"})
    if (std::filesystem::is_directory(folder / std::filesystem::path(other), error)) return;
  diagnostics.error({}, fmt::format("{} {}: holds no data", said, folder))
      .help(
          "it should hold some of hardware/, models/, formats/, optimizers/, presets/, plans/, "
          "measurements/");
}

}  // namespace

Session::Session(const std::string& data_option)
    : work_(default_roots(data_option, RECKON_SOURCE_DATA, program())),
      colour_(wants_colour()),
      width_(terminal_width()),
      terminal_(isatty(STDOUT_FILENO) != 0) {
  if (isatty(STDERR_FILENO) == 0) return;
  // A line that a simulation of some seconds rewrites, and leaves empty.
  load::on_progress() = [begin = std::chrono::steady_clock::now(), shown = false](
                            std::size_t done, std::size_t all) mutable {
    shown = shown || std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(500);
    if (!shown) return;
    write_err("\r\033[K");
    if (done < all) write_err(fmt::format("simulating: {} of {} runs", done, all));
  };
}

void write_out(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw OutputFailed{errno};
}

void write_err(const std::string& text) noexcept {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void Session::print(const std::string& text) {
  if (page_)
    markdown_ += text;
  else
    write_out(text);
}

void Session::finish_page() {
  if (!markdown_.empty()) write_out(page_of_markdown(markdown_));
}

bool Session::check_data(const std::string& data_option) {
  const char* variable = std::getenv("RECKON_DATA");
  check_data_folder("--data", data_option, diagnostics_);
  check_data_folder("RECKON_DATA", variable ? variable : "", diagnostics_);
  if (data_option.empty() && !variable) say_other_data();
  return !diagnostics_.has_errors();
}

void Session::say_other_data() const {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory("presets", error) || !fs::is_directory("hardware/chips", error)) return;
  for (const fs::path& root : work_.roots())
    if (fs::equivalent(root, ".", error)) return;
  note(fmt::format("the data are those of {}; --data . takes this folder's",
                   work_.roots().empty() ? "nowhere" : work_.roots().front().string()));
}

bool Session::report_faults() {
  const bool failed = diagnostics_.has_errors();
  if (!diagnostics_.all().empty()) {
    std::fflush(stdout);
    write_err(diagnostics_.render(colour_ && isatty(STDERR_FILENO) != 0));
  }
  diagnostics_ = Diagnostics();
  return failed;
}

void Session::note(const std::string& text) const {
  std::fflush(stdout);
  write_err(fmt::format("note: {}\n", text));
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
                                                    {".md", Format::kMarkdown},
                                                    {".html", Format::kMarkdown}};
  for (const auto& [ending, format] : endings) {
    if (!file.ends_with(ending)) continue;
    out = format;
    return true;
  }
  return false;
}

bool is_yaml_file(const std::string& file, Diagnostics& diagnostics) {
  Format other{};
  if (!format_of_file(file, other) || other == Format::kText) return true;
  diagnostics.error({}, fmt::format("{}: what is written is YAML", file))
      .help(fmt::format("name it {}.yaml", file.substr(0, file.rfind('.'))));
  return false;
}

bool write_file(const std::string& file, const std::string& text, Diagnostics& diagnostics) {
  const std::string why = write_atomically(file, text);
  if (why.empty()) return true;
  auto& fault = diagnostics.error({}, why);
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  if (!folder.empty() && !std::filesystem::exists(folder, error))
    fault.help(fmt::format("make the folder first: mkdir -p {}", folder.string()));
  return false;
}

bool keeps_inputs(const std::string& output, const std::vector<std::string>& inputs,
                  Diagnostics& diagnostics) {
  for (const std::string& input : inputs) {
    if (output.empty() || !is_same_file(input, output)) continue;
    diagnostics
        .error({}, input == output
                       ? fmt::format("--output {}: that is the file it reads", output)
                       : fmt::format("--output {}: that is {}, which it reads", output, input))
        .help("what was measured or stated can't be had again from what is written: name another");
    return false;
  }
  return true;
}

}  // namespace reckon::cli
