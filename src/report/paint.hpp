// Colours of a terminal, or none.
#pragma once

#include <string>
#include <string_view>

namespace reckon {

struct Paint {
  bool on = false;

  std::string bold(std::string_view text) const { return in("1", text); }
  std::string dim(std::string_view text) const { return in("2", text); }
  std::string good(std::string_view text) const { return in("32", text); }
  std::string caution(std::string_view text) const { return in("33", text); }
  std::string bad(std::string_view text) const { return in("31", text); }

 private:
  std::string in(std::string_view code, std::string_view text) const {
    if (!on || text.empty()) return std::string(text);
    return "\x1b[" + std::string(code) + 'm' + std::string(text) + "\x1b[0m";
  }
};

}  // namespace reckon
