#!/bin/sh
# What scripts/lib.sh does about missing packages, with stand-ins for dpkg, apt, sudo and id.
set -eu
lib=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)/scripts/lib.sh
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir -p "$place/scripts" "$place/bin" "$place/elsewhere"
cp "$lib" "$place/scripts/lib.sh"

# A script like ours, told which purposes it needs packages for.
cat >"$place/scripts/tool" <<'EOF'
#!/bin/sh
set -eu
. "$(dirname "$0")/lib.sh"
need_packages "$@"
echo ready
EOF

stand_in() { # stand_in NAME, its script on stdin
  { echo '#!/bin/sh'; cat; } >"$place/bin/$1"
  chmod +x "$place/bin/$1"
}
# Installed: what is named in the file `installed`; apt-get adds to it and keeps a log.
stand_in dpkg-query <<'EOF'
grep -qxF "$4" installed && echo installed
EOF
stand_in apt-get <<'EOF'
echo "apt-get output"
echo "$*" | sed 's/-[qyo] *//g; s/D[Pp][^ ]* //g' >>log
case "$*" in *" install "*) printf '%s\n' "$@" >>installed ;; esac
EOF
stand_in id <<'EOF'
cat user
EOF
for tool in sh dirname basename pwd env sed grep cat; do
  ln -s "$(command -v "$tool")" "$place/bin/$tool"
done

run() { # run PURPOSE…: the script's two streams in `out` and `err`, its status in `status`
  : >"$place/log"
  (cd "$place" && PATH="$place/bin" sh scripts/tool "$@") >"$place/out" 2>"$place/err" &&
    status=0 || status=$?
}
check() { # check WHAT EXPECTED ACTUAL
  [ "$2" = "$3" ] || {
    printf '%s\n--- expected\n%s\n--- found\n%s\n' "$1" "$2" "$3"
    exit 1
  }
}
text() { cat "$place/$1"; }

echo 0 >"$place/user"
printf 'ccache\nclang-14\nlibclang-rt-14-dev\n' >"$place/installed"
run ci test
check "status" 0 "$status"
check "says first what it installs" "Installing with apt-get: clang-tidy-14 catch2" \
  "$(head -n 1 "$place/err")"
check "apt-get's calls" "update
install --no-install-recommends clang-tidy-14 catch2" "$(text log)"
check "stdout stays clean" ready "$(text out)"

run ci test
check "the second run says nothing" "" "$(text err)"
check "and calls nothing" "" "$(text log)"

echo 1000 >"$place/user"
: >"$place/installed"
run test
check "neither root nor sudo: status" 2 "$status"
check "neither root nor sudo" "tool: needs root or sudo for: apt-get install catch2" "$(text err)"

stand_in sudo <<'EOF'
echo "sudo" >>log
exec "$@"
EOF
run test
check "with sudo" "sudo
update
sudo
install --no-install-recommends catch2" "$(text log)"

stand_in apt-get <<'EOF'
exit 100
EOF
: >"$place/installed"
run test
check "apt-get fails: status" 2 "$status"
check "apt-get fails" "Installing with apt-get: catch2
apt-get update failed; trying with the package lists that are here
tool: apt-get could not install: catch2" "$(text err)"

rm "$place/bin/apt-get"
run test
check "not Debian: status" 2 "$status"
check "not Debian" "This is not a Debian or Ubuntu system. Install what these packages hold there:
  catch2
tool: then run it again with RECKON_NO_INSTALL=1" "$(text err)"
RECKON_NO_INSTALL=1
export RECKON_NO_INSTALL
run test
check "not Debian, packages there" ready "$(text out)"
