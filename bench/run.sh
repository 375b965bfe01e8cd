#!/bin/sh
# Our programs beside others that do the same job: run.sh OUT BUILD BIN
# OUT gets bench.md and bench.dat; BUILD/bench/ holds the programs of this
# folder. QUICK=1: smaller sizes, fewer rounds. Status 2 when something of ours
# cannot run or fails; a peer that cannot is named in bench.md.
set -eu
export LC_ALL=C
unset OMP_NUM_THREADS OPENBLAS_NUM_THREADS OPENBLAS_CORETYPE GLIBC_TUNABLES
here=$(dirname "$0")
out=$1 build=$2/bench bin=$3
work=$build/run
rm -rf "$work"
mkdir -p "$work" "$out"

threads=$(getconf _NPROCESSORS_ONLN)
if [ "${QUICK:-0}" = 0 ]; then
    long_pairs=1000000 tokens=16384 gemm=4096 rounds=5
    patience=8 long_patience=30 # seconds
    quick=
    sizes="1024 2048 4096 8192 16384 32768 65536"
    counts="1000 10000 100000 1000000 10000000" some=100000
else
    long_pairs=50000 tokens=2048 gemm=1024 rounds=2
    patience=1 long_patience=1
    quick="**A quick run of small sizes, no record.**
"
    sizes="512 1024 2048 4096"
    counts="1000 10000 100000" some=10000
fi
d=64

die() {
    echo "bench: $*" >&2
    exit 2
}

say() {
    echo "  BENCH $*"
}

command -v hyperfine >/dev/null 2>&1 ||
    die "hyperfine is not installed, make setup-bench installs it"

# --- What there is to compare with -------------------------------------------

for file in rounds gemm missing failed kernels program; do
    : >"$work/$file"
done

missing() {
    echo "- $*" >>"$work/missing"
}

# absent NAME NEED: NAME is not installed; its package by Debian's name.
absent() {
    missing "$1 is not installed (Debian: $(awk -v need="$2" '
        $1 == need { print $2 }' "$here/packages.txt")); \`make setup-bench\`" \
        "installs it."
}

# python_with MODULE: a Python that has it.
python_with() {
    for python in python3 /usr/bin/python3; do
        "$python" -c "import $1" 2>/dev/null && echo "$python" && return
    done
    return 1
}

numpy=$(python_with numpy) || absent NumPy py:numpy
torch=$(python_with torch) || absent PyTorch py:torch
octave=$(command -v octave-cli) || absent Octave cmd:octave-cli
R=$(command -v Rscript) || absent R cmd:Rscript
[ -x "$build/gemm" ] || absent OpenBLAS pc:openblas

# --- Running and checking ----------------------------------------------------

# run WARMUP COMMAND: one timed run. Sets whole (seconds), status, and, from
# what it printed, seconds (computing only; else whole); output in $work/out.
run() {
    hyperfine -N -i --style none --runs 1 --warmup "$1" --output "$work/out" \
        --export-json "$work/json" "$2" >/dev/null 2>"$work/err" </dev/null ||
        { whole=0 seconds=0 status=127 && return; }
    whole=$(value_below times)
    status=$(value_below exit_codes)
    seconds=$(word seconds)
    seconds=${seconds:-$whole}
}

# The first number of an array in hyperfine's JSON; "null" if there is none.
value_below() {
    awk -v key="\"$1\":" '$1 == key { getline; sub(/,/, ""); print $1; exit }' \
        "$work/json"
}

# The word after NAME in the output.
word() {
    awk -v name="$1" '{ for (i = 1; i < NF; i++) if ($i == name) print $(i + 1) }
        ' "$work/out"
}

# Is what a peer printed plausible? Eleven variances near d_k, by 10 % or five
# standard errors; or the error of the last query against double precision.
plausible_spread() {
    awk -v N="$pairs" '
        $1 + 0 > 0 {
            margin = 5 * sqrt((2 + 6 / $1) / N)
            error = $2 / $1 - 1
            near += -error < (margin > 0.1 ? margin : 0.1) &&
                error < (margin > 0.1 ? margin : 0.1) && $2 + 0 == $2
        }
        END { exit near != 11 }' "$work/out"
}

