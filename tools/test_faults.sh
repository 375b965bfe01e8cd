#!/bin/sh
# Programs whose surroundings fail: no memory, no room, folders that cannot be
# written, signals at any moment, no gnuplot. A result file is afterwards the
# old one or the new one, whole; nothing else lies there; and what went wrong
# is status 2 and one line on stderr.
#   test_faults.sh FOLDER_OF_PROGRAMS FOLDER_OF_FAULTY_PROGRAMS
#       SANITIZED_LIBRARY PROGRAM ...
# (make test-faults). FAST=1: fewer of each; ONLY=memory: the allocations alone.
# Says "N passed, M failed".
set -eu
bin=$(cd "$1" && pwd)
faulty=$(cd "$2" && pwd)
sanitized=$(cd "$(dirname "$3")" && pwd)/$(basename "$3")
examples=$PWD/docs/examples
plots=$PWD/plots
shift 3
fast=${FAST:-0}
unset GSL_RNG_SEED
. tools/check.sh
cd "$work"

# files FOLDER: how many it holds.
files() {
    find "$1" -mindepth 1 | wc -l
}

# Small options.
small() {
    case $1 in
    attention_cost) options='--tokens 20 --head-size 4 --long 30' ;;
    born_saturated) options='--trials 10 --keys 3 --head-size 4' ;;
    head_training)
        options='--trials 2 --tuning 1 --followed 1 --head-size 4
            --vocabulary 5 --tokens 3 --batch 2 --steps 3'
        ;;
    lookup_table) options='--trials 2 --keys 2' ;;
    permutation_equivariance) options='--trials 3 --tokens 5' ;;
    position_encoding) options='--tokens 9 --head-size 6 --trials 3' ;;
    receptive_field) options='--tokens 60 --trials 3 --layers 12' ;;
    saturated_gradient) options='--trials 5' ;;
    score_spread) options='--pairs 30 --head-sizes 1,7' ;;
    softmax_jacobian) options='--trials 10 --keys 3 --head-size 4' ;;
    worked_example) options='--trials 3' ;;
    *) options='' ;;
    esac
}

# ---- the k-th allocation fails ----

# count WHAT LOG: the last line says how many passed and failed.
count() {
    grep '^not ok' "$2" || true
    counts=$(tail -n 1 "$2")
    case $counts in
    [1-9]*' passed, '*' failed')
        passed=$((passed + ${counts%% *}))
        counts=${counts#*, }
        failed=$((failed + ${counts%% *}))
        ;;
    *)
        failed=$((failed + 1))
        echo "not ok: $1: no allocation failed: $counts"
        ;;
    esac
}

# In each program: tests/faults/program.c, one for each k; all programs at once.
# memory PROGRAM [NAME OPTIONS]: other options than small ones, under that name.
memory() {
    small "$1"
    options=${3:-$options}
    stride=1
    case $fast$1 in
    0*) ;;
    # Most of their 2,600 and 1,000 are in half a second of theory.
    *born_saturated | *softmax_jacobian) stride=377 ;;
    *) stride=13 ;;
    esac
    set -- "$1" "${2:-$1}"
    mkdir "memory-$2"
    # Words of $options stand apart. One thread: libgomp cannot survive it.
    # shellcheck disable=SC2086
    (
        cd "memory-$2"
        ATTN_STRIDE=$stride exec "$faulty/$1" $options --threads 1 --out out \
            >log 2>&1
    ) &
    started="$started $2"
}

# In each function of the library: tests/faults/library.c, with a gnuplot that
# draws nothing.
library() {
    mkdir "memory-$1"
    cd "memory-$1"
    mkdir plots drawn path
    touch plots/style.gp plots/figure.gp plots/figure-more.gp drawn/figure.dat
    # shellcheck disable=SC2016
    printf '%s\n' '#!/bin/sh' 'echo drawn >"$6"' >path/gnuplot
    chmod +x path/gnuplot
    # Lost blocks it counts itself, without those that GSL loses.
    ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
        PATH="$PWD/path:$PATH" "$2" "$examples" >log 2>&1 || true
    sed -n 's/: [0-9]* allocations$//p' log >functions
    cd ..
    count "$1" "memory-$1/log"
}

