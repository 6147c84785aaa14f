// A file written whole or not at all: into a file beside it, flushed to the disk, then renamed over it.
//
//   if (const std::string why = write_atomically("h100.yaml", text); !why.empty()) …
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace reckon {

// "" if it is there; else what failed. What was there before stays until the new file is complete.
std::string write_atomically(const std::filesystem::path& file, std::string_view text);

}  // namespace reckon
