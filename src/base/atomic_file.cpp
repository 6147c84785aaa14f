#include "reckon/base/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

namespace reckon {
namespace {

namespace fs = std::filesystem;

// An open file that is closed in any case.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  bool close() {
    const int fd = fd_;
    fd_ = -1;
    return ::close(fd) == 0;
  }

 private:
  int fd_;
};

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

std::string failed(const char* what, const fs::path& file) {
  return fmt::format("{} {}: {}", what, file.string(), std::strerror(errno));
}

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

// A new file beside the target, with the rights that a new file gets here; its name goes to `name`.
int new_file_beside(const fs::path& target, std::string& name) {
  constexpr mode_t kUsual = 0666;  // less the umask
  constexpr int kTries = 100;
  const fs::path folder = folder_of(target);
  for (int i = 0; i < kTries; ++i) {
    name = (folder / fmt::format(".reckon-{}-{}-{}", target.filename().string(), ::getpid(), i))
               .string();
    const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kUsual);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

// Into a pipe, a device, or whatever stands on stdout or stderr: those can't be replaced, only written to.
std::string write_through(const fs::path& file, int already_open, std::string_view text) {
  if (already_open >= 0) {
    std::fflush(nullptr);  // what was printed before comes before
    return write_all(already_open, text) ? "" : failed("can't write", file);
  }
  Descriptor fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (fd.get() < 0) return failed("can't open", file);
  return write_all(fd.get(), text) && fd.close() ? "" : failed("can't write", file);
}

// Which of stdout and stderr this is, if either: /dev/stdout sent to a file.
int standard_stream(const struct stat& there) {
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat open {};
    if (::fstat(fd, &open) == 0 && same_file(open, there)) return fd;
  }
  return -1;
}

// The file that a chain of links ends at, whether it exists or not; empty after a circle.
fs::path end_of_links(fs::path file) {
  constexpr int kMost = 40;  // as many as the system follows
  std::error_code error;
  for (int i = 0; i < kMost; ++i) {
    if (!fs::is_symlink(fs::symlink_status(file, error))) return file;
    const fs::path to = fs::read_symlink(file, error);
    if (error) return {};
    file = to.is_absolute() ? to : file.parent_path() / to;
  }
  return {};
}

std::string replace_file(const fs::path& file, std::optional<mode_t> mode, std::string_view text) {
  std::string name;
  Descriptor fd(new_file_beside(file, name));
  const fs::path folder = folder_of(file);
  if (fd.get() < 0) return failed("can't create a file in", folder);
  const auto give_up = [&name](std::string why) {
    ::unlink(name.c_str());
    return why;
  };
  if (!write_all(fd.get(), text) || ::fsync(fd.get()) != 0 ||
      (mode && ::fchmod(fd.get(), *mode) != 0) || !fd.close())
    return give_up(failed("can't write", file));
  if (::rename(name.c_str(), file.c_str()) != 0) return give_up(failed("can't replace", file));
  const Descriptor at(
      ::open(folder.c_str(), O_RDONLY | O_DIRECTORY));  // so that the new name lasts
  if (at.get() >= 0) ::fsync(at.get());
  return "";
}

// Where a text goes: into a file's place, or through what can't be replaced.
struct Target {
  std::string why_not;
  fs::path end{};                // of the links
  std::optional<mode_t> mode{};  // of the file that is there
  bool through = false;
  int already_open = -1;
};

Target target_of(const fs::path& file) {
  constexpr mode_t kRights = 07777;
  struct stat there {};
  Target out;
  if (::stat(file.c_str(), &there) == 0) {
    if (S_ISDIR(there.st_mode)) return {fmt::format("{} is a folder", file.string())};
    out.through = !S_ISREG(there.st_mode);
    if (out.through) return out;
    out.already_open = standard_stream(there);
    out.through = out.already_open >= 0;
    if (out.through) return out;
    if (::access(file.c_str(), W_OK) != 0) return {failed("can't write", file)};
    out.mode = there.st_mode & kRights;
  } else if (errno != ENOENT) {
    return {failed("can't write", file)};
  }
  out.end = end_of_links(file);
  if (out.end.empty()) out.why_not = failed("can't follow the links of", file);
  return out;
}

}  // namespace

std::string write_atomically(const fs::path& file, std::string_view text) {
  const Target to = target_of(file);
  if (!to.why_not.empty()) return to.why_not;
  if (to.through) return write_through(file, to.already_open, text);
  return replace_file(to.end, to.mode, text);
}

std::string why_not_written(const fs::path& file) {
  const Target to = target_of(file);
  if (!to.why_not.empty()) return to.why_not;
  if (to.through) {  // to open a pipe would wait for its reader
    const bool can = to.already_open >= 0 || ::access(file.c_str(), W_OK) == 0;
    return can ? "" : failed("can't write", file);
  }
  std::string name;
  const Descriptor fd(new_file_beside(to.end, name));
  if (fd.get() < 0) return failed("can't create a file in", folder_of(to.end));
  ::unlink(name.c_str());
  return "";
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  struct stat x {
  }, y{};
  return ::stat(a.c_str(), &x) == 0 && ::stat(b.c_str(), &y) == 0 && S_ISREG(x.st_mode) &&
         same_file(x, y);
}

}  // namespace reckon