# Has each module that asks for memory a function among them? Programs do what
# attn_program does.
are_all() {
    asks=' (malloc|calloc|realloc|aligned_alloc|strdup|open_memstream|glob|gsl_[a-z_]*alloc)$'
    found=0
    for object in "$1"/*.o; do
        nm -u "$object" | grep -qE "$asks" || continue
        found=$((found + 1))
        case $object in */attn_program.o) continue ;; esac
        nm -g --defined-only "$object" | grep -qwFf "$2" ||
            { echo "none of $object"; return 1; }
    done
    [ "$found" -gt 0 ]
}

if [ "$(getconf GNU_LIBC_VERSION 2>/dev/null)" ]; then
    library library "$faulty/library"
    library sanitized "$sanitized"
    check "a function of each module that asks for memory" \
        are_all "$faulty/../lib" memory-library/functions
    started=''
    for program in "$@"; do
        memory "$program"
    done
    # What is told of the largest file that may be read outgrows a first buffer.
    awk 'BEGIN {
        printf "query ="
        for (c = 0; c < 64; c++) printf " %d", c % 3
        for (j = 0; j < 64; j++) {
            printf "\nkey a%d =", j
            for (c = 0; c < 64; c++) printf " 0.%d", j + c
            printf "\nvalue a%d =", j
            for (c = 0; c < 64; c++) printf " %d.5", j * c
        }
        print ""
    }' >long.txt
    memory worked_example long "--input $work/long.txt"
    wait
    for name in $started; do
        count "$name" "memory-$name/log"
    done
else
    skip "allocations that fail, for want of the GNU C library"
fi

if [ "${ONLY:-}" = memory ]; then
    summary
    exit
fi

# ---- outputs ----

stem=score_spread
# Two sets of files, both whole.
run() {
    "$bin/$stem" --pairs 300 --threads 1 "$@"
}
run --quiet --out one --seed 1 || [ $? -ne 2 ]
run --quiet --out two --seed 2 || [ $? -ne 2 ]

# are_old FOLDER: the files of seed 1, and nothing else.
are_old() {
    diff -r one "$1"
}

