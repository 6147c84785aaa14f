// A file written whole or not at all: into a file beside it, flushed to the disk, then renamed over it.
//
//   if (const std::string why = write_atomically("h100.yaml", text); !why.empty()) …
//
// Links are followed: what a link points to is replaced, and the link stays. The rights of a file that was there stay.
// What is no file (a pipe, a device, /dev/stdout) can't be replaced and is written to.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace reckon {

// "" if it is there; else what failed. What was there before stays until the new file is complete.
std::string write_atomically(const std::filesystem::path& file, std::string_view text);

// "" if a file can be written there, as far as can be told without a trace; else what would fail. For whoever works for
// long before he has something to write.
std::string why_not_written(const std::filesystem::path& file);

// Whether both names lead to one file that exists, by whatever links: an input that an output would overwrite.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace reckon
