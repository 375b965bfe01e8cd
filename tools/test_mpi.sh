#!/bin/sh
# Programs of make MPI=1 against the ordinary ones: the same standard output,
# .dat and .claims.tsv from any number of ranks, the same line and status where
# they cannot run, and no rank left waiting. Run by make test-mpi, which needs
# make setup-mpi.
set -eu
. tools/check.sh
one=build/release/bin many=build/release-mpi/bin
"${MAKE:-make}" -s VARIANT=release MPI= BIN=$one all >/dev/null
"${MAKE:-make}" -s VARIANT=release MPI=1 BIN=$many all >/dev/null

# More ranks than processors, and root in a container, are asked for here; and
# threads that wait leave the processors to others.
export OMP_WAIT_POLICY=passive
export OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# mpi PROGRAM WORDS...: mpirun WORDS..., its status, its standard output up to
# the timings, and the program's lines on stderr without mpirun's own. A job
# that hangs gets status 124.
mpi() {
    program=$1
    shift
    status=0
    timeout 300 mpirun "$@" >"$work/raw" 2>"$work/raw2" </dev/null || status=$?
    sed '/^timed in/,$d' "$work/raw" >"$work/stdout"
    grep "^$program: " "$work/raw2" >"$work/stderr" || true
}

# single PROGRAM OPTIONS...: the same of the ordinary program
single() {
    program=$1
    shift
    wanted=0
    "$one/$program" "$@" >"$work/raw" 2>"$work/stderr1" </dev/null || wanted=$?
    sed '/^timed in/,$d' "$work/raw" >"$work/stdout1"
}

# One process, then $numbers of ranks: the same files, lines and status.
same() {
    name=$1
    shift
    rm -rf "$work/run" "$work/run1"
    single "$name" "$@" --threads 1 --out "$work/run"
    check "$name $*: cannot run" [ "$wanted" -ne 2 ]
    mv "$work/run" "$work/run1"
    for n in $numbers; do
        rm -rf "$work/run"
        mpi "$name" -n "$n" "$many/$name" "$@" --threads $((1 + n % 2)) \
            --out "$work/run"
        check "$name $*: status $status, not $wanted, from $n ranks" \
            [ "$status" -eq "$wanted" ]
        check "$name $*: standard output differs, $n ranks" \
            cmp "$work/stdout1" "$work/stdout"
        for file in "$name.dat" "$name.claims.tsv"; do
            check "$name $*: $file differs, $n ranks" \
                cmp "$work/run1/$file" "$work/run/$file"
        done
    done
    check "$name $*: files left over" [ "$(find "$work/run" -name '*.tmp*')" = "" ]
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
            cmp "$work/stderr1" "$work/stderr"
        check "$name $*: not one line, $n ranks" \
            [ "$(wc -l <"$work/stderr")" -eq 1 ]
    done
}

# A gigabyte of scratch for the eight threads of rank 1, which may not have it.
one_rank_fails() {
    for rank in 0 1 2; do
        threads=1 limit=unlimited
        [ $rank -ne 1 ] || threads=8 limit=1000000
        set -- "$@" -n 1 sh -c "ulimit -v $limit"'; exec "$@"' sh \
            "$many/softmax_jacobian" --trials 3 --keys 4096 \
            --threads $threads --out "$work/lonely" :
    done
    mpi softmax_jacobian "$@"
    check "one rank without memory: status $status, not 2" [ "$status" -eq 2 ]
    check "one rank without memory: not one line that says so" \
        [ "$(grep -c 'out of memory' "$work/stderr")" -eq 1 ]
    check "one rank without memory: files" \
        [ "$(find "$work/lonely" -type f)" = "" ]
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
mkdir -p "$work/taken/score_spread.dat" # a folder where the file should go
refused score_spread --pairs 100 --out "$work/taken"
one_rank_fails

summary
