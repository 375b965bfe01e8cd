#!/bin/sh
# Library, programs and unit tests built for arm64 and run by an emulator, the
# programs' files compared byte for byte: test_arm64.sh PROGRAM ...
# With the published parameters they are compared with results/, with smaller
# ones with what the native program writes. QUICK=1 leaves the slow programs to
# the smaller ones. Run by make test-arm64, which needs make setup-arm64.
set -eu
root=$PWD/build/arm64/root
slow=" attention_cost born_saturated head_training permutation_equivariance \
receptive_field softmax_jacobian "
if [ ! -e "$root/complete" ] || ! command -v qemu-aarch64 >/dev/null 2>&1; then
    echo "test-arm64: run make setup-arm64 before" >&2
    exit 2
fi
. tools/check.sh

(
    export PKG_CONFIG_SYSROOT_DIR="$root"
    export PKG_CONFIG_LIBDIR="$root/usr/lib/aarch64-linux-gnu/pkgconfig"
    "${MAKE:-make}" -s VARIANT=arm64 MPI= AR=aarch64-linux-gnu-ar \
        CC="aarch64-linux-gnu-gcc --sysroot=$root" all build/arm64/tests/all-plain
)

# Scripts that stand for the programs: nothing but the emulator can start them.
# emulate NAME: build/arm64/NAME, by the script $work/NAME
emulate() {
    mkdir -p "$(dirname "$work/$1")"
    printf '#!/bin/sh\nexec qemu-aarch64 -L "%s" "%s" "$@"\n' \
        "$root" "$PWD/build/arm64/$1" >"$work/$1"
    chmod +x "$work/$1"
}

# run BIN PROGRAM FOLDER OPTIONS...: its status
run() {
    command=$1/$2 folder=$3
    shift 3
    status=0
    "$command" --quiet --seed 1 --out "$folder" "$@" || status=$?
}

# compare WANTED PROGRAM WHAT: the files of the emulated program
compare() {
    for file in "$2.dat" "$2.claims.tsv"; do
        check "$3: $file differs" diff "$1/$file" "$work/arm64/$file"
    done
    rm -rf "$work/arm64" "$work/native"
}

published() {
    begun=$(date +%s)
    run "$work/bin" "$1" "$work/arm64"
    echo "test-arm64: $1: $(($(date +%s) - begun)) s"
    compare results "$1" "$1"
}

# smaller PROGRAM OPTIONS...
smaller() {
    title="$*" program=$1
    shift
    echo "test-arm64: $title"
    run bin "$program" "$work/native" "$@"
    wanted=$status
    run "$work/bin" "$program" "$work/arm64" "$@"
    check "$title: status $status, not $wanted" [ "$status" -eq "$wanted" ]
    compare "$work/native" "$program" "$title"
}

# Contraction is off: a fused instruction stands only where the source asks for
# it by attn_fma.h, and there it is the processor's, not libm's.
fused() {
    aarch64-linux-gnu-objdump -d "$1" |
        grep -qE '[[:space:]]fn?m(add|sub|la|ls)[[:space:]]'
}
not() {
    ! "$@"
}
calls_fma() {
    aarch64-linux-gnu-nm -u "$1" | grep -qE ' fmaf?$'
}
for object in build/arm64/lib/*.o build/arm64/experiments/*.o; do
    check "$object: calls libm's fma" not calls_fma "$object"
    grep -q 'attn_fma\.h' "${object%.o}.d" && continue
    check "$object: has a fused multiply-add" not fused "$object"
done
check "the stream has no fused multiply-add" fused build/arm64/lib/attn_stream.o

for program in "$@"; do
    emulate "bin/$program"
    case ${QUICK:-0}$slow in
    [!0]*" $program "*) ;;
    *) published "$program" ;;
    esac
done
for law in uniform rademacher laplace student8; do
    smaller score_spread --entries $law --pairs 300 --head-sizes 1,7,64
done
smaller receptive_field --trials 20 --tokens 1000
smaller permutation_equivariance --trials 5 --tokens 24
smaller softmax_jacobian --trials 300 --keys 12
smaller born_saturated --trials 300
smaller attention_cost --tokens 96 --head-size 24 --long 300
smaller head_training --trials 2 --tuning 1 --followed 1 --steps 10 --head-size 48

# Left out: what starts programs by the hundred or needs gnuplot, and the limit
# on memory, which the emulator does not hand on; with QUICK=1 also what goes
# through millions of numbers.
set -- 'figures/*' 'programs/*' 'sabotage/*' 'stream/it_works_where_n_squared_*'
[ "${QUICK:-0}" = 0 ] || set -- "$@" 'fma/*' 'train/*' 'math/*_1_ulp' \
    'claim/a_sweep_*' 'sample/neighbours_*' 'sample/*normal*'
emulate tests/all-plain
check "unit tests" env ATTN_BIN="$work/bin" "$work/tests/all-plain" "$@"
tail -n 1 "$work/log"

summary
