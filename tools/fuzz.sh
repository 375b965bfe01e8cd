#!/bin/sh
# Build the fuzzers and run each: fuzz.sh SECONDS NAME ...
# SECONDS are shared out evenly; inputs that reach new code gather in
# build/fuzz/found/NAME, one that breaks something in build/fuzz/broken-NAME-*.
# 0 SECONDS: the committed inputs tests/fuzz/corpus/NAME, each once.
set -eu
seconds=$1
shift
if ! command -v clang >/dev/null 2>&1; then
    echo "fuzz: skipped, clang is not installed (make setup-fuzz)"
    exit 0
fi
bin=build/fuzz
for name in "$@"; do
    set -- "$@" "$bin/fuzz/$name"
done
shift $(($# / 2))
"${MAKE:-make}" -s CC=clang VARIANT=fuzz \
    OPTIMISE='-O1 -DATTN_NO_CLONES -Wno-pass-failed' "$@" >/dev/null

export OMP_NUM_THREADS=1 UBSAN_OPTIONS=print_stacktrace=1
each=$((seconds / $#)) passed=0 failed=0
for fuzzer in "$@"; do
    name=${fuzzer##*/}
    corpus=tests/fuzz/corpus/$name
    found=$bin/found/$name
    log=$bin/$name.log
    mkdir -p "$found"
    if [ "$seconds" -eq 0 ]; then
        set -- -runs=0 "$corpus"
    else
        # 0 would be for ever.
        set -- -max_total_time=$((each > 0 ? each : 1)) "$found" "$corpus"
    fi
    status=0
    "$fuzzer" -timeout=20 -print_final_stats=1 -max_len=4096 \
        -artifact_prefix="$bin/broken-$name-" "$@" >"$log" 2>&1 || status=$?
    tried=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    if [ "$status" -eq 0 ] && [ "${tried:-0}" -gt 1 ]; then
        passed=$((passed + 1))
        echo "fuzz: $name: $tried inputs tried"
    else
        failed=$((failed + 1))
        cat "$log"
        echo "fuzz: $name: failed"
    fi
done
echo "fuzz: $passed passed, $failed failed"
[ "$passed" -gt 0 ] && [ "$failed" -eq 0 ]
