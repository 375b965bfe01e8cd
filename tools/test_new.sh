#!/bin/sh
# Test `make new` in a copy of the tree, in a temporary folder: what it lays
# down builds, runs, is drawn and passes the tests. Says "N passed, N failed".
set -eu
unset ATTN_BIN ATTN_SABOTAGED ATTN_ONLY MAKEFLAGS MFLAGS NAME
make=${MAKE:-make}
. tools/check.sh
folder=$work/tree
mkdir "$folder"
for part in Makefile README.md bin build docs experiments lib plots report \
    results tests tools; do
    cp -a "$part" "$folder"
done
cd "$folder"

# refused NAME...: status 2, one line of its own, and nothing is laid down.
refused() {
    status=0
    tools/new.sh "$@" >said 2>&1 || status=$?
    [ "$status" -eq 2 ] && [ "$(wc -l <said)" -eq 1 ] &&
        [ "$(ls experiments plots tools/new)" = "$files" ] &&
        cmp docs/ledger.tsv ledger
}

# tests SUITE: it ran, and passed, for the new program alone where it can.
tests() {
    ATTN_BIN=bin ATTN_SABOTAGED=build/release/sabotaged ATTN_ONLY=fresh_means \
        build/release/tests/all --filter "$1" >said 2>&1 || {
        cat said
        return 1
    }
    grep 'Tested: [1-9]' said
}

files=$(ls experiments plots tools/new)
cp docs/ledger.tsv ledger
for name in '' 9lives a-b 'a b' 'a;b' 'ä' ../up style seeds figures head_training spread \
    "$(printf '%41s' '' | tr ' ' a)"; do
    check "'$name' is refused" refused "$name"
done
check "a name that is missing is refused" refused

# lacking VARIABLE=VALUE: where something is not installed, nothing is laid down.
lacking() {
    ! env "$@" "$make" new NAME=fresh_means &&
        [ "$(ls experiments plots tools/new)" = "$files" ] &&
        cmp docs/ledger.tsv ledger
}
mkdir "$work/path"
for tool in make sh sed grep mkdir; do
    ln -s "$(command -v $tool)" "$work/path"
done
check "without gnuplot nothing is laid down" lacking PATH="$work/path"
touch lib/attn_math.c
check "without GSL nothing is laid down" lacking \
    PKG_CONFIG_LIBDIR=/nowhere PKG_CONFIG_PATH=/nowhere

check "make new" "$make" new NAME=fresh_means
files=$(ls experiments plots tools/new)
cp docs/ledger.tsv ledger
check "a second time is refused" refused fresh_means
check "it runs, and its claim holds" bin/fresh_means
check "a broken law turns its verdict" \
    sh -c 'bin/fresh_means --sd 1.1 >said; [ $? -eq 1 ] && grep INCONSISTENT said'
check "--help shows its option" sh -c 'bin/fresh_means --help | grep -e --sd'
check "its figure is drawn" grep '</svg>' results/fresh_means.svg
check "it has its row in the README" grep 'fresh_means.mean.*CONSISTENT' README.md
check "the ledger has it, and holds" sh -c \
    'awk -f tools/claims.awk docs/ledger.tsv results/*.claims.tsv >said &&
     grep "fresh_means.mean .*CONSISTENT" said'
check "no name of the template is left" \
    sh -c '! grep -w NAME experiments/fresh_means.c plots/fresh_means.gp'
check "it compiles without a warning" "$make" WERROR=-Werror \
    build/release/tests/all build/release/sabotaged/fresh_means
check "it is on the sheet of all figures" grep -q fresh_means results/figures.svg
check "it has its place in the report" sh -c \
    'grep -q "figure fresh_means: fresh_means.mean" report/sections.md &&
     { ! command -v pandoc >/dev/null || report/build.sh results |
       grep -q "figure-fresh_means"; }'
check "the ledger's tests" tests 'ledger/*'
check "the figures' tests" tests 'figures/*'
check "the tests of broken laws" tests 'sabotage/*'
for test in help version same another every the_recorded; do
    check "the programs' tests, $test" tests "programs/$test*"
done
check "a second experiment beside it" "$make" new NAME=second_means
check "the ledger has both" sh -c 'grep -c "^second_means\|^fresh_means" docs/ledger.tsv | grep -x 2 &&
    grep -c "^## Your own" docs/derivations.md | grep -x 1'

summary
