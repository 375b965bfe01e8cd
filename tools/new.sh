#!/bin/sh
# Lay down a new experiment, small but whole, to be edited: new.sh NAME
# make new NAME=... calls it. Status 2 and one line where NAME will not do.
set -eu
name=${1-}
make=${MAKE:-make}

refuse() {
    echo "new: $1" >&2
    exit 2
}

case $name in
'') refuse "no name given, make new NAME=my_experiment" ;;
[!A-Za-z_]* | *[!A-Za-z0-9_]*)
    refuse "'$name' given, a C identifier is allowed: letters, digits, _"
    ;;
esac
[ ${#name} -le 40 ] || refuse "${#name} characters given, at most 40 are allowed"
for file in "experiments/$name.c" "plots/$name.gp" "results/$name.dat" "results/$name.svg"; do
    [ ! -e "$file" ] || refuse "$file exists, choose another NAME"
done
! grep -q "^$name\." docs/ledger.tsv ||
    refuse "docs/ledger.tsv has claims $name.*, choose another NAME"

# What it takes, before anything is laid down.
command -v gnuplot >/dev/null || refuse "gnuplot is not installed, run make setup before"
$make --no-print-directory VARIANT=release build/release/libattn.a

fill() {
    sed "s/NAME/$name/g" "tools/new/$1"
}
fill experiment.c >"experiments/$name.c"
fill figure.gp >"plots/$name.gp"
printf '%s\tYour own\t%s\t\t%s\n' "$name.mean" "$name" \
    'The mean of n normal entries has standard error 1/sqrt(n)' >>docs/ledger.tsv
grep -q '^## Your own$' docs/derivations.md ||
    printf '\n## Your own\n' >>docs/derivations.md
fill derivation.md >>docs/derivations.md
grep -q '^## Your own$' report/sections.md ||
    printf '\n## Your own\n\nWhat was asked beside the lecture.\n\n' \
        >>report/sections.md
printf '<!-- figure %s: %s -->\n' "$name" "$name.mean" >>report/sections.md
mkdir -p build
row="    {\"$name\", \"\", \"--sd 1.1\", \"$name.mean\"},"
awk -v row="$row" '/make new adds a row above/ { print row } { print }' \
    tests/test_sabotage.c >build/new.c
cp build/new.c tests/test_sabotage.c

# Run it, draw it, and give it its places in the README and on the sheet of all
# figures. The other results are taken as they are: make would run what is older
# than its program.
$make --no-print-directory SEED=1 FORMAT=svg VARIANT=release "results/$name.svg"
LC_ALL=C awk -f tools/readme.awk docs/ledger.tsv results/*.claims.tsv README.md \
    >build/README.md
cp build/README.md README.md
sheet=
for script in plots/*.gp; do
    stem=$(basename "$script" .gp)
    case $stem in style | seeds | bench) ;; *) sheet="$sheet results/$stem.svg" ;; esac
done
# Stems hold no blanks.
# shellcheck disable=SC2086
LC_ALL=C awk -f tools/sheet.awk $sheet >build/figures.svg
cp build/figures.svg results/figures.svg

echo "To edit, in this order (docs/new-experiment.md says more):"
while read -r file meaning; do
    printf '  %-36s %s\n' "$file" "$meaning"
done <<END
experiments/$name.c the experiment, bin/$name
plots/$name.gp its figure, results/$name.svg
docs/ledger.tsv the claim $name.mean in one line
docs/derivations.md its derivation
report/sections.md its place in the report, with what to try next
tests/test_sabotage.c what must turn its verdict, --sd 1.1
END
echo "Then: make figures readme test"
