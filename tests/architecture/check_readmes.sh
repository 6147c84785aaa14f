#!/bin/sh
# Usage: check_readmes.sh ROOT. Every folder of code (or its twin: include/reckon/X and src/X) and
# every folder of data says in a README.md what it holds. Prints the ones that don't and exits 1.
set -eu
cd -- "$1"
faults=0
fault() {
  echo "$1: no README.md: say in a few lines what belongs here and what does not"
  faults=1
}

code_folders() {
  for top in include/reckon src; do
    [ ! -d "$top" ] || (cd "$top" && find . -name '*.[ch]pp')
  done | sed -n 's,^\./\(.*\)/[^/]*$,\1,p' | LC_ALL=C sort -u
}
for folder in $(code_folders); do
  [ -f "include/reckon/$folder/README.md" ] || [ -f "src/$folder/README.md" ] ||
    fault "include/reckon/$folder, src/$folder"
done
for folder in hardware models formats optimizers presets laws plans measurements \
  microkernels bench; do
  [ ! -d "$folder" ] || [ -z "$(find "$folder" -type f | head -n 1)" ] ||
    [ -f "$folder/README.md" ] || fault "$folder"
done
exit $faults
