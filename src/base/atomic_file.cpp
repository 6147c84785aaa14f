#include "reckon/base/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

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

}  // namespace

std::string write_atomically(const fs::path& file, std::string_view text) {
  std::error_code error;
  if (fs::is_directory(file, error)) return fmt::format("{} is a folder", file.string());
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::string name = (folder / (".reckon-" + file.filename().string() + "-XXXXXX")).string();
  Descriptor fd(::mkstemp(name.data()));
  if (fd.get() < 0) return failed("can't create a file in", folder);
  const auto give_up = [&name](std::string why) {
    ::unlink(name.c_str());
    return why;
  };
  constexpr mode_t kReadable = 0644;
  if (!write_all(fd.get(), text) || ::fsync(fd.get()) != 0 || ::fchmod(fd.get(), kReadable) != 0 ||
      !fd.close())
    return give_up(failed("can't write", file));
  if (::rename(name.c_str(), file.c_str()) != 0) return give_up(failed("can't replace", file));
  const Descriptor at(
      ::open(folder.c_str(), O_RDONLY | O_DIRECTORY));  // so that the new name lasts
  if (at.get() >= 0) ::fsync(at.get());
  return "";
}

}  // namespace reckon
