#!/bin/sh
# Run the tests: test.sh TEST_PROGRAM FOLDER_OF_PROGRAMS [OPTIONS_OF_CRITERION]
# Fails when none ran, and when a sanitizer reported a leak (Criterion does not
# count those).
set -eu
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
tests=$1
export ATTN_BIN="$2"
shift 2
export ASAN_OPTIONS="log_path=$logs/asan:allocator_may_return_null=1" UBSAN_OPTIONS="print_stacktrace=1"

# Criterion's runner loses a block of its own after long tests: is each block of
# a report allocated by Criterion itself?
is_criterions() {
    awk '/^ *#1 / { blocks++; own += /libcriterion/ }
        END { exit !(blocks > 0 && own == blocks) }' "$1"
}

status=0
"$tests" --jobs 2 "$@" 2>"$logs/out" || status=$?
cat "$logs/out"
if ! grep -q 'Tested: .*[1-9]' "$logs/out"; then
    echo "test: no test ran" >&2
    exit 1
fi
grep -q 'Failing: 0 | Crashing: 0' "$logs/out" || exit 1
for report in "$logs"/asan.*; do
    # A refused allocation leaves a warning; tests ask for some.
    if [ ! -e "$report" ] || ! grep -q "ERROR: " "$report"; then
        continue
    fi
    if is_criterions "$report"; then
        status=0
    else
        cat "$report" >&2
        exit 1
    fi
done
exit "$status"
