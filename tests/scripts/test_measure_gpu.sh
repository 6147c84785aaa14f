#!/bin/sh
# scripts/measure-gpu without a GPU: it says so with 3, before it builds anything; reckon-bench without CUDA ends it
# with 2. With a stand-in for reckon-bench that loses its device once, it goes on behind it, and from there on it does
# all that it does with a GPU: the table, constants, the overlay.
# Usage: test_measure_gpu.sh RECKON-BENCH RECKON SOURCE-TREE
set -eu
bench=$1 reckon=$2 tree=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
  echo "measure-gpu: $*"
  cat "$scratch/said"
  exit 1
}
status=0
run() {
  status=0
  "$tree/scripts/measure-gpu" "$@" >"$scratch/said" 2>&1 || status=$?
}

run --help
{ [ "$status" -eq 0 ] && grep -q 'measure-gpu h100-sxm --bundle FOLDER' "$scratch/said"; } || fail "--help"
grep -q 'set -uo' "$scratch/said" && fail "--help shows more than what is meant for a reader"
run h100-sxm h200-sxm
{ [ "$status" -eq 2 ] && grep -q 'two chips, h100-sxm and h200-sxm' "$scratch/said"; } || fail "two chips"
mkdir "$scratch/bundle"
ln -s "$bench" "$scratch/bundle/reckon-bench"
ln -s "$reckon" "$scratch/bundle/reckon"
run h100-sxm --bundle "$scratch/bundle" --output "$scratch/none"
# Where the tests' reckon-bench has CUDA and there is a GPU, this is no test.
[ "$status" -ne 0 ] || exit 0
if grep -q 'built without CUDA' "$scratch/said"; then
  [ "$status" -eq 2 ] || fail "exit $status of a bundle without CUDA, expected 2"
  grep -q 'run this again where' "$scratch/said" && fail "a bundle without CUDA is to be carried on"
else
  [ "$status" -eq 3 ] || fail "exit $status without a GPU, expected 3"
fi
if [ ! -e /dev/nvidiactl ] && [ ! -e /dev/dxg ]; then
  run h100-sxm
  { [ "$status" -eq 3 ] && grep -q 'nothing is built' "$scratch/said"; } || fail "it builds where there is no GPU"
fi
rm "$scratch/bundle/reckon-bench"
printf '#!/bin/sh\necho "reckon-bench: no CUDA GPU here" >&2\nexit 3\n' >"$scratch/bundle/reckon-bench"
chmod +x "$scratch/bundle/reckon-bench"
run h100-sxm --bundle "$scratch/bundle" --output "$scratch/none"
[ "$status" -eq 3 ] || fail "exit $status without a GPU, expected 3"
grep -q 'run this again where the GPU is' "$scratch/said" || fail "without a GPU it does not say what to do"
run nope --bundle "$scratch/bundle"
{ [ "$status" -eq 2 ] && grep -q "no chip called 'nope'" "$scratch/said"; } || fail "a chip that there is not"
run h100-sxm --bundle "$scratch/bundle" --within 5m
{ [ "$status" -eq 2 ] && grep -q "a whole number of seconds" "$scratch/said"; } || fail "--within 5m"
run h100-sxm --bundle "$scratch/empty"
{ [ "$status" -eq 2 ] && grep -q -- '--build makes' "$scratch/said"; } || fail "a bundle that there is not"

# Times of a chip with 3 TB/s, 700 TFLOP/s and 4 µs before anything begins.
awk 'function point(op, dtype, library, shape, bytes, flops, us) {
       printf "%s{\"op\": \"%s\", %s\"library\": \"%s\", \"launch\": \"graph\", \"cache\": \"cold\", \"shape\": {%s}, ",
         n++ ? ",\n" : "", op, dtype ? "\"dtype\": \"" dtype "\", " : "", library, shape
       printf "\"bytes\": %.0f, %s\"median\": %.6g, \"p10\": %.6g, \"p90\": %.6g, \"samples\": 20, \"check\": 0.1}",
         bytes, flops ? sprintf("\"flops\": %.0f, ", flops) : "", us, 0.99 * us, 1.01 * us
     }
     function most(a, b) { return a > b ? a : b }
     function gemm(library, m, k, slower,   bytes, flops) {
       bytes = 2 * (m * k + k * k + m * k); flops = 2 * m * k * k
       point("gemm", "bf16", library, "\"m\": " m ", \"n\": " k ", \"k\": " k, bytes, flops,
         slower * (4 + most(bytes / 3e6, flops / 7e8)))
     }
     BEGIN {
       print "{\"kind\": \"bench\", \"version\": 1, \"chip\": \"h100-sxm\","
       print "\"units\": {\"time\": \"us\", \"bytes\": \"B\", \"flops\": \"FLOP\", \"clock\": \"MHz\"},"
       print "\"machine\": {\"backend\": \"cuda\", \"runtime\": \"CUDA 13.0, sm_90\","
       print "\"devices\": [\"NVIDIA H100 80GB HBM3\"]},"
       print "\"points\": ["
       point("memory-read", "", "own", "\"bytes\": 2147483648", 2147483648, 0, 2147483648 / 3e6)
       point("memory-copy", "", "own", "\"bytes\": 2147483648", 4294967296, 0, 1500)
       point("memory-copy", "", "copy engine", "\"bytes\": 2147483648", 4294967296, 0, 1480)
       gemm("wgmma", 8192, 8192, 1.2); gemm("cuBLASLt", 8192, 8192, 1)
       for (m = 1; m <= 4096; m *= 4) for (k = 4096; k <= 8192; k *= 2) gemm("cuBLASLt", m, k, 1)
       for (b = 8; b <= 32; b *= 2) for (l = 1024; l <= 4096; l *= 2) {
         bytes = 4 * b * l * 8 * 128 + 4 * b * 32 * 128
         point("attention-decode", "bf16", "own",
           "\"batch\": " b ", \"length\": " l ", \"heads\": 32, \"kv_heads\": 8, \"head_width\": 128",
           bytes, 4 * b * l * 32 * 128, 8 + bytes / 2.8e6)
       }
       print "]}"
     }' >"$scratch/full.json"
rm "$scratch/bundle/reckon-bench"
cat >"$scratch/bundle/reckon-bench" <<END
#!/bin/sh
case "\$*" in
  *--report*) exec "$bench" "\$@" ;;
  *--resume*)
    cp "$scratch/full.json" "$scratch/mine/bench.json"
    echo "a line of progress" >&2
    [ -e "$scratch/once" ] || { touch "$scratch/once"; exit 6; } ;;
esac
END
chmod +x "$scratch/bundle/reckon-bench"
run h100-sxm --bundle "$scratch/bundle" --output "$scratch/mine"
[ "$status" -eq 0 ] || fail "exit $status, expected 0"
grep -q 'going on behind it' "$scratch/said" || fail "it did not go on behind the kernel that failed"
[ "$(grep -c ' reached$' "$scratch/mine/aims.txt")" -eq 3 ] || fail "the table of aims is not there"
grep -q '^kind: kernels' "$scratch/mine/overlay/hardware/kernels/h100-sxm.yaml" || fail "no constants"
grep -q 'cuBLASLt' "$scratch/mine/validate.txt" || fail "nothing was validated: $(cat "$scratch/mine/validate.txt")"
tar -tzf "$scratch/mine.tar.gz" | grep -q 'mine/bench.json' || fail "nothing was packed"
