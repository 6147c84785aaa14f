#!/bin/sh
# The architecture checks find what they are for: a small tree with one fault of each kind.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

file() { # file PATH, its text on stdin
  mkdir -p "$tree/$(dirname "$1")"
  cat >"$tree/$1"
}

same() { # same WHAT EXPECTED ACTUAL
  [ "$2" = "$3" ] || {
    printf '%s\n--- expected\n%s\n--- found\n%s\n' "$1" "$2" "$3"
    exit 1
  }
}

# A tree that obeys: every floor uses what it may, a private header, a comment that names things.
file include/reckon/base/text.hpp </dev/null
file include/reckon/units/dim.hpp <<'EOF'
#include <vector>
#include "reckon/base/text.hpp"
static_assert(true);
EOF
file include/reckon/doc/field.hpp <<'EOF'
#include "reckon/units/dim.hpp"
EOF
file include/reckon/spec/chip.hpp <<'EOF'
#include "reckon/doc/field.hpp"
EOF
file src/cost/ring.hpp <<'EOF'
#include "reckon/spec/chip.hpp"
// x.raw, assert(x) and #include "reckon/doc/field.hpp" are only named here
auto y = x.rawest;
EOF
file src/cost/deep/ring.cpp <<'EOF'
#include "../ring.hpp"
#include <fmt/format.h>
EOF
file src/doc/json.cpp <<'EOF'
#include <nlohmann/json.hpp>
#include <yaml-cpp/eventhandler.h>
EOF
file src/cli/options.cpp <<'EOF'
#include <CLI/CLI.hpp>
#include <unistd.h>
EOF
same "a tree that obeys" "" "$(sh "$here/check_floors.sh" "$tree")"

# One fault of each kind.
file include/reckon/units/dim.hpp <<'EOF'
#include <vector>

#include "reckon/doc/field.hpp"
#include <nlohmann/json.hpp>
EOF
file include/reckon/everything.hpp </dev/null
file src/base/text.cpp <<'EOF'
#include "reckon/units/dim.hpp"
#include "missing.hpp"
#include <boost/any.hpp>
EOF
file src/cli/main.cpp <<'EOF'
#include <CLI/App.hpp>
#include <yaml-cpp/yaml.h>
EOF
file src/cost/deep/ring.cpp <<'EOF'
#include "reckon/doc/field.hpp"
#include "../../doc/private.hpp"
#include <cassert>
double f(Bytes b) {
  assert(b.raw > 0);
  return b.raw;
}
EOF
file src/doc/private.hpp </dev/null
file src/report/text.cpp <<'EOF'
#include "reckon/spec/chip.hpp"
#include <sys/ioctl.h>
EOF
found=$(sh "$here/check_floors.sh" "$tree") && status=0 || status=$?
same "the exit status" 1 "$status"
same "one fault of each kind" "$(cat "$here/golden/faults.txt")" "$found"

# Names: one in each namespace; a use, a declaration and an overload are no second one.
file include/reckon/base/text.hpp <<'EOF'
namespace reckon {
struct Text;
inline const Text kNone{"none"};
inline int size(int x) { return x; }
template <class T>
T twice(T x) {
  return x;
}
namespace detail {
struct Names {
  int kNone;
};
inline constexpr const char* kWhy = "here";
}  // namespace detail
}  // namespace reckon
EOF
file include/reckon/spec/chip.hpp <<'EOF'
namespace reckon {
struct Text;
inline int size(char x) { return x; }
namespace other {
inline const int kNone = 1;
}  // namespace other
}  // namespace reckon
EOF
same "names that are one each" "" "$(sh "$here/check_names.sh" "$tree")"
file include/reckon/units/dim.hpp <<'EOF'
namespace reckon::detail {
inline constexpr const char* kWhy = "there";
struct Names {
  int a;
};
}  // namespace reckon::detail
namespace reckon {
inline const Text kNone{"other"};
inline int size(int x) { return 2 * x; }
template <class T>
T twice(T x) {
  return x + x;
}
}  // namespace reckon
EOF
found=$(sh "$here/check_names.sh" "$tree") && status=0 || status=$?
same "the exit status" 1 "$status"
same "names that two define" "kWhy Names kNone inline template " \
  "$(printf '%s\n' "$found" | sed 's/^[^ ]* //; s/ .*//' | tr '\n' ' ')"

# READMEs: beside either twin will do; a folder without files needs none.
file src/doc/README.md </dev/null
file include/reckon/base/README.md </dev/null
file hardware/chips/h100.yaml </dev/null
mkdir -p "$tree/models" "$tree/src/engine"
found=$(sh "$here/check_readmes.sh" "$tree") && status=0 || status=$?
same "the exit status" 1 "$status"
same "folders without a README" "cli cost cost/deep report spec units hardware " \
  "$(printf '%s\n' "$found" | sed 's/.*, src.//; s/:.*//' | tr '\n' ' ')"
