#!/bin/sh
# Copies of the tree in odd surroundings: paths with blanks and letters beyond
# ASCII, no .git, a German locale, other compilers, shells, umasks and clocks.
# Each builds and gives the committed bytes. Run by make test-places; says "N
# passed, M failed", and what it has to skip.
# What make is may be several words; $@, $1 and $0 belong to the shells that
# check starts.
# shellcheck disable=SC2086,SC2016
set -eu
unset MAKEFLAGS MFLAGS MAKELEVEL GSL_RNG_SEED ATTN_BIN ATTN_SABOTAGED
make=${MAKE:-make}
source=$PWD
. tools/check.sh

# One program whose published run takes half a second, and its results.
stem=saturated_gradient

# gives FOLDER: the committed results, byte for byte.
gives() {
    for file in "$stem.dat" "$stem.claims.tsv" "$stem.svg"; do
        cmp "$source/results/$file" "$1/$file" || return 1
    done
}

# A copy of what is under version control, or of the tree where there is none.
place="$work/a place [1] wïth blänks 注意"
mkdir "$place"
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files -z | tar -cf "$work/tree.tar" --null -T -
else
    tar -cf "$work/tree.tar" --exclude=./build --exclude=./bin \
        --exclude=./results/scratch .
fi
tar -xf "$work/tree.tar" -C "$place"
[ ! -e "$place/.git" ]

# Paths, blanks, letters, many jobs at once, no .git; gcc.
check "make -j8 in a path with blanks and other letters" \
    $make -C "$place" -j8 WERROR=-Werror all
check "a second make has nothing to do" sh -c \
    '! '"$make"' -C "$1" all | grep -E "CC|LINK|AR"' sh "$place"
cd "$place"
check "a run with --plot there" "bin/$stem" --plot --quiet --out "out pût"
check "its bytes" gives "out pût"
rm -f "results/$stem.dat" "results/$stem.svg"
check "make figures, one stem" $make "results/$stem.svg"
check "its bytes" gives results
cd "$source"
rm -f "$place/results/$stem.svg"
check "make -C from another folder" $make -C "$place" "results/$stem.svg"
check "its bytes" gives "$place/results"
check "make -f from another folder says where to stand" sh -c '
    cd / && ! '"$make"' -f "$1/Makefile" all 2>"$2" && grep -- "make -C" "$2"' \
    sh "$place" "$work/said"
check "make install to a path with blanks" \
    $make -C "$place" install PREFIX="$work/a prefix ü"
check "an installed program on PATH, from another folder" sh -c '
    mkdir -p "$1/elsewhere" && cd "$1/elsewhere" &&
    PATH="$1/a prefix ü/bin:$PATH" '"$stem"' --plot --quiet --out .' \
    sh "$work"
check "its bytes" gives "$work/elsewhere"
check "bin/ on PATH, no HOME, TMPDIR with blanks" sh -c '
    mkdir -p "$1/tmp dïr" "$1/on path" && cd "$1/on path" &&
    env -u HOME TMPDIR="$1/tmp dïr" PATH="$2/bin:$PATH" '"$stem"' --plot --quiet --out .' \
    sh "$work" "$place"
check "its bytes" gives "$work/on path"
check "nothing is left in TMPDIR" [ -z "$(ls -A "$work/tmp dïr")" ]

# Folders that gnuplot takes for a command, a home, a block or an option, when
# they stand in front; the shell too.
mkdir "$work/odd"
cd "$work/odd"
for folder in '<touch x;' '|touch x;' '~' '$x' '`touch x`' '$(touch x)' "it's" '"' \
    '-' '-e' '+' '@ARG1' '%s' 'a\b' '*' ' '; do
    check "a run with --plot into $folder" "$place/bin/$stem" --plot --quiet --out="$folder"
    check "its bytes" gives "./$folder"
done
check "and nothing else is there" [ "$(find . -mindepth 1 ! -path './*/*' | wc -l)" -eq 16 ]
cd "$source"

# keeps FILE SOURCE TOOL: the tool fails half way in making the file anew, for
# its source has changed.
half='echo reached >&2; echo half; case $0 in *gnuplot) echo half >"$6" ;; esac; exit 1'
mkdir "$work/half"
touch "$work/now"
keeps() {
    printf '%s\n' '#!/bin/sh' "$half" >"$work/half/$3"
    chmod +x "$work/half/$3"
    find "$place" -exec touch -r "$work/now" {} +
    touch -d '2 seconds' "$place/$2"
    status=0
    PATH="$work/half:$PATH" $make -C "$place" "$1" 2>"$work/said" || status=$?
    cat "$work/said"
    rm "$work/half/$3"
    [ "$status" -eq 2 ] && grep -q reached "$work/said" && cmp "$1" "$place/$1"
}
check "a figure that fails leaves the old one" keeps "results/$stem.svg" "plots/$stem.gp" gnuplot
check "a sheet that fails leaves the old one" keeps results/figures.svg tools/sheet.awk awk
check "a report that fails leaves the old one" keeps results/report.html report/style.css pandoc
find "$place" -exec touch -r "$work/now" {} +

