#!/bin/sh
# Programs of make MPI=1 against the ordinary ones: the same standard output,
# .dat and .claims.tsv from any number of ranks, the same line and status where
# they cannot run, and no rank left waiting. Run by make test-mpi, which needs
# make setup-mpi.
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
one=build/release/bin many=build/release-mpi/bin
"${MAKE:-make}" -s VARIANT=release MPI= BIN=$one all
"${MAKE:-make}" -s VARIANT=release MPI=1 BIN=$many all
passed=0 failed=0

# More ranks than processors, and root in a container, are asked for here.
export OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# check WHAT COMMAND...
check() {
    what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "test-mpi: $what"
    fi
}

# ranks N PROGRAM OPTIONS...: status, stdout and the program's lines on stderr,
# not mpirun's own; a job that hangs gets status 124.
ranks() {
    n=$1 program=$2
    shift 2
    status=0
    timeout 120 mpirun -n "$n" "$many/$program" "$@" \
        >"$out/stdout" 2>"$out/raw" </dev/null || status=$?
    grep "^$program: " "$out/raw" >"$out/stderr" || true
}

# expect PROGRAM OPTIONS...: what the ordinary program does
expect() {
    program=$1
    shift
    wanted=0
    "$one/$program" "$@" >"$out/stdout1" 2>"$out/stderr1" </dev/null ||
        wanted=$?
}

# One process, then 1 to 4 ranks: the same files, lines and status.
same() {
    program=$1
    rm -rf "$out/run" "$out/run1"
    expect "$@" --threads 2 --out "$out/run"
    check "$*: cannot run" [ "$wanted" -ne 2 ]
    mv "$out/run" "$out/run1"
    for n in 1 2 3 4; do
        rm -rf "$out/run"
        ranks $n "$@" --threads 2 --out "$out/run"
        check "$*: status $status, not $wanted, from $n ranks" \
            [ "$status" -eq "$wanted" ]
        check "$*: standard output differs, $n ranks" \
            cmp -s "$out/stdout1" "$out/stdout"
        for file in "$program.dat" "$program.claims.tsv"; do
            check "$*: $file differs, $n ranks" \
                cmp -s "$out/run1/$file" "$out/run/$file"
        done
    done
}

# Cannot run: one line, status 2, and an end.
refused() {
    expect "$@"
    check "$*: status $wanted of one process" [ "$wanted" -eq 2 ]
    for n in 1 3; do
        ranks $n "$@"
        check "$*: status $status, not 2, from $n ranks" [ "$status" -eq 2 ]
        check "$*: lines differ, $n ranks" cmp -s "$out/stderr1" "$out/stderr"
        check "$*: not one line, $n ranks" \
            [ "$(wc -l <"$out/stderr")" -eq 1 ]
    done
}

same score_spread --pairs 5000
same score_spread --pairs 1 # less work than ranks
same score_spread --pairs 300000 --head-sizes 1,3 # more than a window
same softmax_jacobian --trials 3000
same born_saturated --trials 3000
same receptive_field --trials 500 --tokens 3000
same head_training --trials 3 --tuning 1 --followed 1 --steps 30
same permutation_equivariance --trials 40 --tokens 16
same lookup_table --trials 5
same worked_example --trials 200
same position_encoding --trials 100
same saturated_gradient --trials 100
same attention_cost --tokens 256

refused score_spread --pairs 0
refused score_spread --correlation 0.5 --entries laplace
refused score_spread --pairs 100 --out /dev/null/folder
mkdir -p "$out/taken/score_spread.dat" # a folder where the file should go
refused score_spread --pairs 100 --out "$out/taken"

echo "test-mpi: $passed passed, $failed failed"
[ "$passed" -gt 0 ] && [ "$failed" -eq 0 ]
