#!/bin/sh
# What reckon-bench refuses before it measures anything: numbers that are none, chips that there are not, an output over
# its own sweep. Usage: test_bench_options.sh RECKON-BENCH SOURCE-TREE
set -eu
bench=$1
tree=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$tree/microkernels/sweeps/cpu-quick.yaml" "$scratch/sweep.yaml"
failed=0

# refuses "what it says" option value: exit 2, and the words on stderr.
refuses() {
  words=$1
  shift
  status=0
  "$bench" --sweep "$scratch/sweep.yaml" --only fma --seconds 0.01 "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
  if [ "$status" -ne 2 ] || ! grep -qF -- "$words" "$scratch/err" || [ -s "$scratch/out" ]; then
    echo "reckon-bench $*: exit $status, expected 2 and: $words"
    cat "$scratch/err"
    failed=1
  fi
}

refuses "'-3' is no whole number from 0 to" --threads -3
refuses "the cores of this machine" --threads 100000
refuses "no chip called 'nope'" --chip nope
refuses "'nan' is no number above 0" --noise nan
refuses "'-1' is no whole number from 0 to 1023" --device -1
refuses "that is the sweep it reads" --output "$scratch/sweep.yaml"
# What can't be written is said before anything is measured.
refuses "can't create a file in $scratch/none" --output "$scratch/none/x.json"
refuses "$scratch is a folder" --output "$scratch"
refuses "which GPU it is, and the back end is cpu" --device 0
refuses "of the back end cpu, and this is cuda" --backend cuda --threads 1

status=0
"$bench" --sweep "$scratch/sweep.yaml" --seconds 0 2>"$scratch/err" || status=$?
# One line of what is wrong, not a double's limits in 300 digits.
if [ "$status" -ne 2 ] || ! grep -qF "'0' is no number above 0" "$scratch/err" ||
  [ "$(wc -c <"$scratch/err")" -gt 200 ]; then
  echo "reckon-bench --seconds 0: exit $status"
  cat "$scratch/err"
  failed=1
fi

# A pipe stays a pipe, and gets the answer.
mkfifo "$scratch/pipe"
timeout 30 cat "$scratch/pipe" >"$scratch/got" &
"$bench" --sweep "$scratch/sweep.yaml" --only fma --seconds 0.01 --threads 1 --output "$scratch/pipe" 2>/dev/null
wait
if [ ! -p "$scratch/pipe" ] || ! grep -qF '"kind": "bench"' "$scratch/got"; then
  echo "reckon-bench --output PIPE: no pipe any more, or nothing came through"
  failed=1
fi

# Own kernels against the library, of a file measured earlier; strictly, by aims of one's own: of this shape the file
# holds 44.3 %.
"$bench" --report "$tree/microkernels/example/cpu.json" >"$scratch/table"
if [ "$(grep -c ' BLAS ' "$scratch/table")" -ne 3 ] || ! grep -qF 'best memory-read' "$scratch/table"; then
  echo "reckon-bench --report: not what example/cpu.json holds"
  cat "$scratch/table"
  failed=1
fi
cat >"$scratch/aims.yaml" <<'END'
kind: aims
aims: [{op: attention-decode, sizes: {batch: 1, length: 8192}, of: memory-read, at_least: 44.4 %, source: this test}]
END
report() { # report EXIT WORD OPTION…
  status=0 expected=$1 word=$2
  shift 2
  "$bench" --report "$tree/microkernels/example/cpu.json" --aims "$scratch/aims.yaml" "$@" >"$scratch/table" 2>&1 ||
    status=$?
  if [ "$status" -ne "$expected" ] || ! grep -qF "$word" "$scratch/table"; then
    echo "reckon-bench --report $*: exit $status, expected $expected and: $word"
    cat "$scratch/table"
    failed=1
  fi
}
report 0 MISSED
report 1 'not every aim was reached' --strict
sed -i 's/44.4 %/44.3 %/' "$scratch/aims.yaml"
report 0 reached --strict
# A file of a back end that has no aims is held against those of another, which is said.
sed 's/"backend": "cpu"/"backend": "hip"/' "$tree/microkernels/example/cpu.json" >"$scratch/hip.json"
"$bench" --report "$scratch/hip.json" >"$scratch/table" 2>&1
if ! grep -qF "no aims of a back end 'hip': held against those of cpu" "$scratch/table"; then
  echo "reckon-bench --report of a back end that there is not: whose aims these are is not said"
  cat "$scratch/table"
  failed=1
fi
# Another chip's name is said before it is measured.
"$bench" --sweep "$scratch/sweep.yaml" --only fma --seconds 0.01 --threads 1 --chip h100-sxm >/dev/null 2>"$scratch/err"
if ! head -n 1 "$scratch/err" | grep -qF 'was measured, and the chip is said to be h100-sxm'; then
  echo "reckon-bench --chip h100-sxm on a CPU: not a word of it"
  cat "$scratch/err"
  failed=1
fi
refuses "is kept and gone on from" --resume

# A second run goes on from what the first had time for.
keep="--sweep $scratch/sweep.yaml --seconds 0.01 --threads 1 --resume --output $scratch/kept.json"
# shellcheck disable=SC2086  # words
"$bench" $keep --only fma 2>/dev/null
# shellcheck disable=SC2086
"$bench" $keep --only 'fma,norm tokens=1 hidden=512' 2>"$scratch/err"
if grep -q '] fma' "$scratch/err" || [ "$(grep -c '"op"' "$scratch/kept.json")" -ne 2 ]; then
  echo "reckon-bench --resume: it measured again, or lost what was there"
  cat "$scratch/err"
  failed=1
fi
exit "$failed"
