#!/bin/sh
# Usage: check_floors.sh ROOT. Prints what breaks the floors of the tree at ROOT and exits 1.
set -eu
rules=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)/floors.awk
cd -- "$1"
for folder in include/reckon src; do
  [ ! -d "$folder" ] || find "$folder" -name '*.[ch]pp'
done | LC_ALL=C sort | awk -f "$rules"