# is_whole FOLDER: each file is that of one seed, and there is nothing else.
is_whole() {
    [ "$(ls -A "$1")" = "$(ls -A one)" ] || { ls -A "$1"; return 1; }
    for file in one/*; do
        name=${file#one/}
        cmp -s "$file" "$1/$name" || cmp "two/$name" "$1/$name" || return 1
    done
}

# refuses COMMAND...: status 2 and one line on stderr.
refuses() {
    status=0
    "$@" >said 2>err || status=$?
    cat err
    [ "$status" -eq 2 ] && [ "$(wc -l <err)" -eq 1 ]
}

closed() { # standard output is no descriptor at all
    cp -r one lost
    status=0
    run --seed 2 --out lost 2>err >&- || status=$?
    cat err
    [ "$status" -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && diff -r two lost &&
        rm -r lost
}
check "a closed standard output: status 2, and the files are kept" closed

to_full() {
    cp -r one lost
    status=0
    run --seed 2 --out lost 2>err >/dev/full || status=$?
    cat err
    [ "$status" -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && diff -r two lost &&
        rm -r lost
}
if [ -c /dev/full ]; then
    check "a full standard output: status 2, and the files are kept" to_full
else
    skip "a full standard output, for want of /dev/full"
fi

past_limit() {
    status=0
    # More than 1,024 bytes of help, and units of 512 or 1,024.
    (ulimit -f 1 && exec "$bin/$stem" --help) >help 2>err || status=$?
    cat err
    [ "$status" -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && grep 'what is printed was lost' err
}
check "standard output past its file's limit" past_limit

# With standard error closed too there is nobody to tell, and still no harm.
silent() {
    cp -r one lost
    status=0
    run --seed 2 --out lost >&- 2>&- || status=$?
    [ "$status" -eq 2 ] && is_whole lost && rm -r lost
}
check "standard output and error closed" silent

check "a folder in place of a file" sh -c "
    mkdir -p taken/$stem.dat && cd taken && ! '$bin/$stem' --pairs 3 --out . &&
    [ \"\$(ls -A)\" = $stem.dat ]"
check "a folder that is a file" refuses run --out one/$stem.dat
check "a link to nowhere as the folder" sh -c "
    ln -s nowhere/at/all dangling; ! '$bin/$stem' --pairs 3 --out dangling"
check "a link to nowhere: one line" refuses run --out dangling

linked() {
    cp -r one target
    ln -s target link
    run --quiet --seed 2 --out link || [ $? -ne 2 ]
    diff -r two target && [ -L link ]
}
check "a link to a folder is followed" linked

file_linked() {
    mkdir linked
    echo precious >precious
    ln -s ../precious "linked/$stem.dat"
    run --quiet --seed 2 --out linked || [ $? -ne 2 ]
    diff -r two linked && grep -x precious precious && [ ! -L "linked/$stem.dat" ]
}
check "a linked file is replaced, not written through" file_linked

# Root may write anywhere, so there somebody else is asked.
somebody=
[ "$(id -u)" -ne 0 ] ||
    somebody='setpriv --reuid=65534 --regid=65534 --clear-groups'
closed_folder() {
    cp -r one unwritable
    chmod a-w unwritable
    chmod a+rx . unwritable
    cp "$bin/$stem" .
    # shellcheck disable=SC2086
    refuses $somebody "./$stem" --pairs 300 --seed 2 --out unwritable &&
        grep 'Permission denied' err && are_old unwritable
}
if [ -z "$somebody" ] || $somebody true 2>/dev/null; then
    check "a folder that may not be written" closed_folder
else
    skip "a folder that may not be written, for root may and has no setpriv"
fi

# Not every shell can limit them, but then the check fails and says so.
# shellcheck disable=SC3045
# Each thread's stack is 8 MB of address space, and more than 50 do not fit.
threadless() {
    status=0
    (
        ulimit -s 8192
        ulimit -v 400000
        exec "$bin/$stem" --pairs 300 --threads 1024 --out threadless
    ) 2>err || status=$?
    cat err
    [ "$status" -eq 2 ] && grep "^$stem: .*--threads" err &&
        [ "$(files threadless)" -eq 0 ]
}
check "threads that cannot be had" threadless

# The folder goes while the program works: /dev/stderr tells nothing yet, so
# the folder is taken away as soon as it is there.
removed() {
    status=0
    "$bin/$stem" --pairs 20000 --threads 1 --quiet --out gone 2>err &
    while [ ! -d gone ]; do :; done
    rmdir gone
    wait $! || status=$?
    cat err
    [ "$status" -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && [ ! -e gone ]
}
check "a folder removed while the program works" removed

if [ "$(id -u)" -eq 0 ] && mkdir full &&
    mount -t tmpfs -o size=64k tmpfs full 2>/dev/null; then
    mounted=$work/full
    cp one/* full
    cat /dev/zero >full/filler 2>/dev/null || true
    no_room() {
        refuses run --seed 2 --out full && grep 'No space left' err &&
            cmp "one/$stem.dat" "full/$stem.dat" &&
            cmp "one/$stem.claims.tsv" "full/$stem.claims.tsv" &&
            [ "$(files full)" -eq 3 ]
    }
    check "a full disk: the old files stay, and no other" no_room
    cut_off() {
        ! gnuplot -d -c "$plots/style.gp" "$plots/$stem.gp" one/$stem.dat \
            "full/$stem.$1" 2>err && grep 'make room' err
    }
    for ending in svg pdf png; do
        check "a figure on a full disk, $ending" cut_off $ending
    done
    umount full
    mounted=
else
    skip "a full disk, for only root may mount one"
fi

together() {
    for _ in 1 2 3 4 5; do
        run --quiet --seed 1 --out both &
        first=$!
        run --quiet --seed 2 --out both || [ $? -ne 2 ] || return 1
        wait "$first" || [ $? -ne 2 ] || return 1
        is_whole both || return 1
    done
}
check "two runs into one folder" together

# ---- signals ----

# Delays from a declared seed, 0 to 1 of what a run takes, by the minimal
# standard generator; SIGINT, SIGTERM and SIGKILL in turn.
signals=200
[ "$fast" = 0 ] || signals=30
begun=$(date +%s%N)
for _ in 1 2 3 4 5; do
    run --quiet --seed 2 --out timed || [ $? -ne 2 ]
done
taken=$((($(date +%s%N) - begun) / 5))
awk -v n=$signals -v ns="$taken" 'BEGIN {
    x = 20260730
    for (i = 0; i < n; i++) {
        x = (x * 16807) % 2147483647
        printf "%.4f %s\n", 1.1 * ns / 1e9 * x / 2147483647,
            substr("INT TERMKILL", 4 * (i % 3) + 1, 4)
    }
}' >delays

# struck DELAY SIGNAL: a run into the files of seed 1, ended by the signal.
struck() {
    rm -rf struck
    cp -r one struck
    # A shell's background job ignores SIGINT, and env undoes that.
    env --default-signal=INT "$bin/$stem" --pairs 300 --threads 1 --quiet \
        --seed 2 --out struck &
    child=$!
    sleep "$1"
    kill -s "$2" "$child" 2>/dev/null || true
    status=0
    wait "$child" 2>/dev/null || status=$?
    case $2:$status in
    INT:130 | TERM:143 | KILL:137) ended=$((ended + 1)) ;;
    *:0 | *:1 | *:3) [ "$status" -ne 2 ] ;;
    *)
        echo "status $status"
        return 1
        ;;
    esac
    # What cannot be caught may leave its own temporary file, of another name.
    [ "$2" != KILL ] || rm -f struck/*.tmp.*
    is_whole struck
}
ended=0
if env --default-signal=INT true 2>/dev/null; then
    while read -r delay signal; do
        check "SIG$signal after $delay s" struck "$delay" "$signal"
    done <delays
    check "at least a quarter of the signals came in time ($ended)" \
        [ "$ended" -ge $((signals / 4)) ]
else
    skip "signals, for want of an env that has --default-signal"
fi

# ---- gnuplot ----

mkdir none old broken
printf '%s\n' '#!/bin/sh' \
    'echo "line 7: undefined function or command of a later version" >&2' \
    'exit 1' >old/gnuplot
printf '%s\n' '#!/bin/sh' 'kill -s SEGV $$' >broken/gnuplot
chmod +x old/gnuplot broken/gnuplot

# draws_not PATH WORDS: status 2, the data new, the figure old, WORDS said.
draws_not() {
    rm -rf drawn
    cp -r one drawn
    echo old >drawn/$stem.svg
    status=0
    PATH=$1 "$bin/$stem" --pairs 300 --threads 1 --seed 2 --quiet --plot \
        --out drawn 2>err || status=$?
    cat err
    [ "$status" -eq 2 ] && grep "^$stem: .*$2" err && grep -x old drawn/$stem.svg &&
        cmp two/$stem.dat drawn/$stem.dat && [ "$(files drawn)" -eq 3 ]
}
check "no gnuplot" draws_not "$work/none" 'install gnuplot'
check "a gnuplot that is too old" draws_not "$work/old:$PATH" 'older than 5.4'
check "a gnuplot that crashes" draws_not "$work/broken:$PATH" 'gnuplot failed'
: >none/gnuplot
chmod -x none/gnuplot
check "a gnuplot that cannot be started" draws_not "$work/none" 'the data are kept'

# The figure's place is taken by a folder: gnuplot is not to blame.
says_taken() {
    mkdir -p occupied/$stem.svg
    status=0
    "$bin/$stem" --pairs 300 --threads 1 --seed 2 --quiet --plot --out occupied \
        2>err || status=$?
    cat err
    [ "$status" -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] &&
        grep "^$stem: .*directory.*$stem.svg.*the data are kept" err &&
        cmp two/$stem.dat occupied/$stem.dat && [ "$(files occupied)" -eq 3 ]
}
check "a figure whose place is a folder" says_taken

summary