plausible_attention() {
    word error | awk -v limit="$([ "$precision" = float ] && echo 1e-5 ||
        echo 1e-13)" '{ good += $1 >= 0 && $1 < limit && $1 + 0 == $1 }
        END { exit good != 1 }'
}

right_spread() {
    [ "$status" = 0 ] && plausible_spread
}

right_growth() {
    [ "$status" = 0 ]
}

# A verdict of any kind is a result.
right_program() {
    case $status in 0 | 1 | 3) ;; *) return 1 ;; esac
}

right_attention() {
    [ "$status" = 0 ] && word checksum | awk '
        { good += $1 + 0 == $1 && $1 !~ /[an]/ } END { exit good != 1 }'
}

# ours KIND WARMUP COMMAND: run it; stop unless it did its job.
ours() {
    run "$2" "$3"
    "right_$1" || {
        cat "$work/err" "$work/out" >&2
        die "failed (status $status): $3"
    }
}

# --- Rounds ------------------------------------------------------------------

# compare KIND JOB ROUNDS OURS, and peers on stdin: PEER|TARGET|COMMAND
# Each round runs ours and a peer one after the other, so that a slow minute
# hits both; ours once for all peers of a round where it takes over 5 s. A peer
# that has used up `patience` seconds, or has no target, is not asked again.
# While `cold`, a run before the first one loads the files.
compare() {
    kind=$1 job=$2 most=$3 command=$4 round=1
    cat >"$work/peers"
    while [ "$round" -le "$most" ]; do
        our_whole=0
        warm=$((round == 1 && cold))
        while IFS='|' read -r peer target theirs <&3; do
            used=$(awk -F '\t' -v job="$job" -v peer="$peer" '
                $1 == job && $2 == peer { s += $6 } END { print int(s) }
                ' "$work/rounds")
            [ "$round" = 1 ] || { [ "$used" -lt "$patience" ] &&
                [ "$target" != - ]; } || continue
            grep -qxF "$job|$peer" "$work/failed" && continue
            say "$job, round $round: $peer"
            if [ "${our_whole%.*}" -lt 5 ]; then
                ours "$kind" "$warm" "$command"
                our_whole=$whole our_seconds=$seconds our_peak=$(word peak_kib)
            fi
            run "$warm" "$theirs"
            if [ "$status" != 0 ] || ! "plausible_$kind"; then
                echo "$job|$peer" >>"$work/failed"
                missing "$job, $peer: status $status, or an implausible answer."
                continue
            fi
            printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$job" "$peer" \
                "$target" "$our_whole" "$our_seconds" "$whole" "$seconds" \
                "${our_peak:--}" "$(word peak_kib)" >>"$work/rounds"
        done 3<"$work/peers"
        round=$((round + 1))
    done
}

# Does so much memory stand free? Where the system does not say, it does.
fits() {
    awk -v need="$1" '
        $1 == "MemAvailable:" { free = 1024 * $2 }
        END { exit free && free < need }' /proc/meminfo 2>/dev/null ||
        [ ! -e /proc/meminfo ]
}

# --- OpenBLAS's best kernel --------------------------------------------------

# Older ones do not know newer processors and fall back to a slow kernel.
# kernels PRECISION: sets installed and best (as OPENBLAS_CORETYPE=NAME, or
# empty where what is installed is as good) and their names.
kernels() {
    installed='' best='' best_name='kernel unknown'
    [ -x "$build/gemm" ] || return 0
    run 0 "$build/gemm $1 2048"
    [ "$status" = 0 ] || die "failed: $build/gemm $1 2048"
    installed=$(word kernel) best_name=$installed
    # A candidate has to be clearly faster to be preferred.
    record=$(word gflops | awk '{ print 1.1 * $1 }')
    flags=" $(grep -m 1 '^flags' /proc/cpuinfo 2>/dev/null || :) "
    while read -r name needs; do
        for flag in $needs; do
            case $flags in *" $flag "*) ;; *) continue 2 ;; esac
        done
        run 0 "env OPENBLAS_CORETYPE=$name $build/gemm $1 2048"
        [ "$status" = 0 ] || continue
        # An OpenBLAS that does not have it takes another.
        [ "$(word kernel)" != "$installed" ] || continue
        if word gflops | awk -v r="$record" '{ exit !($1 > r) }'; then
            record=$(word gflops)
            best="OPENBLAS_CORETYPE=$name" best_name=$(word kernel)
        fi
    done <<'KERNELS'
