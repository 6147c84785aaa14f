#!/bin/sh
# Usage: check.sh COMPILER INCLUDE_DIR FILE. The file's first line: // must say: PHRASE (a basic
# regular expression).
set -eu
compiler=$1 include=$2 file=$3
phrase=$(sed -n '1s,^// must say: ,,p' "$file")
[ -n "$phrase" ] || { echo "$file: the first line must be // must say: PHRASE"; exit 1; }

compile() { LC_ALL=C "$compiler" -std=c++20 -fsyntax-only -I "$include" "$@" "$file" 2>&1; }

if ! output=$(compile); then
  echo "$file: does not compile without -DWRONG either:"
  echo "$output"
  exit 1
fi
if output=$(compile -DWRONG); then
  echo "$file: compiles with -DWRONG"
  exit 1
fi
if ! echo "$output" | grep -q -e "$phrase"; then
  echo "$file: fails, but does not say '$phrase':"
  echo "$output"
  exit 1
fi