# Libraries and flags.
check "make says which library is missing" sh -c '
    ! PKG_CONFIG_LIBDIR=/nowhere PKG_CONFIG_PATH=/nowhere '"$make"' -C "$1" \
        VARIANT=lacking all 2>"$2" && [ "$(wc -l <"$2")" -eq 1 ] && grep "make setup" "$2"' \
    sh "$place" "$work/said"
check "other flags" $make -C "$place" VARIANT=flags CFLAGS=-O1 \
    CPPFLAGS=-DNDEBUG "build/flags/bin/$stem"
check "a run with them" "$place/build/flags/bin/$stem" --plot --quiet --out "$work/flags"
check "its bytes" gives "$work/flags"
check "no rule that make before 4.3 cannot read" sh -c '! grep -n "&:" Makefile'
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    check "git leaves the ends of lines" sh -c '
        git -C "$1" init -q && git -C "$1" add .gitattributes Makefile &&
        rm "$1/Makefile" && git -C "$1" -c core.autocrlf=true checkout -q -- Makefile &&
        cmp Makefile "$1/Makefile" && rm -r "$1/.git"' sh "$place"
else
    skip "line ends in a checkout, for want of git"
fi

# Locale.
if command -v localedef >/dev/null 2>&1 && mkdir "$work/locales" &&
    localedef -i de_DE -f UTF-8 "$work/locales/de_DE.UTF-8" >/dev/null 2>&1; then
    export LOCPATH="$work/locales" LC_ALL=de_DE.UTF-8
    check "the locale has a decimal comma" \
        sh -c '[ "$(locale decimal_point)" = , ]'
    check "a run in a German locale" \
        "$place/bin/$stem" --plot --quiet --out "$work/german"
    check "its bytes" gives "$work/german"
    unset LOCPATH LC_ALL
else
    skip "a German locale, for want of localedef and its sources"
fi

# mawk reads and prints numbers with the locale's comma.
check "make runs awk in the C locale" sh -c \
    '! grep -E "awk .*-f" Makefile tools/new.sh | grep -v LC_ALL=C'

# Shells and clocks.
for shell in /bin/dash /bin/bash; do
    if [ -x $shell ]; then
        rm -f "$place/results/$stem.dat"
        check "make SHELL=$shell" \
            $make -C "$place" SHELL=$shell "results/$stem.svg" bin/score_spread
    else
        skip "$shell is not installed"
    fi
done
find "$place" -name '*.[ch]' -exec touch -d '2 days' {} +
check "files dated in the future: make ends" \
    timeout 1800 $make -C "$place" -j2 "bin/$stem"
check "and its program gives the same bytes" sh -c '
    "$1" --plot --quiet --out "$2"' sh "$place/bin/$stem" "$work/future"
check "its bytes" gives "$work/future"

# umask and modes: result files have those of any new file.
check "results have the modes that umask leaves" sh -c '
    umask 077 && "$1" --plot --quiet --out "$2/private" &&
    [ -z "$(find "$2/private" -type f ! -perm 600)" ] &&
    [ -z "$(find "$2/private" -type d ! -perm 700)" ] &&
    umask 022 && "$1" --plot --quiet --out "$2/public" &&
    [ -z "$(find "$2/public" -type f ! -perm 644)" ]' \
    sh "$place/bin/$stem" "$work"

# A tree that cannot be written, results elsewhere.
if [ "$(id -u)" -eq 0 ] && mkdir "$work/read only" &&
    mount --bind "$place" "$work/read only" 2>/dev/null; then
    mounted="$work/read only"
    mount -o remount,bind,ro "$mounted"
    check "a tree that is read only" sh -c '
        cd "$1" && ! touch x 2>/dev/null &&
        "bin/$2" --plot --quiet --out "$3/from read only"' \
        sh "$mounted" "$stem" "$work"
    check "its bytes" gives "$work/from read only"
    check "without --out it says what to do" sh -c '
        cd "$1"; ! "bin/$2" 2>"$3/said" && grep -- --out "$3/said"' \
        sh "$mounted" "$stem" "$work"
    umount "$mounted"
    mounted=
else
    skip "a tree that is read only, for only root may mount one"
fi

# Plain C11: GNU extensions stand in lib/attn_clones.h alone.
check "no attribute or builtin outside lib/attn_clones.h" sh -c '
    ! grep -nE "__(attribute__|builtin_|typeof|extension__|int128)" \
        $(ls lib/*.[ch] experiments/*.c | grep -v lib/attn_clones.h)'
if command -v clang >/dev/null 2>&1; then
    check "clang -std=c11 -Wpedantic -Wgnu" sh -c '
        clang -std=c11 -Wpedantic -Wgnu -Werror -fsyntax-only -fopenmp -Ilib \
            -D_POSIX_C_SOURCE=200809L $(pkg-config --cflags gsl) \
            lib/*.c experiments/*.c'
    check "make CC=clang there" $make -C "$place" -j2 CC=clang WERROR=-Werror \
        VARIANT=clang "build/clang/bin/$stem"
    check "a run of what clang made" \
        "$place/build/clang/bin/$stem" --quiet --out "$work/clang"
    check "its bytes" cmp "results/$stem.dat" "$work/clang/$stem.dat"
else
    skip "clang is not installed"
fi

summary
