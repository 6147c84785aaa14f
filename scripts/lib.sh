# Shared by the scripts of this folder, and read with `.`, not run:
#
#   . "$(dirname "$0")/lib.sh"          # moves to the top of the repository
#   need_packages build                 # installs the ones that are missing, after saying which
#   build_preset release                # configures and builds build/release
#
# Environment: RECKON_NO_INSTALL=1 trusts that the packages are there under other names and installs
# nothing; RECKON_JOBS=N is the number of compilers at once.
# shellcheck shell=sh

unset CDPATH
cd -- "$(dirname -- "$0")/.." || exit 2
root=$(pwd -P)

# What each purpose needs, by the names that Debian and Ubuntu share.
packages_for() {
  case $1 in
    build) echo g++ cmake ninja-build libcli11-dev libfmt-dev libyaml-cpp-dev nlohmann-json3-dev ;;
    test) echo catch2 ;;
    format) echo clang-format-14 ;;
    lint) echo shellcheck ;;
    ci) echo ccache clang-14 libclang-rt-14-dev clang-tidy-14 ;;
    bench) echo libbenchmark-dev ;;
  esac
}

# stdout is for results, so that it can be piped.
say() { printf '%s\n' "$*" >&2; }
stop() {
  say "$(basename -- "$0"): $*"
  exit 2
}

has() { command -v "$1" >/dev/null 2>&1; }

# Of the packages named, those that are not installed.
missing_packages() {
  for package in "$@"; do
    case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) in
      installed*) ;;
      *) printf '%s ' "$package" ;;
    esac
  done
}

# need_packages PURPOSE…
need_packages() {
  [ -z "${RECKON_NO_INSTALL:-}" ] || return 0
  # shellcheck disable=SC2046  # lists of words
  set -- $(for purpose in "$@"; do packages_for "$purpose"; done)
  if ! has dpkg-query || ! has apt-get; then
    say "This is not a Debian or Ubuntu system. Install what these packages hold there:"
    say "  $*"
    stop "then run it again with RECKON_NO_INSTALL=1"
  fi
  # shellcheck disable=SC2046
  set -- $(missing_packages "$@")
  [ $# -gt 0 ] || return 0
  as_root=
  if [ "$(id -u)" -ne 0 ]; then
    has sudo || stop "needs root or sudo for: apt-get install $*"
    as_root=sudo
  fi
  say "Installing with apt-get: $*"
  # A stale or partly broken package list may still do; the installation is what counts.
  apt_get update || say "apt-get update failed; trying with the package lists that are here"
  apt_get install --no-install-recommends "$@" || stop "apt-get could not install: $*"
}

# Never asks, waits for another apt to finish, and keeps stdout clean.
apt_get() {
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120 \
    -o Dpkg::Use-Pty=0 "$@" </dev/null >&2
}

# Memory that is free to use, in MiB: the machine's, or the container's where that is less.
free_memory() {
  [ -r /proc/meminfo ] || {
    echo 0
    return
  }
  limit=/sys/fs/cgroup/memory.max
  [ -r "$limit" ] || limit=/dev/null
  awk '/^MemAvailable:/ { free = $2 / 1024 }
       NF == 1 && $1 ~ /^[0-9]+$/ && $1 / 1048576 < free { free = $1 / 1048576 }
       END { printf "%d\n", free }' /proc/meminfo "$limit"
}

# Compilers at once: one a core, as long as each has the 1.5 GiB that the largest file needs.
compilers_at_once() {
  cores=$(nproc 2>/dev/null || echo 1)
  by_memory=$(($(free_memory) / 1536))
  [ "$by_memory" -ge 1 ] || by_memory=1
  [ "$by_memory" -ge "$cores" ] || cores=$by_memory
  echo "${RECKON_JOBS:-$cores}"
}

# configure_preset PRESET [-DNAME=VALUE…]. A build folder that came along when the tree was copied
# or moved names the old place, and CMake refuses it: it is made anew.
configure_preset() {
  cache=build/$1/CMakeCache.txt fresh=
  if [ -f "$cache" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then
    fresh=--fresh
  fi
  log=$(mktemp)
  # shellcheck disable=SC2086  # empty, or one word
  if ! cmake $fresh --log-level=WARNING --preset "$@" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    stop "could not configure the preset $1"
  fi
  rm -f "$log"
}

# build_preset PRESET [-DNAME=VALUE…]. CI does not stop at the first file that fails.
build_preset() {
  configure_preset "$@"
  # shellcheck disable=SC2086
  cmake --build --preset "$1" --parallel "$(compilers_at_once)" -- ${CI:+-k 0} >&2 ||
    stop "the preset $1 does not build"
}

# Our own C++, one path a line.
cpp_files() {
  for folder in include src tests bench microkernels; do
    [ ! -d "$folder" ] || find "$folder" -name '*.[ch]pp' -o -name '*.cu' -o -name '*.cuh'
  done | sort
}
