#!/bin/sh
# Usage: check_names.sh ROOT. Prints names that two headers of the tree at ROOT define in one namespace and exits 1.
set -eu
rules=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)/names.awk
cd -- "$1"
for folder in include/reckon src; do
  [ ! -d "$folder" ] || find "$folder" -name '*.hpp'
done | LC_ALL=C sort | awk -f "$rules"
