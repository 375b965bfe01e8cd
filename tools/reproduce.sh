#!/bin/sh
# Build the programs in other ways, run them at the published parameters, and
# compare every committed result byte for byte: reproduce.sh PROGRAM ...
# No result goes through an optimised BLAS, whose sums depend on its kernel and
# threads: that none is linked is checked, where ldd can tell.
# COMPILERS="gcc-11 clang-16": those in the place of gcc and clang. A compiler
# that is not installed, and a processor without AVX2, are said and skipped.
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0 compared=0 skipped=0

# compare NAME BIN PROGRAM... (with THREADS and the environment as set)
compare() {
    name=$1 bin=$2
    shift 2
    for program in "$@"; do
        status=0
        "$bin/$program" --quiet --threads "${THREADS:-2}" --seed 1 \
            --out "$out" || status=$?
        case $status in 0 | 1 | 3) ;; *) exit "$status" ;; esac
        for file in "$program.dat" "$program.claims.tsv"; do
            compared=$((compared + 1))
            cmp -s "results/$file" "$out/$file" && continue
            echo "reproduce: $name: $file differs"
            failed=$((failed + 1))
        done
    done
    echo "reproduce: $name: done"
}

# build NAME COMPILER OPTIMISE
build() {
    "${MAKE:-make}" -s CC="$2" OPTIMISE="$3" VARIANT="reproduce-$1" SANITIZE= all \
        >/dev/null
}

if ! grep -q avx2 /proc/cpuinfo 2>/dev/null; then
    v3=skip
else
    v3=-march=x86-64-v3
fi
for compiler in ${COMPILERS:-gcc clang}; do
    if ! command -v "$compiler" >/dev/null 2>&1; then
        echo "reproduce: $compiler is not installed, skipped"
        skipped=$((skipped + 1))
        continue
    fi
    for level in -O0 -O2 -O3 baseline v3; do
        if [ "$level" = v3 ]; then
            [ "$v3" = skip ] && skipped=$((skipped + 1)) && continue
            build "$compiler$level" "$compiler" "-O3 $v3"
        elif [ "$level" = baseline ]; then # a processor without AVX2 and FMA
            build "$compiler$level" "$compiler" "-O3 -DATTN_NO_CLONES"
        else
            build "$compiler$level" "$compiler" "$level"
        fi
        compare "$compiler $level" "build/reproduce-$compiler$level/bin" "$@"
    done
done

if command -v ldd >/dev/null 2>&1; then
    for program in "$@"; do
        ldd "bin/$program" | grep -i blas | grep -v libgslcblas || continue
        echo "reproduce: $program links an optimised BLAS"
        failed=$((failed + 1))
    done
fi
for threads in 1 2 3 7; do
    THREADS=$threads compare "$threads threads" bin "$@"
done
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-AVX2
compare "libm without FMA and AVX2" bin "$@"
unset GLIBC_TUNABLES

echo "reproduce: $compared files compared, $failed differ, $skipped builds skipped"
[ "$compared" -gt 0 ] && [ "$failed" -eq 0 ]