Haswell avx2 fma
SkylakeX avx512f avx512vl avx512dq avx512bw
Cooperlake avx512f avx512vl avx512dq avx512bw avx512_bf16
KERNELS
    say "OpenBLAS, $1: $installed as installed, $best_name is best"
}

# --- The jobs ----------------------------------------------------------------

# spread PAIRS
spread() {
    pairs=$1
    {
        [ -z "$numpy" ] ||
            echo "NumPy, $threads threads, float|1|$numpy $here/spread.py $pairs $threads"
        [ -z "$torch" ] ||
            echo "PyTorch, $threads threads, float|1|$torch $here/spread_torch.py $pairs $threads"
        [ -z "$octave" ] ||
            echo "Octave, 1 thread, float|1|$octave -qf $here/spread.m $pairs"
        [ -z "$R" ] ||
            echo "R, $threads processes|1|$R $here/spread.R $pairs $threads"
        echo "plain GSL, $threads threads|1|$build/spread_gsl $pairs $threads"
    } | compare spread "spread of scores, N = $pairs" "$rounds" \
        "$build/spread $pairs $threads 1 2 4 8 16 32 64 128 256 512 1024"
    say "bin/score_spread, N = $pairs"
    median program "$bin/score_spread --quiet --seed 1 --pairs $pairs --threads $threads --out $work" 1
    echo "$median $pairs" | awk '{ printf "%.3g s at N = %d\n", $1, $2 }' \
        >>"$work/program"
}

# as_written NAME|TARGET SCRIPT: as people write it, where n x n numbers fit: with
# BLAS's best kernel and, for the record, with the installed one.
as_written() {
    [ "$all" = 1 ] || return 0
    echo "${1%|*} as people write it, $best_name|${1#*|}|env $best $2 $arguments $threads whole"
    [ -z "$best" ] ||
        echo "${1%|*} as people write it, $installed as installed|-|$2 $arguments $threads whole"
}

# attention PRECISION
attention() {
    precision=$1
    kernels "$precision"
    echo "$precision|$installed|$best_name" >>"$work/kernels"
    arguments="$tokens $d $precision"
    heap=1073741824 # bytes: chunks come from the heap and stay there
    tuned="GLIBC_TUNABLES=glibc.malloc.mmap_threshold=$heap:glibc.malloc.trim_threshold=$heap"
    bytes=$([ "$precision" = float ] && echo 4 || echo 8)
    fits $((5 * bytes * tokens * tokens)) && all=1 || all=0
    [ "$all" = 1 ] || missing "attention, $precision, as people write it:" \
        "too little free memory for n x n matrices."
    {
        if [ -n "$numpy" ]; then
            as_written "NumPy|4" "$numpy $here/attention.py"
            echo "NumPy in chunks, $best_name|2|env $best OPENBLAS_NUM_THREADS=1 $numpy $here/attention.py $arguments $threads chunks"
        fi
        if [ -n "$torch" ]; then
            as_written "PyTorch|4" "$torch $here/attention_torch.py"
            echo "PyTorch in chunks, tuned, $best_name|2|env $best $tuned OPENBLAS_NUM_THREADS=1 $torch $here/attention_torch.py $arguments $threads chunks"
            "$torch" -c 'import torch
torch.nn.functional.scaled_dot_product_attention' 2>/dev/null &&
                echo "PyTorch fused, $best_name|-|env $best $torch $here/attention_torch.py $arguments $threads fused"
        fi
        [ -z "$octave" ] ||
            echo "Octave in chunks, $best_name|-|env $best $octave -qf $here/attention.m $arguments"
        [ -z "$R" ] || [ "$precision" = float ] ||
            echo "R in chunks, $best_name|-|env $best $R $here/attention.R $tokens $d"
    } | compare attention "attention, n = $tokens, $precision" "$rounds" \
        "$build/attention $arguments $threads"

    [ -x "$build/gemm" ] || return 0
    target=$([ "$precision" = float ] && echo 0.75 || echo 0.60)
    round=1
    while [ "$round" -le "$rounds" ]; do
        say "gemm, $precision, round $round"
        ours attention 0 "$build/attention $arguments $threads"
        flops=$(word gflops)
        run 0 "env $best $build/gemm $precision $gemm"
        [ "$status" = 0 ] || die "failed: $build/gemm $precision $gemm"
        printf '%s\t%s\t%s\t%s\t%s\n' "$precision" "$(word kernel)" \
            "$target" "$flops" "$(word gflops)" >>"$work/gemm"
        round=$((round + 1))
    done
}

