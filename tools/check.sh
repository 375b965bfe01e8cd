# shellcheck shell=sh disable=SC2034
# Read by the test_*.sh: checks one after another, counted, and a folder $work
# that goes in the end, with whatever is mounted on $mounted.
work=$(mktemp -d)
mounted=
trap '[ -z "$mounted" ] || umount "$mounted"
    chmod -R u+rwx "$work"; rm -rf "$work"' EXIT
passed=0 failed=0

# check WHAT COMMAND...: the command's success is the test's; of one that fails
# is shown what it said last.
check() {
    what=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "not ok: $what"
        tail -n 20 "$work/log"
    fi
}

skip() {
    echo "skipped: $1"
}

# The last word, and the status: no check at all is a failure.
summary() {
    echo "$passed passed, $failed failed"
    [ "$passed" -gt 0 ] && [ "$failed" -eq 0 ]
}
