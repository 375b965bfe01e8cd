#!/bin/sh
# Programs of make MPI=1 against the ordinary ones: the same standard output,
# .dat and .claims.tsv from any number of ranks, the same line and status where
# they cannot run, and no rank left waiting. Run by make test-mpi, which needs
# make setup-mpi.
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
one=build/release/bin many=build/release-mpi/bin
"${MAKE:-make}" -s VARIANT=release MPI= BIN=$one all >/dev/null
"${MAKE:-make}" -s VARIANT=release MPI=1 BIN=$many all >/dev/null
passed=0 failed=0

# More ranks than processors, and root in a container, are asked for here; and
# threads that wait leave the processors to others.
export OMP_WAIT_POLICY=passive
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

# mpi PROGRAM WORDS...: mpirun WORDS..., its status, its standard output up to
# the timings, and the program's lines on stderr without mpirun's own. A job
# that hangs gets status 124.
mpi() {
    program=$1
    shift
    status=0
    timeout 300 mpirun "$@" >"$out/raw" 2>"$out/raw2" </dev/null || status=$?
    sed '/^timed in/,$d' "$out/raw" >"$out/stdout"
    grep "^$program: " "$out/raw2" >"$out/stderr" || true
}

# single PROGRAM OPTIONS...: the same of the ordinary program
single() {
    program=$1
    shift
    wanted=0
    "$one/$program" "$@" >"$out/raw" 2>"$out/stderr1" </dev/null || wanted=$?
    sed '/^timed in/,$d' "$out/raw" >"$out/stdout1"
}

# One process, then $numbers of ranks: the same files, lines and status.
same() {
    name=$1
    shift
    rm -rf "$out/run" "$out/run1"
    single "$name" "$@" --threads 1 --out "$out/run"
    check "$name $*: cannot run" [ "$wanted" -ne 2 ]
    mv "$out/run" "$out/run1"
    for n in $numbers; do
        rm -rf "$out/run"
        mpi "$name" -n "$n" "$many/$name" "$@" --threads $((1 + n % 2)) \
            --out "$out/run"
        check "$name $*: status $status, not $wanted, from $n ranks" \
            [ "$status" -eq "$wanted" ]
        check "$name $*: standard output differs, $n ranks" \
            cmp -s "$out/stdout1" "$out/stdout"
        for file in "$name.dat" "$name.claims.tsv"; do
            check "$name $*: $file differs, $n ranks" \
                cmp -s "$out/run1/$file" "$out/run/$file"
        done
    done
    check "$name $*: files left over" [ "$(find "$out/run" -name '*.tmp*')" = "" ]
}

# Cannot run: the same one line, status 2, and an end.
refused() {
    name=$1
    shift
    single "$name" "$@"
    check "$name $*: status $wanted of one process" [ "$wanted" -eq 2 ]
    for n in 1 3; do
        mpi "$name" -n $n "$many/$name" "$@"
        check "$name $*: status $status, not 2, from $n ranks" \
            [ "$status" -eq 2 ]
        check "$name $*: lines differ, $n ranks" \
            cmp -s "$out/stderr1" "$out/stderr"
        check "$name $*: not one line, $n ranks" \
            [ "$(wc -l <"$out/stderr")" -eq 1 ]
    done
}

# A gigabyte of scratch for the eight threads of rank 1, which may not have it.
one_rank_fails() {
    for rank in 0 1 2; do
        threads=1 limit=unlimited
        [ $rank -ne 1 ] || threads=8 limit=1000000
        set -- "$@" -n 1 sh -c "ulimit -v $limit"'; exec "$@"' sh \
            "$many/softmax_jacobian" --trials 3 --keys 4096 \
            --threads $threads --out "$out/lonely" :
    done
    mpi softmax_jacobian "$@"
    check "one rank without memory: status $status, not 2" [ "$status" -eq 2 ]
    check "one rank without memory: not one line that says so" \
        [ "$(grep -c 'out of memory' "$out/stderr")" -eq 1 ]
    check "one rank without memory: files" \
        [ "$(find "$out/lonely" -type f)" = "" ]
}

numbers='1 2 3 4'
same score_spread --pairs 5000
same score_spread --pairs 1 # less work than ranks
same softmax_jacobian --trials 1000
same born_saturated --trials 1000
same receptive_field --trials 50 --tokens 2000
# more blocks than a window of four ranks
same receptive_field --trials 140000 --layers 12 --taps 2 --tokens 50
same head_training --trials 3 --tuning 1 --followed 1 --steps 30 --head-size 48
numbers=3
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
one_rank_fails

echo "test-mpi: $passed passed, $failed failed"
[ "$passed" -gt 0 ] && [ "$failed" -eq 0 ]