# middle: the median of the lines of standard input.
middle() {
    sort -g | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'
}

# median KIND COMMAND [RUNS]: sets median (of the seconds) and peak (MiB).
median() {
    : >"$work/times"
    for _ in $(seq "${3:-3}"); do
        ours "$1" 0 "$2"
        echo "$seconds" >>"$work/times"
    done
    median=$(middle <"$work/times")
    peak=$(word peak_kib | awk '{ print $1 / 1024 }')
}

# growth: bench.dat on stdout, and what happens on file descriptor 4.
growth() {
    cat <<HEAD
# Speed: how the cost of our programs grows. Written by make bench; it depends
# on the machine and the clock, and bench.md says which machine.
# spread: independent pairs; attention: streamed, one head of d = $d, inputs
# given; threads: N = $long_pairs at d_k = $d, attention of n = $((tokens / 2)) in double
#
# column d_k             head size
# column N               independent pairs
# column seconds         to draw the pairs and sum up their scores, s
# column n               tokens
# column double          to compute in double precision, s
# column double_mib      peak resident memory of the process, MiB
# column float           to compute in single precision, s
# column float_mib       peak resident memory of the process, MiB
# column threads         threads
# column spread          to draw the pairs and sum up their scores, s
# column attention       to compute in double precision, s
# spread
d_k N seconds
HEAD
    for N in $counts; do
        say "spread, d_k = $d, N = $N" >&4
        median growth "$build/spread $N $threads $d"
        echo "$d $N $median"
    done
    for d_k in 1 2 4 8 16 32 128 256 512 1024; do
        say "spread, d_k = $d_k, N = $some" >&4
        median growth "$build/spread $some $threads $d_k"
        echo "$d_k $some $median"
    done

    printf '\n\n# attention\nn double double_mib float float_mib\n'
    for n in $sizes; do
        say "attention, n = $n" >&4
        runs=$((n > 16384 ? 1 : 3))
        median attention "$build/attention $n $d double $threads" "$runs"
        row="$n $median $peak"
        median attention "$build/attention $n $d float $threads" "$runs"
        echo "$row $median $peak"
    done

    printf '\n\n# threads\nthreads spread attention\n'
    # Rounds of every number of threads, so that a drift hits them all.
    counts=$(printf '%s\n' 1 2 3 4 6 8 12 16 24 32 48 64 96 128 "$threads" |
        awk -v most="$threads" '$1 <= most' | sort -nu)
    for round in $(seq "$rounds"); do
        for t in $counts; do
            say "threads = $t, round $round" >&4
            ours growth 0 "$build/spread $long_pairs $t $d"
            echo "$seconds" >>"$work/threads-spread-$t"
            ours attention 0 "$build/attention $((tokens / 2)) $d double $t"
            echo "$seconds" >>"$work/threads-attention-$t"
        done
    done
    for t in $counts; do
        echo "$t $(middle <"$work/threads-spread-$t")" \
            "$(middle <"$work/threads-attention-$t")"
    done
}

# --- bench.md ----------------------------------------------------------------

# version COMMAND: the first line it prints.
version() {
    "$@" 2>/dev/null </dev/null | head -n 1
}

