#!/bin/sh
# Run the tests: test.sh TEST_PROGRAM FOLDER_OF_PROGRAMS
# Fails when none ran, and when a sanitizer reported a leak (Criterion does not
# count those).
set -eu
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
export ATTN_BIN="$2"
export ASAN_OPTIONS="log_path=$logs/asan:allocator_may_return_null=1" UBSAN_OPTIONS="print_stacktrace=1"

status=0
"$1" --jobs 2 2>"$logs/out" || status=$?
cat "$logs/out"
[ "$status" -eq 0 ] || exit "$status"

if ! grep -q 'Tested: .*[1-9]' "$logs/out"; then
    echo "test: no test ran" >&2
    exit 1
fi
for report in "$logs"/asan.*; do
    # A refused allocation leaves a warning; tests ask for some.
    if [ -e "$report" ] && grep -q 'ERROR: ' "$report"; then
        cat "$report" >&2
        exit 1
    fi
done