machine() {
    echo "| | |"
    echo "|---|---|"
    echo "| processor | $(awk -F ': *' '/^model name/ { print $2; exit }' \
        /proc/cpuinfo 2>/dev/null || uname -m), $threads threads |"
    echo "| memory | $(awk '/^MemTotal/ { printf "%.1f GiB", $2 / 1048576 }' \
        /proc/meminfo 2>/dev/null || echo unknown) |"
    echo "| system | $(uname -sr) |"
    echo "| compiler | $(version "${CC:-gcc}" --version) |"
    echo "| GSL | $(pkg-config --modversion gsl) |"
    [ -z "$numpy" ] || echo "| NumPy | $("$numpy" -c 'import numpy, platform
print(numpy.__version__ + ", Python", platform.python_version())') |"
    [ -z "$torch" ] ||
        echo "| PyTorch | $("$torch" -c 'import torch; print(torch.__version__)') |"
    [ -z "$octave" ] || echo "| Octave | $(version "$octave" --version) |"
    [ -z "$R" ] || echo "| R | $(version "$R" --version 2>&1) |"
    [ ! -x "$build/gemm" ] ||
        echo "| OpenBLAS | $(pkg-config --modversion openblas)$(
            awk -F '|' '{ print "; " $1 ": kernel " $2 \
                " as installed, " $3 " is best" }' "$work/kernels" |
                tr -d '\n') |"
}

report() {
    cat <<HEAD
# Speed beside others that do the same job

${quick}Written by \`make bench\`, on one machine at one time: the ratios are the message, the seconds are
beside them. \`make setup-bench\` installs the others. Scripts and programs are in \`bench/\`, each at
its own best, which its name tells.

## The machine

HEAD
    machine
    cat <<JOBS

## The same job

A ratio is their time over ours in the same round, run one after the other by hyperfine: above 1 we
are faster. Times are medians over the rounds, to compute only: without the start of an interpreter
and the loading of its libraries. The whole commands stand beside them.

JOBS
    awk -F '\t' -v part=jobs -f "$here/table.awk" "$work/rounds"
    cat <<NOTES

- Spread of scores: draw N pairs (q, k) at each of the 11 head sizes 1, 2, 4, …, 1024 and take the
  variance of their dot products, which has to be near d_k. Ours is what \`bin/score_spread\` does for
  its first figure (\`bench/spread.c\`), in double. The whole program also measures five laws, broken
  hypotheses and 1,200 layers: $(paste -sd, "$work/program" | sed 's/,/, /').
- Attention is one head of d = $d without a mask, Q, K, V given. As people write it: the whole n × n
  matrix at once. In chunks: 64 queries at a time (256 in Octave and R), in cache. Tuned: glibc keeps
  the memory that is freed. The last query's output has to be right.
- The last word of a name is OpenBLAS's kernel: older versions do not know newer processors and fall
  back to a slow one, so \`OPENBLAS_CORETYPE\` gives all of them the best that works here.
NOTES
    if [ -s "$work/gemm" ]; then
        cat <<GEMM

## Beside OpenBLAS's gemm

Operations a second of our attention, 4 n² d over its time, exponentials not counted, n = $tokens,
against a square matrix product of $gemm rows with OpenBLAS's best kernel, in the same rounds.

GEMM
        awk -F '\t' -v part=gemm -f "$here/table.awk" "$work/gemm"
    fi
    cat <<MEMORY

## Memory

The peak of the whole process, inputs and outputs, interpreter and libraries included.

MEMORY
    awk -F '\t' -v part=memory -f "$here/table.awk" "$work/rounds"
    awk '/^n double/ { on = 1; next } !NF { on = 0 } on { n = $1; mib = $3 }
        END { printf "\nOurs at n = %d in double: %.0f MiB", n, mib
            if (n == 65536)
                printf ", target below 160: %s", mib < 160 ? "met" : "not met"
            print "." }' "$work/bench.dat"
    printf '\n## Our sampler\n\nNanoseconds each, on one thread.\n\n```\n'
    cat "$work/sampler"
    printf '```\n'
    cat <<GROWTH

## How cost grows

![Time and memory against pairs, head size, tokens and threads](bench.svg)
GROWTH
    if [ -s "$work/missing" ]; then
        printf '\n## Left out\n\n'
        cat "$work/missing"
    fi
}

# --- All of it ---------------------------------------------------------------

cold=1
spread 5000
cold=0
(
    patience=$long_patience rounds=2
    spread "$long_pairs"
)
attention double
attention float
say sampler
"$build/sampler" >"$work/sampler" || die "failed: $build/sampler"
growth 4>&1 >"$work/bench.dat"
report >"$work/bench.md"
mv "$work/bench.dat" "$work/bench.md" "$out"
echo "wrote $out/bench.md and $out/bench.dat"
[ ! -s "$work/missing" ] || cat "$work/missing"
